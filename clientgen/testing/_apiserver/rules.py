"""What a kind has to say about writes to it: its strategy, in Kubernetes' words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from clientgen import _apiextensions
from clientgen._apimachinery.optional_parts import part, parts, texts

from . import builtin

if TYPE_CHECKING:
    from clientgen._apimachinery.failures import Cause

    from .cluster import Cluster
    from .resources import Resource

__all__ = ["DEFINITIONS", "Rules", "drains", "rules_of"]

builtin.check_expressions_by(_apiextensions.expression_problem)

DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"
_APART: Final = frozenset(["metadata", "apiVersion", "kind"])


class Rules(Protocol):
    """The rules of one kind; objects are changed in place."""

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in what the client left out.

        Nulls that custom resources have no place and no default for count as left out; after
        server-side apply they are kept, for the validation to refuse them.
        """
        ...

    def prepare_create(self, value: dict[str, Any]) -> None:
        """Take away what a client cannot create, and allocate what the server does."""
        ...

    def prepare_update(self, value: dict[str, Any], old: dict[str, Any], which: str) -> None:
        """Keep what a write to this part of the object cannot change."""
        ...

    def validate(
        self, value: dict[str, Any], old: dict[str, Any] | None, which: str
    ) -> list[Cause]:
        """What is wrong with the object."""
        ...

    def warnings(self, value: dict[str, Any], old: dict[str, Any] | None, which: str) -> list[str]:
        """What is allowed, but hardly meant."""
        ...


def rules_of(resource: Resource, cluster: Cluster) -> Rules:
    """The rules for a resource."""
    if resource.custom is not None:
        return CustomRules(resource, resource.custom)
    if resource.group_resource == DEFINITIONS:
        return DefinitionRules(cluster)
    return BuiltInRules(resource, cluster)


class BuiltInRules:
    """What is hard-wired for kinds of the spec."""

    def __init__(self, resource: Resource, cluster: Cluster) -> None:
        self._resource = resource
        self._cluster = cluster

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in the defaults of the API."""
        del keep_nulls  # types decide that
        builtin.default(self._resource, value)

    def prepare_create(self, value: dict[str, Any]) -> None:
        """As the kind's registry does."""
        builtin.prepare_create(self._resource, value, self._cluster)

    def prepare_update(self, value: dict[str, Any], old: dict[str, Any], which: str) -> None:
        """As the kind's registry does."""
        builtin.prepare_update(self._resource, value, old, which, self._cluster)

    def validate(
        self, value: dict[str, Any], old: dict[str, Any] | None, which: str
    ) -> list[Cause]:
        """As the kind's validation does."""
        return builtin.validate(self._resource, value, old, which, self._cluster)

    def warnings(self, value: dict[str, Any], old: dict[str, Any] | None, which: str) -> list[str]:
        """Fields that do nothing any more, values that clash, and the like."""
        return builtin.warnings(self._resource, value, old, which)


class CustomRules:
    """What a CustomResourceDefinition says of its instances."""

    def __init__(self, resource: Resource, version: _apiextensions.CustomVersion) -> None:
        self._resource = resource
        self._version = version

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in the schema's defaults."""
        self._version.default(value, keep_nulls=keep_nulls)

    def prepare_create(self, value: dict[str, Any]) -> None:
        """The first generation; no status where that is written apart."""
        value["metadata"]["generation"] = 1
        if self._resource.has_status:
            value.pop("status", None)

    def prepare_update(self, value: dict[str, Any], old: dict[str, Any], which: str) -> None:
        """Status and the rest are written apart; the generation grows with the rest."""
        if which == "status":
            _keep_all_but_status(value, old)
            return
        if self._resource.has_status:
            _keep(value, old, "status")
        _grow(value, old, _APART | {"status"} if self._resource.has_status else _APART)

    def validate(
        self, value: dict[str, Any], old: dict[str, Any] | None, which: str
    ) -> list[Cause]:
        """Against the schema and its rules."""
        return self._version.validate(value, old, which)

    def warnings(self, value: dict[str, Any], old: dict[str, Any] | None, which: str) -> list[str]:
        """Finalizers that may be somebody else's."""
        del which
        return self._version.warnings(value, old)


class DefinitionRules:
    """CustomResourceDefinitions themselves."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def default(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Names that follow from others, conversion None."""
        del keep_nulls  # types decide that
        _apiextensions.default_definition(value)

    def prepare_create(self, value: dict[str, Any]) -> None:
        """No condition holds yet; the storage version is the first one stored."""
        value["metadata"]["generation"] = 1
        names = {"kind": "", "plural": ""}
        stored = _storage_version(value)
        value["status"] = {"acceptedNames": names, "conditions": None, "storedVersions": stored}

    def prepare_update(self, value: dict[str, Any], old: dict[str, Any], which: str) -> None:
        """Status and spec are written apart; a new storage version is added to those stored."""
        if which == "status":
            _keep_all_but_status(value, old)
            if not part(value, "status").get("storedVersions"):
                value.setdefault("status", {})["storedVersions"] = _storage_version(value)
            return
        _keep(value, old, "status")
        _grow(value, old, _APART | {"status"})
        stored = texts(part(value, "status"), "storedVersions")
        for each in parts(part(value, "spec"), "versions"):
            if each.get("storage"):
                if each.get("name") not in stored:
                    value.setdefault("status", {})["storedVersions"] = [*stored, each["name"]]
                break  # that there are more is told by the validation

    def validate(
        self, value: dict[str, Any], old: dict[str, Any] | None, which: str
    ) -> list[Cause]:
        """The rules for definitions, structural schemas among them."""
        return [] if which == "status" else _apiextensions.validate_definition(value, old)

    def warnings(self, value: dict[str, Any], old: dict[str, Any] | None, which: str) -> list[str]:
        """Formats that mean nothing."""
        del which
        return _apiextensions.definition_warnings(value, old)


def _storage_version(crd: dict[str, Any]) -> list[str]:
    versions = parts(part(crd, "spec"), "versions")
    return [each["name"] for each in versions if each.get("storage") and "name" in each][:1]


def drains(resource: Resource, value: dict[str, Any]) -> bool:
    """Whether an object is a namespace that still has to be emptied."""
    return resource.group_resource == "namespaces" and bool(part(value, "spec").get("finalizers"))


def _keep(value: dict[str, Any], old: dict[str, Any], name: str) -> None:
    value.pop(name, None)
    if name in old:
        value[name] = old[name]


def _keep_all_but_status(value: dict[str, Any], old: dict[str, Any]) -> None:
    status = value.get("status")
    metadata = dict(old["metadata"])
    metadata.pop("managedFields", None)
    if "managedFields" in value["metadata"]:
        metadata["managedFields"] = value["metadata"]["managedFields"]
    value.clear()
    value.update({**old, "metadata": metadata})
    value.pop("status", None)
    if status is not None:
        value["status"] = status


def _grow(value: dict[str, Any], old: dict[str, Any], apart: frozenset[str]) -> None:
    def content(whole: dict[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in whole.items() if name not in apart}

    if content(value) != content(old):
        value["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
