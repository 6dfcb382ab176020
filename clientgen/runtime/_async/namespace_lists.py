"""Lists the objects of several namespaces as one list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._http.path_segments import check_segment
from .._http.resource import Resource
from .._models.meta_v1 import ListMeta, ModelList, PartialObjectMetadata, PartialObjectMetadataList
from ..errors import DecodeError, Forbidden
from .concurrent_calls import call_for_each
from .object_client import AsyncObjectClient
from .outdated import with_remaining_time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from .._cache.namespace_choice import NamespaceChoice
    from ._primitives import Function
    from .rest import AsyncRest

T = TypeVar("T")

_NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)


async def list_namespaces(
    rest: AsyncRest,
    choice: NamespaceChoice,
    list_one: Function[..., ModelList[T]],
    list_model: type[ModelList[T]],
    options: Mapping[str, Any],
) -> ModelList[T]:
    """Return the objects of the chosen namespaces, in the order of the namespaces.

    Args:
        rest: the client that sends requests.
        choice: the namespaces.
        list_one: lists a namespace.
        list_model: the class of the list.
        options: the options of the call.

    Raises:
        ApiError: the server refused the list of a namespace.
        DecodeError: the server listed a namespace without a valid name.
        ValueError: the options ask for a single page.
    """
    for name in ("limit", "continue_"):
        if options.get(name) is not None:
            raise ValueError(f"{name} is for the list of one collection: use each() for pages")
    deadline = rest.deadline(options)

    async def read(namespace: str) -> ModelList[T]:
        remaining = with_remaining_time(rest, options, deadline)
        return await list_one(namespace=namespace, **remaining)

    names = await _names(rest, choice, deadline)
    lists = await call_for_each(names, read, "clientgen list")
    items = [item for each in lists.values() for item in each.items]
    return list_model(metadata=ListMeta(), items=items)


async def each_of_namespaces(
    rest: AsyncRest,
    choice: NamespaceChoice,
    each_of_one: Callable[..., AsyncIterator[T]],
    options: Mapping[str, Any],
) -> AsyncIterator[T]:
    """Yield the objects of the chosen namespaces, a page and a namespace at a time.

    Raises:
        ApiError: the server refused the list of a namespace.
        DecodeError: the server listed a namespace without a valid name.
    """
    deadline = rest.deadline(options)
    for name in await _names(rest, choice, deadline):
        remaining = with_remaining_time(rest, options, deadline)
        async for obj in each_of_one(namespace=name, **remaining):
            yield obj


async def _names(rest: AsyncRest, choice: NamespaceChoice, deadline: float | None) -> list[str]:
    """Return the chosen namespaces. Those of the server are listed only if that is needed."""
    if not choice.needs_list:
        return choice.of(())
    client = AsyncObjectClient(
        rest, _NAMESPACES, None, PartialObjectMetadata, PartialObjectMetadataList
    )
    options = {} if choice.selector is None else {"label_selector": choice.selector}
    try:
        found = await client.list(**with_remaining_time(rest, options, deadline))
    except Forbidden as error:
        error.add_note("Patterns and selectors of namespaces need the right to list namespaces.")
        raise
    return choice.of(_checked(each.metadata.name) for each in found.items)


def _checked(name: str) -> str:
    """Check a name of the server, which becomes a part of a path."""
    try:
        return check_segment("namespace", name)
    except ValueError as error:
        raise DecodeError(f"the server listed a namespace without a valid name: {error}") from None
