"""The clients of a group version: which methods each has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.expansions import Expansion
from clientgen.generator.ir import GroupVersionApi, Method, Resource, Verb
from clientgen.generator.plan.plan_records import (
    AccessorPlan,
    ClientPlan,
    MethodPlan,
    Modules,
    ResourcePlan,
    check_distinct,
    mixin,
    shown,
)


def client_plans(
    api: GroupVersionApi,
    modules: Modules,
    expansions: Mapping[str, Expansion],
    problems: Problems,
) -> tuple[ClientPlan, ...]:
    """A client for each resource that has calls.

    Args:
        api: the group version.
        modules: what kinds are called.
        expansions: classes to mix in, by `group/version/Kind`.
        problems: takes clashes of names.
    """
    clients = tuple(
        _client(resource, modules.kind_name(resource), expansions)
        for resource in api.resources
        if has_calls(resource)
    )
    where = shown(api.group_version)
    plurals = [client.resource.plural for client in clients]
    accessors = [accessor_plan(client).name for client in clients]
    check_distinct(zip(accessors, plurals, strict=True), where, "resources", problems)
    # The client of the group version is in the same module.
    version = python_names.group_version_class(
        modules.packages[api.group_version.group], api.group_version
    )
    names = [f"Async{version}Client", *(client.name for client in clients)]
    check_distinct(zip(names, [where, *plurals], strict=True), where, "clients of", problems)
    for client in clients:
        methods = [(m.name, m.subresource or m.shape) for m in (*client.reads, *client.methods)]
        check_distinct(methods, f"{client.resource.plural} of {where}", "calls", problems)
    return clients


def has_calls(resource: Resource) -> bool:
    """Return whether a client of it could do anything."""
    return bool(resource.verbs or resource.methods or resource.subresources or resource.streams)


def resource_plans(clients: Iterable[ClientPlan]) -> tuple[ResourcePlan, ...]:
    """The constants that say what each client is of."""
    return tuple(ResourcePlan(client.constant, client.resource) for client in clients)


def _client(resource: Resource, kind: str, expansions: Mapping[str, Expansion]) -> ClientPlan:
    reads = tuple(_reads(resource))
    split = resource.namespaced and bool(reads)
    accessor = python_names.resource_accessor(resource.kind, resource.plural)
    expansion = expansions.get(f"{resource.group_version}/{resource.kind}", Expansion())
    return ClientPlan(
        resource=resource,
        name=f"Async{kind}Client",
        collection=f"Async{kind}Collection" if split else "",
        constant=python_names.resource_constant(accessor),
        accessor=accessor,
        reads=reads,
        methods=tuple(_methods(resource)),
        expansion=mixin(expansion.client, "Async"),
        waits=_waits(resource),
    )


def _waits(resource: Resource) -> bool:
    """Return whether its objects can be waited for: whether they are listed and watched.

    A marker may have given the name to another method.
    """
    can = bool({"list", "watch"} <= set(resource.verbs) and resource.list_model)
    return can and all(_method(method).name != "wait" for method in resource.methods)


def _reads(resource: Resource) -> Iterable[MethodPlan]:
    """Yield the methods that work across namespaces: list and watch."""
    if "list" in resource.verbs and resource.list_model:
        yield MethodPlan("list", "list", resource.list_model)
        yield MethodPlan("each", "each", resource.model, input=resource.list_model)
    if "watch" in resource.verbs:
        yield MethodPlan("watch", "watch", resource.model)
        if "log" in resource.streams:
            yield MethodPlan("tail", "tail", resource.model)


_STANDARD: tuple[tuple[Verb, str], ...] = (
    ("get", "get"),
    ("create", "create"),
    ("update", "update"),
    ("patch", "patch"),
    ("apply", "apply"),
    ("delete", "delete"),
    ("deleteCollection", "delete_collection"),
)


# The methods for each subresource that is a stream.
_STREAMS: Mapping[str, tuple[str, ...]] = {
    "log": ("logs", "follow_logs"),
    "exec": ("exec", "exec_stream", "copy_to", "copy_from"),
    "attach": ("attach",),
    "portforward": ("port_forward",),
    "proxy": ("proxy",),
}


def _methods(resource: Resource) -> Iterable[MethodPlan]:
    yield from _standard(resource)
    yield from _status(resource)
    for part in resource.subresources:
        name = python_names.subresource_accessor(part.name)
        yield MethodPlan("subresource", name, part.model, subresource=part.name)
    for stream in resource.streams:
        for shape in _STREAMS[stream]:
            yield MethodPlan(shape, shape, resource.model)
    for method in resource.methods:
        yield _method(method)


def _standard(resource: Resource) -> Iterable[MethodPlan]:
    model = resource.model
    for verb, shape in _STANDARD:
        if verb not in resource.verbs:
            continue
        if shape == "create" and resource.create_result:
            yield MethodPlan("create", shape, resource.create_result, input=model)
        elif shape == "delete_collection":
            yield MethodPlan(shape, shape, resource.list_model or model)
        else:
            yield MethodPlan(shape, shape, model, input=model)
        # Editing is reading, changing and sending the difference.
        if shape == "patch" and "get" in resource.verbs:
            yield MethodPlan("edit", "edit", model)


def _status(resource: Resource) -> Iterable[MethodPlan]:
    model = resource.model
    if "updateStatus" in resource.verbs:
        yield MethodPlan("update", "update_status", model, input=model, subresource="status")
    if "applyStatus" in resource.verbs:
        yield MethodPlan("apply", "apply_status", model, input=model, subresource="status")


def _method(method: Method) -> MethodPlan:
    name = method.name or python_names.method_name(method.verb, method.subresource)
    shape = python_names.method_name(method.verb)
    if method.body_optional:
        shape = "evict"
    elif method.verb == "create" and method.subresource:
        shape = "create_named"
    elif method.verb in {"update", "apply"} and method.named:
        shape += "_named"
    return MethodPlan(shape, name, method.result, method.input, method.subresource)


def client_names(clients: Iterable[ClientPlan], group_version_client: str) -> list[str]:
    """Every name a module of clients defines."""
    names = [group_version_client]
    for client in clients:
        names.append(client.name)
        if client.collection:
            names.append(client.collection)
    return names


def accessor_plan(client: ClientPlan) -> AccessorPlan:
    """Return the accessor by which the group version client returns a client."""
    return AccessorPlan(
        name=client.accessor,
        client=client.name,
        collection=client.collection,
        namespaced=client.resource.namespaced,
        kind=client.resource.kind,
    )
