"""Predicates on the changed parts of an object.

The names and the rules are controller-runtime's (pkg/predicate). These predicates filter updates
only: all other events pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .predicates import EventPredicate

if TYPE_CHECKING:
    from collections.abc import Callable

    from .predicates import Event


@EventPredicate
def generation_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the desired state, or began a deletion.

    Changes of the status and of the metadata do not change the generation. Updates of kinds without
    a generation, such as Secrets and ConfigMaps, always pass; in controller-runtime, they never
    pass.
    """
    return _differs(event, lambda metadata: metadata.generation) or _has_none(event)


@EventPredicate
def labels_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the labels."""
    return _differs(event, lambda metadata: metadata.labels)


@EventPredicate
def annotations_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the annotations."""
    return _differs(event, lambda metadata: metadata.annotations)


@EventPredicate
def resource_version_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the object: drop resyncs and relists."""
    return _differs(event, lambda metadata: metadata.resource_version)


def _differs(event: Event[Any], part: Callable[[Any], object]) -> bool:
    if event.old is None or event.new is None:
        return True
    return bool(part(event.old.metadata) != part(event.new.metadata))


def _has_none(event: Event[Any]) -> bool:
    return event.new is not None and not event.new.metadata.generation
