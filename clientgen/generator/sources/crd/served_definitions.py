"""CustomResourceDefinitions to custom resources: every served version of every definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clientgen._json import is_array, is_object
from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen.generator.sources.crd.collector import NOTHING, Manifest
from clientgen.generator.sources.crd.crd_documents import read_documents
from clientgen.generator.sources.crd.crd_rules import (
    API_VERSION,
    KIND,
    read_definition,
    repeated_definition,
    wrong_version,
)
from clientgen.generator.sources.crd.helm import HINT, is_template
from clientgen.generator.sources.crd.positions import below
from clientgen.generator.sources.crd.yaml_documents import Document
from clientgen.generator.sources.custom_operations import ServedKind, custom_spec
from clientgen.generator.sources.spec import Input, Precedence, Spec

_OTHER = "not a CustomResourceDefinition"


@dataclass(frozen=True, slots=True)
class _PlacedDefinition:
    """A definition that passed, and its place."""

    spec: Mapping[str, Any]
    where: str


def parse(inputs: Iterable[Input]) -> Spec:
    """Understand manifests.

    Args:
        inputs: what `gather` gave. Documents of other kinds are listed in `Spec.ignored`. A file
            that was named must hold a definition.

    Raises:
        ClientgenError: with all that is wrong with any of the definitions: see the page on
            custom resources (docs/guides/crds.md).
    """
    reading = _Reading()
    for source in inputs:
        reading.read(source)
    _check_distinct(reading.definitions, reading.problems)
    reading.problems.raise_if_any()
    resources = [
        resource for definition in reading.definitions for resource in _resources(definition)
    ]
    (reading.notes if resources else reading.problems).extend(reading.unserved)
    reading.problems.raise_if_any()
    spec = custom_spec("CustomResourceDefinitions", resources, Precedence.MANIFEST)
    return replace(spec, ignored=tuple(reading.ignored), notes=tuple(reading.notes))


def specs_of(inputs: Iterable[Input]) -> list[Mapping[str, Any]]:
    """Return the `spec` of each definition that `parse` would take."""
    reading = _Reading()
    for source in inputs:
        reading.read(source)
    return [definition.spec for definition in reading.definitions]


class _Reading:
    """The definitions and problems from reading the files."""

    def __init__(self) -> None:
        self.problems = Problems()
        self.notes = Problems()
        self.unserved = Problems()
        """Definitions of which nothing is generated: notes, unless there are no others."""
        self.definitions: list[_PlacedDefinition] = []
        self.ignored: list[tuple[str, str]] = []

    def read(self, source: Input) -> None:
        """Read a file."""
        broken, any_there = Problems(), False
        for document in read_documents(source.data, source.shown, broken):
            place = f"{source.shown}[{document.index}]"
            for value, where in _objects(document.value, place):
                if is_object(value) and value.get("kind") == KIND:
                    any_there = True
                    self._definition(value, where, document)
                elif value is not None:
                    self.ignored.append((f"{_called(value)} of {source.shown}", _OTHER))
        self.problems.extend(broken)
        if not any_there and not broken and isinstance(source, Manifest) and source.named:
            self.problems.add(source.shown, *NOTHING)

    def _definition(self, value: dict[str, Any], where: str, document: Document) -> None:
        self.problems.extend(document.doubts)
        if value.get("apiVersion") != API_VERSION:
            self.problems.extend([wrong_version(value.get("apiVersion"), where)])
            return
        if _is_fragment(value):
            what = "is not a complete definition: it has no group, names or versions"
            hint = "If it is a kustomize patch, read the output of `kubectl kustomize`."
            self.problems.add(where, what, hint)
            return
        templates = list(_templates(value, where))
        for place, text in templates:
            what = f"is a Helm template, not a manifest: `{text}`"
            self.problems.add(place, what, HINT)
        if templates or document.templated:
            return
        problems = Problems()
        definition = read_definition(value, where, problems, self.notes)
        self.problems.extend(problems)
        if problems:
            return
        spec = definition["spec"]
        self.definitions.append(_PlacedDefinition(spec, where))
        if not any(version.get("served") for version in spec["versions"]):
            what = "has no served version, so there is nothing to generate"
            place = below(where, "spec", "versions")
            self.unserved.add(place, what, "Set `served: true` in one of them.")


def _objects(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    """The object of a document, or those of a list, with their places."""
    items = value.get("items") if is_object(value) else None
    kind: object = value.get("kind") if is_object(value) else None
    if not (isinstance(kind, str) and kind.endswith("List") and is_array(items)):
        yield value, where
        return
    for at, item in enumerate(items):
        if is_object(item) and kind == f"{KIND}List":
            # Items of a typed list need not say what they are.
            item = {"apiVersion": value.get("apiVersion"), "kind": KIND, **item}  # noqa: PLW2901
        yield from _objects(item, below(where, "items", at))


def _is_fragment(value: Mapping[str, Any]) -> bool:
    """Return whether it is a piece of a definition, as operators keep them for kustomize."""
    spec = value.get("spec")
    return not is_object(spec) or not spec.keys() & {"group", "names", "versions"}


def _called(value: Any) -> str:
    if not is_object(value):
        return "a document"
    metadata = value.get("metadata")
    name = metadata.get("name") if is_object(metadata) else None
    return f"{value.get('kind') or 'an object'}{f' {name}' if name else ''}"


def _templates(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Strings that a chart would fill in; texts in schemas may speak of templates."""
    if isinstance(value, str) and is_template(value):
        yield where, value
    elif is_object(value):
        for key, each in value.items():
            if key != "openAPIV3Schema":
                yield from _templates(each, below(where, key))
    elif is_array(value):
        for at, each in enumerate(value):
            yield from _templates(each, below(where, at))


