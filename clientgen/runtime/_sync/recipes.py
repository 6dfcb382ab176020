# Derived from _async/recipes.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Operations of kubectl that take several requests: drain, restart, undo."""

# ruff: noqa: ASYNC109 - the client's clock measures timeouts

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._conditions.causes import PODS
from .._conditions.checks import DELETED, as_check
from .._conditions.json_fields import Json, text
from .._conditions.rollout import ROLLED_OUT
from .._http.request import build_write
from .._models.unstructured import Object
from .._recipes.draining import (
    DAEMON_SETS,
    NODES,
    DrainPlan,
    check_node,
    check_pod_selector,
    daemon_sets_of,
    eviction_of,
    pod_name,
    pods_on,
    unschedulable,
)
from .._recipes.rollouts import (
    Revision,
    check_not_paused,
    choose_revision,
    history_of,
    history_resource,
    pause_patch,
    resource_of,
    restart_patch,
    selector_of,
    undo_patch,
)
from ..errors import (
    ApiError,
    Conflict,
    Forbidden,
    NotFound,
    RequestTimeout,
    TooManyRequests,
    WaitTimeout,
    one_line,
)
from ._primitives import Event, wait_until
from .lease_client import rest_of
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._http.call_options import CallOptions, DeleteOptions, Labels, ListOptions
    from .lease_client import Client
    from .rest import Rest

T = TypeVar("T", bound=Object)

# kubectl: drain.Helper.EvictErrorRetryDelay.
_RETRY_SECONDS = 5.0


# ---- nodes --------------------------------------------------------------------------------------


def cordon(k: Client, node: str) -> None:
    """Mark a node as unschedulable, as `kubectl cordon`. The node gets no new Pods."""
    check_node("cordon", node)
    any_client(rest_of(k), NODES, None).patch(node, unschedulable(wanted=True))


def uncordon(k: Client, node: str) -> None:
    """Mark a node as schedulable again, as `kubectl uncordon`."""
    check_node("uncordon", node)
    any_client(rest_of(k), NODES, None).patch(node, unschedulable(wanted=False))


def drain(
    k: Client,
    node: str,
    *,
    force: bool = False,
    delete_empty_dir_data: bool = False,
    grace_period_seconds: int | None = None,
    pod_selector: Labels | None = None,
    disable_eviction: bool = False,
    timeout: float | None = None,
    on_progress: Callable[[str], object] | None = None,
) -> list[str]:
    """Cordon a node and evict its Pods, as `kubectl drain --ignore-daemonsets`.

    Pods of DaemonSets and mirror Pods stay. Evictions that a disruption budget does not allow are
    retried every 5 seconds. Returns when the evicted Pods are gone. On cancellation, the node stays
    cordoned.

    Args:
        k: The clientset, or its `rest`.
        node: The name of the node.
        force: Also evict Pods that no controller would create again.
        delete_empty_dir_data: Also evict Pods with emptyDir volumes, whose data is lost.
        grace_period_seconds: The seconds that Pods have to terminate; None means the setting of
            each Pod.
        pod_selector: Evict only Pods whose labels match. None for all Pods of the node.
        disable_eviction: Delete the Pods instead. Disruption budgets do not hold deletions back.
        timeout: The seconds of the client's clock after which the call fails. None for no limit.
        on_progress: Called with a line for each step.

    Returns:
        The namespaces and names of the Pods that were evicted.

    Raises:
        OperationRefused: Some Pods need `force` or `delete_empty_dir_data`, or the server lists
            Pods with an invalid name or without a uid. The node is then cordoned, but no Pod is
            evicted.
        WaitTimeout: The node was not cordoned, or the Pods were not evicted or gone in time.
        NotFound: The node does not exist.
        ValueError: `pod_selector` is empty.
    """
    check_node("drain", node)
    check_pod_selector(pod_selector)
    draining = _Draining(rest_of(k), node, timeout, on_progress, disable_eviction=disable_eviction)
    try:
        draining.cordon()
        pods = draining.pods(pod_selector)
        daemon_sets = daemon_sets_of(pods)
        orphans = [name for name in daemon_sets if not draining.has_daemon_set(*name)]
        plan = DrainPlan.of(pods, orphans, force=force, delete_empty_dir_data=delete_empty_dir_data)
        plan.check(node)
        draining.evict(plan.evict, grace_period_seconds)
        draining.wait_for_end(plan.evict)
    except RequestTimeout as error:
        draining.check_time(str(error))
        raise
    return [pod_name(pod) for pod in plan.evict]


