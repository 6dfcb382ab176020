"""What the tests of informers share."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._http.resource import Resource
from clientgen.runtime.models import PartialObjectMetadata, Unstructured

CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap", namespaced=True)
NODES = Resource("", "v1", "nodes", "Node", namespaced=False)


def config(name: str, value: str = "", namespace: str = "default", **labels: str) -> ConfigMap:
    metadata = ObjectMeta(name=name, namespace=namespace, labels=labels)
    return ConfigMap(metadata=metadata, data={"value": value})


def value_of(obj: ConfigMap | Unstructured | PartialObjectMetadata) -> str:
    """What tells one state of an object from another; metadata alone has it as an annotation."""
    if isinstance(obj, PartialObjectMetadata):
        return obj.metadata.annotations["value"]
    value: str = obj["data"]["value"] if isinstance(obj, Unstructured) else obj.data["value"]
    return value


def version_of(obj: ConfigMap) -> str:
    return obj.metadata.resource_version


class History:
    """What handlers were told, in words; and whether that makes sense."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.known: dict[str, ConfigMap] = {}
        self.nonsense: list[str] = []

    def on_add(self, obj: ConfigMap, is_initial: bool) -> None:
        self._note(obj, f"{'first' if is_initial else 'add'} {value_of(obj)}")
        self._check(self._key(obj) not in self.known, f"{self._key(obj)} was added twice")
        self.known[self._key(obj)] = obj

    def on_update(self, old: ConfigMap, new: ConfigMap) -> None:
        self._note(new, f"update {value_of(old)}>{value_of(new)}")
        known = self.known.get(self._key(old))
        # A relist may bring what has not changed as another object.
        same = known is not None and version_of(known) == version_of(old)
        self._check(same, f"{self._key(old)} was not like that")
        self.known[self._key(new)] = new

    def on_delete(self, obj: ConfigMap) -> None:
        self._note(obj, f"delete {value_of(obj)}")
        self._check(self._key(obj) in self.known, f"{self._key(obj)} was deleted unknown")
        self.known.pop(self._key(obj), None)

    @property
    def handlers(self) -> dict[str, Callable[..., Any]]:
        return {"on_add": self.on_add, "on_update": self.on_update, "on_delete": self.on_delete}

    def _key(self, obj: ConfigMap) -> str:
        return f"{obj.metadata.namespace}/{obj.metadata.name}"

    def _note(self, obj: ConfigMap, what: str) -> None:
        kind, _, value = what.partition(" ")
        self.told.append(f"{kind} {obj.metadata.name} {value}".rstrip())

    def _check(self, right: bool, words: str) -> None:
        if not right:
            self.nonsense.append(words)


def threads() -> set[str]:
    """The names of the threads that informers have."""
    return {each.name for each in threading.enumerate() if each.name.startswith("clientgen")}


def tasks() -> set[str]:
    """The names of the tasks that informers have on the running loop, if there is one."""
    try:
        running = asyncio.all_tasks()
    except RuntimeError:
        return set()
    return {each.get_name() for each in running if each.get_name().startswith("clientgen")}
