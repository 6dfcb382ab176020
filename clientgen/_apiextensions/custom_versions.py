"""One version of a CustomResourceDefinition: the rules for its objects.

Everything is compiled when it is first asked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from zlib import compress, decompress

from msgspec import json

from clientgen import _jsonpath
from clientgen._apimachinery.failures import Cause, invalid_value
from clientgen._apimachinery.name_syntax import qualified_name_problems
from clientgen._json import is_object, listed, part
from clientgen._openapi.resolved import DeferredSchema

from .correlation import Pair
from .custom_scale import ScalePaths
from .defaulting import default
from .embedded import check_embedded, clean_embedded, has_embedded, refusal_of
from .keyword_checks import has_refusals, keyword_causes
from .lists import repeated
from .pruning import prune
from .scalar_validation import NO_FIELD
from .schema_validation import Checker, check
from .structure import Structure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._openapi.resolved import ResolvedSchema, Schemas

    from .cel import RuleTree

OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
# Rules are not run on objects that are wrong in one of these ways.
_BLOCKING: Final = frozenset(
    ["FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany",
     "FieldValueTypeInvalid"]
)  # fmt: skip
_FAST: Final = 1
"""The level of compression."""
_FINALIZERS: Final = ("orphan", "foregroundDeletion", "kubernetes")
_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)


class CustomVersion:
    """A version of a kind.

    Args:
        raw: what the definition says of it.
        group: the kind's group.
        kind: the kind.
        schemas: those of the built-in types.
        successor: the version to use where this one is deprecated.

    Attributes:
        name: `v1`.
        served: whether there is an API for it.
        storage: whether objects are stored in it.
        columns: `additionalPrinterColumns`.
        selectable_fields: what objects can be selected by beside their metadata (`spec.color`).
        scale: where the replicas are; None when there is no such subresource.
        has_status: whether the status is written apart.
        deprecated: whether requests for it are answered with a warning.
    """

    def __init__(
        self,
        raw: Mapping[str, Any],
        group: str,
        kind: str,
        schemas: Schemas,
        successor: str = "",
    ) -> None:
        self.name: str = raw["name"]
        self.served = bool(raw.get("served"))
        self.storage = bool(raw.get("storage"))
        self.deprecated = bool(raw.get("deprecated"))
        self._group = group
        self._kind = kind
        self._schemas = schemas
        self._successor = successor
        self._warning: str = raw.get("deprecationWarning") or ""
        # Most definitions of a big cluster are never used: their schemas take little room.
        self._packed = compress(json.encode(part(part(raw, "schema"), "openAPIV3Schema")), _FAST)
        self.columns: list[dict[str, Any]] = raw.get("additionalPrinterColumns") or []
        fields: list[dict[str, str]] = raw.get("selectableFields") or []
        self._fields = {
            selectable["jsonPath"].lstrip("."): selectable["jsonPath"] for selectable in fields
        }
        self.selectable_fields = tuple(self._fields)
        parts = part(raw, "subresources")
        self.has_status = parts.get("status") is not None
        self.scale = _scale(parts.get("scale"))

    def __repr__(self) -> str:
        return f"CustomVersion({self._group}/{self.name}, {self._kind})"

    @property
    def api_version(self) -> str:
        """Group and version: what stands in objects."""
        return f"{self._group}/{self.name}"

    @property
    def deprecation_warning(self) -> str:
        """The warning for requests to a deprecated version; empty if it is not deprecated."""
        if not self.deprecated:
            return ""
        if self._warning:
            return self._warning
        warning = f"{self.api_version} {self._kind} is deprecated"
        if self._successor:
            warning += f"; use {self._group}/{self._successor} {self._kind}"
        return warning

    def read_openapi(self) -> dict[str, Any]:
        """Return the schema as the definition has it: a new copy."""
        openapi: dict[str, Any] = json.decode(decompress(self._packed))
        return openapi

    @cached_property
    def _openapi(self) -> dict[str, Any]:
        return self.read_openapi()

    @cached_property
    def schema(self) -> ResolvedSchema:
        """The schema of the whole kind, metadata included."""
        return DeferredSchema(lambda: _with_meta(self._openapi, whole=True), self._schemas)

    @cached_property
    def structure(self) -> Structure:
        """The schema as a tree of fields."""
        return Structure.of_kind(self._openapi)

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self._openapi)

    @cached_property
    def _status_checker(self) -> Checker:
        return Checker(part(part(self._openapi, "properties"), "status"))

    @cached_property
    def _has_embedded(self) -> bool:
        return has_embedded(self.structure)

    @cached_property
    def _has_refusals(self) -> bool:
        return has_refusals(self.structure)

    @cached_property
    def _rules(self) -> RuleTree | None:
        from .cel import RuleTree

        return RuleTree.of(self.structure)

    # -------------------------------------------------------------------- what is done to objects

    def prune(self, obj: dict[str, Any]) -> list[str]:
        """Remove unknown fields, in place, and return their paths (`spec.items[0].x`).

        The metadata of the object itself is read elsewhere, as for all objects.

        Raises:
            Failure: 400, the metadata of an embedded object cannot be read.
        """
        unknown = prune(obj, self.structure)
        if not self._has_embedded:
            return unknown
        meta = self._schemas.named(OBJECT_META)
        refusal = refusal_of(self._kind, self.name)
        return sorted([*unknown, *clean_embedded(obj, self.structure, meta, refusal)])

    def default(self, obj: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in defaults, in place; nulls that are no values go away, if they are not kept."""
        default(obj, self.structure, keep_nulls=keep_nulls)

    def validate(
        self, new: dict[str, Any], old: dict[str, Any] | None, part: str = ""
    ) -> list[Cause]:
        """Check an object, except those of its metadata.

        Args:
            new: the object as it would be stored.
            old: the one it replaces. What the update leaves as it was may be wrong.
            part: the subresource it was written through.
        """
        pair = None if old is None else Pair(new, old, self.structure)
        causes = self._schema_causes(new, pair, part)
        if self.scale is not None:
            causes += self.scale.causes(new, status_only=part == "status")
        if self._has_embedded and part != "status":
            causes += check_embedded(new, self.structure)
        if old is None or not repeated(old, self.structure):
            causes += repeated(new, self.structure)
        if self._has_refusals:
            causes += keyword_causes(self.structure, new, old)
        return causes + self._rule_causes(new, old, pair, causes)

    def _schema_causes(self, new: dict[str, Any], pair: Pair | None, part: str) -> list[Cause]:
        if part != "status":
            return check(self._checker, new, pair=pair)
        if "status" not in new:
            return []
        inner = pair.member("status") if pair is not None else None
        return check(self._status_checker, new["status"], "status", inner)

    def _rule_causes(
        self,
        new: dict[str, Any],
        old: dict[str, Any] | None,
        pair: Pair | None,
        causes: list[Cause],
    ) -> list[Cause]:
        if self._rules is None:
            return []
        if any(cause.reason in _BLOCKING for cause in causes):
            return [invalid_value(NO_FIELD, None, _UNCHECKED)]
        return self._rules.validate(new, old, pair=pair)

    def warnings(self, new: dict[str, Any], old: dict[str, Any] | None) -> list[str]:
        """List the server's warnings about a write: finalizers with unusual names."""
        had = listed(part(old, "metadata"), "finalizers")
        added: set[str] = {
            finalizer
            for finalizer in listed(part(new, "metadata"), "finalizers")
            if finalizer not in had
        }
        return [
            warning for finalizer in sorted(added) for warning in _finalizer_warnings(finalizer)
        ]

    def field_values(self, obj: dict[str, Any]) -> dict[str, str]:
        """Return the values for field selectors, by the names of `selectable_fields`."""
        return {
            name: _selectable_text(_jsonpath.evaluate(path, obj))
            for name, path in self._fields.items()
        }


