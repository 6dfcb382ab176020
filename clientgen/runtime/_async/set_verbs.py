"""Changes of single fields by kubectl's names and rules: `set_image`, `label`, `taint`.

Each verb reads the object, changes it as kubectl does, and sends the difference with the
resourceVersion that was read. After a conflict it begins again, so that no concurrent change is
lost. Nothing is sent if nothing changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._conditions.json_fields import part
from .._models.model import Model
from .._models.unstructured import Unstructured, WholeObject
from .._recipes.metadata_changes import (
    add_subjects,
    change_texts,
    check_not_changed,
    subjects_of,
)
from .._recipes.pod_templates import (
    check_images,
    env_changes,
    pod_spec_path,
    quantities,
    set_amounts,
    set_images,
    variables_from,
)
from .._recipes.taints import taint_changes
from .._recipes.texts import check_names, check_texts
from ..errors import OperationRefused
from .verb_target import find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Unpack

    from .._conditions.json_fields import Json
    from .._http.call_options import EditOptions
    from .._models.quantity import Quantity
    from .lease_client import AsyncClient
    from .verb_target import VerbTarget

W = TypeVar("W", bound=WholeObject)
WholeT = TypeVar("WholeT", bound=Model)


# ---- Pod templates ------------------------------------------------------------------------------


@overload
async def set_image(
    k: AsyncClient,
    workload: W,
    images: Mapping[str, str],
    /,
    *,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_image(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    images: Mapping[str, str],
    /,
    *,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_image(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Change images of a Pod or of a Pod template, as `kubectl set image`.

        set_image(k, deployment, {"app": "web:2"})
        set_image(k, Deployment, "web", {"*": "web:2"}, namespace="shop")

    Args:
        k: The clientset, or its `rest`.
        what: The workload or Pod; or its class, followed by its name.
        given: The images by container or init container; `*` means all of them.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        OperationRefused: There is no such container.
        TypeError: The kind has no Pod template.
        ValueError: There is no image, or `*` is not the only container.
    """
    target, (given_images,) = await find_target(
        "set_image", k, (what, *given), namespace, options, "images"
    )
    pods = _PodSpec("set_image", target)
    images = check_images(given_images)

    def change(spec: Json) -> None:
        set_images(spec, images, str(pods))

    return await pods.edit(change)


