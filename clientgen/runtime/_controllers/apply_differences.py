"""Compares an object with what a field manager wants to apply: would the apply change it?

The comparison follows the sets of fields in managedFields, as the server's structured merge does
(sigs.k8s.io/structured-merge-diff). They say which lists are sets or have keys, and which values
are atomic, so no schema is needed. A value that the server has set and that nobody wants is no
difference, such as a default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

from msgspec import json

from .._manifests.field_sets import (
    FIELD,
    KEY,
    NO_FIELDS,
    VALUE,
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
from .._models.base import ModelBase
from .._models.model_info import fields_of
from .._models.quantity import Quantity
from .._models.quantity_fields import quantity_fields

_APPLY: Final = "Apply"
_NOT_OWNED: Final = "another field manager owns it, or nobody"
_NOT_WANTED: Final = "it is no longer wanted"
_OTHER_VALUE: Final = "it has another value"
# The servers give this default to a key field of ports, in containers and Services.
_KEY_DEFAULTS: Final = {"protocol": "TCP"}
_NAMES: Final = frozenset({"name", "namespace"})


class Difference(NamedTuple):
    """A place where an apply would change the object, or may change it."""

    path: str
    """The place, such as `spec.template.spec.containers[0].image`."""
    why: str
    """Why the place counts, in words."""
    live: object
    """The value in the object. It may be secret."""

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def apply_differences(
    desired: Mapping[str, Any],
    live: Mapping[str, Any],
    field_manager: str,
    model: type[Any] | None = None,
) -> list[Difference]:
    """Return where a forced apply of `desired` would change an object; empty if nowhere.

    Some places cannot be judged without a schema: an atomic map with more members than are wanted
    may have defaults of the server, or members that were wanted before. They are included, so apply
    once, and remember `fingerprint` of what is left.

    Args:
        desired: The manifest to apply. It has no fields that only servers set.
        live: The JSON of the object, with its managedFields.
        field_manager: The field manager of the apply.
        model: The class of the object. It says which fields are quantities, so that `1000m` equals
            `1`.
    """
    metadata = _part(live, "metadata")
    entries = metadata.get("managedFields")
    if not isinstance(entries, list) or not entries:
        version = metadata.get("resourceVersion")
        return [Difference("metadata.managedFields", "they are not known", version)]
    listed = cast("list[object]", entries)
    try:
        version, own, others = _field_sets(listed, field_manager)
        comparison = _Comparison()
        if version != desired.get("apiVersion"):
            comparison.note("apiVersion", "it was applied in another version", version)
        place = _Place("", own, others, _Shape.of(model))
        comparison.members(place, _stated(desired), _stated(live))
    except (ValueError, RecursionError) as error:
        why = f"they are not valid: {error}"
        return [Difference("metadata.managedFields", why, _digest(listed))]
    return comparison.found


def fingerprint(desired: Mapping[str, Any], left: list[Difference]) -> str:
    """Return a text that stands for an applied manifest, and for the differences that remained.

    A webhook or the server may change what is applied. If the next comparison gives the same
    fingerprint, another apply would give the same result. The text shows no values.
    """
    return _digest([desired, [[*each] for each in left]])


def _digest(value: object) -> str:
    return sha256(json.encode(value, order="deterministic")).hexdigest()


def _field_sets(entries: list[object], field_manager: str) -> tuple[str, FieldSet, FieldSet]:
    """Return the version and the fields of the manager's applies, and the fields of the others."""
    version, own = "", NO_FIELDS
    others: dict[str, Any] = {}
    for entry in entries:
        members = as_field_set(entry)
        fields = as_field_set(members.get("fieldsV1") or NO_FIELDS)
        is_own = (members.get("manager"), members.get("operation")) == (field_manager, _APPLY)
        if is_own and not members.get("subresource"):
            version, own = str(members.get("apiVersion")), fields
        else:
            merge_fields(others, fields, 0)
    return version, own, others


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}


