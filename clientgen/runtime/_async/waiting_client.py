"""Bases of generated clients that can wait for objects."""

# ruff: noqa: ASYNC109 - the client's clock measures the timeout

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from msgspec import UNSET, UnsetType

from .._http.path_segments import check_segment
from .._http.request import selector_text
from .._models.unstructured import Object
from .client import AsyncResourceClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._conditions.checks import Deleted
    from .._http.call_options import Fields, Labels

T = TypeVar("T", bound=Object)


class AsyncWaitingCollection(AsyncResourceClient, Generic[T]):
    """A client that can wait for several objects at once."""

    _model: Any
    _list_model: Any

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
