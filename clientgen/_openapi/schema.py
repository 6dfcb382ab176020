"""A schema of an OpenAPI document, read by typed words instead of by strings.

One class for OpenAPI v2 and v3, and for the `openAPIV3Schema` of custom resources. A word that is
missing or of a wrong type reads as empty. The schema is read as it is written: `$ref` is not
followed (see `resolved.ResolvedSchema` for that).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clientgen._gvk import GroupVersionKind
from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import KeysView, Mapping
    from typing import Self

DEFINITIONS: Final = "#/definitions/"
"""The prefix of references in OpenAPI v2."""
KINDS: Final = "x-kubernetes-group-version-kind"
SELECTABLE: Final = "x-kubernetes-selectable-fields"
_PARTS: Final = ("group", "version", "kind")
_TOPOLOGY: Final = (
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
_OF_VALUES: Final = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "format"),
        *("minItems", "maxItems", "uniqueItems", "enum"),
    }
)
_OF_OBJECTS: Final = frozenset(
    {"minProperties", "maxProperties", "oneOf", "anyOf", "x-kubernetes-validations"}
)


class Bounds(NamedTuple):
    """The least and the most of something: None where there is no limit."""

    least: Any
    most: Any


class Validation(NamedTuple):
    """A rule in CEL, and its message for people."""

    rule: str
    message: str


class Schema:  # noqa: PLW1641 - it is compared by its JSON, and never a key
    """One node. Nodes inside of it are made when they are asked for, once.

    Attributes:
        raw: the node as it stands in the document.
        type: `object`, `array`, `string`, `integer`, `number`, `boolean`, or empty for any.
    """

    __slots__ = ("_additional", "_all_of", "_items", "_kinds", "_properties", "raw", "type")

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.type = _string_keyword(raw, "type")
        self._properties: Mapping[str, Self] | None = None
        self._items: Self | None = None
        self._additional: Self | None = None
        self._all_of: tuple[Self, ...] | None = None
        self._kinds: tuple[GroupVersionKind, ...] | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self.raw)!r})"

    def __eq__(self, other: object) -> bool:
        return self.raw == other.raw if isinstance(other, Schema) else NotImplemented

    # ------------------------------------------------------------------------------ structure

    @property
    def words(self) -> KeysView[str]:
        """The words that it is written with."""
        return self.raw.keys()

    @property
    def reference(self) -> str | None:
        """The name of the definition it stands for; None if it describes something itself.

        OpenAPI v3 lets nothing stand beside a `$ref`, so a property with a description or a
        default is an `allOf` of that one reference.
        """
        return reference_of(self.raw)

    @property
    def format(self) -> str:
        """`int32`, `date-time`, `byte` and so on; empty when there is none."""
        return _string_keyword(self.raw, "format")

    @property
    def has_properties(self) -> bool:
        """Whether the named members of an object are described, even if there are none."""
        return "properties" in self.raw

    @property
    def properties(self) -> Mapping[str, Self]:
        """The named members of an object."""
        if self._properties is None:
            stated = self.raw.get("properties")
            named = stated.items() if is_object(stated) else ()
            self._properties = {key: self._node(raw) for key, raw in named}
        return self._properties

    @property
    def required(self) -> tuple[str, ...]:
        """Members that have to be there."""
        return tuple(_listed(self.raw, "required"))

    @property
    def items(self) -> Self | None:
        """The schema of a list's items."""
        if self._items is None:
            stated = self.raw.get("items")
            self._items = self._node(stated) if is_object(stated) else None
        return self._items

    @property
    def additional(self) -> Self | None:
        """The schema of a map's values; None when no schema states it."""
        if self._additional is None:
            stated = self.raw.get("additionalProperties")
            self._additional = self._node(stated) if is_object(stated) else None
        return self._additional

    @property
    def allows_additional(self) -> bool:
        """Whether `additionalProperties` allows for members that are not named."""
        return bool(self.raw.get("additionalProperties"))

    @property
    def all_of(self) -> tuple[Self, ...]:
        """The schemas that it takes over."""
        if self._all_of is None:
            self._all_of = self._nodes("allOf")
        return self._all_of

    @property
    def any_of(self) -> tuple[Self, ...]:
        """The schemas of which a value fits at least one."""
        return self._nodes("anyOf")

    @property
    def one_of(self) -> tuple[Self, ...]:
        """The schemas of which a value fits exactly one."""
        return self._nodes("oneOf")

    # --------------------------------------------------------------------------------- values

    @property
    def description(self) -> str:
        """The text for people."""
        return _string_keyword(self.raw, "description")

    @property
    def has_default(self) -> bool:
        """Whether a default is stated, be it null."""
        return "default" in self.raw

    @property
    def default(self) -> Any:
        """The value of a field that is not given."""
        return self.raw.get("default")

    @property
    def nullable(self) -> bool:
        """Whether null is a value (OpenAPI v3 only)."""
        return bool(self.raw.get("nullable"))

    @property
    def has_value_limits(self) -> bool:
        """Whether any word limits a number, a string or the number of items."""
        return not _OF_VALUES.isdisjoint(self.raw)

    @property
    def has_object_limits(self) -> bool:
        """Whether any word limits which members an object has, or rules are to hold."""
        return not _OF_OBJECTS.isdisjoint(self.raw)

    @property
    def enum(self) -> tuple[Any, ...]:
        """The values there are; empty when any will do."""
        return tuple(_listed(self.raw, "enum"))

    @property
    def pattern(self) -> str:
        """The regular expression that a string matches."""
        return _string_keyword(self.raw, "pattern")

    @property
    def amount(self) -> Bounds:
        """The least and the greatest number."""
        return self._bounds("minimum", "maximum")

    @property
    def excludes_bounds(self) -> Bounds:
        """Whether the least and the greatest number are out of bounds themselves."""
        return self._bounds("exclusiveMinimum", "exclusiveMaximum")

    @property
    def multiple_of(self) -> Any:
        """The number that a number is a multiple of; None if any will do."""
        return self.raw.get("multipleOf")

    @property
    def length(self) -> Bounds:
        """The bounds of a string's length, in characters."""
        return self._bounds("minLength", "maxLength")

    @property
    def item_count(self) -> Bounds:
        """The bounds of the number of items in a list."""
        return self._bounds("minItems", "maxItems")

    @property
    def has_unique_items(self) -> bool:
        """Whether no two items of a list are equal."""
        return bool(self.raw.get("uniqueItems"))

    @property
    def property_count(self) -> Bounds:
        """The bounds of the number of members of an object."""
        return self._bounds("minProperties", "maxProperties")

    # ------------------------------------------------------------------- x-kubernetes-*

    @property
    def kinds(self) -> tuple[GroupVersionKind, ...]:
        """The kinds it says it is (`x-kubernetes-group-version-kind`)."""
        if self._kinds is None:
            self._kinds = kinds_of(self.raw)
        return self._kinds

    @property
    def selectable_fields(self) -> tuple[str, ...]:
        """Paths that field selectors of the kind may have (`x-kubernetes-selectable-fields`)."""
        stated = self.raw.get(SELECTABLE)
        entries = [entry for entry in stated if is_object(entry)] if is_array(stated) else []
        paths = (entry.get("fieldPath") for entry in entries)
        return tuple(path.lstrip(".") for path in paths if isinstance(path, str))

    @property
    def list_type(self) -> str:
        """`map`, `set` or `atomic`; empty when the schema does not say, which means atomic."""
        return _string_keyword(self.raw, "x-kubernetes-list-type")

    @property
    def list_map_keys(self) -> tuple[str, ...]:
        """The members that tell the items of a `map` list apart."""
        return tuple(_listed(self.raw, "x-kubernetes-list-map-keys"))

    @property
    def map_type(self) -> str:
        """`atomic`, `granular` or empty, which means granular."""
        return _string_keyword(self.raw, "x-kubernetes-map-type")

    @property
    def topology(self) -> dict[str, Any]:
        """The words that say how lists and maps are merged, as they are written."""
        return {word: self.raw[word] for word in _TOPOLOGY if word in self.raw}

    @property
    def patch_strategies(self) -> tuple[str, ...]:
        """The strategies of a strategic merge patch: `merge`, `retainKeys`, `replace`."""
        stated = _string_keyword(self.raw, "x-kubernetes-patch-strategy")
        return tuple(stated.split(",")) if stated else ()

    @property
    def patch_merge_key(self) -> str:
        """The member by which a strategic merge patch tells items apart."""
        return _string_keyword(self.raw, "x-kubernetes-patch-merge-key")

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
    def validations(self) -> tuple[Validation, ...]:
        """The rules in CEL that a value of a custom type keeps."""
        stated = _listed(self.raw, "x-kubernetes-validations")
        return tuple(
            Validation(str(rule.get("rule", "")), str(rule.get("message") or ""))
            for rule in stated
            if is_object(rule)
        )

    # -------------------------------------------------------------------------------- changes

    def extended(
        self, properties: Mapping[str, Mapping[str, Any]], required: tuple[str, ...] = ()
    ) -> Self:
        """The same with these properties, which come instead of its own of those names.

        Args:
            properties: by name, as they are written.
            required: names of properties that are required besides its own.
        """
        own = self.raw.get("properties")
        raw = {**self.raw, "properties": {**(own if is_object(own) else {}), **properties}}
        if required:
            raw["required"] = [*required, *self.required]
        extended = self._node(raw)
        extended._properties = {
            **self.properties,
            **{name: self._node(each) for name, each in properties.items()},
        }
        return extended

    def _node(self, raw: Mapping[str, Any]) -> Self:
        """A node inside of this one."""
        return type(self)(raw)

    def _nodes(self, word: str) -> tuple[Self, ...]:
        return tuple(self._node(part) for part in _listed(self.raw, word) if is_object(part))

    def _bounds(self, least: str, most: str) -> Bounds:
        return Bounds(self.raw.get(least), self.raw.get(most))


