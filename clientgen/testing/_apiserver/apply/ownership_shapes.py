"""Shapes of values, which decide by their schema whether they are owned whole or in parts.

A type says for each of the three shapes of a value - map, list, scalar - what it is when it has
that shape. Most have one only; those of undeclared fields have all three, and the value decides.
`x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type` tell which maps
and lists are owned whole (atomic); see "Merge strategy" in the Kubernetes documentation of
server-side apply.

Facts: docs/internals/kubernetes-semantics.md, 6.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._openapi.resolved import UNKNOWN, ResolvedSchema, Schemas
from clientgen._openapi.schema import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BUILT_IN: Final = "io.k8s."
_RAW_EXTENSION: Final = "io.k8s.apimachinery.pkg.runtime.RawExtension"
# The v2 document has no defaults; these two are keys of their lists.
_KEY_DEFAULTS: Final[Mapping[tuple[str, str], str]] = {
    ("io.k8s.api.core.v1.ContainerPort", "protocol"): "TCP",
    ("io.k8s.api.core.v1.ServicePort", "protocol"): "TCP",
}
_ZERO: Final[Mapping[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}
_SCALARS: Final[Mapping[str, str]] = {
    "integer": "numeric",
    "number": "numeric",
    "boolean": "boolean",
}

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TEXTS: Final = {"type": "object", "additionalProperties": _TEXT}
_OWNER: Final = {
    "type": "object",
    "properties": {
        "apiVersion": _TEXT,
        "blockOwnerDeletion": _FLAG,
        "controller": _FLAG,
        "kind": _TEXT,
        "name": _TEXT,
        "uid": _TEXT,
    },
    "x-kubernetes-map-type": "atomic",
}
_OBJECT_META: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "annotations": _TEXTS,
        "creationTimestamp": _TIME,
        "deletionGracePeriodSeconds": _COUNT,
        "deletionTimestamp": _TIME,
        "finalizers": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
        "generateName": _TEXT,
        "generation": _COUNT,
        "labels": _TEXTS,
        "managedFields": {"type": "array", "items": {"type": "object"}},
        "name": _TEXT,
        "namespace": _TEXT,
        "ownerReferences": {
            "type": "array",
            "items": _OWNER,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"],
        },
        "resourceVersion": _TEXT,
        "selfLink": _TEXT,
        "uid": _TEXT,
    },
}
_WHOLE_OBJECT: Final[Mapping[str, Any]] = {
    "apiVersion": _TEXT,
    "kind": _TEXT,
    "metadata": {"$ref": f"{DEFINITIONS}ObjectMeta"},
}


class Scalar:
    """A text, number or truth value.

    Attributes:
        kind: string, numeric, boolean, or untyped, which is any of them.
    """

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind


class List:
    """A list: atomic, or told apart by keys, or (no keys) a set of scalars.

    Attributes:
        item: what it holds.
        defaults: what a key is when an item does not say.
    """

    __slots__ = ("atomic", "defaults", "item", "keys")

    def __init__(
        self,
        item: Type,
        *,
        atomic: bool = True,
        keys: tuple[str, ...] = (),
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.item = item
        self.atomic = atomic
        self.keys = keys
        self.defaults = defaults or {}


class Map:
    """An object: declared fields, and perhaps others, which then are all of one type.

    Types of fields are made when they are asked for: some kinds (JSONSchemaProps) hold themselves.
    """

    __slots__ = ("_declared", "_known", "_preserves", "_rest", "atomic")

    def __init__(
        self,
        declared: Mapping[str, ResolvedSchema],
        rest: ResolvedSchema | Type | None,
        *,
        atomic: bool = False,
        preserves: bool = False,
    ) -> None:
        self._declared = declared
        self._known: dict[str, Type] = {}
        self._rest = rest
        self._preserves = preserves
        self.atomic = atomic

    @property
    def rest(self) -> Type | None:
        """The type of undeclared fields; None when there may be none."""
        if isinstance(self._rest, ResolvedSchema):
            self._rest = _type(self._rest, preserves=self._preserves)
        return self._rest

    @property
    def is_deduced(self) -> bool:
        """Whether nothing is known of its fields."""
        return not self._declared and self._rest is DEDUCED

    def declares(self, name: str) -> bool:
        """Return whether the schema names this field."""
        return name in self._declared

    def field(self, name: str) -> Type | None:
        """The type of a field; None when it may not be there."""
        found = self._known.get(name)
        if found is None:
            declared = self._declared.get(name)
            if declared is None:
                return self.rest
            found = self._known[name] = _type(declared, preserves=self._preserves)
        return found


Shape: TypeAlias = Map | List | Scalar


class Type:
    """The shapes that a value may have, at least one.

    Attributes:
        usual: the shape of a value that does not tell.
    """

    __slots__ = ("list", "map", "scalar", "usual")

    def __init__(
        self,
        *,
        map: Map | None = None,  # noqa: A002 - the word for it
        list: List | None = None,  # noqa: A002 - the word for it
        scalar: Scalar | None = None,
    ) -> None:
        self.map = map
        self.list = list
        self.scalar = scalar
        usual = map or scalar or list
        assert usual is not None
        self.usual: Shape = usual

    def shape(self, value: Any) -> Shape:
        """Return the shape of a value; the usual one if it fits nowhere."""
        found: Shape | None = None
        if isinstance(value, dict):
            found = self.map
        elif isinstance(value, list):
            found = self.list
        elif value is not None:
            found = self.scalar
        return found or self.usual


UNTYPED: Final = Type(scalar=Scalar("untyped"))
"""Anything, owned whole."""
UNTYPED.list = List(UNTYPED)
UNTYPED.map = UNTYPED.usual = Map({}, UNTYPED, atomic=True)

DEDUCED: Final = Type(list=List(UNTYPED), scalar=Scalar("untyped"))
"""Anything; objects are owned by field, lists whole."""
DEDUCED.map = DEDUCED.usual = Map({}, DEDUCED)

_COMMON: Final = Schemas({"ObjectMeta": _OBJECT_META})


def is_built_in(schema: ResolvedSchema) -> bool:
    """Return whether it is one of the server's own definitions, not a custom kind's schema."""
    return schema.name.startswith(_BUILT_IN)


def type_of_kind(schema: ResolvedSchema | None) -> Type:
    """The type of whole objects of a kind.

    Custom kinds have metadata and all that whatever their own schema says of it; those with no
    schema at all are deduced.
    """
    if schema is None or not schema.words:
        return DEDUCED
    if is_built_in(schema):
        return _type(schema)
    return _noted(schema, "kind", lambda: _made(schema, preserves=False, whole=True))


def _type(schema: ResolvedSchema, *, preserves: bool = False) -> Type:
    preserves = preserves and not schema.name  # definitions do not inherit it
    note = "preserving type" if preserves else "type"
    return _noted(schema, note, lambda: _made(schema, preserves=preserves))


def _noted(schema: ResolvedSchema, note: str, make: Callable[[], Type]) -> Type:
    found: Type | None = schema.notes.get(note)
    if found is None:
        found = schema.notes[note] = make()
    return found


def _made(schema: ResolvedSchema, *, preserves: bool, whole: bool = False) -> Type:
    if schema.is_quantity:
        return Type(scalar=Scalar("untyped"))
    if schema.name == _RAW_EXTENSION:
        return UNTYPED
    preserves = preserves or schema.preserves_unknown
    whole = whole or schema.is_embedded_resource
    if schema.type == "object":
        return Type(map=_map(schema, preserves=preserves, whole=whole))
    if schema.type == "array":
        return Type(list=_list(schema, preserves=preserves))
    if schema.type:
        return Type(scalar=_scalar(schema))
    return Type(
        map=_map(schema, preserves=preserves, whole=whole),
        list=_list(schema, preserves=preserves),
        scalar=Scalar("untyped"),
    )


def _scalar(schema: ResolvedSchema) -> Scalar:
    if schema.type == "string":
        return Scalar("string" if schema.format in {"", "byte"} else "untyped")
    return Scalar(_SCALARS[schema.type])


def _map(schema: ResolvedSchema, *, preserves: bool, whole: bool) -> Map:
    declared = schema.properties
    if whole:
        common = {name: _COMMON.of(raw) for name, raw in _WHOLE_OBJECT.items()}
        declared = {**declared, **common}
    rest: ResolvedSchema | Type | None = schema.additional
    if rest is UNKNOWN or (
        "additionalProperties" not in schema.words and (preserves or not declared)
    ):
        rest = DEDUCED
    return Map(declared, rest, atomic=schema.map_type == "atomic", preserves=preserves)


def _list(schema: ResolvedSchema, *, preserves: bool) -> List:
    item = UNTYPED if schema.items is None else _type(schema.items, preserves=preserves)
    if schema.list_type not in {"map", "set"}:
        return List(item)
    keys = schema.list_map_keys if schema.list_type == "map" else ()
    defaults = {key: _key_default(schema.items, key) for key in keys}
    known = {key: value for key, value in defaults.items() if value is not None}
    return List(item, atomic=False, keys=keys, defaults=known)


def _key_default(item: ResolvedSchema | None, key: str) -> Any:
    """Return the default of a key; for a key that a built-in kind requires, the empty value."""
    member = item.properties.get(key) if item else None
    if item is None or member is None:
        return None
    if member.has_default:
        return member.default
    if is_built_in(item) and key in item.required:
        return _ZERO.get(member.type)
    return _KEY_DEFAULTS.get((item.name, key))
