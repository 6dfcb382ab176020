"""The text that `clientgen explain` prints, in the layout of `kubectl explain`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from clientgen._problems import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clientgen.reference.names import Target
    from clientgen.reference.package_reader import Api
    from clientgen.reference.records import Client, Facts, Field, Piece

_COLUMN: Final = 12
_STEP: Final = "  "
_MIN_WIDTH: Final = 40


def lines(api: Api, target: Target, width: int, *, recursive: bool) -> Iterator[str]:
    """Yield the lines about a resource or a field.

    Args:
        api: where its types are.
        target: the resource or field.
        width: of the terminal.
        recursive: list the names of all fields below it, and no texts.
    """
    writer = _Writer(api, max(width, _MIN_WIDTH))
    yield from writer.head(target)
    yield from writer.description(target)
    fields = target.type.fields if target.type else ()
    if fields:
        yield ""
        yield "FIELDS:"
        ordered = sorted(fields, key=lambda each: each.name)
        if recursive and target.type:
            yield from writer.tree(ordered, 1, {target.type.id})
        else:
            for number, field in enumerate(ordered):
                yield from [""] * bool(number)
                yield from writer.field(field)


def line_of(pieces: Sequence[Piece]) -> str:
    """The text of a line of Python."""
    return "".join(piece.text for piece in pieces)


class _Writer:
    """Writes lines for a terminal; foreign texts have no power over it."""

    def __init__(self, api: Api, width: int) -> None:
        self._api = api
        self._width = width

    def head(self, target: Target) -> Iterator[str]:
        """The kind, its version, and the field with its type."""
        group_version = target.resource.group_version
        if group_version.group:
            yield self._entry("GROUP", group_version.group)
        yield self._entry("KIND", target.resource.kind)
        yield self._entry("VERSION", group_version.version)
        yield ""
        if target.fields:
            field = target.fields[-1]
            required = " -required-" if field.required else ""
            yield self._entry("FIELD", f"{field.name} <{field.shape.word}>{required}")
            yield self._entry("PYTHON", target.python)
            yield from self._more(line_of(field.shape.python))
        else:
            yield from self._resource(target)

    def _resource(self, target: Target) -> Iterator[str]:
        yield self._entry("PYTHON", f"from {target.root.import_from} import {target.root.id.name}")
        client = self._client(target)
        if client is not None:
            namespace = '"default"' if target.resource.namespaced else ""
            call = f"k.{client.version_accessor}.{client.accessor}({namespace})"
            yield self._entry("CLIENT", call)
            yield from self._wrapped(
                ", ".join(dict.fromkeys(each.name for each in client.methods)), " " * _COLUMN
            )
        yield from self._views(target)
        names = [target.resource.plural, target.resource.singular, *target.resource.short_names]
        yield self._entry("NAMES", ", ".join(names))

    def _views(self, target: Target) -> Iterator[str]:
        names: dict[str, list[str]] = {}
        for view in self._api.views_of(target.root.id):
            names.setdefault(view.module, []).append(view.name)
        for number, (module, views) in enumerate(names.items()):
            written = f"from {module} import {', '.join(views)}"
            yield from self._wrapped_entry("" if number else "VIEWS", written)

    def _client(self, target: Target) -> Client | None:
        clients = self._api.clients_of(self._api.home_of_resource(target.resource))
        return next((each for each in clients if each.resource == target.resource), None)

    def description(self, target: Target) -> Iterator[str]:
        """The text, and the facts that are stated at its end."""
        field = target.fields[-1] if target.fields else None
        of_type = target.type.text if target.type else ""
        texts = dict.fromkeys(filter(None, (field.text if field else "", of_type)))
        yield ""
        yield "DESCRIPTION:"
        for number, text in enumerate(texts or ("There is no text.",)):
            if number:
                yield ""
            yield from self._text(text, _STEP * 2)
        facts = [*self._facts(field.facts if field else target.root.facts, field)]
        if field is not None and target.type is not None:
            facts += self._limits(target.type.facts, len(field.facts.limits))
        if facts:
            yield ""
            yield from facts

    def _facts(self, facts: Facts, field: Field | None) -> Iterator[str]:
        if facts.default:
            yield self._entry("DEFAULT", facts.default)
        if field is not None and field.shape.values:
            yield from self._wrapped_entry("VALUES", ", ".join(field.shape.values))
        yield from self._limits(facts, 0)
        if facts.since:
            yield self._entry("SINCE", facts.since)
        if facts.deprecated:
            yield from self._wrapped_entry("DEPRECATED", facts.deprecated)

    def _limits(self, facts: Facts, before: int) -> Iterator[str]:
        for number, limit in enumerate(facts.limits, start=before):
            yield from self._wrapped_entry("" if number else "LIMITS", limit)

    def field(self, field: Field) -> Iterator[str]:
        """A field of the type: its name, its type, its text and its facts."""
        yield self._head_of(field, 1)
        yield from self._text(field.text, _STEP * 3)
        yield from self._short_facts(field)

    def _head_of(self, field: Field, depth: int) -> str:
        required = " -required-" if field.required else ""
        head = f"{field.name} <{field.shape.word}>{required}"
        python = "" if field.attribute == field.name else f"  ({field.attribute})"
        return visible(f"{_STEP * depth}{head}{python}")

    def _short_facts(self, field: Field) -> Iterator[str]:
        facts = field.facts
        parts = [f"Default: {facts.default}."] if facts.default else []
        if field.shape.values:
            parts.append(f"Values: {', '.join(field.shape.values)}.")
        parts += facts.limits
        if facts.since:
            parts.append(f"Since {facts.since}.")
        if facts.deprecated:
            parts.append("Deprecated.")
        if parts:
            yield from self._wrapped(" ".join(parts), _STEP * 3)

    def tree(self, fields: Sequence[Field], depth: int, above: set[object]) -> Iterator[str]:
        """The names of fields, and of those below them; a type in itself is not repeated."""
        for field in fields:
            yield self._head_of(field, depth)
            inner = self._api.type(field.shape.type) if field.shape.type else None
            if inner is None or inner.id in above:
                continue
            ordered = sorted(inner.fields, key=lambda each: each.name)
            yield from self.tree(ordered, depth + 1, above | {inner.id})

    def _entry(self, title: str, value: str) -> str:
        head = f"{title}:" if title else ""
        return visible(f"{head:<{_COLUMN}}{value}")

    def _wrapped_entry(self, title: str, value: str) -> Iterator[str]:
        head = f"{title}:" if title else ""
        for number, line in enumerate(self._wrapped(value, " " * _COLUMN)):
            yield f"{head:<{_COLUMN}}{line.lstrip()}" if not number else line

    def _more(self, value: str) -> Iterator[str]:
        yield from self._wrapped(value, " " * _COLUMN)

    def _text(self, text: str, indent: str) -> Iterator[str]:
        """Paragraphs are filled; lines that are indented or begin a list are kept."""
        for number, paragraph in enumerate(text.split("\n\n") if text else ()):
            if number:
                yield ""
            if any(line[:1] in " -*" for line in paragraph.split("\n")):
                yield from (visible(f"{indent}{line}") for line in paragraph.split("\n"))
            else:
                yield from self._wrapped(paragraph, indent)

    def _wrapped(self, text: str, indent: str) -> Iterator[str]:
        plain = visible(" ".join(text.split()))
        yield from textwrap.wrap(
            plain,
            self._width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
