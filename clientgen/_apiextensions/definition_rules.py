"""Validates a CustomResourceDefinition.

The server checks its internal form, in which what all versions say alike stands once, in `spec`
itself. That is why the schema of a single version is complained about as `spec.validation`, its
columns as `spec.additionalPrinterColumns`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, not_supported, required, too_many
from clientgen._apimachinery.name_syntax import service_label_problems, subdomain_problems
from clientgen._json import is_array, is_object, listed, part

from .conversion_rules import check_conversion
from .formats import recognized
from .version_rules import check_deprecation, check_version, schema_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES: Final = ("plural", "singular", "kind", "listKind")
_APPROVED: Final = "api-approved.kubernetes.io"
_MAX_RULES: Final = 2_000
# Fields that move to `spec` when all versions agree on them, and their names there.
_SHARED: Final = {
    "schema": "validation",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}


def validate_definition(crd: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[Cause]:
    """Check a definition, or a change of one, except those of its metadata."""
    rules = _count_rules(part(crd, "spec"))
    if rules > _MAX_RULES:  # each takes a millisecond to be checked
        return [too_many("spec.versions", rules, _MAX_RULES)]
    spec = _internal(part(crd, "spec"))
    causes: list[Cause] = []
    if old is None:
        causes += _own_name(crd, spec)
    causes += _spec(spec)
    if old is not None:
        causes += _unchanged(spec, old)
    causes += _stored(part(crd, "status").get("storedVersions"), spec["versions"])
    causes += _approval(crd, old)
    was_kept = bool(old and old["spec"].get("preserveUnknownFields"))
    if spec.get("preserveUnknownFields") and not was_kept:
        why = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead"
        )
        causes.append(invalid_value("spec.preserveUnknownFields", True, why))
    return causes


def _count_rules(spec: Mapping[str, Any]) -> int:
    """Count the rules in the schemas, at any depth."""
    count = 0
    level: list[Any] = [spec]
    while level:
        inside: list[Any] = []
        for inner_count in level:
            if is_object(inner_count):
                rules = inner_count.get("x-kubernetes-validations")
                count += len(rules) if is_array(rules) else 0
                inside += inner_count.values()
            elif is_array(inner_count):
                inside += inner_count
        level = inside
    return count


def _internal(spec: Mapping[str, Any]) -> dict[str, Any]:
    versions: list[dict[str, Any]] = [dict(version) for version in listed(spec, "versions")]
    internal = {**spec, "versions": versions}
    if not versions:
        return internal
    internal["version"] = versions[0].get("name") or ""
    for name, shared in _SHARED.items():
        first = versions[0].get(name)
        if all(version.get(name) == first for version in versions):
            internal[shared] = first
            for version in versions:
                version.pop(name, None)
    return internal


def _own_name(crd: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Cause]:
    metadata, names = part(crd, "metadata"), part(spec, "names")
    right = f"{names.get('plural') or ''}.{spec.get('group') or ''}"
    for field in ("generateName", "name"):
        if metadata.get(field) != right and (field == "name" or metadata.get(field)):
            why = 'must be spec.names.plural+"."+spec.group'
            yield invalid_value(f"metadata.{field}", metadata.get(field), why)


def _spec(spec: dict[str, Any]) -> Iterator[Cause]:
    yield from _group(spec.get("group") or "")
    yield from _choice("spec.scope", spec.get("scope"), ("Cluster", "Namespaced"))
    versions: list[dict[str, Any]] = spec["versions"]
    if schema_in(spec.get("validation")) is None:
        for at, version in enumerate(versions):
            if schema_in(version.get("schema")) is None:
                yield required(f"spec.versions[{at}].schema.openAPIV3Schema")
    shared_status = _has_status(spec.get("subresources"))
    for at, version in enumerate(versions):
        yield from _label(f"spec.versions[{at}].name", version.get("name") or "")
        status = shared_status or _has_status(version.get("subresources"))
        yield from check_version(version, f"spec.versions[{at}]", "schema", status=status)
        yield from check_deprecation(version, f"spec.versions[{at}].deprecationWarning")
    yield from _version_names(versions)
    if spec.get("version"):
        yield from _label("spec.version", spec["version"])
    yield from _names(part(spec, "names"))
    status = shared_status or any(_has_status(version.get("subresources")) for version in versions)
    yield from check_version(spec, "spec", "validation", status=status)
    yield from check_conversion(spec.get("conversion"), "spec.conversion")


def _group(group: str) -> Iterator[Cause]:
    if not group:
        yield required("spec.group")
    elif problems := subdomain_problems(group):
        yield invalid_value("spec.group", group, ",".join(problems))
    elif "." not in group:
        yield invalid_value("spec.group", group, "should be a domain with at least one dot")


def _choice(field: str, value: str | None, allowed: tuple[str, ...]) -> Iterator[Cause]:
    if not value:
        yield required(field)
    elif value not in allowed:
        yield not_supported(field, value, allowed)


def _has_status(subresources: Mapping[str, Any] | None) -> bool:
    return (subresources or {}).get("status") is not None


def _label(field: str, name: str, shown: str = "", why: str = "") -> Iterator[Cause]:
    if problems := service_label_problems(name):
        yield invalid_value(field, shown or name, why + ",".join(problems))


def _version_names(versions: list[dict[str, Any]]) -> Iterator[Cause]:
    names = [version.get("name") for version in versions]
    shown = [_go_version(version) for version in versions]
    if len(set(names)) != len(names):
        yield invalid_value("spec.versions", shown, "must contain unique version names")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        why = "must have exactly one version marked as storage version"
        yield invalid_value("spec.versions", shown, why)


def _go_version(version: Mapping[str, Any]) -> dict[str, Any]:
    """A version as the server shows it: as its Go struct."""
    empty = {"name": "", "served": False, "storage": False, "deprecated": False}
    names = (*empty, "deprecationWarning", *_SHARED)
    return {name[0].upper() + name[1:]: version.get(name, empty.get(name)) for name in names}


def _names(names: Mapping[str, Any]) -> Iterator[Cause]:
    for name in _NAMES:
        if not names.get(name):
            yield required(f"spec.names.{name}")
    for name in _NAMES:
        value: str = names.get(name) or ""
        if value and name in ("kind", "listKind"):
            why = "may have mixed case, but should otherwise match: "
            yield from _label(f"spec.names.{name}", value.lower(), value, why)
        elif value:
            yield from _label(f"spec.names.{name}", value)
    for name in ("shortNames", "categories"):
        for at, label in enumerate(listed(names, name)):
            yield from _label(f"spec.names.{name}[{at}]", label)
    if names.get("kind") and names["kind"] == names.get("listKind"):
        why = "kind and listKind may not be the same"
        yield invalid_value("spec.names.listKind", names["listKind"], why)


# ------------------------------------------------------------------------------ beside the spec


def _unchanged(spec: Mapping[str, Any], old: Mapping[str, Any]) -> Iterator[Cause]:
    before: dict[str, Any] = old["spec"]
    names, old_names = part(spec, "names"), part(before, "names")
    conditions = listed(part(old, "status"), "conditions")
    if any(
        condition["type"] == "Established" and condition["status"] == "True"
        for condition in conditions
    ):
        yield from _immutable("spec.scope", spec.get("scope"), before.get("scope"))
        yield from _immutable("spec.names.kind", names.get("kind"), old_names.get("kind"))
    yield from _immutable("spec.group", spec.get("group"), before.get("group"))
    yield from _immutable("spec.names.plural", names.get("plural"), old_names.get("plural"))


def _immutable(field: str, new: object, old: object) -> Iterator[Cause]:
    if new != old:
        yield invalid_value(field, new, "field is immutable")


def _stored(stored: list[str] | None, versions: list[dict[str, Any]]) -> Iterator[Cause]:
    field = "status.storedVersions"
    if not stored:
        yield invalid_value(field, stored or None, "must have at least one stored version")
        return
    names = [version.get("name") for version in versions]
    for at, version in enumerate(versions):
        name = version.get("name")
        # The server ticks names off, so that it misses one that stands there again.
        if version.get("storage") and (name not in stored or name in names[:at]):
            why = f"must have the storage version {name}"
            yield invalid_value(field, stored, why)
    for at, name in enumerate(stored):
        if name not in names:
            why = (
                f"missing from spec.versions; {name} was previously a storage version, and must "
                "remain in spec.versions until a storage migration ensures no data remains "
                f"persisted in {name} and removes {name} from status.storedVersions"
            )
            yield invalid_value(f"{field}[{at}]", name, why)


def _approval(crd: Mapping[str, Any], old: Mapping[str, Any] | None) -> Iterator[Cause]:
    group: str = crd["spec"].get("group") or ""
    if not (group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))):
        return
    approval, before = _annotation(crd), _annotation(old) if old is not None else None
    if (
        approval.startswith("unapproved")
        or "://" in approval
        or (before is not None and before == approval)
    ):
        return
    field = f"metadata.annotations[{_APPROVED}]"
    why = f'protected groups must have approval annotation "{_APPROVED}"'
    more = "see https://github.com/kubernetes/enhancements/pull/1111"
    if approval:
        why += ' with either a URL or a reason starting with "unapproved"'
        yield invalid_value(field, approval, f"{why}, {more}")
    else:
        yield required(field, f"{why}, {more}")


def _annotation(crd: Mapping[str, Any]) -> str:
    annotations = part(part(crd, "metadata"), "annotations")
    approval: str = annotations.get(_APPROVED, "")
    return approval


# ---------------------------------------------------------------------------------- warnings


def definition_warnings(crd: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[str]:
    """List the server's warnings about new formats that it does not know."""
    old_warnings = frozenset[str]() if old is None else frozenset(_warnings(old))
    return [warning for warning in _warnings(crd) if warning not in old_warnings]


def _warnings(crd: Mapping[str, Any]) -> list[str]:
    spec = _internal(part(crd, "spec"))
    schemas = [schema_in(spec.get("validation"))]
    schemas += [schema_in(version.get("schema")) for version in spec["versions"]]
    nodes = [node for schema in schemas if schema for node in _nodes(schema)]
    return [
        f'unrecognized format "{node["format"]}"'
        for node in nodes
        if node.get("format") and not recognized(node.get("type") or "", node["format"])
    ]


def _nodes(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield raw
    inner = [raw.get(name) for name in ("items", "additionalProperties", "not")]
    inner += part(raw, "properties").values()
    for junctor in ("allOf", "anyOf", "oneOf"):
        inner += listed(raw, junctor)
    for inner_schema in inner:
        if is_object(inner_schema):
            yield from _nodes(inner_schema)
