"""Reading a JSON document so that whatever is wrong with it is said with its place.

The checks that need no Kubernetes: it is JSON, not nested without end, no key twice in one object,
every `$ref` leads somewhere, no `allOf` leads back to itself.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, TypeGuard

import msgspec

from clientgen._problems import ClientgenError, Problem, Problems

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

__all__ = [
    "BITS",
    "DEEPEST",
    "FLATTER",
    "TOO_DEEP",
    "TOO_LARGE",
    "check_references",
    "deep_position",
    "duplicate_keys",
    "follow",
    "is_array",
    "is_object",
    "links_to_nowhere",
    "named_schemas",
    "parse_json",
    "pointer",
    "read_file",
    "too_deep",
]

# A place in the document, linked from the inside out: it is spelled only for what is wrong.
_Trail = tuple[Any, ...]

# A cluster with a thousand large custom resources stays well below.
_LARGEST = 64 * 2**20
# Each level of a schema takes two; those of real documents have some twenty.
DEEPEST = 250
_SHOWN_PARTS = 8
_OPENING = re.compile(rb'"(?:[^"\\]|\\.)*+"|([\[{])|([\]}])', re.DOTALL)
_OFFSET = re.compile(r"\(byte (\d+)\)")


def links_to_nowhere(paths: Iterable[Path], endings: Collection[str], problems: Problems) -> None:
    """Report symbolic links of what would be read that lead to nothing: it would be missing."""
    for path in paths:
        if path.suffix in endings and path.is_symlink() and not path.exists():
            what = f"is a symbolic link that leads nowhere, to {os.readlink(path)!r}"  # noqa: PTH115
            problems.add(str(path), what, "Remove it, or make what it leads to.")


def read_file(path: Path, shown: str) -> bytes:
    """The bytes of an input file.

    Raises:
        ClientgenError: it is missing, a folder, not ours to read, or far too large.
    """
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            what = f"has {size / 2**20:.0f} MiB; no API server's document has {_LARGEST >> 20}"
            raise ClientgenError([Problem(shown, what, _HINT)])
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = "Name the OpenAPI document, for example one fetched with `clientgen spec pull`."
        raise ClientgenError([Problem(shown, f"cannot be read: {reason}", hint)]) from None


def parse_json(data: bytes, shown: str) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        ClientgenError: with line and column of what is not JSON.
    """
    try:
        value: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ClientgenError([_not_json(data, shown, error)]) from None
    if not is_object(value):
        raise ClientgenError(
            [Problem(shown, f"holds a JSON {_json_type(value)}, not an OpenAPI document", _HINT)]
        )
    return value


TOO_DEEP = f"is nested more than {DEEPEST} levels deep, which nothing that is read can be"
TOO_LARGE = "has a number that is too large for any reader of JSON"
BITS = "API servers write integers and doubles of 64 bits."
FLATTER = "Give what is inside a name of its own, or leave it out."
_HINT = "An API server answers its documents on /openapi/v2 and below /openapi/v3."


def _not_json(data: bytes, shown: str, error: Exception) -> Problem:
    if not data.strip():
        return Problem(shown, "is empty", _HINT)
    if isinstance(error, RecursionError):
        line, column = deep_position(data)
        return Problem(f"{shown}:{line}:{column}", TOO_DEEP, FLATTER)
    if "truncated" in str(error):
        line, column = _position(data, len(data))
        return Problem(
            f"{shown}:{line}:{column}", "ends in the middle of the JSON", "Fetch it anew."
        )
    if isinstance(error, msgspec.ValidationError):  # it says no place
        return Problem(shown, TOO_LARGE, BITS)
    found = _OFFSET.search(str(error))
    line, column = _position(data, int(found[1]) if found else _first_undecodable(data))
    reason = _OFFSET.sub("", str(error)).strip().removeprefix("JSON is malformed: ")
    what = f"is not JSON: {reason}" if found else "is not JSON: these bytes are not UTF-8"
    return Problem(f"{shown}:{line}:{column}", what, _HINT)


def deep_position(data: bytes) -> tuple[int, int]:
    """The line and the column where a JSON text opens one level too many."""
    depth = 0
    for found in _OPENING.finditer(data):
        depth += (found[1] is not None) - (found[2] is not None)
        if depth > DEEPEST:
            return _position(data, found.start())
    return 1, 1


