"""The client of one resource with any class for its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import UNSET, UnsetType

from .._http.path_segments import called, check_segment, is_name
from .._models.meta_v1 import ModelList
from .._models.unstructured import Object
from .waiting_client import AsyncWaitingClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from typing import Unpack

    from .._http.call_options import (
        ApplyOptions,
        DefaultT,
        DeleteCollectionOptions,
        DeleteOptions,
        EachOptions,
        EditOptions,
        GetOptions,
        ListOptions,
        PatchOptions,
        WatchOptions,
        WriteOptions,
    )
    from .._http.patches import Patch
    from .._http.resource import Resource
    from .._models.meta_v1 import Status
    from .client import AsyncSubresource
    from .rest import AsyncRest
    from .watch import AsyncWatch

T = TypeVar("T", bound=Object)
S = TypeVar("S", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])


class AsyncObjectClient(AsyncWaitingClient[T], Generic[T, ListT]):
    """The verbs of one resource, in one namespace or in all.

    Generated clients have the verbs that the resource supports. This client has all verbs; the
    server answers 405 to a verb that the resource does not support.

    Args:
        rest: the client that sends requests.
        resource: the resource.
        namespace: one namespace; None for all namespaces, or if the resource is cluster-scoped.
        model: the class of the objects.
        list_model: the class of lists of the objects.
        caller: the object of the called public method, for error messages; by default this client.

    Raises:
        ValueError: the namespace is not a valid name, or the resource is not namespaced.
    """

    _model: type[T]
    _list_model: type[ListT]

    def __init__(
        self,
        rest: AsyncRest,
        resource: Resource,
        namespace: str | None,
        model: type[T],
        list_model: type[ListT],
        *,
        caller: object = None,
    ) -> None:
        self.resource = resource
        self._model = model
        self._list_model = list_model
        self._caller = caller
        super().__init__(rest, UNSET if namespace is None else namespace)

    async def get(
        self, name: str, *, default: DefaultT | UnsetType = UNSET, **options: Unpack[GetOptions]
    ) -> T | DefaultT:
        """Get the object called `name`. With `default`, return that if there is none."""
        return await self._get(self._model, name, options, default)

    async def list(self, **options: Unpack[ListOptions]) -> ListT:
        """List the objects that match the options. With `limit`, return a single page."""
        return await self._list(self._list_model, options)

    def each(self, **options: Unpack[EachOptions]) -> AsyncIterator[T]:
        """Iterate over the objects that match the options, reading a page at a time."""
        return self._each(self._list_model, options)

    def watch(self, **options: Unpack[WatchOptions]) -> AsyncWatch[T]:
        """Yield an event for every change to the objects that match the options, until stopped."""
        return self._watch(self._model, options)

    async def create(self, body: T | Mapping[str, object], **options: Unpack[WriteOptions]) -> T:
        """Create the object."""
        return await self._create(self._model, body, options)

    async def update(self, body: T | Mapping[str, object], **options: Unpack[WriteOptions]) -> T:
        """Replace the object with `body`."""
        return await self._update(self._model, body, options)

    async def patch(
        self, name: str, patch: Patch | Mapping[str, object], **options: Unpack[PatchOptions]
    ) -> T:
        """Patch the object called `name`. A dict is a merge patch."""
        return await self._patch(self._model, name, patch, options)

    async def edit(
        self, name: str, change: Callable[[T], object], **options: Unpack[EditOptions]
    ) -> T:
        """Get the object, let `change` modify it, and send the difference. Retries on conflict."""
        return await self._edit(self._model, name, change, options)

    async def apply(self, body: T | Mapping[str, object], **options: Unpack[ApplyOptions]) -> T:
        """Server-side apply: create or update the object.

        The field manager owns the fields that are set in `body`.
        """
        return await self._apply(self._model, body, options)

    async def delete(self, name: str, **options: Unpack[DeleteOptions]) -> T | Status:
        """Delete the object called `name`.

        Returns the object if its deletion is pending, otherwise usually a Status.
        """
        return await self._delete(self._model, name, options)

    async def delete_collection(self, **options: Unpack[DeleteCollectionOptions]) -> ListT | Status:
        """Delete every object that matches the options."""
        return await self._delete_collection(self._list_model, options)

    def status(self, name: str) -> AsyncSubresource[T, Mapping[str, object]]:
        """Get, update, patch, apply or edit the status of the object called `name`."""
        return self._subresource(self._model, name, "status")

    def subresource(
        self, name: str, part: str, model: type[S]
    ) -> AsyncSubresource[S, Mapping[str, object]]:
        """Get, update, patch, apply or edit a subresource of the object called `name`.

        Args:
            name: the name of the object.
            part: the subresource, such as `scale`.
            model: the class of the subresource.

        Raises:
            ValueError: one of the names is not valid.
        """
        return self._subresource(model, name, check_segment("subresource", part))

    def __repr__(self) -> str:
        where = f", {self._namespace!r}" if self._namespace else ""
        return f"{type(self).__name__}({self._rest!r}, {self.resource.name!r}{where})"

    def _namespace_error(self, problem: ValueError, namespace: str) -> ValueError:
        is_read = self._call() in {"list", "each", "watch"}
        hint = "; None means all namespaces" if is_read and not is_name(namespace) else ""
        return self._call_error(f"{problem}{hint}")

    async def create_subresource(
        self,
        name: str,
        part: str,
        body: S | Mapping[str, object],
        model: type[S],
        **options: Unpack[WriteOptions],
    ) -> S:
        """Post to a subresource of the object called `name`, such as `eviction` or `token`.

        Raises:
            ValueError: one of the names is not valid.
        """
        part = check_segment("subresource", part)
        return await self._create_named(model, name, body, options, subresource=part)

    def _call_error(self, problem: object) -> ValueError:
        call, kind = self._call(), self.resource.kind
        return ValueError(f"{call}({kind}): {problem}" if call else f"{kind}: {problem}")

    def _call(self) -> str:
        """Return the name of the public method that is being called."""
        return called(self if self._caller is None else self._caller).strip(".()")