@overload
async def set_env(
    k: AsyncClient,
    workload: W,
    env: Mapping[str, str | None],
    /,
    *,
    from_: WholeObject | Mapping[str, object] | None = ...,
    keys: Collection[str] = ...,
    prefix: str = ...,
    containers: str = ...,
    overwrite: bool = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_env(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    env: Mapping[str, str | None],
    /,
    *,
    from_: WholeObject | Mapping[str, object] | None = ...,
    keys: Collection[str] = ...,
    prefix: str = ...,
    containers: str = ...,
    overwrite: bool = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_env(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    from_: WholeObject | Mapping[str, object] | None = None,
    keys: Collection[str] = (),
    prefix: str = "",
    containers: str = "*",
    overwrite: bool = True,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Change environment variables of a Pod template, as `kubectl set env`.

        set_env(k, deployment, {"LOG": "debug", "OLD": None})
        set_env(k, deployment, {}, from_=config_map, prefix="APP_")

    Args:
        k: The clientset, or its `rest`.
        what: The workload or Pod; or its class, followed by its name.
        given: The values by name; None removes a variable.
        from_: A ConfigMap or Secret, which is read. Each of its keys becomes a variable that refers
            to it: `log-level` becomes `LOG_LEVEL`.
        keys: The keys of `from_` to take; all by default.
        prefix: Text before the names of the variables that are set.
        containers: The name of the containers and init containers; `*` is any text.
        overwrite: Whether variables that have another value may be changed.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        OperationRefused: No container matches, `from_` has not a key, or a variable has another
            value and `overwrite` is False.
        TypeError: The kind has no Pod template, `from_` is of another kind, or an argument is of a
            wrong type.
        ValueError: There is no variable, or a name is not valid.
    """
    target, (given_env,) = await find_target(
        "set_env", k, (what, *given), namespace, options, "env"
    )
    pods = _PodSpec("set_env", target)
    if keys and from_ is None:
        raise ValueError("set_env: keys needs from_, a ConfigMap or a Secret")
    chosen_keys = check_names("set_env", "keys", keys)
    referenced: Mapping[str, Json] = {}
    if from_ is not None:
        source, _ = await find_target("set_env", k, (from_,), target.namespace, options)
        referenced = variables_from(await source.read(), chosen_keys)
    env: Mapping[str, str | None] = {}
    if given_env or not referenced:
        env = check_texts("set_env", "env", given_env, removes=True)
    changes = env_changes(env, referenced, prefix, overwrite=overwrite)

    def change(spec: Json) -> None:
        changes.apply(spec, containers, str(pods))

    return await pods.edit(change)


@overload
async def set_resources(
    k: AsyncClient,
    workload: W,
    /,
    *,
    limits: Mapping[str, str | Quantity] | None = ...,
    requests: Mapping[str, str | Quantity] | None = ...,
    containers: str = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_resources(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    /,
    *,
    limits: Mapping[str, str | Quantity] | None = ...,
    requests: Mapping[str, str | Quantity] | None = ...,
    containers: str = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_resources(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    limits: Mapping[str, str | Quantity] | None = None,
    requests: Mapping[str, str | Quantity] | None = None,
    containers: str = "*",
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Change limits and requests in a Pod template, as `kubectl set resources`.

        set_resources(k, deployment, limits={"memory": "1Gi"}, requests={"cpu": "100m"})

    Other limits and requests stay. `pods.resize` changes Pods that run.

    Args:
        k: The clientset, or its `rest`.
        what: The workload or Pod; or its class, followed by its name.
        given: The name, if `what` is a class.
        limits: The limits by resource, such as cpu and memory.
        requests: The requests by resource.
        containers: The name of the containers and init containers; `*` is any text.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        OperationRefused: No container matches.
        TypeError: The kind has no Pod template.
        ValueError: There is no amount, or an amount is not a quantity.
    """
    target, _ = await find_target("set_resources", k, (what, *given), namespace, options)
    pods = _PodSpec("set_resources", target)
    if not limits and not requests:
        raise ValueError("set_resources: give limits or requests")
    new_limits, new_requests = quantities("limits", limits), quantities("requests", requests)

    def change(spec: Json) -> None:
        set_amounts(spec, new_limits, new_requests, containers, str(pods))

    return await pods.edit(change)


@overload
async def set_service_account(
    k: AsyncClient,
    workload: W,
    service_account: str,
    /,
    *,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_service_account(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    service_account: str,
    /,
    *,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_service_account(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Change the service account in a Pod template, as `kubectl set serviceaccount`.

    Args:
        k: The clientset, or its `rest`.
        what: The workload or Pod; or its class, followed by its name.
        given: The name of the service account.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        TypeError: The kind has no Pod template.
        ValueError: The name is empty.
    """
    target, (service_account,) = await find_target(
        "set_service_account", k, (what, *given), namespace, options, "service_account"
    )
    pods = _PodSpec("set_service_account", target)
    if not isinstance(service_account, str) or not service_account:
        raise ValueError("set_service_account: the service account must be a name")

    def change(spec: Json) -> None:
        spec["serviceAccountName"] = service_account

    return await pods.edit(change)


class _PodSpec:
    """The spec of a Pod or of the Pod template of a workload."""

    def __init__(self, call: str, target: VerbTarget) -> None:
        self.target = target
        self._path = pod_spec_path(call, target.resource.api_version, target.resource.kind)

    def __str__(self) -> str:
        return str(self.target)

    async def edit(self, change: Callable[[Json], None]) -> Any:
        """Edit the spec.

        Raises:
            OperationRefused: The object has none.
        """

        def change_object(obj: Unstructured) -> None:
            spec = part(obj, *self._path)
            if not spec:
                raise OperationRefused(f"{self} has no spec of Pods")
            change(spec)

        return await self.target.edit(change_object)


# ---- selectors and subjects ---------------------------------------------------------------------


@overload
async def set_selector(
    k: AsyncClient,
    service: W,
    selector: Mapping[str, str],
    /,
    *,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_selector(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    selector: Mapping[str, str],
    /,
    *,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_selector(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    resource_version: str | None = None,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Replace the selector of a Service, as `kubectl set selector`.

    Args:
        k: The clientset, or its `rest`.
        what: The Service; or its class, followed by its name.
        given: The labels of the Pods.
        resource_version: Change the Service only if it has this resource version.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The Service, as the server returned it.

    Raises:
        Conflict: The Service has another resource version.
        TypeError: The kind is not Service.
        ValueError: The selector is empty.
    """
    target, (selector,) = await find_target(
        "set_selector", k, (what, *given), namespace, options, "selector"
    )
    target.check_kind("set_selector", "v1", "Service")
    labels = check_texts("set_selector", "selector", selector)
    if resource_version is not None:
        present = part(await target.read(), "spec", "selector")
        patch = {"spec": {"selector": dict.fromkeys(present) | labels}}
        return await target.patch(_at_version(patch, resource_version))

    def change(service: Unstructured) -> None:
        service["spec"] = {**part(service, "spec"), "selector": labels}

    return await target.edit(change)


@overload
async def set_subject(
    k: AsyncClient,
    binding: W,
    /,
    *,
    users: Iterable[str] = ...,
    groups: Iterable[str] = ...,
    service_accounts: Iterable[str] = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def set_subject(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    /,
    *,
    users: Iterable[str] = ...,
    groups: Iterable[str] = ...,
    service_accounts: Iterable[str] = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def set_subject(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    users: Iterable[str] = (),
    groups: Iterable[str] = (),
    service_accounts: Iterable[str] = (),
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Add subjects to a RoleBinding or ClusterRoleBinding, as `kubectl set subject`.

        set_subject(k, binding, service_accounts=["shop:robot"], groups=["auditors"])

    Args:
        k: The clientset, or its `rest`.
        what: The binding; or its class, followed by its name.
        given: The name, if `what` is a class.
        users: The names of users.
        groups: The names of groups.
        service_accounts: Service accounts as `namespace:name`; `:name` means `k.namespace`.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The binding, as the server returned it.

    Raises:
        TypeError: The kind is no binding.
        ValueError: There is no subject, or a service account has no name or no namespace.
    """
    target, _ = await find_target("set_subject", k, (what, *given), namespace, options)
    rbac = "rbac.authorization.k8s.io/v1"
    target.check_kind("set_subject", rbac, "RoleBinding", "ClusterRoleBinding")
    default = target.namespace and (namespace or target.k.namespace)
    subjects = subjects_of(users, groups, service_accounts, default)

    def change(binding: Unstructured) -> None:
        add_subjects(binding, subjects)

    return await target.edit(change)


# ---- labels, annotations, taints ----------------------------------------------------------------


@overload
async def label(
    k: AsyncClient,
    obj: W,
    labels: Mapping[str, str | None],
    /,
    *,
    overwrite: bool = ...,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def label(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    labels: Mapping[str, str | None],
    /,
    *,
    overwrite: bool = ...,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def label(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    overwrite: bool = False,
    resource_version: str | None = None,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Set labels of an object, as `kubectl label`.

        label(k, pod, {"team": "web", "old": None})
        label(k, Pod, "web-0", {"team": "web"}, namespace="shop", overwrite=True)

    Args:
        k: The clientset, or its `rest`.
        what: The object; or its class, followed by its name.
        given: The values by name; None removes.
        overwrite: Whether labels that have another value may be changed.
        resource_version: Change the object only if it has this resource version.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        OperationRefused: Some have another value, and `overwrite` is False.
        Conflict: The object has another resource version.
        TypeError: A name or a value is not a text.
        ValueError: There is nothing to change.
    """
    target, (changes,) = await find_target("label", k, (what, *given), namespace, options, "labels")
    checked = check_texts("label", "labels", changes, removes=True)
    return await _mark(
        target,
        "labels",
        checked,
        overwrite=overwrite,
        resource_version=resource_version,
    )


@overload
async def annotate(
    k: AsyncClient,
    obj: W,
    annotations: Mapping[str, str | None],
    /,
    *,
    overwrite: bool = ...,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def annotate(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    annotations: Mapping[str, str | None],
    /,
    *,
    overwrite: bool = ...,
    resource_version: str | None = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
async def annotate(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    overwrite: bool = False,
    resource_version: str | None = None,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Set annotations of an object, as `kubectl annotate`.

        annotate(k, pod, {"team": "web", "old": None})
        annotate(k, Pod, "web-0", {"team": "web"}, namespace="shop", overwrite=True)

    Args:
        k: The clientset, or its `rest`.
        what: The object; or its class, followed by its name.
        given: The values by name; None removes.
        overwrite: Whether annotations that have another value may be changed. The annotation
            `kubernetes.io/change-cause` may always be changed.
        resource_version: Change the object only if it has this resource version.
        namespace: The namespace, if the object has none; `k.namespace` by default.
        options: See `EditOptions`.

    Returns:
        The object, as the server returned it.

    Raises:
        OperationRefused: Some have another value, and `overwrite` is False.
        Conflict: The object has another resource version.
        TypeError: A name or a value is not a text.
        ValueError: There is nothing to change.
    """
    target, (changes,) = await find_target(
        "annotate", k, (what, *given), namespace, options, "annotations"
    )
    checked = check_texts("annotate", "annotations", changes, removes=True)
    return await _mark(
        target,
        "annotations",
        checked,
        overwrite=overwrite,
        resource_version=resource_version,
    )


async def _mark(
    target: VerbTarget,
    field: str,
    changes: Mapping[str, str | None],
    *,
    overwrite: bool,
    resource_version: str | None,
) -> Any:
    """Set labels or annotations."""
    subject = str(target)
    if overwrite or resource_version is not None:
        if not overwrite:
            check_not_changed(await target.read(), field, changes, subject)
        patch: Json = {"metadata": {field: changes}}
        return await target.patch(_at_version(patch, resource_version))

    def change(obj: Unstructured) -> None:
        check_not_changed(obj, field, changes, subject)
        change_texts(obj, field, changes)

    return await target.edit(change)


def _at_version(patch: Json, resource_version: str | None) -> Json:
    """Return a patch that the server refuses if the object has another resource version."""
    if resource_version is None:
        return patch
    metadata = {**part(patch, "metadata"), "resourceVersion": resource_version}
    return {**patch, "metadata": metadata}


@overload
async def taint(
    k: AsyncClient,
    node: W,
    taints: str | Iterable[str],
    /,
    *,
    overwrite: bool = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> W: ...
@overload
async def taint(
    k: AsyncClient,
    kind: type[WholeT],
    name: str,
    taints: str | Iterable[str],
    /,
    *,
    overwrite: bool = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeT: ...
@overload
async def taint(
    k: AsyncClient,
    node: str,
    taints: str | Iterable[str],
    /,
    *,
    overwrite: bool = ...,
    namespace: str | None = ...,
    **options: Unpack[EditOptions],
) -> WholeObject: ...
async def taint(
    k: AsyncClient,
    what: Any,
    /,
    *given: Any,
    overwrite: bool = False,
    namespace: str | None = None,
    **options: Unpack[EditOptions],
) -> Any:
    """Add and remove taints of a node, as `kubectl taint`.

        taint(k, "node-1", "dedicated=batch:NoSchedule")
        taint(k, node, ["gpu:NoExecute", "old-", "dedicated:NoSchedule-"])

    Args:
        k: The clientset, or its `rest`.
        what: The name of the node, or the node; or its class, followed by its name.
        given: The taints: `key=value:effect` or `key:effect`. A `-` at the end removes the taint,
            and `key-` those with all effects.
        overwrite: Whether taints of the same key and effect may be changed.
        namespace: Nodes have none.
        options: See `EditOptions`.

    Returns:
        The node, as the server returned it.

    Raises:
        OperationRefused: The node has the taint already and `overwrite` is False, or it has not the
            taint to remove.
        TypeError: The kind is not Node.
        ValueError: A text is not a taint, or taints contradict each other.
    """
    if isinstance(what, str):
        what = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": what}}
    target, (taints,) = await find_target("taint", k, (what, *given), namespace, options, "taints")
    target.check_kind("taint", "v1", "Node")
    changes = taint_changes(taints, overwrite=overwrite)

    def change(node: Unstructured) -> None:
        changes.apply(node, target.name)

    return await target.edit(change)
