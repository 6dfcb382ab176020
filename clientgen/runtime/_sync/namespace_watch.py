# Derived from _async/namespace_watch.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Watches the namespaces that match a label selector, for a manager."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any

from .._cache.fill import Fill
from .._cache.storage import MetadataStorage
from .._cache.sync_errors import NOT_STARTED, SYNCED, reason
from .._http.path_segments import check_segment
from .._http.resource import Resource
from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from ..errors import ClientError, Gone
from ._primitives import Task, spawn
from .live_namespaces import LiveNamespaces
from .reflector import Reflector

if TYPE_CHECKING:
    from .._clock import Clock
    from .._models.model_codec import WatchEvent
    from .rest import Rest

_NAMESPACES = Resource("", "v1", "namespaces", "Namespace", namespaced=False)
_STOP_TIMEOUT_SECONDS = 10.0

logger = logging.getLogger("clientgen.runtime.informers")


class NamespaceSelection:
    """Lists and watches the namespaces that match a label selector.

    It is the sink of its reflector.

    Args:
        rest: The client for requests.
        selector: The label selector.
        clock: The clock for waits.

    Attributes:
        live: The selected namespaces.
        is_unserved: Always False: every server has namespaces.
    """

    is_unserved = False

    def __init__(self, rest: Rest, selector: str, clock: Clock) -> None:
        self.live = LiveNamespaces(selector)
        self._reflector = Reflector(
            rest,
            _NAMESPACES.collection_path(),
            MetadataStorage(PartialObjectMetadata, PartialObjectMetadataList),
            options={"label_selector": selector},
            sink=self,
            clock=clock,
        )
        self._task: Task | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    @property
    def title(self) -> str:
        """The watched namespaces in messages."""
        return self.live.title

    @property
    def sync_status(self) -> str:
        """`synced`, or the reason why the namespaces are not known yet."""
        if self.live.is_known:
            return SYNCED
        if self._task is None:
            return NOT_STARTED
        return reason(self._reflector.last_answer, _NAMESPACES)

    def has_synced(self) -> bool:
        """Return whether the namespaces have been listed."""
        return self.live.is_known

    def start(self) -> None:
        """Start watching in the background."""
        self._task = spawn(self._reflector.run, f"clientgen {self!r}")

    def stop(self) -> None:
        """Stop watching, and wait for the background work to end."""
        until = monotonic() + _STOP_TIMEOUT_SECONDS
        self._reflector.stop()
        if self._task is not None:
            self._task.join(max(0.0, until - monotonic()))

    # ---- the sink of the reflector ------------------------------------------------------------

    def prepare(self, obj: PartialObjectMetadata) -> PartialObjectMetadata | None:
        """Leave out namespaces with invalid names, because names become parts of URLs."""
        try:
            check_segment("namespace", obj.metadata.name)
        except (TypeError, ValueError) as error:
            logger.warning("%r: a namespace has no valid name: %s", self, error)
            return None
        return obj

    def needs_latest(self) -> bool:
        """Return False: a list of any version is good enough."""
        return False

    def list_begins(self, *, latest: bool) -> Fill[PartialObjectMetadata]:  # noqa: ARG002
        """Return what collects the items of a list."""
        return Fill(self.prepare)

    def replace(self, fill: Fill[PartialObjectMetadata], version: str) -> None:  # noqa: ARG002
        """Replace the namespaces with the namespaces of a list."""
        self.live.replace(each.metadata.name for each in fill.entries.values())

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Apply changes. A namespace that loses the label arrives as DELETED."""
        for event in events:
            if event.type == "BOOKMARK" or self.prepare(event.object) is None:
                continue
            name = event.object.metadata.name
            if event.type == "DELETED":
                self.live.remove(name)
            else:
                self.live.add(name)

    def failed(self, error: Exception) -> None:
        """Log a failed list or watch; the reflector tries again."""
        level = logging.DEBUG if isinstance(error, Gone) else logging.WARNING
        is_client_error = isinstance(error, ClientError)
        logger.log(
            level, "%r: %s; trying again", self, error, exc_info=None if is_client_error else error
        )
