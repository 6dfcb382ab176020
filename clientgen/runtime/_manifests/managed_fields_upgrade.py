"""Turns fields of kubectl's client-side apply into fields of a server-side apply.

Server-side apply removes what a manifest no longer has, but only if the field manager has applied
it before. Client-side apply sends updates. So an object that was made by client-side apply keeps
every field that its manifest drops later. The upgrade merges the fields of those updates into the
fields that the manager has applied.

client-go: util/csaupgrade. kubectl: migrateToSSAIfNecessary in pkg/cmd/apply/apply.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from .._http.patches import JsonPatch
from .._models.arguments import check_object
from .._models.decoder import to_dict
from .field_sets import (
    FIELD,
    NO_FIELDS,
    FieldSet,
    Positions,
    as_field_set,
    check_depth,
    fields_inside,
    is_leaf,
    merge_fields,
)

if TYPE_CHECKING:
    from .._models.model import Model
    from .._models.unstructured import Unstructured

_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_ANNOTATION_FIELDS: Final[FieldSet] = {"f:metadata": {"f:annotations": {FIELD + _LAST_APPLIED: {}}}}
# The server keeps the annotation up to date for this field manager. kubectl makes another manager
# own the annotation, so that it stays.
_KUBECTL: Final = "kubectl"
_OWNER_OF_ANNOTATION: Final = "kubectl-last-applied"

_Entry = dict[str, Any]


def upgrade_managed_fields(
    obj: Model | Unstructured,
    field_manager: str,
    *,
    client_side: Iterable[str] | None = None,
) -> JsonPatch | None:
    """Return the patch that makes the fields of client-side apply fields of a field manager.

    Send the patch, then apply the manifest: fields that the manifest does not have are removed. The
    apply of a manifest set does both. The patch changes managedFields only. It holds for the
    version of the object; for a newer version, the server answers `Conflict`. The upgrade cannot be
    undone.

    Args:
        obj: an object that was read from the server, with its managedFields.
        field_manager: the field manager of the server-side apply.
        client_side: the field managers of client-side apply; by default those whose updates own the
            annotation `kubectl.kubernetes.io/last-applied-configuration`.

    Returns:
        The patch; None if there is nothing to upgrade.

    Raises:
        ValueError: the managedFields of the object are not valid, or a name is empty.
    """
    check_object("upgrade_managed_fields()", obj)
    if not field_manager.strip():
        raise ValueError(f"field_manager must be a name, not {field_manager!r}")
    try:
        upgrade = ManagedFieldsUpgrade.of(to_dict(obj), field_manager, client_side)
    except RecursionError:
        raise ValueError("upgrade_managed_fields(): the object is nested too deeply") from None
    return None if upgrade is None else upgrade.patch


class ManagedFieldsUpgrade:
    """The upgrade of the managedFields of an object.

    Args:
        obj: the object.
        field_manager: the field manager of the server-side apply.
        old: the entries of client-side apply.
    """

    def __init__(self, obj: Mapping[str, Any], field_manager: str, old: list[_Entry]) -> None:
        self._obj = obj
        self._field_manager = field_manager
        self._old = old

    @classmethod
    def of(
        cls, obj: Mapping[str, Any], field_manager: str, client_side: Iterable[str] | None = None
    ) -> ManagedFieldsUpgrade | None:
        """Return the upgrade of an object; None if there is nothing to upgrade.

        Raises:
            ValueError: the managedFields are not valid.
        """
        entries = _entries(obj)
        if client_side is None:
            managers = {each.get("manager") for each in entries if _owns_annotation(each, "Update")}
        else:
            managers = {client_side} if isinstance(client_side, str) else {*client_side}
        old = [each for each in entries if _is(each, managers, "Update")]
        return cls(obj, field_manager, old) if old else None

    @property
    def patch(self) -> JsonPatch:
        """The patch of the managedFields."""
        version = self._obj["metadata"].get("resourceVersion")
        entries = self._upgraded()
        return JsonPatch(
            [
                {"op": "replace", "path": "/metadata/managedFields", "value": entries},
                # The operation `test` would be answered by 422; this is answered by a conflict.
                {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
            ]
        )

    def _upgraded(self) -> list[_Entry]:
        entries = _entries(self._obj)
        target = next((each for each in entries if _is(each, {self._field_manager}, "Apply")), None)
        if target is None:
            target = self._old[0]
        own: dict[str, Any] = {}
        merge_fields(own, _fields_of(target), 0)
        for each in self._old:
            # Fields of another version may have other names. csaupgrade drops them, too.
            if each.get("apiVersion") == target.get("apiVersion"):
                merge_fields(own, _fields_of(each), 0)
        applied = {"manager": self._field_manager, "operation": "Apply", "fieldsV1": own}
        kept = [each for each in entries if each is target or each not in self._old]
        upgraded = [{**each, **applied} if each is target else each for each in kept]
        if self._keeps_annotation and not any(_owns_annotation(each, "Apply") for each in entries):
            owner = {"manager": _OWNER_OF_ANNOTATION, "fieldsV1": _ANNOTATION_FIELDS}
            upgraded.append({**target, **applied, **owner})
        return upgraded

    @property
    def _keeps_annotation(self) -> bool:
        return self._field_manager == _KUBECTL and any(
            _owns_annotation(each, "Update") for each in self._old
        )

    def result(self) -> dict[str, Any]:
        """Return the object after the next apply, if the server has no other values for fields.

        The object is the answer to an apply before the upgrade. Fields that only client-side apply
        owns are removed.
        """
        removed: dict[str, Any] = {}
        kept: dict[str, Any] = {}
        for each in _entries(self._obj):
            merge_fields(removed if each in self._old else kept, _fields_of(each), 0)
        if self._keeps_annotation:
            merge_fields(kept, _ANNOTATION_FIELDS, 0)
        result: dict[str, Any] = _without(self._obj, removed, kept, 0)
        return result


def _entries(obj: Mapping[str, Any]) -> list[_Entry]:
    metadata: Any = obj.get("metadata") or {}
    entries: Any = metadata.get("managedFields") or []
    if not all(isinstance(each, Mapping) for each in entries):
        raise ValueError("an entry of managedFields is not an object")
    return list(entries)


def _is(entry: _Entry, managers: Iterable[object], operation: str) -> bool:
    """Return whether an entry is of one of these managers, for the object itself."""
    is_of_object = not entry.get("subresource")
    return is_of_object and entry.get("operation") == operation and entry.get("manager") in managers


def _owns_annotation(entry: _Entry, operation: str) -> bool:
    if entry.get("operation") != operation:
        return False
    annotations = fields_inside(fields_inside(_fields_of(entry), "f:metadata"), "f:annotations")
    return FIELD + _LAST_APPLIED in annotations


def _fields_of(entry: _Entry) -> FieldSet:
    return as_field_set(entry.get("fieldsV1") or NO_FIELDS)


def _without(value: Any, removed: FieldSet, kept: FieldSet, depth: int) -> Any:
    """Return a value without the parts of one field set that are not in another."""
    check_depth(depth)
    if isinstance(value, Mapping):
        return _without_members(cast("Mapping[str, Any]", value), removed, kept, depth)
    if isinstance(value, list):
        return _without_items(cast("list[object]", value), removed, kept, depth)
    return value


def _without_members(
    value: Mapping[str, Any], removed: FieldSet, kept: FieldSet, depth: int
) -> dict[str, Any]:
    result = dict(value)
    for key, inner in removed.items():
        name = key.removeprefix(FIELD)
        if not key.startswith(FIELD) or name not in value:
            continue
        if key in kept:
            result[name] = _inner(value[name], inner, fields_inside(kept, key), depth)
        elif is_leaf(as_field_set(inner)) or not isinstance(value[name], Mapping):
            del result[name]
        else:
            result[name] = _without(value[name], as_field_set(inner), NO_FIELDS, depth + 1)
            if not result[name]:
                del result[name]
    return result


def _without_items(
    items: list[object], removed: FieldSet, kept: FieldSet, depth: int
) -> list[object]:
    positions = _positions(items, removed)
    changed: dict[int, Any] = {
        position: _inner(items[position], removed[key], fields_inside(kept, key), depth)
        for position, key in positions.items()
        if key in kept
    }
    return [
        changed.get(position, item)
        for position, item in enumerate(items)
        if position in changed or position not in positions
    ]


def _positions(items: list[object], fields: FieldSet) -> dict[int, str]:
    """Return the keys of a field set by the positions of the items that the keys name."""
    positions = Positions(items)
    named = {positions.of(key): key for key in fields if key != "."}
    return {position: key for position, key in named.items() if position is not None}


def _inner(value: Any, removed: object, kept: FieldSet, depth: int) -> Any:
    return _without(value, as_field_set(removed), kept, depth + 1)
