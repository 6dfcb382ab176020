"""Names and texts of JSON that are legal, or read by others, but not by msgspec.

A server may keep a member named `a"b`, which no field of a msgspec struct can be called. Go's
decoder, and so every Kubernetes client in Go, reads half a surrogate pair as U+FFFD, where msgspec
refuses the whole document.
"""

from __future__ import annotations

import re
from secrets import token_hex

from msgspec import json

__all__ = ["field_name", "readable", "with_members"]

# Nobody outside of this process can know it, so no text of a server looks like a marked name.
_MARK = f"member-{token_hex(16)}-"
_MARKED = re.compile(b'"%b([0-9a-f]*)"' % _MARK.encode())
_REFUSED = re.compile(r'["\\\x00-\x1f\x7f]')
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"  # half of one
    rb"|\\."
)
_has_marks = False


def field_name(wire: str) -> str:
    """Give the name that a field is encoded by: the member's, or a mark for `with_members`."""
    if not _REFUSED.search(wire):
        return wire
    global _has_marks  # noqa: PLW0603 - most processes never meet such a name
    _has_marks = True
    return _MARK + wire.encode().hex()


def with_members(data: bytes) -> bytes:
    """Put the names of members where their marks are."""
    if not _has_marks or _MARK.encode() not in data:
        return data
    return _MARKED.sub(lambda match: json.encode(bytes.fromhex(match[1].decode()).decode()), data)


def readable(data: bytes) -> bytes:
    """Write U+FFFD where JSON has half a surrogate pair."""
    return _ESCAPES.sub(lambda match: rb"\ufffd" if match[1] else match[0], data)
