"""What there should be, and the next step to it: no request, no waiting, no clock.

Both flavours of the controller ask the same questions here, so what is right is written once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kubeapi.core.v1 import Endpoints, Pod
from kubeapi.meta.v1 import ObjectMeta, OwnerReference

from clientgen.runtime import Indexer, meta_namespace_key
from clientgen.runtime.models import deep_copy

from .api.servicelookup.v1alpha1 import PodToService, PodToServiceSpec

BY_POD = "pod"
"""The index of Endpoints by the keys of the pods they name."""
BY_SERVICE = "service"
"""The index of PodToServices by the keys of the services they name."""


class Backing(NamedTuple):
    """What the endpoints of a service say of one pod."""

    pod: str
    """The key of the pod."""
    uid: str
    """Which pod of that name; empty if whoever wrote the endpoints did not say."""
    service: str
    address: str


@dataclass(frozen=True)
class Create:
    """A pod has begun to back a service."""

    wanted: PodToService


@dataclass(frozen=True)
class Update:
    """It backs another one now, or under another address."""

    changed: PodToService


@dataclass(frozen=True)
class Delete:
    """It backs none any more, or is no more, or is another pod of the same name."""

    outdated: PodToService


Step: TypeAlias = Create | Update | Delete


@dataclass(frozen=True)
class Affected:
    """The pods that a change of some endpoints is about."""

    pods: set[str]
    """To be looked at now."""
    unknown: set[str]
    """Named, but not in the cache, or not yet with the uid that was named: to be tried again."""


class Caches:
    """What is known of the cluster; informers keep it up to date.

    Single reads are consistent, two reads may see two states. That is well: whatever changes
    after it was read is told of, and looked at again.
    """

    def __init__(
        self, pods: Indexer[Pod], endpoints: Indexer[Endpoints], records: Indexer[PodToService]
    ) -> None:
        self._pods = pods
        self._endpoints = endpoints
        self._records = records
        endpoints.add_index(BY_POD, lambda each: {backing.pod for backing in backings(each)})
        records.add_index(BY_SERVICE, lambda each: [service_key(each)])

    def affected(self, key: str) -> Affected:
        """The pods that endpoints name, and those that are recorded for their service.

        The latter are how it is found out whom changed or deleted endpoints no longer name.
        """
        endpoints = self._endpoints.get(key)
        named = backings(endpoints) if endpoints else []
        known = {each.pod for each in named if self._is_known(each)}
        recorded = self._records.index_keys(BY_SERVICE, key)
        return Affected(known.union(recorded), {each.pod for each in named} - known)

    def next_step(self, key: str) -> Step | None:
        """What is to be done about a pod; None if all is well."""
        pod, record = self._pods.get(key), self._records.get(key)
        named = [
            backing
            for endpoints in self._endpoints.by_index(BY_POD, key)
            for backing in backings(endpoints)
            if backing.pod == key
        ]
        return step(record, wanted(pod, named) if pod else None)

    def _is_known(self, backing: Backing) -> bool:
        pod = self._pods.get(backing.pod)
        return pod is not None and is_meant(backing, pod)


def backings(endpoints: Endpoints) -> list[Backing]:
    """What endpoints say of the pods that are ready to serve.

    Addresses need not be those of pods, and a service can only be backed from its own namespace,
    whatever is written there.
    """
    me = endpoints.metadata
    return [
        Backing(f"{me.namespace}/{target.name}", target.uid or "", me.name, address.ip)
        for subset in endpoints.subsets
        for address in subset.addresses
        if (target := address.target_ref)
        and (target.kind, target.namespace or me.namespace) == ("Pod", me.namespace)
    ]


def wanted(pod: Pod, named: Iterable[Backing]) -> PodToService | None:
    """The record of a pod; None if it backs no service. Of several the first by name counts."""
    meant = [(each.service, each.address) for each in named if is_meant(each, pod)]
    if not meant:
        return None
    service, address = min(meant)
    me = pod.metadata
    owner = OwnerReference(api_version="v1", kind="Pod", name=me.name, uid=me.uid, controller=True)
    return PodToService(
        metadata=ObjectMeta(name=me.name, namespace=me.namespace, owner_references=[owner]),
        spec=PodToServiceSpec(
            pod_name=me.name, pod_uid=me.uid, pod_address=address, service_name=service
        ),
    )


def is_meant(backing: Backing, pod: Pod) -> bool:
    """Whether endpoints mean this pod, and not another one that had or will have its name."""
    return backing.uid in ("", pod.metadata.uid) and backing.pod == meta_namespace_key(pod)


def step(record: PodToService | None, aim: PodToService | None) -> Step | None:
    """What leads from what there is to what there should be; None if they are the same.

    The record of another pod goes first: it belongs to that one, and is collected with it. When
    it is gone, the pod comes up again. What somebody else wrote is left alone.
    """
    if record is None:
        return Create(aim) if aim else None
    if not is_ours(record):
        return None
    if aim is None or aim.spec.pod_uid != record.spec.pod_uid:
        return Delete(record)
    if aim.spec == record.spec:
        return None
    changed = deep_copy(record)  # cached objects are shared: never modify them
    changed.spec = aim.spec
    return Update(changed)


def is_ours(record: PodToService) -> bool:
    """Whether a controller like this one wrote a record: its pod owns it then."""
    return any(each.controller and each.kind == "Pod" for each in record.metadata.owner_references)


def service_key(record: PodToService) -> str:
    """The key of the service, and so of its endpoints, that a record names."""
    return f"{record.metadata.namespace}/{record.spec.service_name}"
