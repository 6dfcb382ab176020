"""Who changes what is in a cache is found, and told what it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from clientgen.runtime._cache.deltas import apply_event, apply_replace, apply_resync
from clientgen.runtime._cache.indexer import Indexer
from clientgen.runtime._cache.mutation_detector import (
    ENVIRONMENT_VARIABLE,
    CacheMutationError,
    Mutation,
    MutationDetector,
    detector_enabled,
)
from clientgen.runtime._models.model import Model
from clientgen.runtime.models import Quantity
from tests.runtime.sample_models import Container, Pod, ResourceRequirements, Secret


class Cache:
    """A store whose every notification a detector sees, as an informer has it."""

    def __init__(self, *, enabled: bool | None = True) -> None:
        self.indexer = Indexer[Any]()
        self.detector = MutationDetector[Any]("pods", enabled=enabled)

    def event(self, event_type: str, obj: Model) -> Any:
        told = apply_event(self.indexer, event_type, obj)
        if told:
            self.detector.observe(told)
        return obj

    def check(self, now: float = 0.0) -> list[str]:
        return [str(each) for each in self.detector.check(now)]


@pytest.fixture
def cache() -> Cache:
    return Cache()


def pod(name: str = "web-0", version: int = 1) -> Pod:
    made = Pod()
    made.metadata.name, made.metadata.namespace = name, "default"
    made.metadata.resource_version = str(version)
    made.metadata.labels = {"app": "web"}
    limits = {"cpu": Quantity("1"), "memory": Quantity("1Gi")}
    made.spec.containers = [Container(name="app", resources=ResourceRequirements(limits=limits))]
    return made


@pytest.mark.parametrize("value", ["1", "t", "T", "true", "TRUE", "True"])
def test_the_environment_switches_it_on(value: str, monkeypatch: pytest.MonkeyPatch):
    assert detector_enabled({ENVIRONMENT_VARIABLE: value})
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", value)
    assert MutationDetector[Pod]().enabled
    assert not MutationDetector[Pod](enabled=False).enabled


@pytest.mark.parametrize("value", ["", "0", "false", "no", "yes"])
def test_the_environment_leaves_it_off(value: str, monkeypatch: pytest.MonkeyPatch):
    assert not detector_enabled({ENVIRONMENT_VARIABLE: value})
    assert not detector_enabled({})
    monkeypatch.setenv("CLIENTGEN_CACHE_MUTATION_DETECTOR", value)
    assert not MutationDetector[Pod]().enabled
    assert MutationDetector[Pod](enabled=True).enabled


def test_a_disabled_detector_reports_nothing():
    cache = Cache(enabled=False)
    cached = cache.event("ADDED", pod())
    cached.metadata.labels["app"] = "db"
    assert cache.check() == []


def test_unchanged_objects_are_not_reported(cache: Cache):
    cache.event("ADDED", pod())
    cache.event("MODIFIED", pod(version=2))
    cache.event("DELETED", pod(version=3))
    assert cache.check(0.0) == cache.check(1000.0) == []
    cache.detector.verify(2000.0)


def rename(each: Pod) -> None:
    each.metadata.labels["app"] = "db"


def unlabel(each: Pod) -> None:
    each.metadata.labels.clear()


def annotate(each: Pod) -> None:
    each.metadata.annotations["a/b"] = "c"


def reimage(each: Pod) -> None:
    each.spec.containers[0].image = "nginx"


def add_container(each: Pod) -> None:
    each.spec.containers.append(Container(name="more"))


def spell_out(each: Pod) -> None:
    resources = each.spec.containers[0].resources
    assert resources
    resources.limits["cpu"] = Quantity("1000m")  # the same amount, but not the same


def confuse(each: Pod) -> None:
    cast("Any", each.spec).priority = 1.0


def spoil(each: Pod) -> None:
    cast("Any", each.metadata).labels = object()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (rename, '/metadata/labels/app: "web" -> "db"'),
        (unlabel, '/metadata/labels: {"app":"web"} -> nothing'),
        (annotate, '/metadata/annotations: nothing -> {"a/b":"c"}'),
        (reimage, '/spec/containers/0/image: nothing -> "nginx"'),
        (
            add_container,
            '/spec/containers/1: nothing -> {"name":"more"}',
        ),
        (spell_out, '/spec/containers/0/resources/limits/cpu: "1" -> "1000m"'),
        (confuse, "/spec/priority: 1 -> 1.0"),
    ],
)
def test_a_change_is_found_and_described(cache: Cache, change: Callable[[Pod], None], words: str):
    given = pod()
    given.spec.priority = 1
    cache.event("ADDED", pod("other"))
    change(cache.event("ADDED", given))
    assert cache.check() == [f"Pod default/web-0: {words}"]


def test_objects_that_can_no_longer_be_encoded_count_as_changed(cache: Cache):
    spoil(cache.event("ADDED", pod()))
    [mutation] = cache.detector.check(0.0)
    [change] = mutation.changes
    assert change.after == '"not JSON: object has no JSON form"'


def test_a_change_is_told_once_and_the_next_one_again(cache: Cache):
    cached = cache.event("ADDED", pod())
    cached.metadata.labels["app"] = "db"
    assert len(cache.check()) == 1
    assert cache.check() == []
    cached.metadata.labels["app"] = "web"
    assert cache.check() == ['Pod default/web-0: /metadata/labels/app: "db" -> "web"']


def test_a_resync_does_not_hide_a_change(cache: Cache):
    cached = cache.event("ADDED", pod())
    cached.metadata.labels["app"] = "db"
    for told in apply_resync(cache.indexer.list()):
        cache.detector.observe(told)
    assert len(cache.check()) == 1


def test_relists_are_observed_too(cache: Cache):
    kept, gone = pod("kept"), pod("gone")
    for objects in ([kept, gone], [kept]):
        for told in apply_replace(cache.indexer, objects, "1"):
            cache.detector.observe(told)
    kept.metadata.labels["app"] = gone.metadata.labels["app"] = "db"
    assert [each.key for each in cache.detector.check(0.0)] == ["default/kept", "default/gone"]


@pytest.mark.parametrize("event_type", ["MODIFIED", "DELETED"])
def test_removed_objects_are_checked_for_two_more_minutes(cache: Cache, event_type: str):
    old = cache.event("ADDED", pod())
    cache.event(event_type, pod(version=2))

    old.metadata.labels["app"] = "db"
    assert len(cache.check(100.0)) == 1
    old.metadata.labels["app"] = "web"
    assert len(cache.check(219.0)) == 1
    assert cache.check(220.0) == []
    old.metadata.labels["app"] = "late"
    assert cache.check(221.0) == []


def test_verifying_raises_with_everything_that_was_changed(cache: Cache):
    for name in ("a", "b"):
        cache.event("ADDED", pod(name)).metadata.labels["app"] = "db"
    with pytest.raises(CacheMutationError) as caught:
        cache.detector.verify(0.0)
    assert [each.key for each in caught.value.mutations] == ["default/a", "default/b"]
    assert all(isinstance(each, Mutation) for each in caught.value.mutations)
    assert str(caught.value).splitlines() == [
        "objects in the cache of pods were changed; copy them first (deep_copy):",
        '  Pod default/a: /metadata/labels/app: "web" -> "db"',
        '  Pod default/b: /metadata/labels/app: "web" -> "db"',
    ]


def test_secrets_stay_secret(cache: Cache):
    secret = Secret()
    secret.metadata.name, secret.metadata.namespace = "keys", "default"
    secret.data = {"password": b"hunter2"}
    cache.event("ADDED", secret)
    secret.data["password"] = b"other"
    secret.data["more"] = b"value"
    [told] = cache.check()
    assert told == (
        "Secret default/keys: /data/password: <hidden> -> <hidden>; /data/more: nothing -> <hidden>"
    )