def _check_distinct(definitions: Iterable[_PlacedDefinition], problems: Problems) -> None:
    """Report definitions with a name of an earlier one: a server serves only the first."""
    users: dict[tuple[str, str, str], _PlacedDefinition] = {}
    for definition in definitions:
        group, names = definition.spec["group"], definition.spec["names"]
        claims = [("plural", names["plural"]), ("kind", names["kind"]), ("kind", _list_kind(names))]
        for role, name in claims:
            first = users.setdefault((group, role, name), definition)
            if first is definition:
                continue
            if first.spec["names"]["plural"] == names["plural"]:
                called = f"{names['plural']}.{group}"
                problems.extend([repeated_definition(called, definition.where, first.where)])
            else:
                what = f"has the {role} {name!r} in {group}, and so does {first.where}"
                problems.add(definition.where, what, "Leave one of them out.")
            break


def _list_kind(names: Mapping[str, Any]) -> str:
    list_kind: str = names.get("listKind") or f"{names['kind']}List"
    return list_kind


def _resources(definition: _PlacedDefinition) -> Iterator[ServedKind]:
    spec = definition.spec
    names = spec["names"]
    for at, version in enumerate(spec["versions"]):
        if not version.get("served"):
            continue
        parts: Mapping[str, Any] = version.get("subresources", {})
        yield ServedKind(
            group=spec["group"],
            version=version["name"],
            kind=names["kind"],
            list_kind=_list_kind(names),
            plural=names["plural"],
            namespaced=spec["scope"] == "Namespaced",
            schema=_described(version, f"{spec['group']}/{version['name']} {names['kind']}"),
            where=below(definition.where, "spec", "versions", at, "schema", "openAPIV3Schema"),
            status="status" in parts,
            scale="scale" in parts,
            selectable_fields=tuple(
                field["jsonPath"] for field in version.get("selectableFields") or ()
            ),
        )


def _described(version: Mapping[str, Any], called: str) -> Schema:
    """The schema of a version, which says so if it is deprecated."""
    schema = Schema(version["schema"]["openAPIV3Schema"])
    if not version.get("deprecated"):
        return schema
    warning = version.get("deprecationWarning") or f"{called} is deprecated"
    texts = (schema.description, f"Deprecated: {warning}")
    return Schema({**schema.raw, "description": "\n\n".join(filter(None, texts))})
