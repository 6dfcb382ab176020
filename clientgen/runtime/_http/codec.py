"""The codec of a client: media types, and how bodies and streams are encoded and decoded.

A `Rest` has a transport, which carries bytes, and a codec, which knows their format. `json_codec`
has the codec for JSON. Another format, or JSON with a media type parameter, is another class.
client-go: runtime.NegotiatedSerializer and runtime.Framer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .._models.decode_error import DecodeError
from .._models.meta_v1 import ModelList
from .._models.unstructured import Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.model_codec import WatchEvent
    from .patches import Patch

T = TypeVar("T", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])


class FrameError(DecodeError):
    """A stream has a frame that is too long, or ends in the middle of a frame."""


class Framer(Protocol):
    """Splits the chunks of one stream into frames. A frame may span chunks.

    A frame is one event of a watch. A block is any number of whole frames in sequence.
    """

    def feed(self, chunk: bytes) -> list[bytes]:
        """Add the next bytes, and return the frames that they complete."""
        ...

    def feed_block(self, chunk: bytes) -> bytes:
        """Add the next bytes, and return the frames that they complete as one block."""
        ...

    def check(self) -> None:
        """Check before the next read that the unfinished frame is not too long.

        Raises:
            FrameError: the frame is longer than the format allows.
        """
        ...

    def finish(self) -> bytes:
        """Return the last frame of an ended stream, if the frame has no end mark; else no bytes.

        Raises:
            FrameError: the stream ended in the middle of a frame.
        """
        ...


class Codec(Protocol):
    """Encodes the bodies of requests and decodes the bodies of responses.

    A codec has no state, so that threads and tasks can share it.
    """

    @property
    def accept(self) -> str:
        """The value of the Accept header of every request."""
        ...

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header of bodies other than patches."""
        ...

    def for_answer(self, headers: Mapping[str, str]) -> Codec:
        """Return the codec that decodes a response with these headers.

        A server or a proxy may send another format than the preferred format of the client.
        """
        ...

    def encode(self, body: object) -> bytes:
        """Write a model or a JSON-like value.

        Raises:
            ValueError, TypeError: a value cannot be encoded, or the server would not accept it.
        """
        ...

    def encode_patch(self, patch: Patch) -> tuple[str, bytes]:
        """Return the content type of a patch, and its body."""
        ...

    def decode(self, body: bytes, model: type[T], *, usable: bool = False) -> T:
        """Read an object. With `usable`, check that it has the metadata that a client needs.

        Raises:
            DecodeError: the body is not an object, or is not usable.
        """
        ...

    def decode_list(self, body: bytes, list_model: type[ListT], *, usable: bool = False) -> ListT:
        """Read a list or a page of a list.

        Raises:
            DecodeError: as `decode`.
        """
        ...

    def kind_of(self, body: bytes) -> str:
        """Return the kind of an object without decoding the rest; empty if it has no kind."""
        ...

    def new_framer(self) -> Framer:
        """Return a framer for one watch."""
        ...

    def decode_event(self, frame: bytes, model: type[T]) -> WatchEvent[Any]:
        """Read one event.

        Raises:
            DecodeError: the frame is not an event, or its object is not usable.
        """
        ...

    def decode_events(self, block: bytes, model: type[T]) -> list[WatchEvent[Any]]:
        """Read the events of a block.

        Raises:
            DecodeError: as `decode_event`.
        """
        ...

    def is_urgent(self, block: bytes) -> bool:
        """Return whether a block may contain a bookmark or an error, which must not wait."""
        ...
