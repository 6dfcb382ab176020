"""Warnings from the server: deprecated APIs, unknown fields, admission policies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import DecodeError, Struct, json

from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .request import HttpRequest

_WARNING = re.compile(r'(\d{3}) \S+ "((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")

# Limits the memory of programs that run for months.
_MAX_REMEMBERED_TEXTS = 1000


def warnings_in(header: str) -> Iterator[str]:
    """Yield the texts of a Warning header. Kubernetes uses code 299; other codes are skipped.

    https://kubernetes.io/docs/reference/using-api/deprecation-policy/ describes the header.
    """
    for code, text in _WARNING.findall(header):
        if code == "299":
            yield _ESCAPED.sub(r"\1", text)


class LoggedOnce:
    """The default warning handler. It logs each text once, to the logger `clientgen.warnings`.

    The log message contains the first call that got the warning, and its object.
    """

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def __call__(self, text: str, request: HttpRequest | None = None) -> None:
        """Log a text, unless it was logged before."""
        if text in self._logged:
            return
        if len(self._logged) >= _MAX_REMEMBERED_TEXTS:
            self._logged.clear()
        self._logged.add(text)
        import logging  # imported late: most programs get no warning

        call = f"{_describe_call(request)}: " if request is not None else ""
        logging.getLogger("clientgen.warnings").warning("%s%s", call, text)


class _Metadata(Struct, frozen=True):
    name: str = ""
    generateName: str = ""  # noqa: N815 - as in JSON


class _Named(Struct):
    kind: str = "object"
    metadata: _Metadata = _Metadata()


def _describe_call(request: HttpRequest) -> str:
    """Return the method and path. Add the name of the object of a POST: the path lacks it."""
    if request.method != "POST" or not request.body:
        return str(request.info)
    try:
        body = json.decode(request.body, type=_Named)
    except DecodeError:  # the body has another format
        return str(request.info)
    name = body.metadata.name or body.metadata.generateName
    return f"{request.info} ({one_line(f'{body.kind} {name}'.strip())})"
