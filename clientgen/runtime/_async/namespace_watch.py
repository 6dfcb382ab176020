"""Watches which namespaces a label selector selects, for a manager."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from .._cache.sync_errors import NOT_STARTED, SYNCED, reason
from .._http.path_segments import check_segment
from .._http.resource import Resource
from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from ..errors import ClientError, Gone
from ._primitives import Task, spawn
from .live_namespaces import AsyncLiveNamespaces
from .reflector import AsyncReflector

if TYPE_CHECKING:
    from .._clock import Clock
    from .._models.codec import WatchEvent
    from .rest import AsyncRest

__all__ = ["AsyncNamespaceSelection"]

_NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
_PATIENCE = 10.0

logger = logging.getLogger("clientgen.runtime.informers")


class AsyncNamespaceSelection:
    """Lists and watches the namespaces with certain labels. It is the sink of its reflector.

    Args:
        rest: The client for requests.
        selector: The label selector.
        clock: The clock for waits.

    Attributes:
        live: The selected namespaces.
        is_unserved: Always False: every server has namespaces.
    """

    is_unserved = False

    def __init__(self, rest: AsyncRest, selector: str, clock: Clock) -> None:
        self.live = AsyncLiveNamespaces(selector)
        self._reflector = AsyncReflector(
            rest,
            _NAMESPACES.collection_path(),
            PartialObjectMetadata,
            PartialObjectMetadataList,
            options={"label_selector": selector},
            sink=self,
            clock=clock,
        )
        self._task: Task | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    @property
    def title(self) -> str:
        """What is watched, in messages."""
        return self.live.title

    @property
    def sync_status(self) -> str:
        """Whether the namespaces are known, as text; if they are not, the reason."""
        if self.live.is_known:
            return SYNCED
        if self._task is None:
            return NOT_STARTED
        return reason(self._reflector.last_answer, _NAMESPACES)

    def has_synced(self) -> bool:
        """Tell whether the namespaces are known."""
        return self.live.is_known

    def start(self) -> None:
        """Start to watch."""
        self._task = spawn(self._reflector.run, f"clientgen {self!r}")

    async def stop(self) -> None:
        """Stop."""
        until = monotonic() + _PATIENCE
        self._reflector.stop()
        if self._task is not None:
            await self._task.join(max(0.0, until - monotonic()))

    # ---- what the reflector delivers ----------------------------------------------------------

    def prepare(self, obj: PartialObjectMetadata) -> PartialObjectMetadata | None:
        """Leave out what cannot be the name of a namespace: it becomes a part of URLs."""
        try:
            check_segment("namespace", obj.metadata.name)
        except (TypeError, ValueError) as error:
            logger.warning("%r: a namespace has no valid name: %s", self, error)
            return None
        return obj

    def needs_latest(self) -> bool:
        """Any state will do."""
        return False

    def reads(self, *, latest: bool) -> None:
        """Ignore that a list begins."""

    def replace(self, objects: list[PartialObjectMetadata], version: str) -> None:  # noqa: ARG002
        """Take a list."""
        self.live.replace(each.metadata.name for each in objects)

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Take changes. To a watch with a selector, a namespace without the label is deleted."""
        for event in events:
            if event.type == "BOOKMARK" or self.prepare(event.object) is None:
                continue
            name = event.object.metadata.name
            if event.type == "DELETED":
                self.live.remove(name)
            else:
                self.live.add(name)

    async def failed(self, error: Exception) -> None:
        """Log that listing or watching has failed."""
        level = logging.DEBUG if isinstance(error, Gone) else logging.WARNING
        is_client_error = isinstance(error, ClientError)
        logger.log(
            level, "%r: %s; trying again", self, error, exc_info=None if is_client_error else error
        )
