"""Codecs: objects of built-in kinds have types, custom resources are maps.

Most differences between the two in requests and answers come from this, as they do in a real
server, where one is a Go struct and the other an `unstructured.Unstructured`.

Facts: docs/internals/kubernetes-semantics.md, 1.4 and 1.5.
"""

from __future__ import annotations

import json as standard_json
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery.decoding import Format, normalise
from clientgen._apimachinery.failures import (
    Failure,
    bad_request,
    invalid,
    invalid_value,
    unclassified,
)
from clientgen._json import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from clientgen._apiextensions import CustomVersion
    from clientgen._openapi.resolved import Schemas

    from ..served_resources import Resource

JSON_PATCH: Final = "application/json-patch+json"
MERGE_PATCH: Final = "application/merge-patch+json"
STRATEGIC_MERGE_PATCH: Final = "application/strategic-merge-patch+json"
APPLY: Final = "application/apply-patch+yaml"

_OBJECT_META: Final = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_HEAD: Final = {"type": "object", "properties": {"metadata": {"$ref": _OBJECT_META}}}
"""The members that all custom resources have."""


class Codec:
    """Decodes and encodes objects that have a type.

    Attributes:
        formats: the formats of bodies.
        merges_duplicates: a member that is given twice is merged, if it is an object.
        patch_types: the content types of patches.
        whole_floats: patches of any type may write integers as 1.0.
        typed_items: the items of lists have kind and apiVersion.
        prefix: the start of the JSON of every object: kind and apiVersion.
    """

    formats: Iterable[Format] = Format
    merges_duplicates: bool = True
    patch_types: tuple[str, ...] = (JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY)
    whole_floats: bool = False
    typed_items: bool = False

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        title = {"kind": resource.kind, "apiVersion": resource.api_version}
        self.prefix = json.encode(self.ordered(title))[:-1] + b","

    # --------------------------------------------------------------------------- decoding

    def check_kind(self, value: dict[str, Any]) -> None:
        """Refuse the body of another kind or version; both may be missing.

        Raises:
            Failure: 400.
        """
        resource = self.resource
        kind, api_version = value.get("kind"), value.get("apiVersion")
        if (kind and kind != resource.kind) or (
            api_version and api_version != resource.api_version
        ):
            raise bad_request(
                f'{kind or resource.kind} in version "{api_version or resource.version}" cannot be '
                f'handled as a {resource.kind}: no kind "{kind}" is registered for version '
                f'"{api_version}"'
            )

    def check_patched_kind(self, value: dict[str, Any], name: str) -> None:
        """Refuse an object that a patch has made one of another kind or version.

        Raises:
            Failure: 422.
        """
        value["kind"] = value.get("kind") or self.resource.kind
        value["apiVersion"] = value.get("apiVersion") or self.resource.api_version

    def clean(
        self,
        value: dict[str, Any],
        schemas: Schemas,
        refuse: Callable[[str], Failure] | None = None,
    ) -> tuple[dict[str, Any], list[str]]:
        """Drop unknown members of an object, and normalise its scalars.

        Also returns the paths of the unknown members.

        Raises:
            Failure: 400 for a value of the wrong type, or what `refuse` makes of the reason.
        """
        result = normalise(value, self.resource.schema, refuse=refuse)
        result.value.setdefault("metadata", {})
        return result

    # --------------------------------------------------------------------------- encoding

    def ordered(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return an object with its members in the order of the answer."""
        return value

    def list_metadata(self, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the metadata of a list."""
        return metadata

    def not_a_list(self, form: str) -> Failure:
        """Return the error for an object that was requested as a list."""
        return _not_acceptable(f"{form}, but the requested object is not a list")


class UnstructuredCodec(Codec):
    """Decodes and encodes custom resources."""

    formats = (Format.JSON, Format.YAML)
    merges_duplicates = False
    patch_types = (JSON_PATCH, MERGE_PATCH, APPLY)
    whole_floats = True
    typed_items = True

    def __init__(self, resource: Resource, version: CustomVersion) -> None:
        super().__init__(resource)
        self._version = version

    def check_kind(self, value: dict[str, Any]) -> None:
        """Refuse the body of another kind or version; both are required.

        Raises:
            Failure: 400, or 422 for another kind.
        """
        resource = self.resource
        for name, word in (("kind", "Kind"), ("apiVersion", "apiVersion")):
            if not value.get(name):
                shown = standard_json.dumps(value)
                raise bad_request(f"Object '{word}' is missing in '{shown}'")
        if value["apiVersion"] != resource.api_version:
            raise bad_request(
                f"the API version in the data ({value['apiVersion']}) does not match the expected "
                f"API version ({resource.api_version})"
            )
        if value["kind"] != resource.kind:
            metadata = value.get("metadata")
            name = str(metadata.get("name") or "") if is_object(metadata) else ""
            cause = invalid_value("kind", value["kind"], f"must be {resource.kind}")
            raise invalid(resource.group, value["kind"], name, [cause])

    def check_patched_kind(self, value: dict[str, Any], name: str) -> None:
        """Refuse an object that a patch has made one of another kind or version.

        Raises:
            Failure: 422, in the name of what it would have become.
        """
        resource = self.resource
        kind, version = value.get("kind"), value.get("apiVersion")
        if not isinstance(kind, str) or not isinstance(version, str):
            return  # it cannot be read at all
        if not kind or not version or version.count("/") > 1:
            return
        right = (("kind", kind, resource.kind), ("apiVersion", version, resource.api_version))
        causes = [
            invalid_value(field, actual, f"must be {wanted}")
            for field, actual, wanted in right
            if actual != wanted
        ]
        if causes:
            raise invalid(version.rpartition("/")[0], kind, name, causes)

    def clean(
        self,
        value: dict[str, Any],
        schemas: Schemas,
        refuse: Callable[[str], Failure] | None = None,
    ) -> tuple[dict[str, Any], list[str]]:
        """Prune an object in place, and normalise its metadata."""
        unknown = self._version.prune(value)
        head = {"metadata": value.get("metadata")}
        result = normalise(head, schemas.of(_HEAD), refuse=refuse or refusal(self.resource))
        value["metadata"] = result.value.get("metadata") or {}
        return value, [*unknown, *result.unknown]

    def ordered(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return a copy whose members are sorted at all levels."""
        copy: dict[str, Any] = json.decode(json.encode(value, order="sorted"))
        return copy

    def list_metadata(self, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the metadata of a list, which always has `continue`, and never `shardInfo`.

        The lists of custom resources have no place for it (apimachinery: UnstructuredList).
        """
        kept = {name: value for name, value in metadata.items() if name != "shardInfo"}
        return {"continue": "", **kept}

    def not_a_list(self, form: str) -> Failure:
        """Return the error for an object that was requested as a list."""
        return unclassified("content is not a list")


def refusal(resource: Resource) -> Callable[[str], Failure]:
    """Return what makes the 400 for a body that is not of the resource's kind."""
    kind, version = resource.kind, resource.version
    start = f'{kind} in version "{version}" cannot be handled as a {kind}: '
    return lambda why: bad_request(start + why)


def _not_acceptable(why: str) -> Failure:
    """Return the 406 for a form that an answer cannot have."""
    return Failure(406, "NotAcceptable", f"you requested {why}", details=False)
