"""The documents of a manifest, in YAML or JSON."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import yaml

from clientgen._openapi.json_source import (
    BITS,
    FLATTER,
    MAX_DEPTH,
    TOO_DEEP,
    TOO_LARGE,
    deep_position,
    is_deeper_than,
)
from clientgen._problems import Problem, Problems
from clientgen._yaml.loader import BadText
from clientgen.generator.sources.crd.helm import helm_problem
from clientgen.generator.sources.crd.yaml_documents import (
    Document,
    not_yaml,
    repeated_keys,
    yaml_documents,
)

_PYTHON_RECURSION_LIMIT = 1000
_HINT = "Name files and folders of YAML or JSON manifests."
_SPACE = re.compile(r"\s*")
_OBJECT = re.compile(r'\s*\{\s*["}]')
_SEPARATOR = re.compile(r"^---", re.MULTILINE)


def read_documents(data: bytes, shown: str, problems: Problems) -> Iterator[Document]:
    """The documents of a file, up to the first that cannot be read.

    Args:
        data: the bytes of the file.
        shown: how messages call it.
        problems: takes what is no YAML or JSON, with line and column.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        problems.add(f"{shown}:{line}:{column}", "is not UTF-8 text", _HINT)
        return
    try:
        if _is_json(text):
            yield from _json_documents(text, shown, problems)
        else:
            yield from yaml_documents(text, shown)
    except yaml.YAMLError as error:
        problems.extend([not_yaml(text, shown, error)])
    except _NumberError as error:
        problems.add(shown, str(error), BITS)
    except RecursionError:
        line, column = deep_position(text.encode()) if _is_json(text) else _deep_line(text)
        problems.add(f"{shown}:{line}:{column}", TOO_DEEP, FLATTER)
    except BadText:
        problems.add(
            shown,
            "becomes too large when its aliases are expanded",
            "Write the values without aliases.",
        )


def _deep_line(text: str) -> tuple[int, int]:
    """The line and the column where a YAML text opens one level too many."""
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH and event.start_mark:
            return event.start_mark.line + 1, event.start_mark.column + 1
    return 1, 1


def _is_json(text: str) -> bool:
    return _OBJECT.match(text) is not None and not _SEPARATOR.search(text)


def _json_documents(text: str, shown: str, problems: Problems) -> Iterator[Document]:
    """Documents one after another. The place of a repeated key is that of its document."""
    repeated: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) != len(members):
            counts = Counter(key for key, _ in members)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return made

    decoder = json.JSONDecoder(
        object_pairs_hook=pairs, parse_int=_whole, parse_float=_finite, parse_constant=_no_number
    )
    at, index = _skip(text, 0), 0
    while at < len(text):
        repeated.clear()
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            what = f"is not JSON: {error.msg}"
            problem = Problem(f"{shown}:{error.lineno}:{error.colno}", what, _HINT)
            problems.extend([helm_problem(text, shown, error.lineno) or problem])
            return
        if is_deeper_than(value, _PYTHON_RECURSION_LIMIT):  # some versions read it, others do not
            raise RecursionError
        line = text.count("\n", 0, at) + 1
        if "\\" in text[at:end] and not _is_unicode(value):
            what = "has one half of a surrogate pair (`\\ud800`), which is not a character"
            problems.add(f"{shown}:{line}", what, "Write both halves, or the character itself.")
            return
        yield Document(index, value, tuple(_warnings(text[at:end], line, shown, repeated)))
        at, index = _skip(text, end), index + 1


def _whole(digits: str) -> int:
    _finite(digits)
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NumberError(TOO_LARGE)
    return number


def _no_number(word: str) -> float:
    raise _NumberError(f"is not JSON: `{word}` is not a JSON number")


class _NumberError(Exception):
    """A number that Python reads and JSON has not."""


def _is_unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _skip(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def json_texts(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a JSON text, each with the number of its first line; none of a YAML text."""
    decoder, at = json.JSONDecoder(parse_int=str, parse_float=str), _skip(text, 0)
    while _is_json(text) and at < len(text):
        end = decoder.raw_decode(text, at)[1]
        yield text.count("\n", 0, at) + 1, text[at:end]
        at = _skip(text, end)


def _warnings(text: str, line: int, shown: str, repeated: list[str]) -> Iterator[Problem]:
    """The places of keys that stand twice: JSON is YAML, whose reader knows them."""
    problems = repeated_keys(text, shown, line) if repeated else []
    yield from problems
    if repeated and not problems:
        what = f"has the key {repeated[0]!r} twice in one object"
        yield Problem(f"{shown}:{line}", what, "Remove one of them.")
