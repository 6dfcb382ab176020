# Derived from _async/describe.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Describes objects, as `kubectl describe`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._controllers.event_aggregation import CORE_EVENTS
from .._printing.descriptions import describe_object
from .._printing.event_texts import is_about
from ..errors import Forbidden
from .described_object import Subject, find_described
from .lease_client import rest_of
from .outdated import with_remaining_time
from .recipe_target import any_client

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from .._http.call_options import CallOptions
    from .._models.unstructured import Object
    from .lease_client import Client


def describe(
    k: Client,
    about: type[Object] | Object | Mapping[str, Any],
    name: str | None = None,
    *,
    namespace: str | None = None,
    **options: Unpack[CallOptions],
) -> str:
    """Return a description of an object for people, as `kubectl describe`.

        print(describe(k, pod), end="")

    It has the labels and annotations, the owners, the conditions and the events of every object.
    Pods, workloads, Services, Nodes, ConfigMaps and Secrets show what people read most, such as the
    states of containers. Other kinds show all their fields. The object and its events are read
    anew. The text is not that of kubectl, and may change: programs read the fields of objects.

    Values of Secrets are never shown, only their sizes.

    Args:
        k: The clientset, or its `rest`.
        about: The object; or its class, followed by the name.
        name: The name, if `about` is a class.
        namespace: The namespace, if the object has none; by default the namespace of the client.
        options: See `CallOptions`.

    Raises:
        NotFound: The object does not exist.
        NoResourceMatch: The server has no such kind.
    """
    rest = rest_of(k)
    deadline = rest.deadline(options)
    found = find_described(k, Subject("describe", about, name, namespace), deadline)
    read = found.client.get(found.name, **with_remaining_time(rest, options, deadline))
    # The kind decides what is shown, so it is that of the resource, whatever the server says.
    obj = {**read, "apiVersion": found.resource.api_version, "kind": found.resource.kind}
    source = any_client(rest, CORE_EVENTS, found.namespace)
    try:
        listed = source.list(
            field_selector=found.event_selector(),
            **with_remaining_time(rest, options, deadline),
        )
    except Forbidden:  # of the events
        return describe_object(obj, None, rest.clock.now())
    about_it = [event for event in listed.items if is_about(event, obj)]
    return describe_object(obj, about_it, rest.clock.now())
