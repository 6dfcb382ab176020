"""Names and strings in JSON that Go accepts and msgspec does not.

A server may store a member named `a"b`, which msgspec does not allow as the name of a field. Go's
decoder reads half of a surrogate pair as U+FFFD; msgspec rejects the whole document.
"""

from __future__ import annotations

import re
from os import urandom

from msgspec import json

# The mark is random, so that a server cannot send a string that looks like a marked name.
_MARK = f"member-{urandom(16).hex()}-"
_MARKED = re.compile(b'"%b([0-9a-f]*)"' % _MARK.encode())
_REFUSED = re.compile(r'["\\\x00-\x1f\x7f]')
_ESCAPES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"  # half of a pair
    rb"|\\."
)
_has_marks = False


def field_name(wire: str) -> str:
    """Return the name for msgspec: the wire name, or a marked name that `with_members` replaces."""
    if not _REFUSED.search(wire):
        return wire
    global _has_marks  # noqa: PLW0603 - most processes never meet such a name
    _has_marks = True
    return _MARK + wire.encode().hex()


def with_members(data: bytes) -> bytes:
    """Replace marked names in encoded JSON by the wire names."""
    if not _has_marks or _MARK.encode() not in data:
        return data
    return _MARKED.sub(lambda match: json.encode(bytes.fromhex(match[1].decode()).decode()), data)


def replace_half_surrogates(data: bytes) -> bytes:
    """Replace each half of a surrogate pair in JSON by U+FFFD."""
    return _ESCAPES.sub(lambda match: rb"\ufffd" if match[1] else match[0], data)
