"""The body of a request: which format it is in, and the object it holds.

Everything a body can be refused for before its type is looked at, in the order of the API server:
format (415), size (413), syntax (400), `kind` and `apiVersion` that are no text (400).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import is_array, is_object

from .. import failures
from .json_text import BadText, load_json
from .yaml_text import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_BODY_BYTES: Final = 3 * 1024 * 1024
_MAX_SHOWN_CHARS: Final = 30
_DUPLICATE: Final = 'duplicate field "{}"'
_UNKNOWN: Final = 'unknown field "{}"'
_NO_INTERPRETATION: Final = "couldn't get version/kind; json parse error: "
_HEAD: Final = "struct { APIVersion string; Kind string }"


class Format(Enum):
    """A format that bodies are taken in."""

    JSON = "application/json"
    YAML = "application/yaml"
    PROTOBUF = "application/vnd.kubernetes.protobuf"


_UNSUPPORTED: Final = (
    "the body of the request was in an unknown format - accepted media types include: "
)
_MAGIC: Final = b"k8s\x00"


@dataclass(slots=True)
class Parsed:
    """The contents of a body.

    Attributes:
        value: the JSON value; `{}` where the body said null or nothing.
        duplicates: what the server says of the fields that stand twice, one sentence each.
    """

    value: Any
    duplicates: list[str] = field(default_factory=list[str])

    def complaints(self, unknown: Iterable[str] = ()) -> list[str]:
        """The sentences for Warning headers, or for the error where validation is strict.

        Args:
            unknown: paths of the unknown fields; what stands twice inside them is not told.
        """
        paths = list(unknown)
        inside = tuple(f"{path}{after}" for path in paths for after in '".[')
        quoted = tuple(_DUPLICATE.format(start)[:-1] for start in inside)
        repeated = [key for key in self.duplicates if not key.startswith(quoted)]
        return repeated + [_UNKNOWN.format(path) for path in paths]


def input_format(content_type: str, accepted: Iterable[Format] = Format) -> Format:
    """The format a `Content-Type` names; JSON where there is none.

    Raises:
        Failure: 415, for any other. CBOR is not spoken here.
    """
    formats = {each.value: each for each in accepted}
    media_type, mark, parameters = content_type.partition(";")
    named = formats.get(media_type.strip().lower() or Format.JSON.value)
    if named is None or not _are_parameters(mark + parameters):
        raise failures.unsupported_media_type(_UNSUPPORTED + ", ".join(formats))
    return named


_WORD: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PARAMETER: Final = re.compile(rf'\s*;\s*({_WORD})=({_WORD}|"(?:[^"\\\r\n]|\\[^\r\n])*")')


def _are_parameters(text: str) -> bool:
    """Return whether what follows a media type is in order: Go's mime.ParseMediaType."""
    at = 0
    known: dict[str, str] = {}
    while found := _PARAMETER.match(text, at):
        name, value = found[1].lower(), found[2]
        if known.setdefault(name, value) != value:
            return False
        at = found.end()
    return text[at:].strip() in ("", ";")  # Go bears one semicolon at the end


def check_size(body: bytes) -> None:
    """Refuse a body of more than 3 MiB.

    Raises:
        Failure: 413 RequestEntityTooLarge.
    """
    if len(body) > MAX_BODY_BYTES:
        raise failures.Failure(
            413,
            "RequestEntityTooLarge",
            f"Request entity too large: limit is {MAX_BODY_BYTES}",
            details=False,
        )


def parse(
    body: bytes,
    content_type: str,
    *,
    kind: str = "object",
    merging: bool = False,
    accepted: Iterable[Format] = Format,
) -> Parsed:
    """Read the object in a body.

    What is in protobuf here still could not be read by `in_json`, which comes first.

    Args:
        body: the text.
        content_type: the header, empty where there is none.
        kind: what is expected, for the message only.
        merging: as for built-in kinds, which Go decodes into structs: fields that stand twice are
            filled in twice, and 1.0 is no integer. Else the last wins, and 1.0 is read as 1.
        accepted: the formats there are for its kind.

    Raises:
        Failure: 415 for its format, 413 for its size, 400 for what it holds.
    """
    text_format = input_format(content_type, accepted)
    check_size(body)
    try:
        parsed = _read(body, text_format, merging=merging)
        _check_head(parsed.value)
    except BadText as why:
        raise failures.bad_request(
            f"the object provided is unrecognized (must be of type {kind}):"
            f" {why} ({_summary(body)})"
        ) from None
    if parsed.value is None:
        parsed.value = {}
    return parsed


def _read(body: bytes, text_format: Format, *, merging: bool) -> Parsed:
    if text_format is Format.PROTOBUF:
        raise BadText(_unreadable(body))
    if text_format is Format.YAML:
        return Parsed(*load_yaml(body))
    try:
        value, paths = load_json(body, filling=merging, whole=not merging)
    except BadText as why:
        raise BadText(f"{_NO_INTERPRETATION}{why}") from None
    return Parsed(value, [_DUPLICATE.format(path) for path in paths])


def _unreadable(body: bytes) -> str:
    """Return the problem of a protobuf body from which no object could be made."""
    if not body:
        return "empty data"
    if not body.startswith(_MAGIC):
        return (
            "provided data does not appear to be a protobuf message,"
            f" expected prefix [{' '.join(map(str, _MAGIC))}]"
        )
    return "it holds no kind that is known, or ends too early"


def _check_head(value: Any) -> None:
    """Kind and version are read first, by a decoder of their own."""
    if value is None:
        return
    if not is_object(value):
        what = type_word(value)
        raise BadText(
            f"{_NO_INTERPRETATION}json: cannot unmarshal {what} into Go value of type {_HEAD}"
        )
    for name in ("apiVersion", "kind"):
        stated = value.get(name)
        if stated is not None and not isinstance(stated, str):
            raise BadText(
                f"{_NO_INTERPRETATION}json: cannot unmarshal {type_word(stated)} into Go struct"
                f" field .{name} of type string"
            )
    version = value.get("apiVersion")
    if version and version.count("/") > 1:
        raise BadText(f"unexpected GroupVersion string: {version}")


def type_word(value: Any) -> str:
    """Return Go's name for the type of a JSON value."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if is_array(value) else "object"


def _summary(body: bytes) -> str:
    """Show the beginning of a body, in hexadecimal when it is no JSON object."""
    if not body:
        return "<empty>"
    cut = body[:_MAX_SHOWN_CHARS]
    shown = cut.decode("utf-8", "replace") if body.startswith(b"{") else cut.hex()
    return f"{shown} ..." if len(body) > _MAX_SHOWN_CHARS else shown
