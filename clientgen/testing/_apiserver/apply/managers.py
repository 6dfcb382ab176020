"""managedFields: the managers in them, and the paths that each owns.

A manager is identified by name, operation and subresource, and for updates by the version that it
wrote in, too. An applier has one entry for all versions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from msgspec import json

from clientgen._json import is_array, is_object

from . import fields_v1

if TYPE_CHECKING:
    from .field_paths import Set

APPLY: Final = "Apply"
UPDATE: Final = "Update"
_MAX_UPDATERS: Final = 10
_ANCIENT: Final = "ancient-changes"


class Manager(NamedTuple):
    """An owner of fields; `api_version` is empty for appliers."""

    name: str
    operation: str
    api_version: str
    subresource: str

    @classmethod
    def of(cls, name: str, operation: str, api_version: str, subresource: str) -> Manager:
        """The manager an entry or a request is of."""
        version = "" if operation == APPLY else api_version
        return cls(name or "unknown", operation, version, subresource)

    @property
    def rank(self) -> str:
        """The key by which real servers sort managers."""
        return json.encode(
            {
                "manager": self.name,
                "operation": self.operation,
                **({"apiVersion": self.api_version} if self.api_version else {}),
                **({"subresource": self.subresource} if self.subresource else {}),
            }
        ).decode()

    def __str__(self) -> str:
        """Return the manager as conflicts name it."""
        text = f'"{self.name}"'
        if self.subresource:
            text = f'{text} with subresource "{self.subresource}"'
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


@dataclass(frozen=True, slots=True)
class Owned:
    """The paths that a manager owns in one version; `time` is when they last changed."""

    paths: Set
    api_version: str
    time: str | None = None

    def with_paths(self, paths: Set) -> Owned:
        """The same, but of these paths."""
        return replace(self, paths=paths)


Managers: TypeAlias = dict[Manager, Owned]


def stamp(now: datetime) -> str:
    """A time as managedFields have it."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_reset(entries: Any) -> bool:
    """Return whether a client asks to forget all ownership: with no entry, or with an empty one."""
    if not is_array(entries):
        return False
    return not entries or (
        len(entries) == 1 and is_object(entries[0]) and not any(entries[0].values())
    )


def decoded(entries: Any) -> Managers:
    """Return the managers and what each owns.

    Raises:
        ValueError: that is no managedFields.
    """
    managers: Managers = {}
    for entry in entries or ():
        if not is_object(entry):
            msg = f"not an entry of managedFields: {entry!r}"
            raise ValueError(msg)
        manager, owned = _decoded(entry)
        managers[manager] = owned
    return managers


def _decoded(entry: dict[str, Any]) -> tuple[Manager, Owned]:
    operation, version = entry.get("operation"), entry.get("apiVersion")
    if operation not in {APPLY, UPDATE} or not version:
        msg = "operation must be `Apply` or `Update`, and apiVersion must not be empty"
        raise ValueError(msg)
    if entry.get("fieldsType") != "FieldsV1":
        msg = "fieldsType must be `FieldsV1`"
        raise ValueError(msg)
    named = "" if operation == APPLY else version
    manager = Manager(entry.get("manager") or "", operation, named, entry.get("subresource") or "")
    paths = fields_v1.decode(entry.get("fieldsV1"))
    return manager, Owned(paths, version, _time(entry.get("time")))


def _time(text: str | None) -> str | None:
    if not text or (len(text) == len("2006-01-02T15:04:05Z") and text.endswith("Z")):
        return text or None
    return stamp(datetime.fromisoformat(text.replace("Z", "+00:00")))


def encoded(managers: Managers) -> list[dict[str, Any]]:
    """The entries: appliers first, then in the order of their times."""
    return [
        _encoded(manager, managers[manager]) for manager in sorted(managers, key=_order(managers))
    ]


def _order(managers: Managers) -> Any:
    def place(manager: Manager) -> tuple[str, ...]:
        owned = managers[manager]
        time = owned.time or ""
        return manager.operation, time, manager.name, owned.api_version, manager.subresource

    return place


def _encoded(manager: Manager, owned: Owned) -> dict[str, Any]:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": owned.api_version,
        "time": owned.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields_v1.encode(owned.paths),
        "subresource": manager.subresource,
    }
    return {name: part for name, part in entry.items() if part or name == "fieldsV1"}


def capped(managers: Managers) -> Managers:
    """With at most ten updaters: the oldest of each version are folded into one."""
    updaters = [manager for manager in managers if manager.operation == UPDATE]
    surplus = len(updaters) - _MAX_UPDATERS
    if surplus <= 0:
        return managers
    made = dict(managers)
    first: dict[str, Manager] = {}
    for manager in sorted(updaters, key=lambda each: (made[each].time or "", each.rank)):
        if surplus <= 0:
            break
        oldest = first.setdefault(made[manager].api_version, manager)
        if oldest != manager:
            _fold(made, oldest, manager)
            surplus -= 1
    return made


def _fold(made: Managers, oldest: Manager, manager: Manager) -> None:
    newer = made.pop(manager)
    bucket = Manager(_ANCIENT, UPDATE, newer.api_version, "")
    older = made.pop(bucket) if bucket in made else made.pop(oldest)
    made[bucket] = Owned(newer.paths | older.paths, newer.api_version, newer.time)
