"""Sentences for docstrings about a schema's defaults, limits and validation rules.

The server enforces these, but Python types cannot express them. The sentences follow the
description that the API's author wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clientgen._openapi.keywords import sentences
from clientgen._openapi.schema import Bounds, Schema, Validation

# Kubernetes' own specs state these for fields without a default; the second line is never worth a
# sentence.
_ZEROS: tuple[object, ...] = (None, False, 0, "", [], {})
_EMPTY: tuple[object, ...] = (None, "", [], {})
_MAX_SENTENCE_CHARS = 80
# Formats that the type already expresses, or that mean nothing in Python.
_TYPED = frozenset(
    {
        *("byte", "date-time", "int-or-string", "quantity"),
        *("int32", "int64", "float", "double", "password"),
    }
)
_IMMUTABLE = frozenset({"self == oldSelf", "oldSelf == self"})


@dataclass(frozen=True, slots=True)
class Description:
    """A description: the author's text, and sentences about limits."""

    text: str = ""
    sentences: str = ""

    def __str__(self) -> str:
        """The text of the docstring."""
        return "\n\n".join(filter(None, (self.text, self.sentences)))


def of_field(schema: Schema, *, custom: bool, whole: bool) -> Iterator[str]:
    """Describe a property.

    Args:
        schema: the property's schema.
        custom: whether it belongs to a custom resource. The specs of Kubernetes' own types state
            zero values as defaults, and list keys that need no mention.
        whole: whether to include the sentences of `of_object`, because the schema does not become
            a class with a docstring of its own.
    """
    if schema.has_default and schema.default not in (_EMPTY if custom else _ZEROS):
        yield f"Defaults to {_quoted_value(schema.default)}."
    yield from map(_sentence, _limits(schema))
    for of, inner in (("item", schema.items), ("value", schema.additional)):
        if inner is not None and not inner.has_properties:
            yield from (f"Each {of}: {limit}." for limit in _limits(inner))
    if custom:
        yield from _lists(schema)
        if schema.nullable:
            yield "May be null."
    yield from sentences(schema.raw)
    if whole or not schema.has_properties:
        yield from of_object(schema)


def of_object(schema: Schema) -> Iterator[str]:
    """Describe an object as a whole: its number of entries, required alternatives, and rules."""
    if not schema.has_object_limits:
        return
    yield from map(_sentence, _range(schema.property_count, "entry", "entries"))
    for parts, how in ((schema.one_of, "Exactly"), (schema.any_of, "At least")):
        names = _alternatives(parts)
        if names:
            yield f"{how} one of {_listed(names, 'or')} is required."
    yield from map(_rule, schema.validations)


def _sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def _limits(schema: Schema) -> Iterator[str]:
    """Phrases about a value: its range, length, pattern, format and number of items."""
    if not schema.has_value_limits:
        return
    yield from _amounts(schema)
    yield from _range(schema.length, "character", "characters")
    if schema.pattern and not schema.is_int_or_string:
        yield f"matches `{schema.pattern}`"
    if schema.format and schema.format not in _TYPED:
        yield f"format {schema.format}"
    yield from _range(schema.item_count, "item", "items")
    if schema.has_unique_items:
        yield "items must be unique"
    values = [value for value in schema.enum if value is not None]
    if not all(isinstance(value, str) for value in values):  # the type lists strings
        yield f"one of {', '.join(map(_quoted_value, values))}"


def _amounts(schema: Schema) -> Iterator[str]:
    least, most = schema.amount
    open_below, open_above = schema.excludes_bounds
    if None not in (least, most) and not open_below and not open_above:
        yield f"from {least} to {most}" if least != most else f"exactly {least}"
    else:
        if least is not None:
            yield f"{'more than' if open_below else 'at least'} {least}"
        if most is not None:
            yield f"{'less than' if open_above else 'at most'} {most}"
    if schema.multiple_of:
        yield f"a multiple of {schema.multiple_of}"


def _range(bounds: Bounds, singular: str, many: str) -> Iterator[str]:
    """A phrase for the allowed number of something."""
    least, most = bounds
    if least and most is not None:
        yield (
            f"exactly {_count(least, singular, many)}"
            if least == most
            else f"{least} to {most} {many}"
        )
    elif least:
        yield f"at least {_count(least, singular, many)}"
    elif most is not None:
        yield f"at most {_count(most, singular, many)}"


def _count(number: int, singular: str, many: str) -> str:
    return f"{number} {singular if number == 1 else many}"


def _lists(schema: Schema) -> Iterator[str]:
    if schema.list_type == "set":
        yield "Items must be unique."
    elif schema.list_type == "map" and schema.list_map_keys:
        yield f"No two items may have the same {_listed(map(str, schema.list_map_keys))}."


def _alternatives(parts: Iterable[Schema]) -> list[str]:
    """The alternatives in `oneOf: [{required: [a]}, {required: [b]}]`, if it has that form."""
    if not all(set(part.words) == {"required"} for part in parts):
        return []
    return [" with ".join(f"`{name}`" for name in part.required) for part in parts]


def _rule(validation: Validation) -> str:
    expression = " ".join(validation.rule.split())
    message = " ".join(validation.message.split()).rstrip(".")
    if expression in _IMMUTABLE:
        return "Immutable once set."
    # A long expression does not help readers; its message does.
    parts = (message, f"(`{expression}`)" if message else f"`{expression}`")
    shown = parts[:1] if message and len(expression) > _MAX_SENTENCE_CHARS else parts
    return f"Rule: {' '.join(filter(None, shown))}."


def _listed(names: Iterable[str], last: str = "and") -> str:
    named = [name if name.startswith("`") else f"`{name}`" for name in names]
    return f" {last} ".join(filter(None, (", ".join(named[:-1]), named[-1])))


def _quoted_value(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return f"`{text}`" if len(text) <= _MAX_SENTENCE_CHARS else "a value too long to show"
