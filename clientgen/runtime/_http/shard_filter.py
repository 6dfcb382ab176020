"""Drops the objects of other shards, because a server may ignore `shardSelector`.

docs/internals/sharding.md, 1 has what servers do.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from .._models.tables import Table, TableRow
from .shard_ranges import parse_shard_selector

if TYPE_CHECKING:
    from .._models.meta_v1 import ModelList
    from .shared_objects import SharedObjects

GATE: Final = "Kubernetes 1.36 has them behind the feature gate ShardedListAndWatch"

logger = logging.getLogger("clientgen.runtime.shards")


class _Ignored:
    """Whether a client has logged that its server ignores shard selectors."""

    is_logged = False


def log_ignored(shared: SharedObjects, reader: object) -> None:
    """Log that the server ignores shard selectors: once for a client, with the first reader.

    Args:
        shared: What the users of the client share.
        reader: The request or the informer that got an object of another shard.
    """
    ignored = shared.get_or_create(_Ignored, _Ignored)
    if not ignored.is_logged:
        ignored.is_logged = True
        logger.warning(
            "%s: the server ignores shard selectors: it sends all objects, and those of other"
            " shards are dropped here; %s",
            reader,
            GATE,
        )


class ShardFilter:
    """Drops the objects of other shards from the answers to one call.

    Args:
        selector: The shard selector of the call.
        shared: What the users of the client share.
        reader: The request, for the log.

    Raises:
        ValueError: The selector is not in the form that servers accept.
    """

    __slots__ = ("_ranges", "_reader", "_shared")

    def __init__(self, selector: str, shared: SharedObjects, reader: object) -> None:
        self._ranges = parse_shard_selector(selector)
        self._shared = shared
        self._reader = reader

    def reduce(self, listed: ModelList[Any]) -> None:
        """Drop the items of other shards, unless the list says that the server has selected."""
        if listed.metadata.shard_info is None:
            listed.items[:] = [each for each in listed.items if self.has(each)]

    def has(self, obj: Any) -> bool:
        """Return whether an object, a row of a table, or a table of one row is in the shard."""
        metadata = _metadata_of(obj)
        if metadata is None or self._ranges.has(metadata):
            return True
        log_ignored(self._shared, self._reader)
        return False


def _metadata_of(obj: Any) -> Any:
    """Return the metadata of an object; None for a row without its object."""
    if isinstance(obj, Table):
        return _metadata_of(obj.items[0]) if obj.items else None
    if isinstance(obj, TableRow):
        return None if obj.object is None else obj.object.metadata
    return obj.metadata
