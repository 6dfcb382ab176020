"""Repeats calls after a 404 if the cached discovery of the resource is out of date."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._cache.not_found import is_missing_object
from ..errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .rest import AsyncRest

C = TypeVar("C", bound="Callable[..., Any]")


def retry_if_outdated(call: C) -> C:
    """Decorate a method to find its resource again and repeat its requests after a 404.

    The version may no longer be served, or its definition may have been created again. Repeating is
    safe, because the server rejected the first request. The object of the method has `rest`, the
    client of the server, and `_forget()`, which drops the known resource and returns whether the
    resource may have come from discovery.
    """

    @wraps(call)
    async def _calls(self: Any, *args: Any, **options: Any) -> Any:
        rest: AsyncRest = self.rest
        deadline = rest.deadline(options)
        try:
            return await call(self, *args, **options)
        except NotFound as error:
            if not (self._forget() and await is_outdated(rest, error, deadline)):
                raise
        return await call(self, *args, **with_remaining_time(rest, options, deadline))

    return cast("C", _calls)


async def is_outdated(rest: AsyncRest, error: NotFound, deadline: float | None) -> bool:
    """Return whether a 404 means that cached discovery is out of date.

    A 404 that names an object means that the object does not exist. Otherwise the group version is
    discovered again.

    Args:
        rest: the client of the server.
        error: the 404.
        deadline: the time of the client's clock at which the call must be done.

    Raises:
        ApiError, TransportError, DecodeError: discovery failed.
    """
    if is_missing_object(error) or error.request is None:
        return False
    from .discovery import discovery_of  # imported late: few programs need it

    return await discovery_of(rest).has_changed(error.request.path, deadline)


def with_remaining_time(
    rest: AsyncRest, options: Mapping[str, Any], deadline: float | None
) -> dict[str, Any]:
    """Return the options with the remaining time as `timeout`."""
    if deadline is None:
        return dict(options)
    return {**options, "timeout": rest.left(deadline)}
