"""The codec of a client: its media types, and how bodies and streams of them are written and read.

A `Rest` holds one codec beside its transport. The transport carries bytes; the codec knows their
format. JSON is in `json_codec`. Another format, or JSON with a media type parameter, is one more
class. client-go: runtime.NegotiatedSerializer, and runtime.Framer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .._models.decode_error import DecodeError
from .._models.meta_v1 import ModelList
from .._models.unstructured import Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.codec import WatchEvent
    from .patches import Patch

__all__ = ["Codec", "FrameError", "Framer"]

T = TypeVar("T", bound=Object)
ListT = TypeVar("ListT", bound=ModelList[Any])


class FrameError(DecodeError):
    """A stream holds a frame that is too long, or ends within one."""


class Framer(Protocol):
    """Cuts the bytes of one stream into frames, wherever the network cut them before.

    A frame is one event of a watch. A block is any number of whole frames, one after the other.
    """

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes, and return the frames that they complete."""
        ...

    def feed_block(self, chunk: bytes) -> bytes:
        """Take the next bytes, and return the frames that they complete as one block."""
        ...

    def check(self) -> None:
        """Check, before more is read, that the frame that has begun may still become longer.

        Raises:
            FrameError: it is too long already.
        """
        ...

    def finish(self) -> bytes:
        """Return the last frame of a stream that is over, if its end was not marked; or nothing.

        Raises:
            FrameError: the stream ended within a frame.
        """
        ...


class Codec(Protocol):
    """Writes the bodies of requests and reads those of answers.

    A codec has no state, so that any number of threads and tasks can share it.
    """

    @property
    def accept(self) -> str:
        """The value of the Accept header of every request."""
        ...

    @property
    def content_type(self) -> str:
        """The value of the Content-Type header of requests with a body that is no patch."""
        ...

    def for_answer(self, headers: Mapping[str, str]) -> Codec:
        """Return the codec that reads an answer with these headers.

        A server, or a proxy before it, may answer in another format than the one preferred.
        """
        ...

    def encode(self, body: object) -> bytes:
        """Write a model or a JSON-like value.

        Raises:
            ValueError, TypeError: it holds something that the format or the server does not take.
        """
        ...

    def encode_patch(self, patch: Patch) -> tuple[str, bytes]:
        """Return the content type of a patch, and its body."""
        ...

    def decode(self, body: bytes, model: type[T], *, usable: bool = False) -> T:
        """Read an object; with `usable`, check that its metadata is such that a client can go on.

        Raises:
            DecodeError: the body is no object, or of no use.
        """
        ...

    def decode_list(self, body: bytes, list_model: type[ListT], *, usable: bool = False) -> ListT:
        """Read a list, or a page of one, in one go.

        Raises:
            DecodeError: as `decode`.
        """
        ...

    def kind_of(self, body: bytes) -> str:
        """Return the kind of an object, without reading more of it; empty if it has none."""
        ...

    def new_framer(self) -> Framer:
        """Return a framer for one watch."""
        ...

    def decode_event(self, frame: bytes, model: type[T]) -> WatchEvent[Any]:
        """Read one event.

        Raises:
            DecodeError: the frame is no event, or its object is of no use.
        """
        ...

    def decode_events(self, block: bytes, model: type[T]) -> list[WatchEvent[Any]]:
        """Read the events of a block in one go.

        Raises:
            DecodeError: as `decode_event`.
        """
        ...

    def is_urgent(self, block: bytes) -> bool:
        """Tell whether a block may hold a bookmark or an error, which must not wait."""
        ...
