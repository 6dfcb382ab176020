"""Extracts the fields that a field manager owns, as a manifest that can be applied again.

client-go: ExtractInto of k8s.io/apimachinery/pkg/util/managedfields and ExtractItems of
sigs.k8s.io/structured-merge-diff. In client-go, a schema says which lists and maps are atomic. This
module has no schema, and infers atomic values from the field sets of the other managers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload

from .._models.arguments import check_object
from .._models.decoder import to_dict
from .field_sets import (
    FIELD,
    KEY,
    NO_FIELDS,
    FieldSet,
    Positions,
    as_field_set,
    check_depth,
    fields_inside,
    is_leaf,
    key_fields,
    merge_fields,
    selected,
)

if TYPE_CHECKING:
    from .._models.model import Model
    from .._models.unstructured import Unstructured

M_co = TypeVar("M_co", covariant=True)


class _HasManifest(Protocol[M_co]):
    """A class of a generated package. Only type checkers see its method."""

    def __manifest__(self) -> M_co: ...


@overload
def extract(obj: _HasManifest[M_co], field_manager: str, subresource: str = "") -> M_co: ...
@overload
def extract(
    obj: Model | Unstructured, field_manager: str, subresource: str = ""
) -> dict[str, Any]: ...
def extract(obj: object, field_manager: str, subresource: str = "") -> object:
    """Return the fields that a field manager has applied to an object, as a manifest.

    Change the manifest and apply it again: fields that you leave out are removed from the object,
    unless they have other owners. The manifest also has the apiVersion, kind, name and namespace of
    the object, even if the field manager has applied no fields.

    Args:
        obj: an object that was read from the server, with its managedFields.
        field_manager: the field manager. Fields that it set by updates are not included.
        subresource: the subresource of the applies, such as `status`.

    Raises:
        ValueError: the object has no apiVersion, no kind or no managedFields (a cache may drop
            them), or its managedFields are not valid.
    """
    check_object("extract()", obj)
    try:
        value = to_dict(obj)
    except RecursionError:
        raise ValueError("extract(): the object is nested too deeply") from None
    metadata = _mapping_at(value, "metadata")
    identity = {"apiVersion": value.get("apiVersion"), "kind": value.get("kind")}
    if not all(identity.values()):
        raise ValueError("extract(): the object has no apiVersion or no kind")
    shown = f"{identity['kind']} {metadata.get('name')!r}"
    entries = metadata.get("managedFields")
    if not entries or entries.__class__ is not list:
        raise ValueError(
            f"extract(): the {shown} has no managedFields; read it from the server, and not from a"
            " cache that drops them"
        )
    try:
        own, others = _field_sets(entries, field_manager, subresource)
        owned: Any = _owned_part(value, own, others, 0) if own else {}
    except ValueError as error:
        raise ValueError(f"extract(): managedFields of the {shown}: {error}") from None
    except RecursionError:
        reason = "they, or the fields that they name, are nested too deeply"
        raise ValueError(f"extract(): managedFields of the {shown}: {reason}") from None
    return _with_identity(cast("dict[str, Any]", owned), identity, metadata)


def _with_identity(
    owned: dict[str, Any], identity: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a manifest: apiVersion, kind, name and namespace, followed by the owned fields."""
    names = {name: metadata[name] for name in ("name", "namespace") if metadata.get(name)}
    return {
        **identity,
        "metadata": {**names, **_mapping_at(owned, "metadata")},
        **{key: part for key, part in owned.items() if key not in {*identity, "metadata"}},
    }


def _mapping_at(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}


# ---- field sets -----------------------------------------------------------------------------


def _field_sets(
    entries: list[Any], field_manager: str, subresource: str
) -> tuple[FieldSet, dict[str, Any]]:
    """Return the fields that the manager has applied, and the union of all other field sets."""
    own: FieldSet = NO_FIELDS
    others: dict[str, Any] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise ValueError(f"entry {number} is not an object")  # noqa: TRY004 - server data
        members = cast("Mapping[str, Any]", entry)
        fields = as_field_set(members.get("fieldsV1") or NO_FIELDS)
        wanted = (field_manager, "Apply", subresource)
        stated = (
            members.get("manager"),
            members.get("operation"),
            members.get("subresource") or "",
        )
        if stated == wanted and not own:
            own = fields
        else:
            merge_fields(others, fields, 0)
    return own, others


# ---- values ---------------------------------------------------------------------------------


def _owned_part(value: Any, fields: FieldSet, others: FieldSet, depth: int) -> Any:
    """Return the part of a value that a field set contains.

    A field set without parts contains the whole value, if the value is a scalar or an atomic list
    or map. If another manager owns parts of the value, the value is not atomic. Then the result is
    an empty list or map: the manager owns the existence of the value, not its contents.
    """
    check_depth(depth)
    if is_leaf(fields):
        if is_leaf(others):
            return value
        fields = NO_FIELDS
    if isinstance(value, dict):
        return _owned_members(cast("dict[str, Any]", value), fields, others, depth)
    if isinstance(value, list):
        return list(_owned_items(cast("list[object]", value), fields, others, depth))
    return cast("object", value)


def _owned_members(
    value: Mapping[str, Any], fields: FieldSet, others: FieldSet, depth: int
) -> dict[str, Any]:
    owned: dict[str, Any] = {}
    for key, inner in fields.items():
        name = key.removeprefix(FIELD)
        if key.startswith(FIELD) and name in value:
            owned[name] = _owned_part(
                value[name], as_field_set(inner), fields_inside(others, key), depth + 1
            )
    return owned


def _owned_items(
    items: list[object], fields: FieldSet, others: FieldSet, depth: int
) -> Iterator[Any]:
    """Yield the owned items in the order of the list. Items keep their key fields."""
    positions = Positions(items)
    keys = {positions.of(key): key for key in fields if key != "."}
    for position in sorted(position for position in keys if position is not None):
        key, item = keys[position], items[position]
        owned = _owned_part(item, fields_inside(fields, key), fields_inside(others, key), depth + 1)
        if isinstance(owned, dict) and key.startswith(KEY):
            owned = {**selected(item, key_fields(key)), **cast("dict[str, Any]", owned)}
        yield owned
