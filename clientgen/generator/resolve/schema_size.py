"""Limits of the size of schemas, which references can multiply without end.

A reference is short, and what it leads to may refer to as much again. A schema beyond these limits
is a problem with its place, and is read no further.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen.generator.ir import ListType, MapType, TypeRef
from clientgen.generator.resolve.schemas import Properties

# Steps from a property to what it is: into an object described in place, an item, a reference.
_MAX_DEPTH = 150
# `list[list[...]]`: Python's own parser takes some 200 brackets, and people fewer.
_MAX_BRACKETS = 30
# Objects described in place that several definitions take over become a class for each of them.
_MAX_COPIES = 10_000

_MAX_SHOWN_PARTS = 10

_TOO_DEEP = f"is nested more than {_MAX_DEPTH} levels deep"
_FEWER = "Use fewer levels."
_NAMED = "Give the object a name and refer to it (`$ref`)."


class Limits:
    """Counts while types are resolved, and reports each kind of excess once."""

    def __init__(self, problems: Problems) -> None:
        """Report to `problems`."""
        self._problems = problems
        self._depth = 0
        self._described: dict[int, Schema] = {}
        self._open: set[int] = set()
        self._copies = 0
        self._reported: set[str] = set()

    def _tell(self, what: str, where: str, hint: str) -> None:
        """Report a kind of problem once: where there is one, there are thousands."""
        if what not in self._reported:
            self._reported.add(what)
            self._problems.add(_shortened(where), what, hint)

    def enter(self, where: str) -> bool:
        """Begin a step, which `leave` ends. Return whether the limit allows it."""
        self._depth += 1
        if self._depth == _MAX_DEPTH:
            self._tell(_TOO_DEEP, where, _FEWER)
        return self._depth < _MAX_DEPTH

    def leave(self) -> None:
        """End the step that `enter` began."""
        self._depth -= 1

    @contextmanager
    def describing(self, schema: Schema, where: str) -> Generator[bool, None, None]:
        """Count an object that is described in place. Return whether it may become a class."""
        key = id(schema.raw)  # no other one has it while it is kept
        self._copies += key in self._described
        self._described[key] = schema
        if key in self._open:
            what = "contains itself: its `allOf` includes a schema that contains it"
            self._problems.add(_shortened(where), what, _NAMED)
        elif self._copies > _MAX_COPIES:
            what = f"is taken over by `allOf` with others so often that {_MAX_COPIES} classes more"
            self._tell(f"{what} would be made", where, _NAMED)
        may = key not in self._open and self._copies <= _MAX_COPIES
        if may:
            self._open.add(key)
        yield may
        if may:
            self._open.discard(key)

    def taken_over(
        self, properties: Properties, schema: Schema, where: str
    ) -> tuple[Mapping[str, Schema], frozenset[str]]:
        """A schema's properties and which are required; none of what is too much."""
        try:
            return properties.of(schema)
        except OverflowError:
            what = "takes over more properties by `allOf`, with all before it, than can be meant"
            self._tell(what, where, "Refer to what has them (`$ref`) in a property.")
            return {}, frozenset()

    def written(self, type_: TypeRef, where: str) -> TypeRef:
        """Return the type, and report it if it has more brackets than Python can read."""
        brackets, inner = 0, type_
        while isinstance(inner, ListType | MapType):
            inner = inner.item if isinstance(inner, ListType) else inner.value
            brackets += 1
        if brackets > _MAX_BRACKETS and _TOO_DEEP not in self._reported:
            what = f"is {brackets} nested lists or maps; the limit is {_MAX_BRACKETS}"
            self._problems.add(where, what, _FEWER)
        return type_


def _shortened(where: str) -> str:
    """Return a shortened place: inside of deep schemas, places are long."""
    source, hash_, place = where.partition("#")
    parts = place.split("/")
    short = "/".join(parts[:_MAX_SHOWN_PARTS])
    return f"{source}{hash_}{short}/…" if len(parts) > _MAX_SHOWN_PARTS else where
