"""A world in a dictionary, and built-in objects on their way through the rules of their kind."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from clientgen.testing._apiserver import served_spec
from clientgen.testing._apiserver.kinds.catalog import strategy_of

if TYPE_CHECKING:
    from clientgen._apimachinery.failures import Cause
    from clientgen.testing._apiserver.served_resources import Resource

CONTAINER: dict[str, Any] = {"name": "main", "image": "example.com/app:1"}
TEMPLATE: dict[str, Any] = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}}
SELECTED: dict[str, Any] = {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}


class World:
    """What is stored, by group, plural, namespace and name."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str, str], dict[str, Any]] = {}

    def put(self, resource: Resource, obj: dict[str, Any]) -> None:
        metadata = obj["metadata"]
        key = (resource.group, resource.plural, metadata.get("namespace", ""), metadata["name"])
        self.objects[key] = obj

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        return self.objects.get((group, plural, namespace, name))

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        return [
            value
            for key, value in self.objects.items()
            if key[:2] == (group, plural) and namespace in ("", key[2])
        ]

    def has_gate(self, name: str) -> bool:
        return False

    def now(self) -> datetime:
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@cache
def resources() -> dict[str, Resource]:
    """Every resource of the Kubernetes spec, by `apps/v1 deployments`."""
    return {f"{each.api_version} {each.plural}": each for each in served_spec.load().resources}


def created(where: str, body: dict[str, Any], world: World | None = None) -> dict[str, Any]:
    """A body as it is stored; it has to be valid."""
    obj, causes = attempted(where, body, world)
    assert not causes, causes
    return obj


def attempted(
    where: str, body: dict[str, Any], world: World | None = None
) -> tuple[dict[str, Any], list[Cause]]:
    """A body as it would be stored, and what is wrong with it."""
    resource = resources()[where]
    obj: dict[str, Any] = {"kind": resource.kind, "apiVersion": resource.api_version}
    obj |= deepcopy(body)
    metadata = obj.setdefault("metadata", {})
    metadata.setdefault("name", "x")
    metadata |= {"uid": "1-2-3", "creationTimestamp": "2026-01-02T03:04:05Z"}
    if resource.namespaced:
        metadata["namespace"] = "default"
    world = world or World()
    strategy = strategy_of(resource)
    strategy.default(obj)
    strategy.before_create(obj, world)
    causes = [
        *strategy.metadata_causes(obj, None, ""),
        *strategy.causes(obj, None, "", world),
    ]
    if not causes:
        world.put(resource, deepcopy(obj))
    return obj, causes


def changed(
    where: str,
    old: dict[str, Any],
    change: dict[str, Any],
    part: str = "",
    world: World | None = None,
) -> tuple[dict[str, Any], list[Cause]]:
    """An object with some members replaced, as it would be stored, and what is wrong with it."""
    resource, world = resources()[where], world or World()
    new = merged(deepcopy(old), change)
    strategy = strategy_of(resource)
    strategy.default(new)
    strategy.before_update(new, old, part, world)
    return new, [
        *strategy.metadata_causes(new, old, part),
        *strategy.causes(new, old, part, world),
    ]


def merged(target: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A merge patch; null deletes."""
    for key, value in change.items():
        if isinstance(value, dict):
            target[key] = merged(target.get(key) or {}, value)
        elif value is None:
            target.pop(key, None)
        else:
            target[key] = value
    return target


def told(causes: list[Cause]) -> list[str]:
    """Causes in short: `Required spec.containers`."""
    return sorted(f"{cause.reason.removeprefix('FieldValue')} {cause.field}" for cause in causes)
