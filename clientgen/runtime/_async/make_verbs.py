"""New objects and replicas by kubectl's names and rules: `expose`, `run`, `scale`, `replace`."""

# The options have kubectl's names, such as `type` and `max`.
# ruff: noqa: A002
# pyright: reportPrivateUsage=false

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._cache.not_found import is_missing_object
from .._conditions.checks import DELETED
from .._conditions.json_fields import number, part, text
from .._models.meta_v1 import Status
from .._models.model import Model
from .._models.unstructured import Unstructured, WholeObject
from .._recipes.exposing import Exposure, check_exposed
from .._recipes.new_objects import Autoscaling, PodToRun, job_of
from .._recipes.texts import check_texts
from ..errors import ClientError, Conflict, NotFound, OperationRefused, WaitTimeout
from .verb_target import Steps, clientset_of, find_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from .._conditions.json_fields import Json
    from .._http.call_options import EditOptions, WriteOptions
    from .client import AsyncSubresource
    from .clientset import AsyncClientsetBase
    from .lease_client import AsyncClient
    from .verb_target import VerbTarget

M = TypeVar("M", bound=Model)
W = TypeVar("W", bound=WholeObject)
WholeT = TypeVar("WholeT", bound=Model)


@overload
async def expose(
    k: AsyncClient,
    what: WholeObject | type[Model],
    /,
    *given: str,
    port: int | Sequence[int] | None = ...,
    target_port: int | str | None = ...,
    protocol: str | None = ...,
    name: str | None = ...,
    type: str | None = ...,
    selector: Mapping[str, str] | None = ...,
    labels: Mapping[str, str] | None = ...,
    cluster_ip: str | None = ...,
    external_ip: str | None = ...,
    load_balancer_ip: str | None = ...,
    session_affinity: str | None = ...,
    model: None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
@overload
async def expose(
    k: AsyncClient,
    what: WholeObject | type[Model],
    /,
    *given: str,
    port: int | Sequence[int] | None = ...,
    target_port: int | str | None = ...,
    protocol: str | None = ...,
    name: str | None = ...,
    type: str | None = ...,
    selector: Mapping[str, str] | None = ...,
    labels: Mapping[str, str] | None = ...,
    cluster_ip: str | None = ...,
    external_ip: str | None = ...,
    load_balancer_ip: str | None = ...,
    session_affinity: str | None = ...,
    model: type[M],
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> M: ...
async def expose(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    port: int | Sequence[int] | None = None,
    target_port: int | str | None = None,
    protocol: str | None = None,
    name: str | None = None,
    type: str | None = None,
    selector: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    cluster_ip: str | None = None,
    external_ip: str | None = None,
    load_balancer_ip: str | None = None,
    session_affinity: str | None = None,
    model: type[Model] | None = None,
    namespace: str | None = None,
    **options: Unpack[WriteOptions],
) -> Any:
    """Create a Service for a workload, a Pod or another Service, as `kubectl expose`.

        expose(k, deployment, port=80, target_port=8080)

    Args:
        k: The clientset, or its `rest`.
        what: The Deployment, ReplicaSet, ReplicationController, Pod or Service; or its class,
            followed by its name.
        given: The name, if `what` is a class.
        port: The port or ports of the Service; by default the ports of the object.
        target_port: The port of the Pods, as a number or a name; by default that of the Service.
        protocol: TCP, UDP or SCTP; by default that of the object's port, or else TCP.
        name: The name of the Service; by default that of the object, cut after 63 characters.
        type: ClusterIP, NodePort, LoadBalancer or ExternalName.
        selector: The labels of the Pods; by default the selector of the object, or the labels of
            the Pod.
        labels: The labels of the Service; by default those of the object.
        cluster_ip: The IP of the Service. `None`, as text, makes a headless Service.
        external_ip: An IP outside of the cluster at which the Service is reached, too.
        load_balancer_ip: The IP of the load balancer.
        session_affinity: ClientIP or None, as text.
        model: The class of the result; by default the class that the package of the clientset has.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `WriteOptions`.

    Returns:
        The Service, as the server returned it.

    Raises:
        OperationRefused: The object has no selector or no port, or its selector has expressions.
        TypeError: The kind cannot be exposed.
    """
    target, _ = await find_target("expose", k, (what, *given), namespace, options)
    check_exposed(target.resource.api_version, target.resource.kind)
    exposure = Exposure(
        port=port,
        target_port=target_port,
        protocol=protocol,
        name=name,
        type=type,
        selector=selector and check_texts("expose", "selector", selector),
        labels=labels and check_texts("expose", "labels", labels),
        cluster_ip=cluster_ip,
        external_ip=external_ip,
        load_balancer_ip=load_balancer_ip,
        session_affinity=session_affinity,
    )
    service = exposure.service(await target.read(), str(target))
    return await _create(target.k, service, target.namespace, model, target.steps)


@overload
async def run(
    k: AsyncClient,
    name: str,
    image: str,
    *,
    command: Sequence[str] = ...,
    args: Sequence[str] = ...,
    env: Mapping[str, str] | None = ...,
    labels: Mapping[str, str] | None = ...,
    annotations: Mapping[str, str] | None = ...,
    port: int | None = ...,
    expose: bool = ...,
    restart: str = ...,
    image_pull_policy: str | None = ...,
    stdin: bool = ...,
    tty: bool = ...,
    privileged: bool = ...,
    model: None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
@overload
async def run(
    k: AsyncClient,
    name: str,
    image: str,
    *,
    command: Sequence[str] = ...,
    args: Sequence[str] = ...,
    env: Mapping[str, str] | None = ...,
    labels: Mapping[str, str] | None = ...,
    annotations: Mapping[str, str] | None = ...,
    port: int | None = ...,
    expose: bool = ...,
    restart: str = ...,
    image_pull_policy: str | None = ...,
    stdin: bool = ...,
    tty: bool = ...,
    privileged: bool = ...,
    model: type[M],
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> M: ...
async def run(
    k: AsyncClient,
    name: str,
    image: str,
    *,
    command: Sequence[str] = (),
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    port: int | None = None,
    expose: bool = False,
    restart: str = "Always",
    image_pull_policy: str | None = None,
    stdin: bool = False,
    tty: bool = False,
    privileged: bool = False,
    model: type[Model] | None = None,
    namespace: str | None = None,
    **options: Unpack[WriteOptions],
) -> Any:
    """Create a Pod with one container, as `kubectl run`.

        run(k, "shell", "busybox:1", command=["sleep", "600"], restart="Never")

    Args:
        k: The clientset, or its `rest`.
        name: The name of the Pod and of its container.
        image: The image of the container.
        command: The command, in place of that of the image.
        args: The arguments, in place of those of the image.
        env: The environment variables.
        labels: The labels of the Pod; by default `run` with the name.
        annotations: The annotations of the Pod.
        port: The port of the container.
        expose: Whether to create a Service for `port`, too.
        restart: The restart policy: Always, OnFailure or Never.
        image_pull_policy: Always, IfNotPresent or Never; by default the server decides.
        stdin: Whether the container has an input.
        tty: Whether the container has a terminal. It needs `stdin`.
        privileged: Whether the container is privileged.
        model: The class of the result; by default the class that the package of the clientset has.
        namespace: The namespace; `k.namespace` by default.
        options: See `WriteOptions`.

    Returns:
        The Pod, as the server returned it.

    Raises:
        ApiError: The Pod was not created; or the Service was not, and a note of the error says that
            there is a Pod.
        TypeError: `command` or `args` is one text, not a list.
        ValueError: The image or an option is not valid.
    """
    texts = {"env": env, "labels": labels, "annotations": annotations}
    checked = {what: check_texts("run", what, each) for what, each in texts.items() if each}
    pod = PodToRun(
        name=name,
        image=image,
        command=command,
        args=args,
        env=checked.get("env", {}),
        labels=checked.get("labels", {}),
        annotations=checked.get("annotations", {}),
        port=port,
        restart=restart,
        image_pull_policy=image_pull_policy,
        stdin=stdin,
        tty=tty,
        privileged=privileged,
    )
    pod.check()
    if expose and port is None:
        raise ValueError("run: expose=True needs port")
    clientset = clientset_of(k)
    steps = Steps(clientset, options)
    created = await _create(clientset, pod.manifest(), namespace, model, steps)
    if expose:
        try:
            await _create(clientset, pod.service(), namespace, None, steps)
        except ClientError as error:
            error.add_note(f"The Pod {name} was created, but its Service was not.")
            raise
    return created


async def _create(
    k: AsyncClientsetBase,
    manifest: Json,
    namespace: str | None,
    model: type[Model] | None,
    steps: Steps,
) -> Any:
    """Create an object, and return it as an instance of `model`."""
    options = steps.write_options
    body = manifest if model is None else Unstructured(manifest)
    created: Any = await k.create(body, namespace=namespace, **options)
    return created if model is None else created.to(model)


@overload
async def create_job_from(
    k: AsyncClient,
    what: WholeObject,
    job: str,
    /,
    *,
    model: None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
@overload
async def create_job_from(
    k: AsyncClient,
    what: WholeObject,
    job: str,
    /,
    *,
    model: type[M],
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> M: ...
@overload
async def create_job_from(
    k: AsyncClient,
    what: type[Model],
    name: str,
    job: str,
    /,
    *,
    model: None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
@overload
async def create_job_from(
    k: AsyncClient,
    what: type[Model],
    name: str,
    job: str,
    /,
    *,
    model: type[M],
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> M: ...
async def create_job_from(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    model: type[Model] | None = None,
    namespace: str | None = None,
    **options: Unpack[WriteOptions],
) -> Any:
    """Create a Job that runs a CronJob now, as `kubectl create job --from=cronjob/...`.

        create_job_from(k, cron_job, "now")
        create_job_from(k, CronJob, "nightly", "now", namespace="shop")

    The CronJob is read, and owns the Job.

    Args:
        k: The clientset, or its `rest`.
        what: The CronJob; or its class, followed by its name.
        given: The name of the Job.
        model: The class of the result; by default the class that the package of the clientset has.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `WriteOptions`.

    Returns:
        The Job, as the server returned it.

    Raises:
        TypeError: The kind is not CronJob of batch/v1.
    """
    target, (name,) = await find_target(
        "create_job_from", k, (what, *given), namespace, options, "name"
    )
    target.check_kind("create_job_from", "batch/v1", "CronJob")
    job = job_of(await target.read(), name)
    return await _create(target.k, job, target.namespace, model, target.steps)


@overload
async def autoscale(
    k: AsyncClient,
    what: WholeObject | type[Model],
    /,
    *given: str,
    max: int,
    min: int | None = ...,
    cpu: str | None = ...,
    memory: str | None = ...,
    name: str | None = ...,
    model: None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
@overload
async def autoscale(
    k: AsyncClient,
    what: WholeObject | type[Model],
    /,
    *given: str,
    max: int,
    min: int | None = ...,
    cpu: str | None = ...,
    memory: str | None = ...,
    name: str | None = ...,
    model: type[M],
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> M: ...
async def autoscale(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    max: int,
    min: int | None = None,
    cpu: str | None = None,
    memory: str | None = None,
    name: str | None = None,
    model: type[Model] | None = None,
    namespace: str | None = None,
    **options: Unpack[WriteOptions],
) -> Any:
    """Create a HorizontalPodAutoscaler for a workload, as `kubectl autoscale`.

        autoscale(k, deployment, min=2, max=10, cpu="70%")

    Args:
        k: The clientset, or its `rest`.
        what: The workload, of any kind with the subresource scale; or its class, followed by its
            name.
        given: The name, if `what` is a class.
        max: The greatest number of replicas.
        min: The smallest number of replicas; by default the server decides.
        cpu: The CPU that the Pods shall use: `70%` of the requests, or an amount for each, such as
            `500m`. A number without a unit is in thousandths of a CPU.
        memory: The memory, likewise: `70%` or `200Mi`. A number without a unit is in MiB.
        name: The name of the autoscaler; by default that of the workload.
        model: The class of the result; by default the class that the package of the clientset has.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `WriteOptions`.

    Returns:
        The HorizontalPodAutoscaler of autoscaling/v2, as the server returned it.

    Raises:
        OperationRefused: The kind has no subresource scale.
        NotFound: The workload does not exist.
        ValueError: A bound or a target is not valid.
    """
    target, _ = await find_target("autoscale", k, (what, *given), namespace, options)
    autoscaling = Autoscaling(max=max, min=min, cpu=cpu, memory=memory, name=name)
    autoscaling.check()
    await _Scale(target, await _scale_of(target)).read()
    resource = target.resource
    manifest = autoscaling.manifest(resource.api_version, resource.kind, target.name)
    return await _create(target.k, manifest, target.namespace, model, target.steps)


# ---- replicas -----------------------------------------------------------------------------------


@overload
async def scale(
    k: AsyncClient,
    workload: W,
    replicas: int,
    /,
    *,
    current_replicas: int | None = ...,
    resource_version: str | None = ...,
    wait: float | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def scale(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    replicas: int,
    /,
    *,
    current_replicas: int | None = ...,
    resource_version: str | None = ...,
    wait: float | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def scale(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    current_replicas: int | None = None,
    resource_version: str | None = None,
    wait: float | None = None,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Set the number of replicas of a workload, as `kubectl scale`.

        scale(k, deployment, 3)
        scale(k, Deployment, "web", 3, current_replicas=2, wait=60, namespace="shop")

    It uses the subresource scale, which any kind may have, and begins again after a conflict.

    Args:
        k: The clientset, or its `rest`.
        what: The workload; or its class, followed by its name.
        given: The number of replicas.
        current_replicas: Change the number only if it is this.
        resource_version: Change the number only if the workload has this resource version.
        wait: The seconds of the client's clock to wait until there are so many replicas. None does
            not wait. A dry run does not wait either. The workload is watched. The option `timeout`
            does not limit the wait.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The workload, as it was read afterwards. A dry run has not changed it.

    Raises:
        OperationRefused: A precondition is not met, or the kind has no subresource scale.
        WaitTimeout: There are not so many replicas in time.
        ValueError: The number is negative.
    """
    target, (replicas,) = await find_target(
        "scale", k, (what, *given), namespace, options, "replicas"
    )
    if type(replicas) is not int or replicas < 0:
        raise ValueError(f"scale: replicas must be a number of at least 0, not {replicas!r}")
    scaling = _Scale(target, await _scale_of(target))
    await scaling.set(replicas, current_replicas, resource_version)
    if wait is not None and not target.steps.is_dry_run:
        await scaling.wait(replicas, wait)
    return target.typed(await target.read())


async def _scale_of(target: VerbTarget) -> AsyncSubresource[Unstructured, Any]:
    client = await target.k._client_of_object(target.address, None)
    return client.subresource(target.name, "scale", Unstructured)


class _Scale:
    """The subresource scale of an object."""

    def __init__(self, target: VerbTarget, scale: AsyncSubresource[Unstructured, Any]) -> None:
        self._target = target
        self._scale = scale

    async def read(self) -> Unstructured:
        """Read the scale.

        Raises:
            OperationRefused: The kind has none.
        """
        try:
            return await self._scale.get(**self._target.steps.read_options)
        except NotFound as error:
            raise self._without_scale(error) from None

    def _without_scale(self, error: NotFound) -> ClientError:
        if is_missing_object(error):
            return error
        return OperationRefused(f"{self._target.resource.kind} has no subresource scale")

    async def set(
        self, replicas: int, current_replicas: int | None, resource_version: str | None
    ) -> None:
        """Set the number of replicas.

        Raises:
            OperationRefused: A precondition is not met, or the kind has no scale.
        """

        def change(scale: Unstructured) -> None:
            self._check("replicas", current_replicas, number(scale, "spec", "replicas"))
            self._check("resource version", resource_version, scale.metadata.resource_version)
            scale["spec"] = {**part(scale, "spec"), "replicas": replicas}

        steps = self._target.steps
        try:
            if current_replicas is None and resource_version is None:
                # As kubectl does: without a precondition, the scale is not read.
                with suppress(Conflict):
                    patch = {"spec": {"replicas": replicas}}
                    await self._scale.patch(patch, **steps.write_options)
                    return
            await self._scale.edit(change, **steps.write_options)
        except NotFound as error:
            raise self._without_scale(error) from None

    def _check(self, what: str, expected: object, actual: object) -> None:
        if expected is not None and expected != actual:
            raise OperationRefused(f"{self._target} has the {what} {actual}, not {expected}")

    async def wait(self, replicas: int, seconds: float) -> None:
        """Wait until there are so many replicas, or somebody else sets another number.

        The scale cannot be watched. So the workload is, which has the same versions.

        Raises:
            WaitTimeout: There are not so many in time.
        """
        target, clock = self._target, self._target.k.rest.clock
        until = clock.monotonic() + seconds
        while True:
            scale = await self.read()
            present = number(scale, "status", "replicas")
            if present == replicas or number(scale, "spec", "replicas") != replicas:
                return
            seen = scale.metadata.resource_version
            try:
                await target.k.wait(
                    target.address,
                    until=partial(_has_changed_since, seen),
                    timeout=max(0.0, until - clock.monotonic()),
                )
                target.steps.begin()
            except WaitTimeout:
                why = f"{target} has {present} replicas, not {replicas}, after {seconds:g} s"
                raise WaitTimeout(why, scale) from None


def _has_changed_since(resource_version: str, obj: Unstructured) -> bool:
    return obj.metadata.resource_version != resource_version


# ---- replace ------------------------------------------------------------------------------------


@overload
async def replace(
    k: AsyncClient,
    obj: W,
    *,
    force: bool = ...,
    grace_period_seconds: int | None = ...,
    wait: float | None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> W: ...
@overload
async def replace(
    k: AsyncClient,
    obj: Mapping[str, object],
    *,
    force: bool = ...,
    grace_period_seconds: int | None = ...,
    wait: float | None = ...,
    namespace: str | None = ...,
    **options: Unpack[WriteOptions],
) -> WholeObject: ...
async def replace(
    k: AsyncClient,
    obj: Any,
    *,
    force: bool = False,
    grace_period_seconds: int | None = None,
    wait: float | None = 300,
    namespace: str | None = None,
    **options: Unpack[WriteOptions],
) -> Any:
    """Replace an object as a whole, as `kubectl replace`; with `force`, delete and create it anew.

    An object without a resourceVersion replaces any state; `k.update` refuses that for custom
    resources. With `force`, the deletion is in the background, and fields that cannot be changed
    may differ.

    Args:
        k: The clientset, or its `rest`.
        obj: The new object, or a manifest with its apiVersion and kind.
        force: Whether to delete the object, if it exists, and to create it.
        grace_period_seconds: With `force`, the seconds that Pods have to terminate; None means
            their own setting.
        wait: With `force`, the seconds of the client's clock to wait until the object is gone. None
            for no limit.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `WriteOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        NotFound: The object does not exist, without `force`.
        Conflict: The object has another resourceVersion than `obj`, without `force`.
        WaitTimeout: The object is not gone in time. It is not created then.
        ApiError: The object was not created; a note of the error says that it was deleted.
        ValueError: `force` is combined with a dry run.
    """
    target, _ = await find_target("replace", k, (obj,), namespace, options)
    body = Unstructured.of(obj)
    if target.namespace:
        body.metadata.namespace = target.namespace
    if not force:
        if not body.metadata.resource_version:
            body.metadata.resource_version = (await target.read()).metadata.resource_version
        return target.typed(await target.k.update(body, **target.steps.write_options))
    if target.steps.is_dry_run:
        raise ValueError("replace: force=True deletes the object, so it cannot be a dry run")
    for name in ("resourceVersion", "uid"):
        body["metadata"].pop(name, None)
    was_deleted = await _delete(target, grace_period_seconds, wait)
    try:
        return target.typed(await target.k.create(body, **target.steps.write_options))
    except ClientError as error:
        if was_deleted:
            error.add_note(f"{target} was deleted, but not created again.")
        raise


async def _delete(target: VerbTarget, grace_period_seconds: int | None, wait: float | None) -> bool:
    """Delete the object of a verb, and wait until it is gone. Returns whether it existed."""
    options: Any = {"propagation_policy": "Background", **target.steps.read_options}
    if grace_period_seconds is not None:
        options["grace_period_seconds"] = grace_period_seconds
    try:
        pending = await target.k.delete(target.address, **options)
    except NotFound as error:
        if not is_missing_object(error):
            raise
        return False
    if not isinstance(pending, Status):
        # The address is ours, whatever the server has answered; the uid tells later objects apart.
        gone = Unstructured(target.address)
        gone["metadata"] = {**gone["metadata"], "uid": text(pending, "metadata", "uid")}
        await target.k.wait(gone, until=DELETED, timeout=wait)
        target.steps.begin()
    return True
