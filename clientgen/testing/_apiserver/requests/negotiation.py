"""Which form of an answer a client asks for.

Facts: docs/internals/kubernetes-semantics.md, 1.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clientgen._apimachinery.failures import Failure

_META: Final = "meta.k8s.io"
_TYPES: Final = {"application/json": "json", "application/yaml": "yaml", "*/*": "json"}
_KNOWN: Final = {*_TYPES, "application/vnd.kubernetes.protobuf"}
_AVAILABLE: Final = "application/json, application/yaml"
_FORMS: Final = ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
_VERSIONS: Final = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True)
class Form:
    """The form that objects are shown in; the default is whole objects."""

    kind: str = ""
    version: str = "v1"


@dataclass(frozen=True, slots=True)
class Encoding:
    """The form of an answer.

    Attributes:
        format: `json` or `yaml`.
    """

    format: str = "json"
    form: Form = Form()
    pretty: bool = False

    @property
    def content_type(self) -> str:
        """The bare media type."""
        return f"application/{self.format}"


JSON: Final = Encoding()


def negotiate(accept: str, *, stream: bool = False) -> Encoding:
    """The first acceptable entry of an Accept header.

    Raises:
        Failure: 406, when nothing fits.
    """
    if not accept or accept == "application/json":
        return JSON
    entries = _by_quality(accept)
    for entry in entries:
        encoding = _encoding(entry, stream=stream)
        if encoding is not None:
            return encoding
    if any(_media_type(entry) in _KNOWN for entry in entries):
        message = f"only the following media types are accepted: {_AVAILABLE}"
        raise Failure(406, "NotAcceptable", message, details=False)
    message = f"406: Not Acceptable\n\nAvailable representations: {_AVAILABLE}"
    raise Failure(406, "NotAcceptable", message)


def error_encoding(accept: str) -> Encoding:
    """The form of an error: the one asked for, if that is one of ours."""
    for entry in _by_quality(accept):
        encoding = _encoding(entry, stream=False)
        if encoding is not None:
            return Encoding(encoding.format)
    return JSON


def _media_type(entry: str) -> str:
    return entry.partition(";")[0].strip()


def _by_quality(accept: str) -> list[str]:
    entries = [entry.strip() for entry in accept.split(",") if entry.strip()]
    return sorted(entries, key=_quality, reverse=True)


def _quality(entry: str) -> float:
    _, _, rest = entry.partition(";q=")
    try:
        return float(rest.partition(";")[0]) if rest else 1.0
    except ValueError:
        return 0.0


def _encoding(entry: str, *, stream: bool) -> Encoding | None:
    media, *parameters = (part.strip() for part in entry.split(";"))
    format_ = _TYPES.get(media)
    if format_ is None or (stream and format_ != "json"):
        return None
    given = dict(part.split("=", 1) for part in parameters if "=" in part)
    kind = given.get("as", "")
    if any(name in given for name in ("as", "g", "v")):
        fits = kind in _FORMS and given.get("g") == _META and given.get("v") in _VERSIONS
        if not fits:
            return None
    if given.get("stream", "watch" if stream else "") != ("watch" if stream else ""):
        return None
    form = Form(kind, given["v"]) if kind else Form()
    return Encoding(format_, form, given.get("pretty") in ("1", "true"))
