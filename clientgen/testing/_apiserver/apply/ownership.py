"""Ownership of fields as requests change it: what managedFields say after a write.

This is what real servers' field managers do around the bare rules of `updater`: which entries
count, when they begin to, what is never owned, when an entry's time changes, and what a conflict
says. Server-side apply, "Field management", in the Kubernetes documentation.

Facts: docs/internals/kubernetes-semantics.md, 1.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from clientgen._apimachinery.failures import Cause, Failure, bad_request, unclassified

from .field_paths import Path, Set, field, shown
from .json_values import metadata_of, same
from .last_applied import allowed_conflicts, with_annotation
from .managers import APPLY, UPDATE, Manager, Owned, capped, decoded, encoded, is_reset, stamp
from .ownership_shapes import DEDUCED, is_built_in, type_of_kind
from .typed import Mistyped, problems
from .updater import Conflicts, Updater
from .zero import filled, zero_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from clientgen._openapi.resolved import ResolvedSchema

    from .managers import Managers
    from .ownership_shapes import Type
    from .updater import Convert

SchemaOf: TypeAlias = "Callable[[str], ResolvedSchema | None]"
"""From an apiVersion to the kind's schema in it; None when there is no such version."""

_BEFORE_APPLY: Final = "before-first-apply"
_CLIENT_SIDE: Final = "kubectl"


def _path(*names: str) -> Path:
    return tuple(field(name) for name in names)


_NOBODYS: Final = Set.of(
    _path("apiVersion"),
    _path("kind"),
    _path("metadata"),
    *(
        _path("metadata", name)
        for name in (
            "clusterName",
            "creationTimestamp",
            "generation",
            "managedFields",
            "name",
            "namespace",
            "resourceVersion",
            "selfLink",
            "uid",
        )
    ),
)


@dataclass(frozen=True, slots=True)
class Writer:
    """A writer: its name, version, subresource (empty for none), and the time."""

    manager: str
    api_version: str
    subresource: str
    now: datetime

    def as_manager(self, operation: str) -> Manager:
        """Return the writer as managedFields name it."""
        return Manager.of(self.manager, operation, self.api_version, self.subresource)


def updated(  # noqa: PLR0917 - as `applied`
    live: dict[str, Any] | None,
    new: dict[str, Any],
    writer: Writer,
    schema_of: SchemaOf,
    ignored: Iterable[tuple[str, ...]] = (),
    convert: Convert | None = None,
) -> None:
    """Put managedFields into `new` after a create, an update or a patch that is no apply.

    To be called once `new` is defaulted, before the kind's own rules change it. Entries that the
    client sent count when they can be read, otherwise the live ones do. Where they cannot be
    brought up to date - a version they are told in is gone, the live object is not of its type -
    nobody owns anything any more.

    Args:
        live: the object as it was, None for a create.
        new: the object as it is to be stored.
        writer: who writes.
        schema_of: the kind's schema in any version.
        ignored: fields that this sort of write cannot change, such as `("status",)`.
        convert: see `Updater`.
    """
    metadata = new["metadata"]
    given = metadata.pop("managedFields", None)
    before = metadata_of(live).get("managedFields")
    managers = _starting_point(before, given, is_subresource=bool(writer.subresource))
    try:
        managers = _Work(writer, schema_of, ignored, convert).update(live, new, managers)
    except Mistyped:
        return
    if managers:
        metadata["managedFields"] = encoded(managers)


def _starting_point(before: Any, given: Any, *, is_subresource: bool) -> Managers:
    if is_subresource or not is_reset(given):
        managers = {} if is_subresource else _readable(given)
        return managers or _readable(before)
    return {}


def _readable(entries: Any) -> Managers:
    try:
        return decoded(entries)
    except ValueError:
        return {}


