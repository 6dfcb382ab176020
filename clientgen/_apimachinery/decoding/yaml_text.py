"""YAML as an API server reads and answers it: keys in order, text that could be more in quotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from clientgen._yaml import loader
from clientgen._yaml.composer import TAG
from clientgen._yaml.yaml_scalars import plain_value

from .depth import check_depth

_STR: Final = f"{TAG}str"
_PARTS: Final = re.compile(r"([0-9]+)")

if TYPE_CHECKING:
    from yaml import CSafeDumper
else:
    # libyaml is several times faster, but not everywhere.
    CSafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(CSafeDumper):
    """Block style; text that could be taken for another type in double quotes."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _write_text(dumper: CSafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    elif not isinstance(plain_value(text), str) or not _is_text(dumper, text):
        style = '"'
    return dumper.represent_scalar(_STR, text, style)  # pyright: ignore[reportUnknownMemberType]


def _is_text(dumper: Any, text: str) -> bool:
    """Return whether a plain text is text in YAML 1.1, too, and no date or `1:30`."""
    return bool(dumper.resolve(yaml.ScalarNode, text, (True, False)) == _STR)


def _write_map(dumper: CSafeDumper, value: dict[str, Any]) -> yaml.MappingNode:
    ordered = sorted(value.items(), key=lambda pair: _natural(pair[0]))
    return dumper.represent_mapping(f"{TAG}map", ordered)


def _natural(key: str) -> list[tuple[int, str, str]]:
    """Order numbers in keys by value, so that `k2` comes before `k10`; however long they are."""
    return [_place(part, part.lstrip("0")) for part in _PARTS.split(key)]


def _place(part: str, significant: str) -> tuple[int, str, str]:
    is_number = part.isascii() and part.isdecimal()
    return (len(significant), significant, part) if is_number else (-1, part, part)


def load_yaml(body: bytes) -> tuple[Any, list[str]]:
    """Read the first document; gives the value and a sentence for each key that stands twice.

    Raises:
        BadText: it is not YAML, nothing that JSON can say, or nested too deep.
    """
    value, duplicates = loader.load_yaml(body)
    check_depth(value)
    return value, duplicates


_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(dict, _write_map)


def dump_yaml(value: Any) -> bytes:
    """Write `value` as the server answers `Accept: application/yaml`."""
    written: str = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=False,
        allow_unicode=True,
        sort_keys=False,
    )
    return written.encode()
