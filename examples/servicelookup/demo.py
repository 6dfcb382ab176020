"""A little traffic for the controller, on a server in memory: pods and services come and go."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import kubeapi
from kubeapi.core.v1 import (
    Container,
    EndpointAddress,
    Endpoints,
    EndpointSubset,
    Namespace,
    ObjectReference,
    Pod,
    PodSpec,
)
from kubeapi.meta.v1 import ObjectMeta

from clientgen.testing import FakeCluster, LocalServer

from . import api
from .background import with_tasks, with_threads

CRD = Path(__file__).with_name("crd.yaml")
SHOP = "shop"
ACCOUNT = "servicelookup/servicelookup"
"""The controller's ServiceAccount in tests: see deploy/role.yaml."""
PATIENCE = 60.0


def pod(name: str) -> Pod:
    """A pod that does nothing."""
    return Pod(
        metadata=ObjectMeta(name=name, namespace=SHOP),
        spec=PodSpec(containers=[Container(name="main", image="nginx:1.29")]),
    )


def endpoints(service: str, pods: Mapping[str, str]) -> Endpoints:
    """The endpoints of a service, as a cluster writes them for it: addresses by name of the pod."""
    return Endpoints(
        metadata=ObjectMeta(name=service, namespace=SHOP),
        subsets=[
            EndpointSubset(
                addresses=[
                    EndpointAddress(ip=ip, target_ref=ObjectReference(kind="Pod", name=name))
                    for name, ip in pods.items()
                ]
            )
        ],
    )


def records(k: kubeapi.Clientset) -> dict[str, str]:
    """What is recorded, by pod."""
    listed = api.Clientset(k.rest).servicelookup_v1alpha1.pod_to_services(SHOP).list().items
    return {
        each.spec.pod_name: f"{each.spec.service_name} at {each.spec.pod_address}"
        for each in sorted(listed, key=lambda each: each.spec.pod_name)
    }


def traffic(k: kubeapi.Clientset) -> None:
    """Do what happens in clusters, and show what becomes of it."""
    pods, services = k.core_v1.pods(SHOP), k.core_v1.endpoints(SHOP)
    k.core_v1.namespaces().create(Namespace(metadata=ObjectMeta(name=SHOP)))
    for name in ("web-1", "web-2"):
        pods.create(pod(name))
    two = {"web-1": "10.0.0.1", "web-2": "10.0.0.2"}
    services.create(endpoints("web", two))
    show(k, "two pods back a service", {"web-1": "web at 10.0.0.1", "web-2": "web at 10.0.0.2"})

    services.update(endpoints("web", {**two, "web-3": "10.0.0.3"}))
    pods.delete("web-1", grace_period_seconds=0)
    show(k, "one goes, one is not there yet", {"web-2": "web at 10.0.0.2"})

    pods.create(pod("web-3"))
    show(k, "here it is", {"web-2": "web at 10.0.0.2", "web-3": "web at 10.0.0.3"})

    services.delete("web")
    services.create(endpoints("shop", {"web-2": "10.0.0.2"}))
    show(k, "the service has a new name", {"web-2": "shop at 10.0.0.2"})

    services.delete("shop")
    show(k, "the service goes", {})


def show(k: kubeapi.Clientset, what: str, expected: Mapping[str, str]) -> None:
    """Wait until so much is recorded, and print it."""
    deadline = monotonic() + PATIENCE
    while (shown := records(k)) != expected:
        if monotonic() > deadline:
            raise TimeoutError(f"{what}: {shown} is recorded, not {expected}")
        sleep(0.01)
    print(
        f"{what:32}{', '.join(f'{name}: {target}' for name, target in shown.items()) or 'nothing'}"
    )


def demonstrate(*, threads: bool) -> None:
    """The controller at work, on a server in memory."""
    with LocalServer(FakeCluster(crds=[CRD])) as server:
        controller: AbstractContextManager[Any] = (
            with_threads(partial(kubeapi.Clientset.from_config, server.kubeconfig))
            if threads
            else with_tasks(partial(kubeapi.AsyncClientset.from_config, server.kubeconfig))
        )
        with kubeapi.Clientset.from_config(server.kubeconfig) as k, controller:
            traffic(k)
