"""The page of a type: its fields, its manifests and, for a kind, the calls of its client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clientgen.reference.site.client_sections import client_sections
from clientgen.reference.site.file_names import anchors
from clientgen.reference.site.html import Html, element, inline, prose
from clientgen.reference.site.page import code, line_of, page, to_root

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clientgen.reference.package_reader import Api
    from clientgen.reference.records import Client, Facts, Field, Type
    from clientgen.reference.site.examples import Examples
    from clientgen.reference.site.file_names import Paths


@dataclass(frozen=True, slots=True)
class TypePage:
    """Everything that the page of a type shows.

    Attributes:
        crumbs: names and paths of the pages above it.
        client: the client, if the type is a kind that has one.
        used_by: the types that have it as the type of a field.
    """

    type: Type
    crumbs: Sequence[tuple[str, str]]
    client: Client | None
    used_by: Sequence[Type]


class TypePages:
    """Writes the pages of types."""

    def __init__(self, api: Api, paths: Paths, package: str, examples: Examples) -> None:
        """Write for an API; `paths` has the pages that links may lead to."""
        self._api = api
        self._paths = paths
        self._package = package
        self._examples = examples

    def page(self, shown: TypePage) -> str:
        """The page of a type."""
        type_, path = shown.type, self._paths.of(shown.type.id)
        content = [*self._head(shown), *self._fields(type_, path)]
        if shown.client is not None:
            content += client_sections(shown.client, self._examples, self._paths, path)
        content += [*self._manifest(type_), *self._used_by(shown, path)]
        return page(path, type_.name, shown.crumbs, self._package, *content)

    def _head(self, shown: TypePage) -> Iterator[Html]:
        type_ = shown.type
        yield element("h1", type_.name)
        yield prose(type_.text)
        yield from _fact_list(type_.facts, ())
        rows = [("apiVersion", type_.api_version), ("kind", type_.kind)] if type_.kind else []
        if shown.client is not None:
            resource = shown.client.resource
            scope = "in namespaces" if resource.namespaced else "of the cluster"
            names = [resource.plural, resource.singular, *resource.short_names]
            rows += [("names", ", ".join(dict.fromkeys(names))), ("scope", scope)]
        if rows:
            yield _rows([(title, element("code", value)) for title, value in rows])
        yield code(f"from {type_.import_from} import {type_.id.name}", label="Import")

    def _fields(self, type_: Type, path: str) -> Iterator[Html]:
        yield element("h2", "Fields", id="fields")
        if not type_.fields:
            yield element("p", "It has no fields.")
        names = anchors("f", (each.name for each in type_.fields))
        for each in type_.fields:
            yield self._field(each, names[each.name], path)

    def _field(self, each: Field, anchor: str, path: str) -> Html:
        tags = ["required"] if each.required else []
        tags += ["deprecated"] if each.facts.deprecated else []
        line = line_of(each.shape.python, self._paths, to_root(path))
        rows = [("Python", element("code", each.attribute, ": ", line))]
        return element(
            "section",
            element(
                "h3",
                element("a", each.name, href=f"#{anchor}"),
                " ",
                element("span", each.shape.word, class_="type"),
                *(element("span", tag, class_="tag") for tag in tags),
            ),
            prose(each.text),
            _rows([*rows, *_facts(each.facts, each.shape.values)]),
            id=anchor,
            class_="field",
        )

    def _manifest(self, type_: Type) -> Iterator[Html]:
        name, source = self._api.typed_manifest(type_)
        if not name:
            return
        yield element("h2", "Manifests", id="manifests")
        module, _, class_ = name.rpartition(".")
        yield element(
            "p",
            "The keys of a manifest and the types of their values, for type checkers. Calls take "
            "such a dict where they take an object.",
        )
        yield code(f"from {module} import {class_}\n\n{source}", label="Typed manifest")

    def _used_by(self, shown: TypePage, path: str) -> Iterator[Html]:
        if not shown.used_by:
            return
        root = to_root(path)
        yield element("h2", "Used by", id="used-by")
        items = (
            element(
                "li",
                element("a", each.name, href=f"{root}{self._paths.of(each.id)}"),
                f" of {each.group_version}" if each.group_version else "",
            )
            for each in shown.used_by
        )
        yield element("ul", *items, class_="columns")


def _facts(facts: Facts, values: Sequence[str]) -> list[tuple[str, Html]]:
    rows: list[tuple[str, Html]] = []
    if facts.default:
        rows.append(("Default", element("code", facts.default)))
    if values:
        shown: list[str] = []
        for number, value in enumerate(values):
            shown += [", "] * bool(number) + [element("code", value)]
        rows.append(("Values", element("span", *shown)))
    rows += [("Limits" if not number else "", inline(each)) for number, each in _numbered(facts)]
    if facts.since:
        rows.append(("Since", inline(f"Kubernetes {facts.since}")))
    if facts.deprecated:
        rows.append(("Deprecated", inline(facts.deprecated)))
    return rows


def _numbered(facts: Facts) -> Iterator[tuple[int, str]]:
    yield from enumerate(facts.limits)


def _fact_list(facts: Facts, values: Sequence[str]) -> Iterator[Html]:
    rows = _facts(facts, values)
    if rows:
        yield _rows(rows)


def _rows(rows: Sequence[tuple[str, Html]]) -> Html:
    """Titles and values; a value without a title belongs to the title before."""
    parts: list[Html] = []
    for title, value in rows:
        if title:
            parts.append(element("dt", title))
        parts.append(element("dd", value))
    return element("dl", *parts)
