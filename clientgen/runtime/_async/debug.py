"""Debugs Pods and Nodes with new containers, as `kubectl debug`."""

# ruff: noqa: ASYNC109 - the client's clock measures timeouts

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .._cache.not_found import is_missing_object
from .._conditions.causes import PODS
from .._conditions.checks import as_check
from .._conditions.json_fields import items, part, text
from .._http.patches import StrategicMergePatch
from .._models.unstructured import Unstructured
from .._recipes.debugging import (
    DEBUGGED,
    DEBUGGED_MESSAGE,
    DebugContainer,
    DebugOptions,
    DebugProfile,
    KeptPart,
    ephemeral_container,
    node_pod,
    pod_copy,
)
from .._recipes.rollouts import resource_of
from ..errors import Conflict, NotFound, OperationRefused
from .lease_client import rest_of
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from .._http.call_options import DeleteOptions
    from .._models.unstructured import Object
    from .lease_client import AsyncClient
    from .rest import AsyncRest

# apimachinery: pkg/util/rand.
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


async def debug(
    k: AsyncClient,
    target: type[Object] | Object,
    name: str | None = None,
    *,
    image: str = "",
    command: Sequence[str] = (),
    arguments_only: bool = False,
    namespace: str | None = None,
    container: str = "",
    target_container: str = "",
    copy_to: str = "",
    set_image: Mapping[str, str] | None = None,
    share_processes: bool | None = None,
    same_node: bool = False,
    replace: bool = False,
    keep: Collection[KeptPart] = (),
    keep_init_containers: bool = True,
    env: Mapping[str, str] | None = None,
    image_pull_policy: str = "",
    stdin: bool = False,
    tty: bool = False,
    profile: DebugProfile = "general",
    wait: bool = False,
    timeout: float | None = None,
) -> DebugContainer:
    """Start a container to debug a Pod or a Node, as `kubectl debug`.

        made = await debug(k, Pod, "web-0", image="busybox", stdin=True, tty=True, wait=True)
        pods.attach(made.pod, container=made.container, stdin=True, tty=True)

    A Pod gets an ephemeral container, or with `copy_to` a copy with a new or changed container. A
    Node gets a Pod, by most profiles with the namespaces of the host and its files in `/host`.

    Args:
        k: The clientset, or its `rest`.
        target: A Pod or a Node; or the class, followed by the name.
        name: The name, if `target` is a class.
        image: The image of the container.
        command: The words of the command; by default the command of the image.
        arguments_only: The words are arguments of the command of the image.
        namespace: The namespace; by default the namespace of the object, or of the client. For a
            Node, it is the namespace of the new Pod.
        container: The name of the container; by default a new one. In a copy, it may be a container
            of the Pod.
        target_container: The container whose processes the ephemeral container sees.
        copy_to: The name of a copy to debug.
        set_image: New images of the copy, by container. `*` is all other containers.
        share_processes: Whether the containers of the copy see the processes of each other; by
            default the profile decides.
        same_node: The copy runs on the Node of the Pod.
        replace: Delete the Pod after the copy was created. A later Pod with its name stays.
        keep: What the copy keeps: `labels`, with which Services would send it requests;
            `annotations`; and the probes `liveness`, `readiness` and `startup`.
        keep_init_containers: The copy keeps the init containers.
        env: Environment variables.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`.
        stdin: The container has an input, to attach to.
        tty: The container has a terminal.
        profile: The rights of the container: `general`, `baseline`, `restricted`, `netadmin`,
            `sysadmin`, or `legacy`, which is deprecated.
        wait: Wait until the container runs or has ended.
        timeout: The seconds of the client's clock that the wait may take. None for no limit.

    Raises:
        OperationRefused: The Pod has a container with the name, or a new container needs an image,
            or the cluster has no ephemeral containers.
        ValueError: Options are missing, not valid, or contradict each other.
        WaitTimeout: The container did not start in time.
    """
    options = DebugOptions(
        image=image,
        command=command,
        arguments_only=arguments_only,
        container=container,
        target_container=target_container,
        copy_to=copy_to,
        set_image=set_image or {},
        share_processes=share_processes,
        same_node=same_node,
        replace=replace,
        keep=keep,
        keep_init_containers=keep_init_containers,
        env=env or {},
        image_pull_policy=image_pull_policy,
        stdin=stdin,
        tty=tty,
        profile=profile,
    )
    resource = resource_of(target, "debug", DEBUGGED, DEBUGGED_MESSAGE)
    options.check(resource.kind)
    if resource.kind == "Node":
        of_node = RecipeTarget("debug", k, resource, target, name, namespace=None)
        made = await _debug_node(of_node, options, namespace)
    else:
        of_pod = RecipeTarget("debug", k, resource, target, name, namespace=namespace)
        debug_pod = _copy_pod if copy_to else _add_container
        made = await debug_pod(of_pod, options)
    if wait and made.container:
        await _wait_for(rest_of(k), made, timeout)
    return made


async def _add_container(target: RecipeTarget, options: DebugOptions) -> DebugContainer:
    """Add an ephemeral container to a Pod."""
    pod = await target.read()
    container = ephemeral_container(pod, options, _suffix())
    patch = StrategicMergePatch({"spec": {"ephemeralContainers": [container]}})
    subresource = target.client.subresource(target.name, "ephemeralcontainers", Unstructured)
    try:
        await subresource.patch(patch)
    except NotFound as error:
        if is_missing_object(error):
            raise
        raise OperationRefused("the cluster has no ephemeral containers") from None
    return DebugContainer(text(pod, "metadata", "namespace"), target.name, container["name"])


async def _copy_pod(target: RecipeTarget, options: DebugOptions) -> DebugContainer:
    """Create a copy of a Pod."""
    pod = await target.read()
    copied, container = pod_copy(pod, options, _suffix())
    pods = any_client(target.rest, PODS, target.namespace)
    created = await pods.create(Unstructured(copied))
    if options.replace:
        with suppress(NotFound, Conflict):  # the copied Pod is gone, and another has its name
            deletion: DeleteOptions = {"grace_period_seconds": 0}
            if uid := text(pod, "metadata", "uid"):
                deletion["uid"] = uid
            await pods.delete(target.name, **deletion)
    return DebugContainer(created.namespace, created.name, container)


async def _debug_node(
    target: RecipeTarget, options: DebugOptions, namespace: str | None
) -> DebugContainer:
    """Create a Pod on a Node."""
    await target.read()
    where = target.rest.namespace if namespace is None else namespace
    body = node_pod(target.name, options, _suffix())
    created = await any_client(target.rest, PODS, where).create(Unstructured(body))
    return DebugContainer(created.namespace, created.name, body["spec"]["containers"][0]["name"])


async def _wait_for(rest: AsyncRest, made: DebugContainer, timeout: float | None) -> None:
    """Wait until the container runs or has ended."""

    def has_begun(pod: Any) -> bool:
        statuses = (
            each
            for name in ("initContainer", "container", "ephemeralContainer")
            for each in items(pod, "status", f"{name}Statuses")
        )
        states = (part(each, "state") for each in statuses if text(each, "name") == made.container)
        return any({"running", "terminated"} & state.keys() for state in states)

    pods = any_client(rest, PODS, made.namespace)
    await pods.wait(made.pod, until=as_check(has_begun), timeout=timeout)


def _suffix() -> str:
    return "".join(random.choices(_LETTERS, k=5))  # noqa: S311 - a name is no secret
