"""Predicates on the changed parts of an object.

The names and the rules are controller-runtime's (pkg/predicate). These predicates filter updates
only: all other events pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._models.arguments import check_function
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


def changed(part: Callable[[Any], object]) -> EventPredicate:
    """Return a predicate that lets an update pass if a part of the object has changed.

        controller.for_(WebApp).when(changed(lambda app: (app.spec.image, app.metadata.labels)))

    The predicate compares with the part in the last event that passed all predicates of its source,
    not with the event before: a change counts even if another predicate dropped the event that
    brought it. All other events pass, so a program that starts sees every object. The memory is one
    part per object and source, and goes with the object.

    Args:
        part: Returns the part of an object, which is read-only. The part is compared by `==`.
    """
    return _Changed(part)


class _Changed(EventPredicate):
    def __init__(self, part: Callable[[Any], object]) -> None:
        check_function("part", part)
        self.__name__ = f"changed({getattr(part, '__name__', part)})"
        self._part = part
        # The uid and the part of each object as they passed last.
        self._passed: dict[tuple[str, str], tuple[str, object]] = {}
        super().__init__(self._has_changed)

    def __repr__(self) -> str:
        return self.__name__

    def fresh(self) -> EventPredicate:
        return _Changed(self._part)

    def settle(self, event: Event[Any], *, passed: bool) -> None:
        key = _key(event)
        if event.new is None or passed:
            self._passed.pop(key, None)
        if event.new is not None and passed:
            self._passed[key] = (event.new.metadata.uid, self._part(event.new))

    def _has_changed(self, event: Event[Any]) -> bool:
        if event.kind != "update" or event.new is None:
            return True
        uid, part = self._passed.get(_key(event), ("", None))
        return uid != event.new.metadata.uid or bool(self._part(event.new) != part)


def _key(event: Event[Any]) -> tuple[str, str]:
    return (event.object.metadata.namespace, event.object.metadata.name)


def _differs(event: Event[Any], part: Callable[[Any], object]) -> bool:
    if event.old is None or event.new is None:
        return True
    return bool(part(event.old.metadata) != part(event.new.metadata))


def _has_none(event: Event[Any]) -> bool:
    return event.new is not None and not event.new.metadata.generation