def _stated(obj: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of an object that managedFields tell about."""
    stated = {name: value for name, value in obj.items() if name not in {"apiVersion", "kind"}}
    metadata = _part(obj, "metadata")
    stated["metadata"] = {name: metadata[name] for name in metadata if name not in _NAMES}
    return stated


class _Shape(NamedTuple):
    """What the class of a value says: its fields, and whether it holds quantities."""

    model: type[ModelBase] | None = None
    is_quantity: bool = False

    @classmethod
    def of(cls, model: type[Any] | None) -> _Shape:
        is_model = model is not None and issubclass(model, ModelBase)
        return cls(model if is_model else None)

    def member(self, name: str) -> _Shape:
        """Return the shape of a member of a map."""
        field = None if self.model is None else fields_of(self.model).get(name)
        if field is None:
            return self if self.is_quantity else _Shape()
        model = field.models[0] if len(field.models) == 1 else None
        return _Shape(model, bool(quantity_fields({name: field.type})))


class _Place(NamedTuple):
    """A place in both objects, with the sets of fields that lie below it."""

    path: str
    own: FieldSet
    others: FieldSet
    shape: _Shape
    depth: int = 0

    def inside(self, key: str, step: str, shape: _Shape) -> _Place:
        """Return the place that a key of the sets leads to."""
        check_depth(self.depth)
        own, others = fields_inside(self.own, key), fields_inside(self.others, key)
        return _Place(f"{self.path}{step}", own, others, shape, self.depth + 1)


class _Comparison:
    """Collects differences."""

    def __init__(self) -> None:
        self.found: list[Difference] = []

    def note(self, path: str, why: str, live: object) -> None:
        """Note a difference."""
        self.found.append(Difference(path.lstrip("."), why, live))

    def value(self, place: _Place, desired: Any, live: Any) -> None:
        """Compare a value that the manager owns, in part or as a whole."""
        is_container = isinstance(desired, (dict, list))
        if is_leaf(place.own) and (is_leaf(place.others) or not is_container):
            self.whole(place, desired, live)
        elif isinstance(desired, dict) and isinstance(live, dict):
            self.members(place, cast("dict[str, Any]", desired), cast("dict[str, Any]", live))
        elif isinstance(desired, list) and isinstance(live, list):
            self.items(place, cast("list[object]", desired), cast("list[object]", live))
        elif desired or live:  # servers drop empty values
            self.note(place.path, _OTHER_VALUE, live)

    def whole(self, place: _Place, desired: Any, live: Any) -> None:
        """Compare a scalar, or a value that the manager owns as a whole."""
        if _is_equal(desired, live, place.shape):
            return
        is_more = _is_equal(desired, live, place.shape, allow_more=True)
        self.note(place.path, "it has more members" if is_more else _OTHER_VALUE, live)

    def members(self, place: _Place, desired: Mapping[str, Any], live: Mapping[str, Any]) -> None:
        """Compare the members of a map."""
        for name, wanted in desired.items():
            key, there = f"{FIELD}{name}", live.get(name)
            if key in place.own:
                self.value(place.inside(key, f".{name}", place.shape.member(name)), wanted, there)
            elif wanted or name != "metadata":
                self.note(f"{place.path}.{name}", _NOT_OWNED, there)
        for key in place.own:
            name = key.removeprefix(FIELD)
            if key.startswith(FIELD) and name not in desired:
                self.note(f"{place.path}.{name}", _NOT_WANTED, live.get(name))

    def items(self, place: _Place, desired: list[object], live: list[object]) -> None:
        """Compare the items of a list that is a set or has keys."""
        keys, positions = _ItemKeys(place.own), Positions(live)
        order: list[int] = []
        for number, item in enumerate(desired):
            step = f"[{number}]"
            key, is_guess = keys.take(item)
            position = None if key is None else positions.of(key)
            if key is None or position is None:
                self.note(f"{place.path}{step}", _NOT_OWNED, position)
                continue
            if is_guess:
                self.note(f"{place.path}{step}", "its key has a default", key)
            order.append(position)
            if not key.startswith(VALUE):
                self.value(place.inside(key, step, place.shape), item, live[position])
        for key in keys.left:
            self.note(f"{place.path}[{key}]", _NOT_WANTED, positions.of(key) is not None)
        if any(first > second for first, second in pairwise(order)):
            self.note(place.path, "the order is another", live)


class _ItemKeys:
    """The keys of the items of a list that the manager owns, each for one desired item."""

    def __init__(self, own: FieldSet) -> None:
        self.left = {key: None for key in own if key != "."}
        # The keys by the names of their fields, and then by the JSON of the fields.
        self._by_fields: dict[tuple[str, ...], dict[bytes, str]] = {}
        for key in self.left:
            if key.startswith(KEY):
                fields = key_fields(key)
                names = tuple(sorted(fields))
                self._by_fields.setdefault(names, {})[_encoded(fields)] = key
            elif key.startswith(VALUE):
                self._by_fields.setdefault((), {})[_encoded(json.decode(key[2:]))] = key

    def take(self, item: object) -> tuple[str | None, bool]:
        """Return the key of an item, and whether a part of the key was guessed; None if none."""
        for key, is_guess in self._candidates(item):
            if key in self.left:
                del self.left[key]
                return key, is_guess
        return None, False

    def _candidates(self, item: object) -> Iterator[tuple[str, bool]]:
        members = _members(item)
        for names, keys in self._by_fields.items():
            if not names:
                found = keys.get(_encoded(item))
                if found is not None:
                    yield found, False
                continue
            found = keys.get(_encoded(selected({**_KEY_DEFAULTS, **members}, names)))
            if found is not None:
                yield found, False
            if not all(name in members for name in names):
                stated = selected(members, names)
                for key in keys.values():
                    if key in self.left and selected(key_fields(key), stated) == stated:
                        yield key, True


def _members(item: object) -> dict[str, Any]:
    return cast("dict[str, Any]", item) if isinstance(item, dict) else {}


def _encoded(value: object) -> bytes:
    return json.encode(value, order="deterministic")


def _is_equal(desired: Any, live: Any, shape: _Shape, *, allow_more: bool = False) -> bool:
    """Return whether a value is what is desired. With `allow_more`, maps may have more members."""
    if isinstance(desired, dict) and isinstance(live, dict):
        wanted, there = cast("dict[str, Any]", desired), cast("dict[str, Any]", live)
        if not allow_more and there.keys() - wanted.keys():
            return False
        return all(
            _is_equal(value, there.get(name), shape.member(name), allow_more=allow_more)
            for name, value in wanted.items()
        )
    if isinstance(desired, list) and isinstance(live, list):
        items, found = cast("list[object]", desired), cast("list[object]", live)
        return len(items) == len(found) and all(
            _is_equal(one, other, shape, allow_more=allow_more)
            for one, other in zip(items, found, strict=True)
        )
    if isinstance(desired, bool) or isinstance(live, bool):
        return desired is live
    if isinstance(desired, (dict, list)) and live is None:
        return not desired  # servers drop empty values
    return bool(desired == live) or (shape.is_quantity and _is_same_quantity(desired, live))


def _is_same_quantity(desired: Any, live: Any) -> bool:
    if not isinstance(desired, (str, int, float)) or not isinstance(live, (str, int, float)):
        return False
    try:
        return Quantity(desired).value == Quantity(live).value
    except ValueError:
        return False
