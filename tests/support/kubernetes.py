"""Facts of the committed document, counted without the code that is tested with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["actions", "object_definitions", "resources", "watched_resources"]

SPEC = Path(__file__).parents[2] / "specs/kubernetes/swagger.json"
_PATH = re.compile(
    r"/(?:api|apis/([^/]+))/(v\w+)/(watch/)?(?:namespaces/\{namespace\}/)?([a-z]+)(?:/.*)?"
)

Triple = tuple[str, str, str]
"""Group, version and plural."""


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(SPEC.read_bytes())
    return document


@cache
def actions() -> Counter[str]:
    """How many operations there are of each `x-kubernetes-action`; of none, under ``""``."""
    return Counter(
        operation.get("x-kubernetes-action", "")
        for item in _document()["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    )


def resources() -> set[Triple]:
    """The resources that have a path of their own."""
    return _resources(watched=False)


def watched_resources() -> set[Triple]:
    """The resources that have one of the old paths with `/watch/`."""
    return _resources(watched=True)


def _resources(*, watched: bool) -> set[Triple]:
    matches = (_PATH.fullmatch(path) for path in _document()["paths"])
    return {
        (match[1] or "", match[2], match[4])
        for match in matches
        if match and bool(match[3]) == watched
    }


def object_definitions() -> set[str]:
    """The definitions of objects."""
    definitions = _document()["definitions"]
    return {name for name, schema in definitions.items() if schema.get("type") == "object"}
