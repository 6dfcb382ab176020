"""Roles and bindings out of manifests, checked, and as something to decide by."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from msgspec import Struct, ValidationError, convert, field

from clientgen.runtime._manifests.manifest_documents import (
    Manifest,
    ManifestError,
    documents,
    split_lists,
)

from .authorizer import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

KINDS: Final = {
    "ClusterRole": "clusterroles",
    "ClusterRoleBinding": "clusterrolebindings",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
"""The plural of each kind."""

_VERSION: Final = f"{GROUP}/v1"
_MAX_RIGHTS: Final = 100_000
_NAMESPACED: Final = ("Role", "RoleBinding")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


class _Metadata(Struct):
    name: str
    namespace: str = ""


class _Rule(Struct, forbid_unknown_fields=True):
    verbs: list[str]
    apiGroups: list[str] | None = None  # noqa: N815 - as in manifests
    resources: list[str] | None = None
    resourceNames: list[str] | None = None  # noqa: N815
    nonResourceURLs: list[str] | None = None  # noqa: N815


class _Requirement(Struct):
    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: list[str] | None = None


class _Selector(Struct):
    matchLabels: dict[str, str] | None = None  # noqa: N815
    matchExpressions: list[_Requirement] | None = None  # noqa: N815


class _Aggregation(Struct):
    clusterRoleSelectors: list[_Selector]  # noqa: N815


class _Role(Struct):
    metadata: _Metadata
    rules: list[_Rule] | None = None
    aggregationRule: _Aggregation | None = None  # noqa: N815


class _Subject(Struct):
    kind: Literal["ServiceAccount", "User", "Group"]
    name: str
    namespace: str | None = None


class _Reference(Struct):
    kind: Literal["Role", "ClusterRole"]
    name: str
    apiGroup: Literal["rbac.authorization.k8s.io", ""] = GROUP  # noqa: N815


class _Binding(Struct):
    metadata: _Metadata
    roleRef: _Reference  # noqa: N815
    subjects: list[_Subject] | None = field(default=None)


class Roles:
    """Roles and bindings to decide by; a `RoleReader`."""

    def __init__(self, objects: Iterable[Mapping[str, Any]]) -> None:
        self.objects = [dict(each) for each in objects]
        self._by_key = {_key(each): each for each in self.objects}

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return one object, or None."""
        return self._by_key.get((plural, namespace, name)) if group == GROUP else None

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, or those of one namespace."""
        return [
            each
            for (kind, home, _), each in self._by_key.items()
            if group == GROUP and kind == plural and namespace in ("", home)
        ]


def _key(obj: Mapping[str, Any]) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return KINDS[obj["kind"]], metadata.get("namespace") or "", metadata["name"]


def read_roles(source: str | bytes | Path) -> Roles:
    """The roles and bindings of a text, of a file or of a folder; other objects are passed over.

    Raises:
        ManifestError: something cannot be read or is no role, or there is none.
    """
    return roles_of(each for document in documents(source) for each in split_lists(document))


def roles_of(manifests: Iterable[Manifest]) -> Roles:
    """The roles and bindings among some manifests.

    Raises:
        ManifestError: a role is malformed, two have one name, or there is none.
    """
    taken: dict[tuple[str, str, str], Manifest] = {}
    places: list[str] = []
    for manifest in manifests:
        manifest.check()
        places.append(manifest.source)
        if manifest.value["kind"] not in KINDS or not _is_rbac(manifest.value["apiVersion"]):
            continue
        _check(manifest)
        key = _key(manifest.value)
        if key in taken:
            raise ManifestError(f"{manifest.where}: it is already in {taken[key].where}")
        taken[key] = manifest
    if not taken:
        where = places[0] if places else "the manifests"
        raise ManifestError(f"{where}: there is no Role, ClusterRole or binding of {_VERSION}")
    return Roles(each.value for each in taken.values())


def _is_rbac(version: str) -> bool:
    return version.partition("/")[0] == GROUP


def _check(manifest: Manifest) -> None:
    value = cast("dict[str, Any]", manifest.value)
    kind, version = value["kind"], value["apiVersion"]
    if version != _VERSION:
        where = manifest.at(("apiVersion",))
        raise ManifestError(f"{where}: {version} is not served; use {_VERSION}")
    form: type[_Role | _Binding] = _Binding if kind.endswith("Binding") else _Role
    try:
        checked = convert(value, type=form)
    except ValidationError as error:
        raise _invalid(manifest, error) from None
    metadata = checked.metadata
    if not metadata.name:
        raise ManifestError(f"{manifest.at(('metadata', 'name'))}: the name is empty")
    if bool(metadata.namespace) != (kind in _NAMESPACED):
        problem = "has no namespace" if metadata.namespace else "needs a metadata.namespace"
        raise ManifestError(f"{manifest.at(('metadata',))}: a {kind} {problem}")
    if isinstance(checked, _Role):
        _check_rules(manifest, checked)
    else:
        _check_subjects(manifest, checked)


def _check_rules(manifest: Manifest, role: _Role) -> None:
    for index, rule in enumerate(role.rules or ()):
        why = _mistake(rule, namespaced=bool(role.metadata.namespace))
        if why:
            raise ManifestError(f"{manifest.at(('rules', index))}: rules[{index}] {why}")


def _mistake(rule: _Rule, *, namespaced: bool) -> str:
    """Tell what a server would refuse in a rule; see `rule_causes` of the test server."""
    on_resources = rule.apiGroups or rule.resources or rule.resourceNames
    lists = (rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs)
    mistakes = (
        (not rule.verbs, "has no verbs"),
        (
            rule.nonResourceURLs and namespaced,
            "has nonResourceURLs, which need a ClusterRole",
        ),
        (
            rule.nonResourceURLs and on_resources,
            "has both resources and nonResourceURLs: make two rules of it",
        ),
        (
            not rule.nonResourceURLs and not rule.apiGroups,
            'has no apiGroups; that of the core is ""',
        ),
        (not rule.nonResourceURLs and not rule.resources, "has no resources"),
        (
            prod(len(each or " ") for each in lists) > _MAX_RIGHTS,
            f"has more than {_MAX_RIGHTS} rights; split it",
        ),
    )
    return next((what for holds, what in mistakes if holds), "")


def _check_subjects(manifest: Manifest, binding: _Binding) -> None:
    if not binding.metadata.namespace and binding.roleRef.kind == "Role":
        where = manifest.at(("roleRef",))
        raise ManifestError(f"{where}: a ClusterRoleBinding binds a ClusterRole, not a Role")
    for index, subject in enumerate(binding.subjects or ()):
        if subject.kind == "ServiceAccount" and not subject.namespace:
            where = manifest.at(("subjects", index))
            raise ManifestError(f"{where}: a ServiceAccount needs a namespace")


def _invalid(manifest: Manifest, error: ValidationError) -> ManifestError:
    what, _, path = str(error).partition(" - at `$")
    steps = tuple(int(match[2]) if match[2] else match[1] for match in _STEP.finditer(path))
    shown = path.rstrip("`").lstrip(".")
    where = manifest.at(steps)
    return ManifestError(f"{where}: {shown}: {what}" if shown else f"{where}: {what}")
