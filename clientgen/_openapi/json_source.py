"""Reads JSON documents; what is wrong with one is reported with its place.

The checks that need no OpenAPI: it is JSON, not nested without end, and has no key twice in one
object.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec

from clientgen._json import is_array, is_object
from clientgen._problems import ClientgenError, Problem

if TYPE_CHECKING:
    from clientgen._problems import Problems

# A place in the document, linked from the inside out: it is spelled only for what is wrong.
Trail = tuple[Any, ...]

# Each level of a schema takes two; those of real documents have some twenty.
MAX_DEPTH = 250
_MAX_SHOWN_PARTS = 8
_OPENING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|([\[{])|([\]}])', re.DOTALL)
_OFFSET = re.compile(r"\(byte (\d+)\)")


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
            [Problem(shown, f"holds a JSON {_json_type(value)}, not an OpenAPI document", HINT)]
        )
    return value


TOO_DEEP = f"is nested more than {MAX_DEPTH} levels deep, more than any document may be"
TOO_LARGE = "has a number that is too large for any reader of JSON"
BITS = "API servers write integers and doubles of 64 bits."
FLATTER = "Give what is inside a name of its own, or leave it out."
HINT = "An API server answers its documents on /openapi/v2 and below /openapi/v3."


def _not_json(data: bytes, shown: str, error: Exception) -> Problem:
    if not data.strip():
        return Problem(shown, "is empty", HINT)
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
    offset = _OFFSET.search(str(error))
    line, column = _position(data, int(offset[1]) if offset else _first_undecodable(data))
    reason = _OFFSET.sub("", str(error)).strip().removeprefix("JSON is malformed: ")
    what = f"is not JSON: {reason}" if offset else "is not JSON: these bytes are not UTF-8"
    return Problem(f"{shown}:{line}:{column}", what, HINT)


def deep_position(data: bytes) -> tuple[int, int]:
    """The line and the column where a JSON text opens one level too many."""
    depth = 0
    for bracket in _OPENING.finditer(data):
        depth += (bracket[1] is not None) - (bracket[2] is not None)
        if depth > MAX_DEPTH:
            return _position(data, bracket.start())
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
        members = dict(pairs)
        if len(members) != len(pairs):
            keys: set[str] = set()
            for key, _ in pairs:
                if key in keys:
                    problems.add(shown, f"has the key {key!r} twice in one object", "Remove one.")
                keys.add(key)
        return members

    json.loads(data, object_pairs_hook=check)


def too_deep(value: object) -> list[str | int]:
    """Return the path to a value that is nested too deeply; empty if there is none."""
    if not is_deeper_than(value, MAX_DEPTH):
        return []
    return [*_deepest_path(value)[:_MAX_SHOWN_PARTS], "…"]


def is_deeper_than(value: object, depth: int) -> bool:
    """Return whether a value is nested in more than `depth` levels."""
    level = [value]
    for _ in range(depth):
        level = [inner for node in level if is_object(node) for inner in node.values()] + [
            item for node in level if is_array(node) for item in node
        ]
        if not level:
            return False
    return True


def _deepest_path(value: object) -> list[str | int]:
    """The way to the first part that is too deep."""
    todo: list[tuple[Any, Trail, int]] = [(value, (), 0)]
    while todo:
        node, trail, depth = todo.pop()
        if depth == MAX_DEPTH:
            return parts_of(trail)
        todo += [(inner, (trail, key), depth + 1) for key, inner in _entries(node)]
    return []


def _entries(node: Any) -> list[tuple[str | int, Any]]:
    if is_object(node):
        return list(node.items())
    return list(enumerate(node)) if is_array(node) else []


def pointer(*parts: str | int) -> str:
    """A JSON pointer (RFC 6901) in URI fragment form, for messages."""
    spelled = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)
    return f"#{spelled}" if spelled else ""


def follow(document: Any, reference: str) -> Any:
    """Return the target of a local `$ref`.

    Raises:
        KeyError: it leads nowhere.
    """
    if not reference.startswith("#/"):
        raise KeyError(reference)
    target = document
    for part in reference[2:].split("/"):
        if not is_object(target):
            raise KeyError(reference)
        target = target[part.replace("~1", "/").replace("~0", "~")]
    return target


def parts_of(trail: Trail) -> list[str | int]:
    """A place from the outside in."""
    parts: list[str | int] = []
    while trail:
        trail, part = trail
        parts.append(part)
    return parts[::-1]
