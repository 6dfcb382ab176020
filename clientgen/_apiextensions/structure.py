"""A structural schema: what a custom resource's fields are, apart from what their values may be.

Pruning, defaulting, list types and rules all walk this tree. It is made once for each version of a
definition; what lies under `allOf`, `anyOf`, `oneOf` and `not` has no part in it.

Facts: docs/internals/kubernetes-semantics.md, 6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object, listed, part
from clientgen._openapi.keywords import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping

META_FIELDS: Final = frozenset(["apiVersion", "kind", "metadata"])
_STRING: Final = {"type": "string"}


class Structure:
    """One node.

    Attributes:
        raw: the node as it stands in the definition.
        type: `object`, `array`, a scalar's type, or empty for any.
        additional: what the values of a map are; None when this is no map or they may be anything.
        is_map: whether there are `additionalProperties`, be they `true` or `false` only.
        embedded: whether it is a whole object, with metadata of its own.
        rules: `x-kubernetes-validations`.
        refusals: what the keywords of the node refuse: functions of the new and the old value.
    """

    __slots__ = (
        "additional", "default", "embedded", "format", "has_default", "int_or_string", "is_map",
        "items", "list_map_keys", "list_type", "nullable", "preserves_unknown", "properties",
        "raw", "refusals", "rules", "type",
    )  # fmt: skip

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.type: str = raw.get("type") or ""
        self.format: str = raw.get("format") or ""
        self.nullable = bool(raw.get("nullable"))
        self.embedded = bool(raw.get("x-kubernetes-embedded-resource"))
        self.preserves_unknown = bool(raw.get("x-kubernetes-preserve-unknown-fields"))
        self.int_or_string = bool(raw.get("x-kubernetes-int-or-string"))
        self.list_type: str = raw.get("x-kubernetes-list-type") or ""
        self.list_map_keys: tuple[str, ...] = tuple(listed(raw, "x-kubernetes-list-map-keys"))
        self.rules: tuple[dict[str, Any], ...] = tuple(listed(raw, "x-kubernetes-validations"))
        self.refusals = refusals(raw)
        self.default: Any = raw.get("default")
        self.has_default = self.default is not None
        members = part(raw, "properties")
        self.properties = {
            name: Structure(member_schema) for name, member_schema in members.items()
        }
        items = raw.get("items")
        self.items = Structure(items) if is_object(items) else None
        additional = raw.get("additionalProperties")
        self.is_map = additional is not None
        self.additional = Structure(additional) if is_object(additional) else None

    def __repr__(self) -> str:
        return f"Structure({dict(self.raw)!r})"

    @classmethod
    def of_kind(cls, raw: Mapping[str, Any]) -> Structure:
        """The root of a kind, where apiVersion, kind and metadata are always there."""
        parsed = cls(raw)
        parsed.embedded = True
        return parsed

    def member(self, name: str) -> Structure | None:
        """Return the schema of the member `name`, or None if it has none."""
        return self.properties.get(name) or self.additional

    def with_meta(self) -> Structure:
        """The same with the metadata that rules may look at: names, kind and apiVersion."""
        declared = part(part(part(self.raw, "properties"), "metadata"), "properties")
        names = {name: declared.get(name, _STRING) for name in ("name", "generateName")}
        members: dict[str, Any] = {
            **part(self.raw, "properties"),
            "apiVersion": _STRING,
            "kind": _STRING,
            "metadata": {"type": "object", "properties": names},
        }
        completed = Structure({**self.raw, "properties": members})
        completed.embedded = self.embedded
        return completed


def copied(value: Any) -> Any:
    """A JSON value that shares nothing with `value`."""
    if is_object(value):
        return {name: copied(member) for name, member in value.items()}
    if is_array(value):
        return [copied(item) for item in value]
    return value
