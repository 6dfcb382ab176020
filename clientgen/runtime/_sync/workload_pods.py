# Derived from _async/workload_pods.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The Pods of workloads and Services, and the logs of these Pods as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._conditions.causes import PODS
from .._conditions.json_fields import text
from .._http.path_segments import uid_in
from .._http.request import selector_text
from .._models.unstructured import Object, Unstructured, list_class
from .._recipes.forward_targets import pod_selector
from .._recipes.pod_sources import (
    ENDPOINT_SLICES,
    JOB_NAME,
    JOBS,
    SERVICE_NAME,
    SERVICES,
    SERVICES_MESSAGE,
    WITH_PODS,
    WITH_PODS_MESSAGE,
    ready_endpoints,
)
from .._recipes.rollouts import controller_of, resource_of
from ..errors import NotFound
from .log_tail import LogTail
from .object_client import ObjectClient
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from typing import Unpack

    from .._http.call_options import GetOptions, TailOptions
    from .lease_client import Client

T = TypeVar("T", bound=Object)

_MAX_KNOWN_JOBS = 1000
_MAX_REQUEST_SECONDS = 30.0


@overload
def pods_of(
    k: Client,
    workload: type[Object] | Object,
    name: str | None = ...,
    *,
    namespace: str | None = ...,
) -> list[Unstructured]: ...
@overload
def pods_of(
    k: Client,
    workload: type[Object] | Object,
    name: str | None = ...,
    *,
    model: type[T],
    namespace: str | None = ...,
) -> list[T]: ...
def pods_of(
    k: Client,
    workload: type[Object] | Object,
    name: str | None = None,
    *,
    model: type[Any] = Unstructured,
    namespace: str | None = None,
) -> list[Any]:
    """Return the Pods of a workload or a Service.

        for pod in pods_of(k, deployment, model=Pod): ...

    As for `kubectl logs deployment/web`, they are the Pods that its selector selects. The Pods of a
    CronJob are those of its Jobs.

    Args:
        k: The clientset, or its `rest`.
        workload: A Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob,
            ReplicationController or Service; or the class, followed by the name.
        name: The name, if `workload` is a class.
        model: The class of the Pods.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: The object has no selector.
        NotFound: The object does not exist.
    """
    target = _target("pods_of", k, workload, name, namespace)
    source = PodSource(target)
    found = _list_pods(target, source.find(), model)
    return [pod for pod in found if source.admits(pod)]


@overload
def ready_pods(
    k: Client,
    service: type[Object] | Object,
    name: str | None = ...,
    *,
    namespace: str | None = ...,
) -> list[Unstructured]: ...
@overload
def ready_pods(
    k: Client,
    service: type[Object] | Object,
    name: str | None = ...,
    *,
    model: type[T],
    namespace: str | None = ...,
) -> list[T]: ...
def ready_pods(
    k: Client,
    service: type[Object] | Object,
    name: str | None = None,
    *,
    model: type[Any] = Unstructured,
    namespace: str | None = None,
) -> list[Any]:
    """Return the Pods that get the requests of a Service.

    They are the ready endpoints in the EndpointSlices of the Service.

    Args:
        k: The clientset, or its `rest`.
        service: A Service; or the class, followed by the name.
        name: The name, if `service` is a class.
        model: The class of the Pods.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: The Service has no selector.
        NotFound: The Service does not exist.
    """
    resource = resource_of(service, "ready_pods", SERVICES, SERVICES_MESSAGE)
    target = RecipeTarget("ready_pods", k, resource, service, name, namespace=namespace)
    selector = pod_selector(target.read(), str(target))
    slices = any_client(target.rest, ENDPOINT_SLICES, target.namespace)
    found = slices.list(label_selector={SERVICE_NAME: target.name})
    ready = ready_endpoints(found.items)
    pods = _list_pods(target, selector, model)
    return [pod for pod in pods if (pod.metadata.name, pod.metadata.uid) in ready]


def tail(
    k: Client,
    workload: type[Object] | Object,
    name: str | None = None,
    *,
    namespace: str | None = None,
    **options: Unpack[TailOptions],
) -> LogTail:
    """Follow the logs of all Pods of a workload or a Service, as one.

        with tail(k, Deployment, "web", namespace="shop") as lines:
            for line in lines:
                print(line)

    Pods that come later are included. The result is that of `tail` of Pods; the Pods are those of
    `pods_of`.

    Args:
        k: The clientset, or its `rest`.
        workload: A workload or a Service, as for `pods_of`; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.
        options: See `TailOptions`. The selectors select among the Pods of the workload.

    Raises:
        OperationRefused: When the first line is read: the object has no selector.
        NotFound: When the first line is read: the object does not exist.
    """
    target = _target("tail", k, workload, name, namespace)
    selector = selector_text("label_selector", options.get("label_selector") or "")
    # In `_sync`, a stopped tail waits for the end of a request.
    source = PodSource(target, selector, timeout=_MAX_REQUEST_SECONDS)
    path = PODS.collection_path(target.namespace)
    return LogTail(target.rest, path, options, source)


class PodSource:
    """The Pods of a workload.

    Args:
        target: The workload.
        selector: Another label selector, which the Pods must match, too; empty for none.
        options: The options of requests.
    """

    def __init__(
        self, target: RecipeTarget, selector: str = "", **options: Unpack[GetOptions]
    ) -> None:
        self._target = target
        self._options = options
        self._selector = selector
        self._cron_job = ""
        # Whether the CronJob controls a Job, by the uid of the Job.
        self._jobs: dict[str, bool] = {}

    def find(self) -> str:
        """Read the workload, and return the label selector of the Pods.

        Raises:
            ApiError: The workload does not exist.
            OperationRefused: It has no selector.
        """
        obj = self._target.read(**self._options)
        if self._target.resource.kind == "CronJob":
            self._cron_job = uid_in(obj)
            selector = JOB_NAME
        else:
            selector = pod_selector(obj, str(self._target))
        return ",".join(filter(None, (selector, self._selector)))

    def admits(self, pod: Any) -> bool:
        """Return whether a Pod that the selector selects belongs to the workload."""
        if self._target.resource.kind != "CronJob":
            return True
        for owner in pod.metadata.owner_references:
            if owner.controller and owner.kind == "Job":
                return self._is_own(owner.name, owner.uid)
        return False

    def _is_own(self, name: str, uid: str) -> bool:
        """Return whether the CronJob controls a Job."""
        known = self._jobs.get(uid)
        if known is None:
            if len(self._jobs) > _MAX_KNOWN_JOBS:  # the tail may run for years
                self._jobs.clear()
            known = self._jobs[uid] = self._controls(name, uid)
        return known

    def _controls(self, name: str, uid: str) -> bool:
        try:
            jobs = any_client(self._target.rest, JOBS, self._target.namespace)
            job = jobs.get(name, **self._options)
        except NotFound:
            return False
        return uid_in(job) == uid and text(controller_of(job), "uid") == self._cron_job


def _target(
    call: str, k: Client, workload: object, name: str | None, namespace: str | None
) -> RecipeTarget:
    resource = resource_of(workload, call, WITH_PODS, WITH_PODS_MESSAGE)
    return RecipeTarget(call, k, resource, workload, name, namespace=namespace)


def _list_pods(target: RecipeTarget, selector: str, model: type[T]) -> list[T]:
    lists = list_class(model, "v1", "PodList")
    client = ObjectClient(target.rest, PODS, target.namespace, model, lists)
    return (client.list(label_selector=selector)).items