def reference_of(raw: Mapping[str, Any]) -> str | None:
    """The name of the definition that a schema refers to: see `Schema.reference`."""
    target = raw.get("$ref")
    if target is None and "allOf" in raw and "properties" not in raw:
        parts = _listed(raw, "allOf")
        alone = len(parts) == 1 and is_object(parts[0])
        target = parts[0].get("$ref") if alone else None
    if not isinstance(target, str):
        return None
    return target.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


def kinds_of(raw: Mapping[str, Any]) -> tuple[GroupVersionKind, ...]:
    """The kinds that a schema or an operation says it is about."""
    stated = raw.get(KINDS)
    if stated is None:
        return ()
    entries = stated if is_array(stated) else [stated]
    return tuple(
        [
            GroupVersionKind(*[str(entry.get(part, "")) for part in _PARTS])
            for entry in entries
            if is_object(entry)
        ]
    )


def named_schemas(document: Mapping[str, Any], *at: str) -> dict[str, Any]:
    """The schemas that have a name, where this kind of document keeps them."""
    part: Any = document
    for key in at:
        part = part.get(key, {})
    return part if is_object(part) else {}


def written_kind(kind: GroupVersionKind) -> dict[str, str]:
    """A kind as documents write it."""
    return {"group": kind.group, "kind": kind.kind, "version": kind.version}


def reference_to(name: str) -> dict[str, str]:
    """Return a reference to a definition, as OpenAPI v2 writes it."""
    return {"$ref": f"{DEFINITIONS}{name}"}


def _string_keyword(raw: Mapping[str, Any], word: str) -> str:
    stated = raw.get(word, "")
    return stated if isinstance(stated, str) else ""


def _listed(raw: Mapping[str, Any], word: str) -> list[Any]:
    stated = raw.get(word)
    return stated if is_array(stated) else []
