"""The wire format of protobuf: a message is a row of numbered fields.

The bytes do not tell what a field means; `wire` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Wire: TypeAlias = int | bytes
"""An undecoded value: a number, or the bytes of anything else."""

_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
_FIXED: Final = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}
_SIGN: Final = 1 << 63
_MAX_BITS: Final = 63


class BadWire(ValueError):  # noqa: N818 - caught here, never seen by users
    """Bytes that are no such message."""


def fields_of(message: bytes) -> Iterator[tuple[int, Wire]]:
    """The fields of a message in their order, by number.

    Raises:
        BadWire: it is no message; told when the bad field is come to.
    """
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if not number:
            raise BadWire("a field has no number")
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        size, at = _varint(message, at) if kind == _LENGTH else (_FIXED.get(kind, 0), at)
        end = at + size
        if (not size and kind != _LENGTH) or end > len(message):
            raise BadWire(f"the message ends inside of field {number}")
        yield number, message[at:end]
        at = end


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, _MAX_BITS + 1, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that there is more
            return value, at
    raise BadWire("a number does not end")


def number_of(wire: Wire) -> int:
    """An integer, signed.

    Raises:
        BadWire: it is none.
    """
    if not isinstance(wire, int):
        raise BadWire("bytes stand where a number is meant")
    return (wire & (_SIGN - 1)) - (wire & _SIGN)


def bytes_of(wire: Wire) -> bytes:
    """Bytes, which may be a text or a message.

    Raises:
        BadWire: it is a number.
    """
    if not isinstance(wire, bytes):
        raise BadWire("a number stands where bytes are meant")
    return wire


def text_of(wire: Wire) -> str:
    """Text; what is no UTF-8 in it is taken as in JSON.

    Raises:
        BadWire: it is a number.
    """
    return bytes_of(wire).decode("utf-8", "replace")
