"""The CustomResourceDefinition of a kind, out of all modules that have a version of it.

Each is checked by the rules of the API server. What a server would refuse is a problem at its line
of Python.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clientgen._problems import Problems
from clientgen.generator.crds.crd_schema import Part, SchemaBuilder
from clientgen.generator.crds.kind_versions import Version
from clientgen.generator.crds.rule_places import PlacedRule, placed, validation
from clientgen.generator.crds.schema_paths import check_path
from clientgen.generator.crds.server_rules import refused
from clientgen.generator.kubebuilder.kubebuilder_markers import parse_markers
from clientgen.generator.python_types.class_records import ApiKind
from clientgen.runtime._admission.rules import Rule

_MAX_ANNOTATION_BYTES: Final = 256 * 1024  # what all annotations of an object may take
_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_MATURITY: Final = {None: 0, "beta": 1, "alpha": 2}
# Facts all versions share, and what messages call them.
_SHARED: Final = {
    "plural": "the plural",
    "singular": "the singular",
    "list_kind": "the kind of its lists",
    "namespaced": "the scope",
}


@dataclass(frozen=True, slots=True)
class Manifest:
    """One CustomResourceDefinition; `modules` are those its versions come from, sorted.

    `rules` are the rules of its versions, wherever they are enforced.
    """

    definition: Mapping[str, Any]
    modules: tuple[str, ...]
    rules: tuple[PlacedRule, ...] = ()

    @property
    def name(self) -> str:
        """The name of the object: `crontabs.stable.example.com`."""
        return str(self.definition["metadata"]["name"])

    @property
    def is_too_large_for_kubectl(self) -> bool:
        """Whether `kubectl apply` refuses it: it keeps a copy in an annotation, in compact JSON."""
        copy = json.dumps(self.definition, ensure_ascii=False, separators=(",", ":"))
        return len(copy.encode()) >= _MAX_ANNOTATION_BYTES

    @property
    def file(self) -> str:
        """The name of its file: group, then plural, as controller-gen writes them."""
        plural, _, group = self.name.partition(".")
        return f"{group}_{plural}.yaml"


def version_order(version: str) -> tuple[int, int, int, int, str]:
    """Sorts versions as Kubernetes prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, others."""
    match = _VERSION.fullmatch(version)
    if not match:
        return (1, 0, 0, 0, version)
    major, maturity, minor = match.groups()
    return (0, _MATURITY[maturity], -int(major), -int(minor or 0), version)


def manifests(
    kinds: Iterable[ApiKind], problems: Problems, rules: Sequence[Rule[Any]] = ()
) -> tuple[Manifest, ...]:
    """The definitions of these kinds with their rules, sorted by name.

    What is wrong goes to `problems`; a kind that has any is not among the results.
    """
    groups: dict[tuple[str, str], list[Version]] = {}
    for kind in kinds:
        # `declared_kinds` has reported the problems of these markers.
        markers = parse_markers(kind.type.markers, Problems(), "type")
        version = Version(kind, markers)
        if not version.is_skipped():
            groups.setdefault((kind.group, kind.kind), []).append(version)
    builder = SchemaBuilder(problems)
    made = [_manifest(versions, builder, problems, rules) for _, versions in sorted(groups.items())]
    return tuple(sorted(filter(None, made), key=lambda manifest: manifest.name))


def _manifest(
    versions: list[Version],
    builder: SchemaBuilder,
    problems: Problems,
    rules: Sequence[Rule[Any]],
) -> Manifest | None:
    versions = sorted(versions, key=lambda version: version_order(version.kind.version))
    own_problems = Problems()
    _check_versions(versions, own_problems)
    names = _names(versions, own_problems)
    stored = _stored(versions, own_problems)
    parts = [builder.kind(version.kind.type) for version in versions]
    for version, part in zip(versions, parts, strict=True):
        _check_paths(version, part, own_problems)
    placed_rules = [
        each
        for version, part in zip(versions, parts, strict=True)
        for each in _place(version, part, rules, own_problems)
    ]
    definition = _definition(versions, parts, names, stored)
    metadata = _metadata(versions, own_problems)
    definition["metadata"] = {"name": f"{names['plural']}.{versions[0].kind.group}", **metadata}
    if not own_problems and not problems:
        own_problems.extend(refused(definition, versions, parts))
    problems.extend(own_problems)
    modules = tuple(sorted({version.kind.module.name for version in versions}))
    return None if own_problems else Manifest(definition, modules, tuple(placed_rules))


def _place(
    version: Version, part: Part, rules: Iterable[Rule[Any]], problems: Problems
) -> list[PlacedRule]:
    """Put the rules of a version into its schema, as far as they belong there."""
    found = [placed(each, part.schema) for each in rules if each.model is version.kind.type.cls]
    for each in found:
        problems.extend(each.problems)
        if each.place == "CustomResourceDefinition":
            entries = part.schema.setdefault("x-kubernetes-validations", [])
            part.places["x-kubernetes-validations", str(len(entries))] = each.where
            entries.append(validation(each))
    return found


def _check_versions(versions: list[Version], problems: Problems) -> None:
    first = versions[0]
    by_version: dict[str, Version] = {}
    for version in versions:
        earlier = by_version.setdefault(version.kind.version, version)
        if earlier is not version:
            gvk = version.kind.gvk
            problems.add(
                version.where, f"{gvk} is defined twice", f"the other is at {earlier.where}"
            )
        for attribute, called in _SHARED.items():
            here, there = getattr(version.kind, attribute), getattr(first.kind, attribute)
            if here != there:
                what = f"{called} is {_fact(here)} here, and {_fact(there)} in {first.kind.version}"
                problems.add(version.where, what, f"all versions share it; see {first.where}")


def _fact(fact: object) -> str:
    return f"`{fact}`" if isinstance(fact, str) else ("Namespaced" if fact else "Cluster")


def _stored(versions: list[Version], problems: Problems) -> str:
    """The version objects are stored in."""
    marked = [
        (version, marker) for version in versions if (marker := version.marker("storageversion"))
    ]
    if len(versions) == 1 or len(marked) == 1:
        return (marked[0][0] if marked else versions[0]).kind.version
    hint = "put `+kubebuilder:storageversion` above one of them"
    if not marked:
        names = ", ".join(version.kind.version for version in versions)
        what = f"no version of {versions[0].kind.kind} is marked as the stored one: {names}"
        problems.add(versions[0].where, what, hint)
    for _, marker in marked[1:]:
        what = "a second version is marked as the stored one"
        problems.add(marker.where, what, f"remove one; the first is at {marked[0][1].where}")
    return versions[0].kind.version


def _names(versions: list[Version], problems: Problems) -> dict[str, Any]:
    kind = versions[0].kind
    names: dict[str, Any] = {
        "kind": kind.kind,
        "listKind": kind.list_kind,
        "plural": kind.plural,
        "singular": kind.singular,
    }
    for argument, key in (("shortName", "shortNames"), ("categories", "categories")):
        declared = [
            (marker, marker.value[argument])
            for version in versions
            for marker in version.all("resource")
            if argument in marker.value
        ]
        for marker, value in declared:
            if value != declared[0][1]:
                what = f"`{argument}` differs from its value in another version"
                problems.add(
                    marker.where, what, f"all versions share it; see {declared[0][0].where}"
                )
            names[key] = declared[0][1]
    return names


def _metadata(versions: list[Version], problems: Problems) -> dict[str, dict[str, str]]:
    metadata: dict[str, dict[str, str]] = {}
    for version in versions:
        for marker in version.all("metadata"):
            for field, texts in marker.value.items():
                for text in texts:
                    key, sign, value = text.partition("=")
                    if not sign:
                        what = f"`+{marker.written}`: `{text}` has no value"
                        problems.add(marker.where, what, f'write `{field}="key=value"`')
                    elif metadata.setdefault(field, {}).setdefault(key, value) != value:
                        what = f"`{key}` of the {field} has two values"
                        problems.add(marker.where, what, "remove one")
    return metadata


def _definition(
    versions: list[Version], parts: list[Part], names: Mapping[str, Any], stored: str
) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "group": versions[0].kind.group,
        "names": names,
        "scope": "Namespaced" if versions[0].kind.namespaced else "Cluster",
        "versions": [
            _version(version, part, stored) for version, part in zip(versions, parts, strict=True)
        ],
    }
    if len(versions) > 1:
        spec["conversion"] = {"strategy": "None"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {},
        "spec": spec,
    }


def _version(version: Version, part: Part, stored: str) -> dict[str, Any]:
    version_entry: dict[str, Any] = {
        "name": version.kind.version,
        "served": version.marker("unservedversion") is None,
        "storage": version.kind.version == stored,
        "schema": {"openAPIV3Schema": part.schema},
    }
    deprecated = version.marker("deprecatedversion")
    if deprecated:
        version_entry["deprecated"] = True
        if "warning" in deprecated.value:
            version_entry["deprecationWarning"] = deprecated.value["warning"]
    subresources = _subresources(version)
    if subresources:
        version_entry["subresources"] = subresources
    columns = [_column(column.value) for column in version.all("printcolumn")]
    if columns:
        version_entry["additionalPrinterColumns"] = columns
    fields = [
        {"jsonPath": selectable.value["JSONPath"]} for selectable in version.all("selectablefield")
    ]
    if fields:
        version_entry["selectableFields"] = fields
    return version_entry


def _subresources(version: Version) -> dict[str, Any]:
    subresources: dict[str, Any] = {}
    scale = version.marker("subresource:scale")
    if scale:
        names = {
            "specpath": "specReplicasPath",
            "statuspath": "statusReplicasPath",
            "selectorpath": "labelSelectorPath",
        }
        subresources["scale"] = {names[name]: path for name, path in scale.value.items()}
    if version.kind.status:
        subresources["status"] = {}
    return subresources


def _column(column: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonPath" if name == "JSONPath" else name: value for name, value in column.items()}


def _check_paths(version: Version, part: Part, problems: Problems) -> None:
    scale = version.marker("subresource:scale")
    if scale:
        for name, path in scale.value.items():
            kind = "string" if name == "selectorpath" else "integer"
            check_path(path, part.schema, scale.where, problems, kind=kind)
    for name in ("printcolumn", "selectablefield"):
        for marker in version.all(name):
            check_path(marker.value["JSONPath"], part.schema, marker.where, problems)
