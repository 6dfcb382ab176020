"""Predicates about what has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime import (
    Event,
    all_of,
    annotations_changed,
    any_of,
    generation_changed,
    labels_changed,
    not_,
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
    wanted = any_of(generation_changed, all_of(labels_changed, not_(annotations_changed)))
    assert wanted(update(generation=2, annotations={}))
    assert wanted(update(labels={}))
    assert not wanted(update(labels={}, annotations={}))
    assert not wanted(update(resource_version="6"))
    assert not_(labels_changed)(update())
    assert not not_(labels_changed)(Event("add", None, web()))
    assert all_of(lambda event: event.kind == "add")(Event("add", None, web()))


@pytest.mark.parametrize("combine", [any_of, all_of, not_])
def test_only_functions_are_combined(combine: Any) -> None:
    with pytest.raises(TypeError, match="a predicate must be a function, not a bool"):
        combine(True)
    if combine is not not_:
        with pytest.raises(TypeError, match="at least one"):
            combine()
