"""Bases of generated clients that can wait for objects, and clients of views."""

# Clients use each other's private parts. The client's clock measures the timeout.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from msgspec import UNSET, UnsetType

from .._cache.not_found import check_same_object
from .._http.path_segments import check_segment, name_in
from .._http.request import selector_text
from .._models.arguments import check_view
from .._models.list_classes import view_list_class
from .._models.model import Model
from .._models.model_info import viewed_model
from .._models.unstructured import Object
from .client import AsyncResourceClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Unpack

    from .._conditions.checks import Deleted
    from .._http.call_options import (
        DefaultT,
        EachOptions,
        Fields,
        GetOptions,
        Labels,
        ListOptions,
        WatchOptions,
    )
    from .._models.meta_v1 import ModelList
    from .._models.views import View
    from .watch import AsyncWatch

T = TypeVar("T", bound=Object)
M = TypeVar("M", bound=Model)
V = TypeVar("V", bound="View[Any]")

_WRITES = frozenset({"apply", "create", "edit", "patch", "update", "delete", "delete_collection"})


class AsyncWaitingCollection(AsyncResourceClient, Generic[T]):
    """A client that can wait for several objects at once."""

    _model: Any
    _list_model: Any

    def view(self, view: type[V]) -> AsyncViewCollection[V]:
        """Return a client that reads nothing of the objects but the fields of a view.

        Args:
            view: A class such as `class PodPlace(View[Pod])`, of `clientgen.runtime.views`.

        Raises:
            TypeError: The class is no view of this kind.
        """
        return AsyncViewCollection(self, view)

    async def wait(
        self,
        *,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> list[T]:
        """Wait until a condition is true for all matching objects, and return them.

        At least one object has to exist. With `deleted`, the wait is for the objects that exist at
        the start.

        Args:
            until: A condition of `clientgen.runtime.conditions`, or any function of the object.
            fail: A condition that ends the wait with `WaitFailed` when it is true for any of the
                objects.
            timeout: The seconds after which the wait fails. None for no limit; 0 checks once.
            label_selector: Wait only for objects whose labels match.
            field_selector: Wait only for objects whose fields match.
            on_progress: Called with a description of the state whenever it has changed.

        Raises:
            WaitFailed: the condition cannot become true any more, or `fail` is true.
            WaitTimeout: the condition did not become true in time.
        """
        return await self._wait_for_all(
            until=until,
            fail=fail,
            timeout=timeout,
            label_selector=label_selector,
            field_selector=field_selector,
            on_progress=on_progress,
        )

    async def _wait_for_all(
        self,
        *,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> list[T]:
        from .wait import AsyncWait, wait_target  # imported late: few programs wait

        options = {"label_selector": label_selector, "field_selector": field_selector}
        options = {name: value for name, value in options.items() if value is not None}
        words = [f"in {self._namespace}"] if self._namespace else []
        words += [selector_text(name, value) for name, value in options.items()]
        waited = wait_target(self.resource.kind, " with ".join(words), until, fail, is_one=False)
        wait: AsyncWait[T] = AsyncWait(
            self._rest,
            self._path,
            self._model,
            self._list_model,
            waited,
            options=options,
            timeout=timeout,
            on_progress=on_progress,
        )
        return await wait.run()


class AsyncWaitingClient(AsyncWaitingCollection[T]):
    """A client that can wait for one object, too."""

    def view(self, view: type[V]) -> AsyncViewClient[V]:
        """Return a client that reads nothing of the objects but the fields of a view.

        Args:
            view: A class such as `class PodPlace(View[Pod])`, of `clientgen.runtime.views`.

        Raises:
            TypeError: The class is no view of this kind.
        """
        return AsyncViewClient(self, view)

    # Only with `deleted`, the result may be None. With other conditions, the object exists at the
    # end.
    @overload
    async def wait(  # type: ignore[overload-overlap]
        self,
        name: str,
        *,
        until: Deleted,
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> T | None: ...
    @overload
    async def wait(
        self,
        name: str,
        *,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> T: ...
    @overload
    async def wait(
        self,
        *,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> list[T]: ...
    async def wait(
        self,
        name: str | UnsetType = UNSET,
        *,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        on_progress: Callable[[str], object] | None = None,
    ) -> T | list[T] | None:
        """Wait until a condition is true for an object, and return the object.

        If the object does not exist, wait until it is created, unless `fail` is `deleted`. With
        `until=deleted`, the result is the last state of the object, or None if it did not exist; a
        new object with the same name is another object.

        Without a name, wait for all objects that match the selectors, and return them as a list. At
        least one object has to exist.

        Args:
            name: The name of the object.
            until: A condition of `clientgen.runtime.conditions`, or any function of the object.
            fail: A condition that ends the wait with `WaitFailed` when it is true.
            timeout: The seconds after which the wait fails. None for no limit; 0 checks once.
            label_selector: Without a name: wait only for objects whose labels match.
            field_selector: Without a name: wait only for objects whose fields match.
            on_progress: Called with a description of the state whenever it has changed.

        Raises:
            WaitFailed: the condition cannot become true any more, or `fail` is true.
            WaitTimeout: the condition did not become true in time.
            ValueError: the name is not valid.
        """
        if name is UNSET:
            return await self._wait_for_all(
                until=until,
                fail=fail,
                timeout=timeout,
                label_selector=label_selector,
                field_selector=field_selector,
                on_progress=on_progress,
            )
        if label_selector is not None or field_selector is not None:
            raise self._call_error("the call takes a name or selectors, not both")
        return await self._wait_for_one(name, until, fail, timeout, on_progress)

    async def _wait_for_one(
        self,
        name: str,
        until: Callable[[T], object],
        fail: Callable[[T], object] | None = None,
        timeout: float | None = None,
        on_progress: Callable[[str], object] | None = None,
        *,
        uid: str = "",
    ) -> T | None:
        from .wait import AsyncWait, wait_target  # imported late: few programs wait

        path = self._collection()
        try:
            check_segment("name", name)
        except ValueError as error:
            raise self._call_error(error) from None
        where = f"{self._namespace}/{name}" if self._namespace else name
        waited = wait_target(self.resource.kind, where, until, fail, uid=uid)
        wait: AsyncWait[T] = AsyncWait(
            self._rest,
            path,
            self._model,
            self._list_model,
            waited,
            options={"field_selector": {"metadata.name": name}},
            timeout=timeout,
            on_progress=on_progress,
        )
        return next(iter(await wait.run()), None)


class AsyncViewCollection(AsyncWaitingCollection[T]):
    """Lists and watches views of the objects of a resource, in one namespace or in all.

    Args:
        client: the client of whole objects.
        view: the class of the objects.

    Raises:
        TypeError: the class is no view of the client's kind.
    """

    _model: type[T]
    _list_model: type[ModelList[T]]

    def __init__(self, client: AsyncResourceClient, view: type[T]) -> None:
        resource = client.resource
        check_view(view, resource.api_version, resource.kind)
        self.resource = resource
        self._accessor = client._accessor
        self._model = view
        self._list_model = view_list_class(cast("Any", view))
        super().__init__(client._rest, client._namespace or UNSET)

    if not TYPE_CHECKING:  # `__getattr__` would hide mistakes from type checkers

        def __getattr__(self, name: str) -> object:
            if name not in _WRITES:
                return super().__getattr__(name)
            raise AttributeError(
                f"views are read-only: call {name}() of the client of whole objects. `full()` reads"
                " the whole object of a view"
            )

    async def list(self, **options: Unpack[ListOptions]) -> ModelList[T]:
        """List the objects that match the options. With `limit`, return a single page.

        Args:
            options: see `ListOptions`.
        """
        return await self._list(self._list_model, options)

    def each(self, **options: Unpack[EachOptions]) -> AsyncIterator[T]:
        """Iterate over the objects that match the options, reading a page at a time.

        Args:
            options: see `EachOptions`.
        """
        return self._each(self._list_model, options)

    def watch(self, **options: Unpack[WatchOptions]) -> AsyncWatch[T]:
        """Yield an event for every change to the objects that match the options, until stopped.

        Args:
            options: see `WatchOptions`.
        """
        return self._watch(self._model, options)


class AsyncViewClient(AsyncWaitingClient[T], AsyncViewCollection[T]):
    """Reads views of the objects of a resource in one namespace, or of a cluster-scoped resource.

    `wait` waits with conditions that need no other fields than the view has.
    """

    async def get(
        self, name: str, *, default: DefaultT | UnsetType = UNSET, **options: Unpack[GetOptions]
    ) -> T | DefaultT:
        """Get the object called `name`.

        Args:
            name: the name of the object.
            default: the result if there is no such object; by default that is an error.
            options: see `GetOptions`.
        """
        return await self._get(self._model, name, options, default)

    async def full(self, view: View[M], **options: Unpack[GetOptions]) -> M:
        """Get the whole object of a view, for example to change it.

        Args:
            view: the view.
            options: see `GetOptions`.

        Raises:
            NotFound: the object is gone. Another object may have its name.
        """
        check_view(type(view), self.resource.api_version, self.resource.kind)
        model = cast("type[M]", viewed_model(type(view)))
        obj = await self._get(model, name_in(view), options)
        check_same_object(self.resource, obj, view)
        return obj
