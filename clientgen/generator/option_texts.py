"""What docstrings of methods say of their options: the texts of the runtime's TypedDicts.

They are read from its source, so that every fact stands once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import clientgen
from clientgen._class_bodies import annotated_fields

_SOURCE = Path(clientgen.__file__).with_name("runtime") / "_http" / "call_options.py"
_LAST = "timeout"  # every call has it


@cache
def option_lines(kind: str) -> str:
    """Return the lines of an `Args:` section on the options of a TypedDict, with their indent."""
    texts = options_of(kind).items()
    return "\n".join(f"            {name}: {text[0].lower()}{text[1:]}" for name, text in texts)


def options_of(kind: str) -> Mapping[str, str]:
    """Return the options of a TypedDict and their texts; `timeout` is the last."""
    classes = _classes()
    texts = dict(_inherited(classes, kind))
    last = texts.pop(_LAST)
    return {**texts, _LAST: last}


def _inherited(classes: Mapping[str, ast.ClassDef], kind: str) -> Iterator[tuple[str, str]]:
    found = classes.get(kind)
    if found is None:
        return
    for base in found.bases:
        yield from _inherited(classes, ast.unparse(base))
    yield from ((name, text) for name, _, text in annotated_fields(found.body) if text)


@cache
def _classes() -> dict[str, ast.ClassDef]:
    tree = ast.parse(_SOURCE.read_bytes())
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
