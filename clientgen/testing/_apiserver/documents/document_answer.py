"""The forms in which documents are answered, and what requests say of them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha512
from typing import TYPE_CHECKING, Final
from zlib import compress, decompress

from msgspec import json

from clientgen._apimachinery.decoding import dump_yaml
from clientgen._apimachinery.failures import Failure

from ..requests.negotiation import error_encoding
from ..responses.answers import NOSNIFF, Response, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_UNCACHED: Final = ("cache-control", "no-cache, private")
_FAST: Final = 1
"""The level of compression."""
_BROWSERS: Final = ("curl", "Wget", "Mozilla/5.0")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a document; header names are lower-case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]

    @property
    def accept(self) -> str:
        """The media types that the client accepts."""
        return self.headers.get("accept", "")

    @property
    def plain_accept(self) -> str:
        """The accepted media types without those for other forms, such as tables."""
        return ",".join(entry for entry in self.accept.split(",") if "as=" not in entry)

    @property
    def is_pretty(self) -> bool:
        """Whether the answer is indented: for browsers, command line tools, and on request."""
        said = self.query.get("pretty", [""])[0]
        if said:
            return said in {"1", "true"}
        return self.headers.get("user-agent", "").startswith(_BROWSERS)

    def has(self, etag: str) -> bool:
        """Return whether the client has the document of that tag already."""
        tags = [each.strip().removeprefix("W/") for each in self._known.split(",")]
        return etag in tags or "*" in tags

    @property
    def _known(self) -> str:
        return self.headers.get("if-none-match", "")


@dataclass(frozen=True, slots=True)
class Kept:
    """A document that was written once.

    Documents of many custom resources are large, repeat themselves, and are seldom read again:
    they are kept compressed.
    """

    etag: str
    _packed: bytes

    @classmethod
    def of(cls, body: bytes) -> Kept:
        """Keep a document."""
        return cls(etag_of(body), compress(body, _FAST))

    @property
    def body(self) -> bytes:
        """Its text: a new copy."""
        return decompress(self._packed)


def text(body: str, status: int = 200) -> Response:
    """Plain text, as of health checks."""
    return plain_text(status, body, NOSNIFF, _UNCACHED)


def empty(status: int, *headers: tuple[str, str]) -> Response:
    """Return an answer without a body."""
    return Response(status, b"", [_UNCACHED, *headers])


def document(value: object, asked: Asked, media: str = "application/json") -> Response:
    """An object in JSON or YAML, not to be kept; `media` may go on with parameters."""
    is_yaml = media.startswith("application/yaml")
    if is_yaml:
        body = dump_yaml(value)
    else:
        body = json.encode(value)
        body = json.format(body, indent=2) if asked.is_pretty else body + b"\n"
    return Response(200, body, [("content-type", media), _UNCACHED])


def failed(failure: Failure, asked: Asked) -> Response:
    """The Status of a document that cannot be had."""
    media = error_encoding(asked.plain_accept).content_type
    answer = document(failure.status(), asked, media)
    answer.status = failure.code
    return answer


def etag_of(body: bytes) -> str:
    """The tag of a document, which is also its hash in the index of OpenAPI v3."""
    return sha512(body).hexdigest().upper()


def media_types(accept: str) -> list[str]:
    """The media types of an Accept header, without their parameters."""
    return [entry.partition(";")[0].strip() for entry in accept.split(",") if entry.strip()]


def is_json_accepted(accept: str) -> bool:
    """Return whether plain JSON will do."""
    known = {"application/json", "application/*", "*/*"}
    return not accept.strip() or not known.isdisjoint(media_types(accept))


def not_acceptable(available: Iterable[str]) -> Failure:
    """406: the client reads none of these."""
    listed = ", ".join(available)
    message = f"only the following media types are accepted: {listed}"
    return Failure(406, "NotAcceptable", message, details=False)