def _finalizer_warnings(name: str) -> list[str]:
    start = f'metadata.finalizers: "{name}": '
    warnings = [f"{start}{problem}" for problem in qualified_name_problems(name)]
    if "/" not in name and name not in _FINALIZERS:
        path = " including a path (/)" if "." in name else ""
        warnings.append(
            f"{start}prefer a domain-qualified finalizer name{path} to avoid accidental conflicts "
            "with other finalizer writers"
        )
    return warnings


def _scale(raw: dict[str, Any] | None) -> ScalePaths | None:
    if raw is None:
        return None
    return ScalePaths(
        raw.get("specReplicasPath", ""),
        raw.get("statusReplicasPath", ""),
        raw.get("labelSelectorPath") or "",
    )


def _selectable_text(values: list[Any]) -> str:
    if not values or values[0] is None:
        return ""
    value = values[0]
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_meta(raw: Mapping[str, Any], *, whole: bool = False) -> Mapping[str, Any]:
    """The schema with apiVersion, kind and metadata in every object that has them.

    What has no such objects in it is not copied.
    """
    changed: dict[str, Any] = {}
    declared = part(raw, "properties")
    members: dict[str, Any] = {name: _with_meta(member) for name, member in declared.items()}
    if whole or raw.get("x-kubernetes-embedded-resource"):
        members["apiVersion"] = members["kind"] = {"type": "string"}
        members["metadata"] = {"$ref": f"#/definitions/{OBJECT_META}"}
    if any(member is not declared.get(name) for name, member in members.items()):
        changed["properties"] = members
    for name in ("items", "additionalProperties"):
        if is_object(raw.get(name)) and (inner := _with_meta(raw[name])) is not raw[name]:
            changed[name] = inner
    return {**raw, **changed} if changed else raw
