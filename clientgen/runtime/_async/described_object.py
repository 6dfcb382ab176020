"""An object of any kind, given as an object, or as a class and a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from .._http.path_segments import check_segment, name_in
from .._manifests.object_addresses import kind_of, namespace_for
from .._models.unstructured import Unstructured, UnstructuredList
from .dynamic import AsyncDynamicClient
from .lease_client import rest_of
from .object_client import AsyncObjectClient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._gvk import GroupVersionKind

    from .._http.resource import Resource
    from .._models.unstructured import Object
    from .lease_client import AsyncClient


@dataclass(frozen=True)
class AsyncDescribedObject:
    """An object on the server.

    Attributes:
        client: The client for the object, in its namespace.
        resource: The resource.
        namespace: The namespace; None if the object is cluster-scoped.
        name: The name.
    """

    client: AsyncObjectClient[Unstructured, UnstructuredList]
    resource: Resource
    namespace: str | None
    name: str

    def event_selector(self) -> dict[str, str]:
        """Return the field selector of the core/v1 events about the object."""
        return {
            "involvedObject.kind": self.resource.kind,
            "involvedObject.apiVersion": self.resource.api_version,
            "involvedObject.name": self.name,
        }


@dataclass(frozen=True)
class Subject:
    """The arguments of a call that name an object.

    Attributes:
        call: The name of the call, for messages.
        about: The object, or its class.
        name: The name, if `about` is a class.
        namespace: The namespace, if the object has none.
    """

    call: str
    about: type[Object] | Object | Mapping[str, Any]
    name: str | None
    namespace: str | None


async def find_described(
    k: AsyncClient, subject: Subject, deadline: float | None
) -> AsyncDescribedObject:
    """Find the resource and the address of an object.

    Raises:
        TypeError: The arguments are not an object, or a class and a name.
        ValueError: The name or the namespace is not valid.
        NoResourceMatch: The server has no such kind.
    """
    rest = rest_of(k)
    about, name, call = subject.about, subject.name, subject.call
    dynamic: AsyncDynamicClient = getattr(k, "dynamic", None) or AsyncDynamicClient(rest)
    kind: type[Any] | GroupVersionKind
    body: Any = {}
    if isinstance(about, type):
        if name is None:
            raise TypeError(f'write {call}(k, OBJECT) or {call}(k, CLASS, "NAME")')
        kind = about
    else:
        if name is not None:
            raise TypeError("name must be left out if an object is given: the object has its name")
        kind, body, name = kind_of(about), about, cast("str", name_in(about))
    resource = await dynamic.find(kind, deadline)
    check_segment("name", name)
    place = namespace_for(resource, body, subject.namespace, rest.namespace)
    client = AsyncObjectClient(rest, resource, place, Unstructured, UnstructuredList)
    return AsyncDescribedObject(client, resource, place, name)
