"""Predicates about what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.controllers import (
    Event,
    EventPredicate,
    annotations_changed,
    generation_changed,
    labels_changed,
    resource_version_changed,
)
from clientgen.runtime.models import Unstructured

BEFORE: dict[str, Any] = {
    "generation": 1,
    "labels": {"app": "web"},
    "annotations": {"note": "a"},
    "resource_version": "5",
}
PREDICATES = {
    generation_changed: {"generation": 2},
    labels_changed: {"labels": {"app": "web", "tier": "1"}},
    annotations_changed: {"annotations": {}},
    resource_version_changed: {"resource_version": "6"},
}


def web(**metadata: Any) -> Deployment:
    return Deployment(metadata=ObjectMeta(**{**BEFORE, **metadata}))


def update(**metadata: Any) -> Event[Deployment]:
    return Event("update", web(), web(**metadata))


@pytest.mark.parametrize(("predicate", "change"), PREDICATES.items())
def test_an_update_passes_if_that_part_has_changed(
    predicate: Callable[[Event[Any]], bool], change: dict[str, Any]
) -> None:
    assert predicate(update(**change))
    others = [each for each in PREDICATES.values() if each is not change]
    for other in (*others, {}):
        assert not predicate(update(**other))


@pytest.mark.parametrize("predicate", PREDICATES)
def test_what_is_no_update_passes(predicate: Callable[[Event[Any]], bool]) -> None:
    assert predicate(Event("add", None, web()))
    assert predicate(Event("delete", web(), None))


def test_kinds_without_a_generation_pass() -> None:
    old, new = Secret(), Secret(data={"key": "bmV3"})
    assert generation_changed(Event("update", old, new))


def test_objects_without_a_class() -> None:
    old, new = (Unstructured({"metadata": {"generation": n}}) for n in (1, 2))
    assert generation_changed(Event("update", old, new))
    assert not labels_changed(Event("update", old, new))


def test_predicates_are_combined() -> None:
    wanted = generation_changed | (labels_changed & ~annotations_changed)
    assert wanted(update(generation=2, annotations={}))
    assert wanted(update(labels={}))
    assert not wanted(update(labels={}, annotations={}))
    assert not wanted(update(resource_version="6"))
    assert (~labels_changed)(update())
    assert not (~labels_changed)(Event("add", None, web()))
    assert repr(wanted) == "(generation_changed | (labels_changed & ~annotations_changed))"


def test_functions_are_combined_with_predicates() -> None:
    """On both sides; a decorated function is a predicate itself."""

    def is_added(event: Event[Any]) -> bool:
        return event.kind == "add"

    @EventPredicate
    def is_large(event: Event[Deployment]) -> bool:
        """Let large ones pass."""
        return (event.object.spec.replicas or 0) > 10

    added = Event("add", None, web())
    for both in (is_added & labels_changed, labels_changed & is_added):
        assert both(added)
        assert not both(update(labels={}))
    for either in (is_added | is_large, is_large | is_added):
        assert either(added)
        assert not either(update())
    assert (~is_large)(added)
    assert is_large.__doc__ == "Let large ones pass."
    assert repr(is_added & ~is_large) == "(is_added & ~is_large)"


@pytest.mark.parametrize(
    "combine",
    [
        EventPredicate,
        lambda other: labels_changed & other,
        lambda other: other & labels_changed,
        lambda other: labels_changed | other,
        lambda other: other | labels_changed,
    ],
)
def test_only_functions_are_combined(combine: Any) -> None:
    with pytest.raises(TypeError, match="a predicate must be a function, not a bool"):
        combine(True)
