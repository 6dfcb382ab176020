"""managedFields of the scale subresource, which are those of its parent by another name.

A Scale has one field of its own, `.spec.replicas`; in the parent it may be anywhere. The owner of
the parent's field owns the Scale's, and a write to the Scale is a write to the parent with the
subresource `scale`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .field_paths import Path, Set, field
from .managers import Managers, Owned, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .managers import Manager

SCALE_VERSION: Final = "autoscaling/v1"
_IN_SCALE: Final = (field("spec"), field("replicas"))

ReplicasPaths: TypeAlias = "Mapping[str, Path | None]"
"""The path of the replicas in each apiVersion of the parent; None where it has no scale."""


def replicas_path(text: str) -> Path:
    """The path that a definition's `specReplicasPath` is: `.spec.replicas`."""
    return tuple(field(name) for name in text.removeprefix(".").split("."))


def for_scale(entries: Any, paths: ReplicasPaths) -> list[dict[str, Any]]:
    """The Scale's managedFields, from its parent's.

    Raises:
        ValueError: those are no managedFields.
    """
    made: Managers = {}
    for manager, owned in decoded(entries).items():
        path = paths.get(owned.api_version)
        if path and path in owned.paths:
            made[manager] = replace(owned, paths=Set.of(_IN_SCALE), api_version=SCALE_VERSION)
    return encoded(made)


def from_scale(
    entries: Any, scale_entries: Any, version: str, paths: ReplicasPaths
) -> list[dict[str, Any]]:
    """The parent's managedFields after a write to its Scale.

    Args:
        entries: the parent's, as they were.
        scale_entries: the Scale's, as they are now.
        version: the parent's apiVersion in which the Scale was written.
        paths: where the replicas are.

    Raises:
        ValueError: those are no managedFields.
    """
    scaled, before = decoded(scale_entries), decoded(entries)
    made: Managers = {}
    for manager, owned in before.items():
        if owned.api_version not in paths:
            continue
        left = _left(manager, owned, paths[owned.api_version], scaled)
        if left.paths:
            made[manager] = left
    own = paths[version]
    for manager, owned in scaled.items():
        if own and _IN_SCALE in owned.paths:
            time = before[manager].time if manager in before else None
            made[manager] = Owned(Set.of(own), version, time)
    return encoded(made)


def _left(manager: Manager, owned: Owned, path: Path | None, scaled: Managers) -> Owned:
    """Return what a manager of the parent keeps: the replicas only if the Scale says so, too.

    Updaters are told apart by version, so those of the parent are none of the Scale's: what they
    keep in the Scale they get back as an entry of its own, without a time.
    """
    if path is None or path not in owned.paths:
        return owned
    if manager in scaled:
        del scaled[manager]
        return owned
    return owned.with_paths(owned.paths - Set.of(path))