def applied(
    live: dict[str, Any] | None,
    config: dict[str, Any],
    writer: Writer,
    schema_of: SchemaOf,
    *,
    force: bool,
    ignored: Iterable[tuple[str, ...]] = (),
    convert: Convert | None = None,
) -> dict[str, Any]:
    """The object with `config` applied to it, managedFields included; not defaulted.

    Raises:
        Failure: 409 with a FieldManagerConflict for every field that others own with another value;
            400 for a configuration of another kind or with managedFields; 500 (as real servers do)
            for one that is not of its type.
    """
    _check(live, config, writer)
    work = _Work(writer, schema_of, ignored, convert)
    there = live or {"apiVersion": config["apiVersion"], "kind": config["kind"]}
    work.check("patch", config, duplicates=False)
    work.check("live", there, duplicates=True)
    try:
        managers = decoded(metadata_of(there).get("managedFields"))
        value, managers = work.apply(there, config, managers, force=force)
    except Conflicts as conflicts:
        raise _conflict(conflicts) from None
    except (Mistyped, ValueError) as problem:
        raise unclassified(str(problem)) from None
    return _with_entries(value, managers)


def _check(live: dict[str, Any] | None, config: dict[str, Any], writer: Writer) -> None:
    kind = config.get("kind")
    known = kind if live is None else live.get("kind", kind)
    if config.get("apiVersion") != writer.api_version or not kind or kind != known:
        raise bad_request(f"invalid object type: {_gvk(config)}")
    if metadata_of(config).get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")


def _with_entries(value: dict[str, Any], managers: Managers) -> dict[str, Any]:
    metadata = {**metadata_of(value)}
    metadata.pop("managedFields", None)
    if managers:
        metadata["managedFields"] = encoded(managers)
    return {**value, "metadata": metadata}


