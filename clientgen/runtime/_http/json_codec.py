"""The codec for JSON, the format that every API server supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import MsgspecError, Struct, json

from .._models import model_codec
from .._models.meta_v1 import ModelList
from .._models.unstructured import Object
from .line_decoder import JsonLines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.model_codec import WatchEvent
    from .codec import Codec, Framer
    from .patches import Patch

T = TypeVar("T", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])


class _Peek(Struct):
    """An object of which only the kind is decoded."""

    kind: str = ""


_peek = json.Decoder(_Peek)


class JsonCodec:
    """Writes and reads JSON. A watch has a line of JSON for each event.

    A subclass with another `accept` requests JSON with a media type parameter.
    """

    accept: str = "application/json"
    content_type: str = "application/json"

    def for_answer(self, headers: Mapping[str, str]) -> Codec:  # noqa: ARG002 - see below
        """Return this codec: responses without a content type, or with a wrong one, are JSON."""
        return self

    def encode(self, body: object) -> bytes:
        """Write a model or a JSON-like value; see `model_codec.encode`."""
        return model_codec.encode(body)

    def encode_patch(self, patch: Patch) -> tuple[str, bytes]:
        """Return the content type of a patch, and its body."""
        return patch.content_type, model_codec.encode(patch.body)

    def decode(self, body: bytes, model: type[T], *, usable: bool = False) -> T:
        """Read an object; see `model_codec.decode`."""
        return model_codec.decode(body, model, usable=usable)

    def decode_list(self, body: bytes, list_model: type[ListT], *, usable: bool = False) -> ListT:
        """Read a list; see `model_codec.decode_list`."""
        return model_codec.decode_list(body, list_model, usable=usable)

    def kind_of(self, body: bytes) -> str:
        """Return the kind of an object; empty if it has no kind."""
        try:
            return _peek.decode(body).kind
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            return ""

    def new_framer(self) -> Framer:
        """Return a framer for lines of JSON."""
        return JsonLines()

    def decode_event(self, frame: bytes, model: type[T]) -> WatchEvent[Any]:
        """Read the event of a line; see `model_codec.decode_event`."""
        return model_codec.decode_event(frame, model)

    def decode_events(self, block: bytes, model: type[T]) -> list[WatchEvent[Any]]:
        """Read the events of several lines; see `model_codec.decode_events`."""
        return model_codec.decode_events(block, model)

    def is_urgent(self, block: bytes) -> bool:
        """Return whether lines may contain a bookmark or an error."""
        return b'"BOOKMARK"' in block or b'"ERROR"' in block


JSON: Final = JsonCodec()
"""The default codec of clients."""
