"""The part of an object that a field manager owns, as a manifest that can be applied again.

client-go: ExtractInto of k8s.io/apimachinery/pkg/util/managedfields and ExtractItems of
sigs.k8s.io/structured-merge-diff. Those know from a schema which lists and maps are atomic; here
the field sets of the other managers tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast, overload

from msgspec import json

from .._models.arguments import check_object
from .._models.decoder import to_dict

if TYPE_CHECKING:
    from .._models.model import Model
    from .._models.unstructured import Unstructured

__all__ = ["extract"]

M_co = TypeVar("M_co", covariant=True)

# A field set, FieldsV1: `f:name`, `k:{"name":"x"}`, `v:1`, `i:0` and `.` lead to field sets.
_Fields: TypeAlias = Mapping[str, Any]

_DEEPEST: Final = 200
_MOST_KEYS: Final = 8  # combinations of key fields in one list; the API has one for each list
_NOTHING: Final[_Fields] = {}
_KEY, _VALUE, _INDEX, _FIELD = "k:", "v:", "i:", "f:"


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
    """Return what a field manager has applied to an object, as a manifest.

    Change the manifest and apply it again: fields that you leave out are removed from the object,
    unless they have other owners. The manifest has the apiVersion, kind, name and namespace of the
    object. If the field manager has applied nothing, it has nothing else.

    Args:
        obj: an object as it was read, with its managedFields.
        field_manager: the field manager. Only what it has applied counts, not its updates.
        subresource: the subresource that it was applied to, such as `status`.

    Raises:
        ValueError: the object has no kind or no managedFields (caches may drop them), or they
            cannot be read.
    """
    check_object("extract()", obj)
    try:
        value = to_dict(obj)
    except RecursionError:
        raise ValueError("extract(): the object is nested too deeply") from None
    metadata = _part(value, "metadata")
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
        found: Any = _owned(value, own, others, 0) if own else {}
    except ValueError as error:
        raise ValueError(f"extract(): managedFields of the {shown}: {error}") from None
    except RecursionError:
        why = "they, or what they speak of, are nested too deeply"
        raise ValueError(f"extract(): managedFields of the {shown}: {why}") from None
    return _identified(cast("dict[str, Any]", found), identity, metadata)


def _identified(
    found: dict[str, Any], identity: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """What was extracted, with what names the object in front."""
    names = {name: metadata[name] for name in ("name", "namespace") if metadata.get(name)}
    return {
        **identity,
        "metadata": {**names, **_part(found, "metadata")},
        **{key: part for key, part in found.items() if key not in {*identity, "metadata"}},
    }


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}


# ---- field sets -----------------------------------------------------------------------------


def _field_sets(
    entries: list[Any], field_manager: str, subresource: str
) -> tuple[_Fields, dict[str, Any]]:
    """Return what the manager has applied, and what anybody else has set."""
    own: _Fields = _NOTHING
    others: dict[str, Any] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            raise ValueError(f"entry {number} is not an object")  # noqa: TRY004 - of a server
        known = cast("Mapping[str, Any]", entry)
        fields = _checked(known.get("fieldsV1") or _NOTHING)
        wanted = (field_manager, "Apply", subresource)
        stated = (known.get("manager"), known.get("operation"), known.get("subresource") or "")
        if stated == wanted and not own:
            own = fields
        else:
            _merge(others, fields, 0)
    return own, others


def _checked(fields: object) -> _Fields:
    if not isinstance(fields, Mapping):
        raise ValueError("a set of fields is not an object")  # noqa: TRY004 - of a server
    return cast("_Fields", fields)


def _merge(into: dict[str, Any], fields: _Fields, depth: int) -> None:
    _check_depth(depth)
    for key, inner in fields.items():
        _merge(into.setdefault(key, {}), _checked(inner), depth + 1)


def _check_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise ValueError(f"they are nested deeper than {_DEEPEST} levels")


def _inside(fields: _Fields, key: str) -> _Fields:
    return _checked(fields.get(key, _NOTHING))


def _is_leaf(fields: _Fields) -> bool:
    return not any(key != "." for key in fields)


# ---- values ---------------------------------------------------------------------------------


def _owned(value: Any, fields: _Fields, others: _Fields, depth: int) -> Any:
    """The part of a value in a field set. Whoever owns a value without its parts owns all of it.

    That is so for scalars and atomic lists and maps. If another manager owns parts of it, it is
    not atomic, and what is owned is that it is there.
    """
    _check_depth(depth)
    if _is_leaf(fields):
        if _is_leaf(others):
            return value
        fields = _NOTHING
    if isinstance(value, dict):
        return _owned_members(cast("dict[str, Any]", value), fields, others, depth)
    if isinstance(value, list):
        return list(_owned_items(cast("list[object]", value), fields, others, depth))
    return cast("object", value)


def _owned_members(
    value: Mapping[str, Any], fields: _Fields, others: _Fields, depth: int
) -> dict[str, Any]:
    owned: dict[str, Any] = {}
    for key, inner in fields.items():
        name = key.removeprefix(_FIELD)
        if key.startswith(_FIELD) and name in value:
            owned[name] = _owned(value[name], _checked(inner), _inside(others, key), depth + 1)
    return owned


def _owned_items(
    items: list[object], fields: _Fields, others: _Fields, depth: int
) -> Iterator[Any]:
    """Yield the owned items in the order of the list, those with keys with their keys."""
    positions = _Positions(items)
    found = {positions.of(key): key for key in fields if key != "."}
    for position in sorted(position for position in found if position is not None):
        key, item = found[position], items[position]
        owned = _owned(item, _inside(fields, key), _inside(others, key), depth + 1)
        if isinstance(owned, dict) and key.startswith(_KEY):
            owned = {**_some(item, _parsed(key)), **cast("dict[str, Any]", owned)}
        yield owned


class _Positions:
    """Finds the items of a list by the keys of a field set, in linear time."""

    def __init__(self, items: list[object]) -> None:
        self._items = items
        self._indices: dict[tuple[str, ...], dict[bytes, int]] = {}

    def of(self, key: str) -> int | None:
        """The position of the item that a key means; None if there is none."""
        if key.startswith(_KEY):
            wanted = _parsed(key)
            return self._index(tuple(sorted(wanted))).get(_text(wanted))
        if key.startswith(_VALUE):
            return self._index(()).get(_text(_decoded(key)))
        if key.startswith(_INDEX):
            number = _decoded(key)
            is_there = type(number) is int and 0 <= number < len(self._items)
            return number if is_there else None
        return None

    def _index(self, names: tuple[str, ...]) -> dict[bytes, int]:
        """The items by the text of these fields, or of all of each; the first of equal ones."""
        index = self._indices.get(names)
        if index is None:
            if len(self._indices) > _MOST_KEYS:
                raise ValueError(f"a list has more than {_MOST_KEYS} different sets of keys")
            index = self._indices[names] = {}
            for position, item in enumerate(self._items):
                if not names:
                    index.setdefault(_text(item), position)
                elif isinstance(item, dict):
                    index.setdefault(_text(_some(item, names)), position)
        return index


def _some(item: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: item[name] for name in names if name in item}


def _parsed(key: str) -> dict[str, Any]:
    value = _decoded(key)
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{key[:80]!r} is not a set of key fields")
    return cast("dict[str, Any]", value)


def _decoded(key: str) -> Any:
    try:
        return json.decode(key[2:])
    except ValueError:
        raise ValueError(f"{key[:80]!r} does not end in JSON") from None


def _text(value: object) -> bytes:
    return json.encode(value, order="deterministic")
