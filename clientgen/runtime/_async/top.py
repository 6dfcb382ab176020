"""Reads what Pods and Nodes use, as `kubectl top`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import DecodeError as MsgspecError
from msgspec import json

from .._conditions.causes import PODS
from .._http.request import HttpRequest
from .._http.resource import Resource
from .._recipes.draining import NODES
from .._recipes.usage import (
    METRICS_GROUP,
    NodeUsages,
    PodUsages,
    SortBy,
    check_sort_by,
    metrics_version,
    node_usages,
    pod_usages,
)
from ..errors import DecodeError, NotFound
from .lease_client import rest_of
from .recipe_target import any_client

if TYPE_CHECKING:
    from .._http.call_options import Fields, Labels, ListOptions
    from .lease_client import AsyncClient
    from .rest import AsyncRest


async def top_pods(
    k: AsyncClient,
    name: str | None = None,
    *,
    namespace: str | None = None,
    label_selector: Labels | None = None,
    field_selector: Fields | None = None,
    sort_by: SortBy | None = None,
) -> PodUsages:
    """Return the CPU and memory that Pods use, as `kubectl top pods`.

        print((await top_pods(k, namespace="shop", sort_by="memory")).text(total=True))

    A new Pod has no metrics for about a minute, and is then missing in the result.

    Args:
        k: The clientset, or its `rest`.
        name: The name of one Pod; by default all Pods.
        namespace: The namespace; by default all namespaces, and for one Pod that of the client.
        label_selector: Only Pods with these labels.
        field_selector: Only Pods with these fields. The Pods are listed, too.
        sort_by: `cpu` or `memory`, the largest first; by default the names.

    Raises:
        OperationRefused: The cluster has no metrics API.
        NotFound: There are no metrics of the Pod.
        ValueError: An argument is not valid, or both a name and a selector are given.
    """
    check_sort_by(sort_by)
    if name is not None and (label_selector or field_selector):
        raise ValueError("top_pods takes either a name or selectors")
    rest = rest_of(k)
    resource = await _metrics(rest, "pods", "PodMetrics", namespaced=True)
    if name is not None:
        where = rest.namespace if namespace is None else namespace
        return pod_usages([await any_client(rest, resource, where).get(name)], sort_by)
    options: ListOptions = {} if label_selector is None else {"label_selector": label_selector}
    found: list[Any] = (await any_client(rest, resource, namespace).list(**options)).items
    if field_selector:
        options["field_selector"] = field_selector
        pods = await any_client(rest, PODS, namespace).list(**options)
        names = {(pod.namespace, pod.name) for pod in pods}
        found = [each for each in found if (each.namespace, each.name) in names]
    return pod_usages(found, sort_by)


async def top_nodes(
    k: AsyncClient,
    name: str | None = None,
    *,
    label_selector: Labels | None = None,
    sort_by: SortBy | None = None,
    capacity: bool = False,
) -> NodeUsages:
    """Return the CPU and memory that Nodes use, as `kubectl top nodes`.

    Args:
        k: The clientset, or its `rest`.
        name: The name of one Node; by default all Nodes.
        label_selector: Only Nodes with these labels.
        sort_by: `cpu` or `memory`, the largest first; by default the names.
        capacity: Percentages are of the capacity of a Node instead of what Pods can use.

    Raises:
        OperationRefused: The cluster has no metrics API.
        NotFound: The Node does not exist, or there are no metrics of it.
        ValueError: An argument is not valid, or both a name and a selector are given.
    """
    check_sort_by(sort_by)
    if name is not None and label_selector:
        raise ValueError("top_nodes takes either a name or a label_selector")
    rest = rest_of(k)
    resource = await _metrics(rest, "nodes", "NodeMetrics", namespaced=False)
    metrics, nodes = (any_client(rest, each, None) for each in (resource, NODES))
    if name is not None:
        found = [await metrics.get(name)], [await nodes.get(name)]
    else:
        options: ListOptions = {} if label_selector is None else {"label_selector": label_selector}
        found = (await metrics.list(**options)).items, (await nodes.list(**options)).items
    return node_usages(*found, sort_by, capacity=capacity)


async def _metrics(rest: AsyncRest, plural: str, kind: str, *, namespaced: bool) -> Resource:
    """Return the resource of metrics.

    Raises:
        OperationRefused: The cluster has no metrics API.
    """
    request = HttpRequest("GET", f"/apis/{METRICS_GROUP}", (("Accept", "application/json"),))
    try:
        response = await rest.send(request, rest.deadline({}))
        group = json.decode(response.body)
    except NotFound:
        group = None
    except (MsgspecError, RecursionError) as error:
        raise DecodeError(f"{request.info}: the response is not JSON: {error}") from None
    version = metrics_version(group)
    return Resource(METRICS_GROUP, version, plural, kind, namespaced=namespaced)
