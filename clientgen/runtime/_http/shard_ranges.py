"""Shards of a collection: ranges of the hash of a field, as `shardSelector` writes them.

KEP-5866; k8s.io/apimachinery: pkg/sharding. The hash is FNV-1a with 64 bits, of
`object.metadata.uid` or `object.metadata.namespace`. docs/internals/sharding.md, 1 has the facts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from .._models.arguments import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._models.meta_v1 import ObjectMeta

HASH_SPACE: Final = 1 << 64
"""The number of hashes. It is also the end of the last range."""

ShardField: TypeAlias = Literal["object.metadata.uid", "object.metadata.namespace"]
"""The field whose hash selects the shard of an object."""

UID: Final = "object.metadata.uid"

_OFFSET: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
_MASK: Final = HASH_SPACE - 1
_RANGE: Final = re.compile(
    r"\s*shardRange\(\s*(object\.metadata\.(?:uid|namespace))\s*,"
    r"\s*'0x([0-9a-f]{16})'\s*,\s*'0x(10000000000000000|[0-9a-f]{16})'\s*\)\s*"
).fullmatch


def shard_hash(text: str) -> int:
    """Return the hash of the value of a field."""
    result = _OFFSET
    for byte in text.encode():
        result = ((result ^ byte) * _PRIME) & _MASK
    return result


class ShardRanges:
    """A part of the hashes of a field: ranges that have a start, but not their end.

    Args:
        ranges: The ranges, as pairs of start and end.
        field: The field that is hashed.
    """

    __slots__ = ("field", "ranges", "text")

    def __init__(self, ranges: Iterable[tuple[int, int]], field: ShardField = UID) -> None:
        self.ranges = _merged(ranges)
        self.field: ShardField = field
        # Without a range, the selector still has one, which has a single hash: an empty selector
        # would select everything.
        self.text = " || ".join(
            f"shardRange({field}, '0x{start:016x}', '0x{end:016x}')"
            for start, end in self.ranges or ((0, 1),)
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShardRanges):
            return False
        return (self.field, self.ranges) == (other.field, other.ranges)

    def __hash__(self) -> int:
        return hash((self.field, self.ranges))

    def has(self, metadata: ObjectMeta) -> bool:
        """Return whether an object is selected."""
        return self.has_value(metadata.uid if self.field == UID else metadata.namespace)

    def has_value(self, value: str) -> bool:
        """Return whether an object is selected whose field has this value."""
        point = shard_hash(value)
        return any(start <= point < end for start, end in self.ranges)

    def intersection(self, other: ShardRanges) -> ShardRanges:
        """Return the selection of the objects that both select. Both must hash the same field."""
        common = [
            (max(start, first), min(end, last))
            for start, end in self.ranges
            for first, last in other.ranges
        ]
        return ShardRanges([each for each in common if each[0] < each[1]], self.field)

    def includes(self, other: ShardRanges) -> bool:
        """Return whether every object that another selection selects is selected here, too."""
        return self.field == other.field and all(
            any(start <= first and last <= end for start, end in self.ranges)
            for first, last in other.ranges
        )


def parse_shard_selector(text: str) -> ShardRanges:
    """Read a shard selector.

    Raises:
        ValueError: The selector is not in the form that servers accept.
    """
    if not text:
        raise ValueError(
            "shard_selector is empty, and selects no shard: leave it out to select all"
        )
    found = [_RANGE(part) for part in text.split("||")]
    ranges: list[tuple[int, int]] = []
    fields: set[str] = set()
    for part, matched in zip(text.split("||"), found, strict=True):
        if matched is None:
            raise ValueError(
                f"{part.strip()!r} in shard_selector is not a range of hashes: write"
                " shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
            )
        start, end = int(matched[2], 16), int(matched[3], 16)
        if start >= end:
            raise ValueError(f"{part.strip()!r} in shard_selector ends before it starts")
        ranges.append((start, end))
        fields.add(matched[1])
    if len(fields) > 1:
        raise ValueError(f"shard_selector has several fields, {' and '.join(sorted(fields))}")
    return ShardRanges(ranges, cast("ShardField", fields.pop()))


def shard_text(value: object) -> str:
    """Return the text of the option `shard_selector` of a call.

    It is checked here, because a server that ignores it does not check it.

    Raises:
        TypeError: The value is not a text.
        ValueError: The selector is not in the form that servers accept.
    """
    if not isinstance(value, str):
        raise TypeError(
            f"shard_selector must be a text, not {type_of(value)}; of an AsyncSharding (Sharding"
            " for threads), pass its shard_selector"
        )
    parse_shard_selector(value)
    return value


def _merged(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return ranges in their order, with neighbours joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)