def _first_undecodable(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _position(data: bytes, offset: int) -> tuple[int, int]:
    before = data[:offset]
    return before.count(b"\n") + 1, offset - before.rfind(b"\n")


def _json_type(value: object) -> str:
    kinds = ((list, "array"), (str, "string"), (bool, "boolean"), ((int, float), "number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def duplicate_keys(data: bytes, shown: str, problems: Problems) -> None:
    """Find keys that stand twice in one object: JSON readers keep one of them and say nothing."""

    def check(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    problems.add(shown, f"has the key {key!r} twice in one object", "Remove one.")
                seen.add(key)
        return found

    json.loads(data, object_pairs_hook=check)


def too_deep(value: object) -> list[str | int]:
    """The way to what is nested more deeply than anything can be; nothing if nothing is."""
    level = [value]
    for _ in range(DEEPEST):
        level = [each for node in level if is_object(node) for each in node.values()] + [
            each for node in level if is_array(node) for each in node
        ]
        if not level:
            return []
    return [*_deepest_path(value)[:_SHOWN_PARTS], "…"]


def _deepest_path(value: object) -> list[str | int]:
    """The way to the first part that is too deep."""
    todo: list[tuple[Any, _Trail, int]] = [(value, (), 0)]
    while todo:
        node, trail, depth = todo.pop()
        if depth == DEEPEST:
            return _parts(trail)
        todo += [(each, (trail, key), depth + 1) for key, each in _entries(node)]
    return []


def _entries(node: Any) -> list[tuple[str | int, Any]]:
    if is_object(node):
        return list(node.items())
    return list(enumerate(node)) if is_array(node) else []


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether the value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether the value is a JSON array."""
    return isinstance(value, list)


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901) in URI fragment form, for messages."""
    spelled = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return f"#{spelled}" if spelled else ""


def follow(document: Any, reference: str) -> Any:
    """What a local `$ref` leads to.

    Raises:
        KeyError: it leads nowhere.
    """
    if not reference.startswith("#/"):
        raise KeyError(reference)
    found = document
    for part in reference[2:].split("/"):
        if not is_object(found):
            raise KeyError(reference)
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found


def check_references(document: dict[str, Any], shown: str, problems: Problems, *at: str) -> None:
    """Report every `$ref` to nowhere and every schema that is nothing but itself.

    Args:
        document: what was read.
        shown: how messages call it.
        problems: takes the reports.
        at: the way to the named schemas.
    """
    schemas, prefix = named_schemas(document, *at), f"{pointer(*at)}/"
    wanted = {prefix + pointer(name)[2:] for name in schemas}
    for trail, reference in _references(schemas):
        if reference not in wanted:
            _complain(document, shown + _spell(trail, at), reference, problems)
    for trail, reference in _references(document, without=schemas):
        if reference not in wanted and not _leads_somewhere(document, reference):
            _complain(document, shown + _spell(trail), reference, problems)
    for cycle in _cycles(schemas):
        keyword = "$ref" if "$ref" in schemas[cycle[0]] else "allOf"
        problems.add(
            shown + pointer(*at, cycle[0], keyword),
            f"{keyword} leads back to itself: {' -> '.join([*cycle, cycle[0]])}",
            "A schema cannot contain itself; break the circle.",
        )


def named_schemas(document: dict[str, Any], *at: str) -> dict[str, Any]:
    """The schemas that have a name, where this kind of document keeps them."""
    found: Any = document
    for part in at:
        found = found.get(part, {})
    return found if is_object(found) else {}


def _complain(document: dict[str, Any], where: str, reference: str, problems: Problems) -> None:
    if _leads_somewhere(document, reference):
        what, hint = "which is no schema with a name", "Name that schema and refer to it."
    else:
        what, hint = "which is not in the document", "Add the definition or correct the name."
    problems.add(where, f"$ref leads to {reference!r}, {what}", hint)


def _leads_somewhere(document: dict[str, Any], reference: str) -> bool:
    try:
        follow(document, reference)
    except KeyError:
        return False
    return True


# What stands there is data, not a part of the document.
_VALUES = frozenset({"default", "enum", "example", "examples"})


def _references(start: Any, *, without: object = None) -> Iterator[tuple[_Trail, str]]:
    """Every `$ref` and its trail. A property that is itself called `$ref` holds no string."""
    todo: list[tuple[Any, _Trail]] = [(start, ())]
    while todo:
        node, trail = todo.pop()
        if is_object(node) and type(node.get("$ref")) is str:
            yield trail, node["$ref"]
        entries = node.items() if is_object(node) else enumerate(node)
        named = not trail or trail[1] == "properties"
        todo += [
            (v, (trail, k))
            for k, v in entries
            if (type(v) is dict or type(v) is list)
            and v is not without
            and (named or k not in _VALUES)
        ]


def _spell(trail: _Trail, at: tuple[str, ...] = ()) -> str:
    return pointer(*at, *_parts(trail))


def _parts(trail: _Trail) -> list[str | int]:
    parts: list[str | int] = []
    while trail:
        trail, part = trail
        parts.append(part)
    return parts[::-1]


def _cycles(definitions: dict[str, Any]) -> list[list[str]]:
    """Circles among definitions along `allOf` and `$ref`, each once, from its first name on."""
    edges = {name: _taken_over(schema) for name, schema in definitions.items()}
    edges = {name: targets for name, targets in edges.items() if targets}
    done: set[str] = set()
    cycles: list[list[str]] = []
    for start in sorted(edges):
        cycle = _walk(start, edges, done)
        if cycle:
            first = cycle.index(min(cycle))
            cycles.append(cycle[first:] + cycle[:first])
    return cycles


def _walk(start: str, edges: dict[str, list[str]], done: set[str]) -> list[str]:
    """Depth-first without recursion; the circle that is met first, or nothing."""
    path: dict[str, None] = {}
    todo: list[tuple[str, bool]] = [(start, True)]
    while todo:
        name, enter = todo.pop()
        if not enter:
            path.popitem()
            done.add(name)
        elif name in path:
            done.update(path)
            found = list(path)
            return found[found.index(name) :]
        elif name not in done:
            path[name] = None
            todo.append((name, False))
            todo.extend((target, True) for target in edges.get(name, []))
    return []


def _taken_over(schema: object) -> list[str]:
    """The definitions that a schema takes over as a whole, itself or by what it is made of."""
    references: list[Any] = []
    todo = [schema]
    while todo:
        part = todo.pop()
        if is_object(part):
            references.append(part.get("$ref"))
            inner = part.get("allOf")
            todo += inner if is_array(inner) else []
    found = (ref for ref in reversed(references) if isinstance(ref, str))
    return [ref.rpartition("/")[2].replace("~1", "/").replace("~0", "~") for ref in found]
