"""Decodes the body of a large list in parts, so that a program can do other work in between.

An older server sends all objects in one response: the body of 100,000 pods is a gigabyte, and takes
seconds to decode. A part is the body of a list with some of the items.

The ends of items are guessed: an item ends where `},` is followed by the bytes with which the first
item begins. The same bytes inside of an item or of a string are a wrong guess. Then the brackets or
quotes of the part do not match, so the part is not JSON, and a longer part is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._models.decode_error import DecodeError
from .._models.meta_v1 import ModelList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ListT = TypeVar("ListT", bound=ModelList[Any])

# The size of the blocks of a watch, too: larger blocks do not fit into the CPU's caches.
_PART_BYTES: Final = 1 << 19
# An item begins with its apiVersion, kind and metadata, of which the first two may be missing.
_ITEMS: Final = b'"items":['
_METADATA: Final = b'"metadata":{'
_MAX_BEGIN_BYTES: Final = 1024


def decode_in_parts(
    body: bytes, decode: Callable[[bytes], ListT], part_bytes: int = _PART_BYTES
) -> Iterator[ListT]:
    """Decode a list of JSON, and yield it in parts. The last part has the metadata of the list.

    Args:
        body: the body of a list. Any other body is one part.
        decode: decodes a list.
        part_bytes: the approximate size of a part. A list that is not twice as long is one part.

    Raises:
        DecodeError: as `decode`.
    """
    begin = body.find(_ITEMS, 0, _PART_BYTES) + len(_ITEMS)
    boundary = _boundary(body, begin) if len(body) >= 2 * part_bytes else b""
    position, size = begin, part_bytes
    while boundary and (end := body.find(boundary, position + size) + 1):
        try:
            part = decode(body[:begin] + body[position:end] + b"]}")
        except DecodeError:
            size *= 2
            continue
        yield part
        position, size = end + 1, part_bytes
    yield decode(body if position == begin else body[:begin] + body[position:])


def _boundary(body: bytes, begin: int) -> bytes:
    """Return the bytes between two items; empty if the list is of another form."""
    metadata = body.find(_METADATA, begin, begin + _MAX_BEGIN_BYTES)
    if begin < len(_ITEMS) or metadata < 0:
        return b""
    return b"}," + body[begin : metadata + len(_METADATA)]