class _Draining:
    """One drain of a node, with its deadline."""

    def __init__(
        self,
        rest: Rest,
        node: str,
        timeout: float | None,
        on_progress: Callable[[str], object] | None,
        *,
        disable_eviction: bool,
    ) -> None:
        self._rest = rest
        self._node = node
        self._remove = self._delete if disable_eviction else self._evict
        self._timeout = timeout
        self._until = None if timeout is None else rest.clock.monotonic() + timeout
        self._on_progress = on_progress
        self._pods = any_client(rest, PODS, None)

    @property
    def _remaining(self) -> float | None:
        if self._until is None:
            return None
        return max(0.0, self._until - self._rest.clock.monotonic())

    def check_time(self, trouble: str) -> None:
        """Check that the timeout has not passed.

        Raises:
            WaitTimeout: The timeout has passed.
        """
        if self._remaining == 0:
            raise self._timeout_error(trouble)

    def _timeout_error(self, trouble: str, pod: Json | None = None) -> WaitTimeout:
        why = f"Node {self._node} is not drained after {self._timeout:g} s: {trouble}"
        return WaitTimeout(why, pod)

    def _timeout_option(self, trouble: str) -> CallOptions:
        """Return the options that end a request at the deadline of the drain.

        Raises:
            WaitTimeout: The timeout has passed.
        """
        self.check_time(trouble)
        remaining = self._remaining
        return {} if remaining is None else {"timeout": remaining}

    def _report(self, line: str) -> None:
        if self._on_progress is not None:
            self._on_progress(line)

    def cordon(self) -> None:
        """Mark the node as unschedulable."""
        limit = self._timeout_option("it is not cordoned")
        nodes = any_client(self._rest, NODES, None)
        nodes.patch(self._node, unschedulable(wanted=True), **limit)

    def pods(self, selector: Labels | None) -> list[Any]:
        """List the Pods of the node.

        Raises:
            OperationRefused: A Pod has an invalid name or no uid.
        """
        limit = self._timeout_option("its Pods are not listed")
        options: ListOptions = {"field_selector": {"spec.nodeName": self._node}}
        if "timeout" in limit:
            options["timeout"] = limit["timeout"]
        if selector is not None:
            options["label_selector"] = selector
        return pods_on(self._node, (self._pods.list(**options)).items)

    def has_daemon_set(self, namespace: str, name: str) -> bool:
        """Return whether a DaemonSet exists."""
        limit = self._timeout_option("the DaemonSets of its Pods are not read")
        try:
            any_client(self._rest, DAEMON_SETS, namespace).get(name, **limit)
        except NotFound:
            return False
        return True

    def evict(self, pods: list[Any], grace_period_seconds: int | None) -> None:
        """Evict or delete Pods. Evictions that a disruption budget refuses are retried.

        Raises:
            WaitTimeout: The timeout has passed.
        """
        pending = pods
        while pending:
            refused: list[tuple[Any, ApiError]] = []
            for pod in pending:
                error = self._remove(pod, grace_period_seconds)
                if error is not None:
                    refused.append((pod, error))
            if refused:
                self._pause(*refused[0])
            pending = [pod for pod, _ in refused]

    def _evict(self, pod: Json, grace_period_seconds: int | None) -> ApiError | None:
        """Try to evict a Pod. Returns the error if the eviction may succeed later."""
        namespace, name = text(pod, "metadata", "namespace"), text(pod, "metadata", "name")
        path = PODS.object_path(namespace, name, "eviction")
        body = eviction_of(pod, grace_period_seconds)
        request = build_write("POST", path, body, self._rest.write_defaults, self._rest.codec)
        self._report(f"evicting {pod_name(pod)}")
        deadline = self._rest.deadline(self._timeout_option(f"{pod_name(pod)} is not evicted"))
        try:
            self._rest.send(request, deadline, max_retries=0)
        except TooManyRequests as error:
            self._report(f"{pod_name(pod)} is not evicted yet: {error.message}")
            return error
        except (NotFound, Conflict):
            return None  # the Pod is gone; a new Pod with the same name stays
        except Forbidden as error:
            if not error.has_cause("NamespaceTerminating"):
                raise
            # No Eviction can be created in the namespace, but its Pods are being deleted.
            return None
        return None

    def _delete(self, pod: Json, grace_period_seconds: int | None) -> None:
        """Delete a Pod. A new Pod with the same name stays."""
        options: DeleteOptions = {"uid": text(pod, "metadata", "uid")}
        if grace_period_seconds is not None:
            options["grace_period_seconds"] = grace_period_seconds
        limit = self._timeout_option(f"{pod_name(pod)} is not deleted")
        if "timeout" in limit:
            options["timeout"] = limit["timeout"]
        pods = any_client(self._rest, PODS, text(pod, "metadata", "namespace"))
        self._report(f"deleting {pod_name(pod)}")
        with suppress(NotFound, Conflict):
            pods.delete(text(pod, "metadata", "name"), **options)

    def _pause(self, pod: Json, error: ApiError) -> None:
        clock = self._rest.clock
        seconds = max(_RETRY_SECONDS, float(error.retry_after or 0))
        remaining = self._remaining
        if remaining is not None and remaining < seconds:
            wait_until(Event(), clock, clock.monotonic() + remaining)
            why = f"{pod_name(pod)} is not evicted: {one_line(error.message)}"
            raise self._timeout_error(why, pod)
        wait_until(Event(), clock, clock.monotonic() + seconds)

    def wait_for_end(self, pods: list[Any]) -> None:
        """Wait until the Pods are gone. A dry run leaves them."""
        if not pods or self._rest.write_defaults.get("dry_run"):
            return
        self.check_time("its Pods are evicted, but perhaps not gone")
        uids = {text(pod, "metadata", "uid") for pod in pods}

        def is_new_pod(pod: Any) -> bool:
            return text(pod, "metadata", "uid") not in uids

        self._pods.wait(
            until=DELETED | as_check(is_new_pod),
            field_selector={"spec.nodeName": self._node},
            timeout=self._remaining,
            on_progress=self._on_progress,
        )


