"""The OpenAPI schemas of the served types, as the server looks at them.

One node type for built-in types (`definitions` of the v2 document) and for custom ones
(`openAPIV3Schema`): defaulting, pruning, patching and server-side apply all walk it. The
`x-kubernetes-*` extensions are fact sheet 6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEFINITIONS", "UNKNOWN", "Schema", "Schemas"]

DEFINITIONS: Final = "#/definitions/"
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"


class Schema:
    """One node, with `$ref` followed; children are made when they are asked for.

    Attributes:
        raw: the node as it stands in the document.
        name: the definition it is, empty for a nested one.
        type: `object`, `array`, `string`, `integer`, `number`, `boolean`, or empty for any.
        plan: what decoding has made of the node, so that it is made once.
    """

    __slots__ = (
        "_additional",
        "_items",
        "_properties",
        "_schemas",
        "name",
        "notes",
        "plan",
        "raw",
        "type",
    )

    def __init__(self, raw: Mapping[str, Any], schemas: Schemas, name: str = "") -> None:
        self.raw = raw
        self.name = name
        self.type: str = raw.get("type", "")
        self.notes: dict[str, Any] = {}
        self.plan: Any = None
        self._schemas = schemas
        self._properties: dict[str, Schema] | None = None
        self._items: Schema | None = None
        self._additional: Schema | None = None

    def __repr__(self) -> str:
        return f"Schema({self.name or dict(self.raw)!r})"

    @property
    def properties(self) -> Mapping[str, Schema]:
        """The named members of an object."""
        if self._properties is None:
            declared: Mapping[str, Any] = self.raw.get("properties") or {}
            self._properties = {key: self._schemas.of(raw) for key, raw in declared.items()}
        return self._properties

    @property
    def items(self) -> Schema | None:
        """What a list holds."""
        if self._items is None and "items" in self.raw:
            self._items = self._schemas.of(self.raw["items"])
        return self._items

    @property
    def additional(self) -> Schema | None:
        """What the values of a map are; None when this is no map."""
        declared = self.raw.get("additionalProperties")
        if self._additional is None and isinstance(declared, dict):
            self._additional = self._schemas.of({**declared})
        elif self._additional is None and declared is True:
            self._additional = UNKNOWN
        return self._additional

    def sibling(self, name: str) -> Schema:
        """Another definition of the same document.

        Raises:
            KeyError: there is none of that name.
        """
        return self._schemas.named(name)

    @property
    def required(self) -> tuple[str, ...]:
        """Members that have to be there."""
        return tuple(self.raw.get("required") or ())

    @property
    def format(self) -> str:
        """`int32`, `date-time`, `byte` and so on; empty when there is none."""
        value: str = self.raw.get("format", "")
        return value

    @property
    def nullable(self) -> bool:
        """Whether null is a value (custom types only)."""
        return bool(self.raw.get("nullable"))

    @property
    def list_type(self) -> str:
        """`map`, `set` or `atomic`; empty when the schema does not say, which means atomic."""
        value: str = self.raw.get("x-kubernetes-list-type", "")
        return value

    @property
    def list_map_keys(self) -> tuple[str, ...]:
        """The members that tell the items of a `map` list apart."""
        return tuple(self.raw.get("x-kubernetes-list-map-keys") or ())

    @property
    def map_type(self) -> str:
        """`atomic`, `granular` or empty, which means granular."""
        value: str = self.raw.get("x-kubernetes-map-type", "")
        return value

    @property
    def patch_strategies(self) -> tuple[str, ...]:
        """How a strategic merge patch treats it: `merge`, `retainKeys`, `replace`."""
        strategies: str = self.raw.get("x-kubernetes-patch-strategy", "")
        return tuple(strategies.split(",")) if strategies else ()

    @property
    def patch_merge_key(self) -> str:
        """The member by which a strategic merge patch tells items apart."""
        value: str = self.raw.get("x-kubernetes-patch-merge-key", "")
        return value

    @property
    def preserves_unknown(self) -> bool:
        """Whether undeclared members stay (custom types only)."""
        return bool(self.raw.get("x-kubernetes-preserve-unknown-fields"))

    @property
    def is_embedded_resource(self) -> bool:
        """Whether it holds a whole object with kind, apiVersion and metadata."""
        return bool(self.raw.get("x-kubernetes-embedded-resource"))

    @property
    def is_int_or_string(self) -> bool:
        """Whether both an integer and a string will do."""
        return bool(self.raw.get("x-kubernetes-int-or-string")) or self.format == "int-or-string"

    @property
    def is_quantity(self) -> bool:
        """Whether it is a resource.Quantity."""
        return self.name == "io.k8s.apimachinery.pkg.api.resource.Quantity"

    @property
    def is_time(self) -> bool:
        """Whether it is a meta/v1 Time."""
        return self.name == f"{_META}Time"

    @property
    def is_micro_time(self) -> bool:
        """Whether it is a meta/v1 MicroTime."""
        return self.name == f"{_META}MicroTime"


class Schemas:
    """The definitions of one document; a node that is asked for twice is the same node."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self._named: dict[str, Schema] = {}

    def named(self, name: str) -> Schema:
        """The definition of that name.

        Raises:
            KeyError: there is none.
        """
        schema = self._named.get(name)
        if schema is None:
            raw = self.definitions[name]
            target = _reference(raw)
            schema = self.named(target) if target else Schema(raw, self, name)
            self._named[name] = schema
        return schema

    def of(self, raw: Mapping[str, Any]) -> Schema:
        """The node that `raw` is or refers to.

        What stands beside a `$ref` (patch strategies do) wins over the definition's own.
        """
        target = _reference(raw)
        if not target:
            return Schema(raw, self)
        referenced = self.named(target)
        beside = {key: value for key, value in raw.items() if key.startswith("x-")}
        return Schema({**referenced.raw, **beside}, self, referenced.name) if beside else referenced


def _reference(raw: Mapping[str, Any]) -> str:
    reference = raw.get("$ref", "")
    if not reference and len(raw.get("allOf") or ()) == 1:
        reference = raw["allOf"][0].get("$ref", "")
    return str(reference).removeprefix(DEFINITIONS)


UNKNOWN: Final = Schema({}, Schemas({}))
"""Says nothing about its values."""
