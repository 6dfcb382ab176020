"""Conversion functions between versions of one's own kinds, as a first draft.

Fields that are equal in both versions are copied. For every other field there is a `TODO`, which is
no name: type checkers refuse the module until each is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, get_args, get_origin

from clientgen._problems import Problems
from clientgen.generator.python_types.class_reader import read_class
from clientgen.generator.python_types.class_records import ApiKind, TypeField
from clientgen.generator.python_types.field_annotations import unalias
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.quantity import Quantity
from clientgen.runtime._models.union_stand_ins import UNIONS

_SHARED: Final = frozenset([str, int, float, bool, bytes, datetime, Quantity])
_TYPE_META: Final = frozenset(["api_version", "kind"])


@dataclass(frozen=True, slots=True)
class Pair:
    """A class and the class of the same name in another version."""

    old: type[Model]
    new: type[Model]


@dataclass(slots=True)
class Draft:
    """The functions that are needed so far, and the names of modules and versions."""

    modules: dict[str, str]
    pairs: dict[Pair, str] = field(default_factory=dict[Pair, str])
    copies: bool = False

    def function(self, pair: Pair) -> str:
        """The name of the function for two classes."""
        version = self.modules[pair.new.__module__].replace(".", "_")
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", pair.new.__name__).lower()
        return self.pairs.setdefault(pair, f"{name}_to_{version}")

    def named(self, cls: type[Model]) -> str:
        """A class, as the module names it."""
        return f"{self.modules[cls.__module__]}.{cls.__qualname__}"

    def copy(self, expression: str) -> str:
        """A deep copy of a value."""
        self.copies = True
        return f"deep_copy({expression})"


def pairs_of(kinds: Iterable[ApiKind], problems: Problems) -> list[Pair]:
    """The classes of each kind in two versions that follow each other, both ways."""
    groups: dict[tuple[str, str], list[ApiKind]] = {}
    for kind in kinds:
        groups.setdefault((kind.group, kind.kind), []).append(kind)
    several = [versions for versions in groups.values() if len(versions) > 1]
    if not several and not problems:
        hint = "give --types for the modules of two versions"
        problems.add("--types", "no kind has two versions", hint)
    found: list[Pair] = []
    for versions in several:
        for one, other in pairwise(versions):
            found += [Pair(one.type.cls, other.type.cls), Pair(other.type.cls, one.type.cls)]
    return found


def functions(pairs: Sequence[Pair], modules: dict[str, str]) -> str:
    """The source of a module with the conversion functions."""
    draft = Draft(modules)
    for pair in pairs:
        draft.function(pair)
    texts: dict[Pair, str] = {}
    while len(texts) < len(draft.pairs):
        for pair, name in tuple(draft.pairs.items()):
            if pair not in texts:
                texts[pair] = _function(draft, pair, name)
    imports = [*imports_of(modules)]
    if draft.copies:
        imports.insert(0, "from clientgen.runtime.models import deep_copy\n")
    top = (
        '"""Conversions between the versions of an API."""\n\nfrom __future__ import annotations\n'
    )
    return "\n".join([top, *imports, "", *texts.values()])


def imports_of(modules: dict[str, str]) -> Iterator[str]:
    """The imports of modules, under their names."""
    of_packages: dict[str, list[str]] = {}
    for module, name in sorted(modules.items()):
        package, _, last = module.rpartition(".")
        of_packages.setdefault(package, []).append(last if last == name else f"{last} as {name}")
    for package, names in of_packages.items():
        listed = ", ".join(names)
        yield f"from {package} import {listed}" if package else f"import {listed}"


def _function(draft: Draft, pair: Pair, name: str) -> str:
    old, new = fields_to_convert(pair.old), fields_to_convert(pair.new)
    before, version = draft.modules[pair.old.__module__], draft.modules[pair.new.__module__]
    lost = [attribute for attribute in old if attribute not in new]
    lines = [f"    TODO(old.{attribute})  # {version} has no field for it" for attribute in lost]
    arguments: list[str] = []
    for attribute, wanted in new.items():
        given = old.get(attribute)
        if given is None:
            if wanted.required:
                arguments.append(f"        {attribute}=TODO,  # {before} has no such field")
            continue
        expression = _converted(draft, f"old.{attribute}", given.annotation, wanted.annotation)
        reason = "" if expression else "  # the types differ"
        arguments.append(f"        {attribute}={expression or f'TODO(old.{attribute})'},{reason}")
    head = f"def {name}(old: {draft.named(pair.old)}) -> {draft.named(pair.new)}:"
    text = f'    """Convert a {pair.old.__name__} to {version}."""'
    body = [*lines, f"    return {draft.named(pair.new)}(", *arguments, "    )"]
    return "\n".join([head, text, *body, "", ""])


def fields_to_convert(cls: type[Model]) -> dict[str, TypeField]:
    """The fields of a class without its constants, by attribute."""
    constants = {*cls.__constants__, *_TYPE_META}
    fields = read_class(cls, Problems()).fields
    return {each.attribute: each for each in fields if each.attribute not in constants}


def _converted(draft: Draft, value: str, old: Any, new: Any) -> str | None:
    """An expression for a value in the other version; None if the author has to write it."""
    old, new = _plain(old), _plain(new)
    if old == new:
        return value if _is_shared(old) else draft.copy(value)
    if _is_narrower(old, new):
        return value
    old_members, new_members = _members(old), _members(new)
    if len(old_members) == len(new_members) == 1 and (old_members[0], new_members[0]) != (old, new):
        if type(None) in get_args(old) and type(None) not in get_args(new):
            return None
        inner = _converted(draft, value, old_members[0], new_members[0])
        optional = type(None) in get_args(old) and inner not in (None, value)
        return f"None if {value} is None else {inner}" if optional else inner
    return _of_parts(draft, value, old, new)


def _of_parts(draft: Draft, value: str, old: Any, new: Any) -> str | None:
    origin = get_origin(old)
    if origin in (list, dict) and get_origin(new) is origin:
        inner = _converted(draft, "each", get_args(old)[-1], get_args(new)[-1])
        if inner is None or (origin is dict and get_args(old)[0] != get_args(new)[0]):
            return None
        if origin is list:
            return f"[{inner} for each in {value}]"
        return f"{{key: {inner} for key, each in {value}.items()}}"
    are_models = isinstance(old, type) and isinstance(new, type) and issubclass(old, Model)
    if not are_models or not issubclass(new, Model) or old.__name__ != new.__name__:
        return None
    are_own = {old.__module__, new.__module__} <= draft.modules.keys()
    return f"{draft.function(Pair(old, new))}({value})" if are_own else None


def _plain(annotation: Any) -> Any:
    annotation = unalias(annotation)
    return _plain(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation


def _members(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) not in UNIONS:
        return (annotation,)
    return tuple(_plain(each) for each in get_args(annotation) if each is not type(None))


def _is_shared(annotation: Any) -> bool:
    """Return whether no part of a value can change."""
    members = _members(annotation)
    return all(each in _SHARED or get_origin(each) is Literal for each in members)


def _is_narrower(old: Any, new: Any) -> bool:
    """Return whether every value of an enumeration is one of another, or of its type."""
    old_values = [value for each in _members(old) for value in get_args(each)]
    if get_origin(_members(old)[0]) is not Literal or len(_members(old)) > 1:
        return False
    allowed = [value for each in _members(new) for value in get_args(each)]
    none_fits = type(None) not in get_args(old) or type(None) in get_args(new)
    is_open = all(type(value) in _members(new) for value in old_values)
    return none_fits and (is_open or set(old_values) <= set(allowed))
