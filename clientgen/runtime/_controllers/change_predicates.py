"""Predicates about the parts of an object that changed, and how predicates are combined.

The names and the rules are those of controller-runtime (pkg/predicate). A predicate about a change
lets every event pass that is not an update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._models.arguments import check_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from .predicates import Event, Predicate

__all__ = [
    "all_of",
    "annotations_changed",
    "any_of",
    "generation_changed",
    "labels_changed",
    "not_",
    "resource_version_changed",
]


def generation_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the desired state, or began a deletion.

    Changes of the status and of the metadata do not change the generation. Kinds without a
    generation, such as Secrets and ConfigMaps, pass always. (In controller-runtime, none of their
    updates passes.)
    """
    return _differs(event, lambda metadata: metadata.generation) or _has_none(event)


def labels_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the labels."""
    return _differs(event, lambda metadata: metadata.labels)


def annotations_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed the annotations."""
    return _differs(event, lambda metadata: metadata.annotations)


def resource_version_changed(event: Event[Any]) -> bool:
    """Let an update pass if it changed anything: it is not a resync or a relist."""
    return _differs(event, lambda metadata: metadata.resource_version)


def any_of(*predicates: Predicate) -> Predicate:
    """Let an event pass if one of the predicates does."""
    _check(predicates)

    def any_passes(event: Event[Any]) -> bool:
        return any(predicate(event) for predicate in predicates)

    return any_passes


def all_of(*predicates: Predicate) -> Predicate:
    """Let an event pass if all of the predicates do."""
    _check(predicates)

    def all_pass(event: Event[Any]) -> bool:
        return all(predicate(event) for predicate in predicates)

    return all_pass


def not_(predicate: Predicate) -> Predicate:
    """Let an event pass if the predicate does not.

    This is so for every event: `not_(labels_changed)` lets no object pass that was added.
    """
    _check((predicate,))

    def does_not_pass(event: Event[Any]) -> bool:
        return not predicate(event)

    return does_not_pass


def _check(predicates: tuple[Predicate, ...]) -> None:
    if not predicates:
        raise TypeError("give at least one predicate")
    for predicate in predicates:
        check_function("a predicate", predicate)


def _differs(event: Event[Any], part: Callable[[Any], object]) -> bool:
    if event.old is None or event.new is None:
        return True
    return bool(part(event.old.metadata) != part(event.new.metadata))


def _has_none(event: Event[Any]) -> bool:
    return event.new is not None and not event.new.metadata.generation
