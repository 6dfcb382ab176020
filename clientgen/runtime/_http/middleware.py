"""What middleware may pass on and return."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from .._models.arguments import type_of
from .request import HttpRequest, HttpResponse, check_headers

_METHOD: Final = re.compile(r"[A-Z]+").fullmatch
_TARGET: Final = re.compile(r"/[!-~]*").fullmatch


class StreamedResponse(HttpResponse):
    """The response of a stream, as middleware gets it. `body` is empty: the caller reads it.

    Attributes:
        stream: The stream.
    """

    stream: Any


def check_middleware(given: object) -> tuple[object, ...]:
    """Return the functions of the option `middleware`.

    Raises:
        TypeError: The option is not a sequence of functions.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(f"middleware must be a list of functions, not {type_of(given)}")
    functions = tuple(cast("Sequence[object]", given))
    for each in functions:
        if not callable(each):
            raise TypeError(f"middleware must be a list of functions, but has {type_of(each)}")
    return functions


def name_of(middleware: object) -> str:
    """Return the name of a middleware, for errors."""
    name = getattr(middleware, "__qualname__", None) or type(middleware).__qualname__
    return f"the middleware {name}"


def checked_request(request: object, middleware: object) -> HttpRequest:
    """Check a request that a middleware passes on.

    Raises:
        TypeError: It is not a request.
        ValueError: It cannot be sent.
    """
    if not isinstance(request, HttpRequest):
        raise TypeError(f"{name_of(middleware)} called send() with {type_of(request)}")
    if not _METHOD(request.method):
        raise ValueError(f"{name_of(middleware)} set the method {request.method!r}")
    if not _TARGET(request.target):  # it is appended to the URL of the server
        raise ValueError(
            f"{name_of(middleware)} set a target that is not a path and query that begin with '/'"
        )
    check_headers(request.headers)
    return request


def checked_response(response: object, middleware: object) -> HttpResponse:
    """Check what a middleware returned.

    Raises:
        TypeError: It is not a response.
    """
    if isinstance(response, HttpResponse):
        return response
    raise TypeError(
        f"{name_of(middleware)} returned {type_of(response)}: it must return the response of"
        " send(request), or an HttpResponse of its own"
    )