# ---- rollouts -----------------------------------------------------------------------------------


def rollout_restart(
    k: Client,
    workload: type[T] | T,
    name: str | None = None,
    *,
    namespace: str | None = None,
) -> T:
    """Replace all Pods of a workload by a rolling update, as `kubectl rollout restart`.

    Args:
        k: The clientset, or its `rest`.
        workload: A Deployment, StatefulSet or DaemonSet; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: The Deployment is paused.
    """
    target = _target("rollout_restart", k, workload, name, namespace)
    check_not_paused(target.read(), str(target))
    return cast("T", target.client.patch(target.name, restart_patch(target.rest.clock.now())))


def rollout_pause(
    k: Client,
    workload: type[T] | T,
    name: str | None = None,
    *,
    namespace: str | None = None,
) -> T:
    """Pause a Deployment, as `kubectl rollout pause`: changes of its template do not roll out.

    Args:
        k: The clientset, or its `rest`.
        workload: The Deployment; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: The Deployment is paused already.
        TypeError: The kind is not Deployment.
    """
    target = _target("rollout_pause", k, workload, name, namespace)
    patch = pause_patch(target.read(), str(target), paused=True)
    return cast("T", target.client.patch(target.name, patch))


def rollout_resume(
    k: Client,
    workload: type[T] | T,
    name: str | None = None,
    *,
    namespace: str | None = None,
) -> T:
    """Resume a paused Deployment, as `kubectl rollout resume`.

    Args:
        k: The clientset, or its `rest`.
        workload: The Deployment; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.

    Raises:
        OperationRefused: The Deployment is not paused.
        TypeError: The kind is not Deployment.
    """
    target = _target("rollout_resume", k, workload, name, namespace)
    patch = pause_patch(target.read(), str(target), paused=False)
    return cast("T", target.client.patch(target.name, patch))


