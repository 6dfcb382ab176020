"""Objects made up by a schema: valid ones, as odd as the schema allows.

Lists and maps are often empty, values often zero, texts often blank, properties often missing, and
now and then there is one that no schema knows.
"""

# JSON has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

__all__ = ["Sampler", "meaning"]

Schema: TypeAlias = Mapping[str, Any]

_TEXTS = ("", "web", "0", "a b", "é☃", 'q"uote\\', "true", "1Gi")
_WHOLE = (0, 1, -1, 80, 2**31 - 1, 2**53 + 1)
_FLOATS = (0.0, 1.5, -0.25, 3.0)
_FREE: tuple[Any, ...] = (0, False, "", [], {}, {"a": [{}], "b": {}}, [1, "x"], "x", 1.5)
_QUANTITIES = ("100m", "1Gi", "0", "1.50", 2, 0.5)
_DEEPEST = 9


class Sampler:
    """Makes values of schemas; `find` knows what a `$ref` refers to."""

    def __init__(self, seed: int, find: Callable[[str], Schema], *, texts: frozenset[str]) -> None:
        """`texts` are the properties of which an empty text is the same as none."""
        self._dice = random.Random(seed)
        self._find = find
        self._texts = texts

    def value(self, schema: Schema, depth: int = 0, name: str = "") -> Any:
        if reference := schema.get("$ref"):
            target = reference.rpartition("/")[2]
            return self._special(target) or self.value(self._find(target), depth, name)
        if "properties" in schema:
            return self._object(schema, depth)
        return self._plain(schema, depth, name)

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        chance = 0.8 if depth < 3 else 0.5 if depth < _DEEPEST else 0.0
        obj: dict[str, Any] = {}
        for name, inner in schema["properties"].items():
            if name in required or self._dice.random() < chance:
                obj[name] = self.value(inner, depth + 1, name)
            elif inner.get("type") in ("array", "object", "string") and self._dice.random() < 0.02:
                obj[name] = None
        if self._dice.random() < 0.03:
            obj["ofTheFuture"] = self._dice.choice(_FREE)
        return obj

    def _plain(self, schema: Schema, depth: int, name: str) -> Any:
        if schema.get("x-kubernetes-int-or-string"):
            return self._dice.choice(_QUANTITIES)
        kind = schema.get("type")
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(self._count(depth))]
        if kind == "object" and isinstance(inner := schema.get("additionalProperties"), dict):
            return {f"k{n}": self.value(inner, depth + 1) for n in range(self._count(depth))}
        if kind == "object" and schema.get("x-kubernetes-preserve-unknown-fields") is not True:
            return {}
        return self._scalar(schema, name)

    def _scalar(self, schema: Schema, name: str) -> Any:
        kind, form = schema.get("type"), schema.get("format")
        if kind == "string":
            return self._text(schema, form, name)
        if kind == "integer":
            return self._dice.choice(_WHOLE[:5] if form == "int32" else _WHOLE)
        if kind == "number":
            return self._dice.choice(_FLOATS)
        if kind == "boolean":
            return self._dice.random() < 0.5
        return self._dice.choice(_FREE)

    def _text(self, schema: Schema, form: str | None, name: str) -> Any:
        if form == "date-time":
            return "2026-01-01T00:00:00Z"
        if form == "byte":
            return self._dice.choice(("", "//79", "eA=="))
        if form == "int-or-string":
            return self._dice.choice(_QUANTITIES)
        texts = schema.get("enum", _TEXTS)
        return self._dice.choice([t for t in texts if t] if name in self._texts else texts)

    def _special(self, target: str) -> Any:
        """What some definitions are, though they do not say so."""
        if target.endswith(".MicroTime"):
            return "2026-01-01T00:00:00.000000Z"
        if target.endswith(".Quantity"):
            return self._dice.choice(_QUANTITIES)
        return {"f:a": {}} if target.endswith(".FieldsV1") else None

    def _count(self, depth: int) -> int:
        return self._dice.choice((0, 0, 1, 2)) if depth < _DEEPEST else 0


def meaning(value: Any) -> Any:
    """Return a JSON value without its nulls, which are as good as nothing."""
    if isinstance(value, dict):
        return {key: meaning(inner) for key, inner in value.items() if inner is not None}
    return [meaning(item) for item in value] if isinstance(value, list) else value
