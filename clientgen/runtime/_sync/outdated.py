# Derived from _async/outdated.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Calls that find their resource anew when the server turns out not to know it any more."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .rest import Rest

__all__ = ["finding_anew", "is_outdated", "left_of"]

C = TypeVar("C", bound="Callable[..., Any]")


def finding_anew(call: C) -> C:
    """Let a method make its requests once more if its resource is elsewhere than was known.

    A version is no longer served, or a definition was made anew: the server answered 404 to the
    first request and did nothing. The object of the method has `rest`, the client of the server,
    and `_forget()`, which forgets the resource and tells whether discovery may have found it.
    """

    @wraps(call)
    def _calls(self: Any, *args: Any, **options: Any) -> Any:
        rest: Rest = self.rest
        deadline = rest.deadline(options)
        try:
            return call(self, *args, **options)
        except NotFound as error:
            if not (self._forget() and is_outdated(rest, error, deadline)):
                raise
        return call(self, *args, **left_of(rest, options, deadline))

    return cast("C", _calls)


def is_outdated(rest: Rest, error: NotFound, deadline: float | None) -> bool:
    """Tell whether a 404 is there because what was known of the resources is no longer true.

    Args:
        rest: the client of the server.
        error: the 404.
        deadline: when the call must be done.

    Raises:
        ApiError, TransportError, DecodeError: the server did not say which resources it has.
    """
    names_an_object = error.details is not None and bool(error.details.name)
    if names_an_object or error.request is None:
        return False
    from .discovery import discovery_of  # start-up does not need it

    return discovery_of(rest).has_changed(error.request.path, deadline)


def left_of(rest: Rest, options: Mapping[str, Any], deadline: float | None) -> dict[str, Any]:
    """Return options with the time that is left: finding the resource may have taken some."""
    if deadline is None:
        return dict(options)
    return {**options, "timeout": rest.left(deadline)}