def rollout_status(
    k: Client,
    workload: type[T] | T,
    name: str | None = None,
    *,
    namespace: str | None = None,
    timeout: float | None = None,
    on_progress: Callable[[str], object] | None = None,
) -> T:
    """Wait until a rollout is complete, as `kubectl rollout status`. Returns the workload.

    Args:
        k: The clientset, or its `rest`.
        workload: A Deployment, StatefulSet or DaemonSet; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.
        timeout: The seconds of the client's clock after which the call fails. None for no limit.
        on_progress: Called with a description of the state whenever it has changed.

    Raises:
        NotFound: The workload does not exist.
        WaitFailed: The rollout has failed, or the workload was deleted. The message says why.
        WaitTimeout: The rollout was not complete in time.
    """
    target = _target("rollout_status", k, workload, name, namespace)
    target.read()
    found = target.client.wait(
        target.name, until=ROLLED_OUT, fail=DELETED, timeout=timeout, on_progress=on_progress
    )
    return cast("T", found)


def rollout_history(
    k: Client,
    workload: type[Object] | Object,
    name: str | None = None,
    *,
    namespace: str | None = None,
) -> list[Revision]:
    """Return the revisions of a workload, oldest first, as `kubectl rollout history`.

    Args:
        k: The clientset, or its `rest`.
        workload: A Deployment, StatefulSet or DaemonSet; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.
    """
    target = _target("rollout_history", k, workload, name, namespace)
    return _history(target, target.read())


def rollout_undo(
    k: Client,
    workload: type[T] | T,
    name: str | None = None,
    *,
    namespace: str | None = None,
    to_revision: int | None = None,
) -> T:
    """Restore an earlier Pod template of a workload, as `kubectl rollout undo`.

    Args:
        k: The clientset, or its `rest`.
        workload: A Deployment, StatefulSet or DaemonSet; or the class, followed by the name.
        name: The name, if `workload` is a class.
        namespace: The namespace; by default the namespace of the object, or of the client.
        to_revision: The number of the revision; by default the revision before the current
            revision.

    Raises:
        OperationRefused: The revision does not exist, or the Deployment is paused.
    """
    target = _target("rollout_undo", k, workload, name, namespace)
    obj = target.read()
    revision = choose_revision(_history(target, obj), to_revision, str(target))
    check_not_paused(obj, str(target))
    patch = undo_patch(obj, revision)
    if patch is None:
        return cast("T", target.client.get(target.name))
    return cast("T", target.client.patch(target.name, patch))


def _target(
    call: str, k: Client, workload: object, name: str | None, namespace: str | None
) -> RecipeTarget:
    resource = resource_of(workload, call)
    return RecipeTarget(call, k, resource, workload, name, namespace=namespace)


def _history(target: RecipeTarget, obj: Json) -> list[Revision]:
    """Read the revisions of a workload."""
    resource = history_resource(target.resource.kind)
    client = any_client(target.rest, resource, target.namespace)
    return history_of(obj, (client.list(label_selector=selector_of(obj))).items)