def same_but_times(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether two objects differ in the times in managedFields at most.

    Such a write changes nothing, neither the times nor the version.
    """
    return same(_timeless(old), _timeless(new))


def _timeless(value: dict[str, Any]) -> dict[str, Any]:
    metadata = metadata_of(value)
    if not metadata.get("managedFields"):
        return value
    entries = [{**entry, "time": None} for entry in metadata["managedFields"]]
    return {**value, "metadata": {**metadata, "managedFields": entries}}


class _Work:
    """One write."""

    def __init__(
        self,
        writer: Writer,
        schema_of: SchemaOf,
        ignored: Iterable[tuple[str, ...]],
        convert: Convert | None,
    ) -> None:
        self._writer = writer
        self._schema_of = schema_of
        self._updater = Updater(
            self._type_of,
            writer.api_version,
            Set.of(*(_path(*names) for names in ignored)),
            # custom kinds know what they ignore version by version, but for their status
            ignored_everywhere=self._is_built_in or bool(writer.subresource),
            converts=self._is_built_in,
            convert=convert,
        )

    def _type_of(self, version: str) -> Type | None:
        schema = self._schema_of(version)
        if schema is not None:
            return type_of_kind(schema)
        if version == self._writer.api_version:
            return DEDUCED
        if self._is_built_in:
            return None
        msg = f"request to convert CR to an invalid group/version: {version}"
        raise Mistyped(msg)

    @property
    def _is_built_in(self) -> bool:
        own = self._schema_of(self._writer.api_version)
        return own is not None and is_built_in(own)

    @property
    def _own_type(self) -> Type:
        return self._type_of(self._writer.api_version) or DEDUCED

    def check(self, which: str, value: dict[str, Any], *, duplicates: bool) -> None:
        """Refuse what is not of its type.

        Raises:
            Failure: 500, for real servers do not tell this from their own mistakes.
        """
        found = problems(value, self._own_type, duplicates=duplicates)
        if found:
            text = found[0] if len(found) == 1 else "errors:\n  " + "\n  ".join(found)
            raise unclassified(f"failed to create typed {which} object ({_named(value)}): {text}")

    # ------------------------------------------------------------------------- update

    def update(
        self, live: dict[str, Any] | None, new: dict[str, Any], managers: Managers
    ) -> Managers:
        """Return the ownership after the object became `new`. It stays untracked if it was."""
        if not managers and live is not None:
            return {}
        return self._update(live or {}, new, managers, self._writer.as_manager(UPDATE))

    def _update(
        self, live: dict[str, Any], new: dict[str, Any], managers: Managers, manager: Manager
    ) -> Managers:
        zero = zero_of(self._schema_of(self._writer.api_version))
        if not self._is_built_in:
            self._check_stored(live, new)
        left, mine = self._updater.update(
            filled(_unmanaged(live), zero), filled(_unmanaged(new), zero), managers
        )
        mine -= _NOBODYS
        if mine:
            before = left.get(manager)
            paths = mine | before.paths if before else mine
            left[manager] = Owned(paths, self._writer.api_version, stamp(self._writer.now))
        return capped(left)

    def _check_stored(self, *values: dict[str, Any]) -> None:
        for value in values:
            found = problems(value, self._own_type, duplicates=True)
            if found:
                raise Mistyped(found[0])

    # -------------------------------------------------------------------------- apply

    def apply(
        self, live: dict[str, Any], config: dict[str, Any], managers: Managers, *, force: bool
    ) -> tuple[dict[str, Any], Managers]:
        """Return the object and its ownership after an apply. Old fields get an owner, too."""
        if not managers:
            before = replace(self._writer, manager=_BEFORE_APPLY).as_manager(UPDATE)
            managers = self._update({}, live, {}, before)
        bare = _unmanaged(live)
        if self._writer.manager != _CLIENT_SIDE:
            return self._apply(bare, config, managers, force=force)
        try:
            value, managers = self._apply(bare, config, managers, force=force)
        except Conflicts as conflicts:
            allowed = allowed_conflicts(bare, self._own_type, self._writer.api_version)
            left = conflicts.without(allowed)
            if left.sets:
                raise left from None
            value, managers = self._apply(bare, config, managers, force=True)
        return with_annotation(value, config), managers

    def _apply(
        self, live: dict[str, Any], config: dict[str, Any], managers: Managers, *, force: bool
    ) -> tuple[dict[str, Any], Managers]:
        manager = self._writer.as_manager(APPLY)
        value, left = self._updater.apply(live, config, managers, manager, force=force)
        mine = left.pop(manager, None)
        if mine is not None and mine.paths - _NOBODYS:
            time = mine.time if same(value, live) else stamp(self._writer.now)
            left[manager] = Owned(mine.paths - _NOBODYS, mine.api_version, time)
        return value, left


def _unmanaged(value: dict[str, Any]) -> dict[str, Any]:
    metadata = metadata_of(value)
    if "managedFields" not in metadata:
        return value
    bare = {name: part for name, part in metadata.items() if name != "managedFields"}
    return {**value, "metadata": bare}


# ------------------------------------------------------------------------------- texts


def _gvk(value: dict[str, Any]) -> str:
    group, _, version = str(value.get("apiVersion") or "").rpartition("/")
    return f"{group}/{version}, Kind={value.get('kind') or ''}"


def _named(value: dict[str, Any]) -> str:
    metadata = metadata_of(value)
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}; {_gvk(value)}"


def _conflict(conflicts: Conflicts) -> Failure:
    found = [(str(manager), shown(path)) for manager, path in conflicts.listed()]
    causes = [
        Cause("FieldManagerConflict", f"conflict with {manager}", path) for manager, path in found
    ]
    if len(found) == 1:
        text = f"1 conflict: conflict with {found[0][0]}: {found[0][1]}"
    else:
        by_manager: dict[str, list[str]] = {}
        for manager, path in found:
            by_manager.setdefault(manager, []).append(f"- {path}")
        lines = [
            line
            for manager, paths in by_manager.items()
            for line in (f"conflicts with {manager}:", *paths)
        ]
        text = f"{len(found)} conflicts: " + "\n".join(lines)
    return Failure(409, "Conflict", f"Apply failed with {text}", causes=causes)
