# Derived from _async/informer.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Shared informers: a cache of a collection, and handlers that are told what changes in it.

client-go: tools/cache/shared_informer.go.
"""

# An informer, its scopes and its registrations are friends; a timeout is one of its clock.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._cache.deltas import DeletedFinalStateUnknown, Notification, apply_event, apply_replace
from .._cache.event_handlers import Handlers, ResyncTimer
from .._cache.indexer import Indexer, IndexFunction, meta_namespace_key
from .._cache.informer_metrics import InformerState
from .._cache.informer_options import namespaces_of, selection
from .._cache.listers import Lister
from .._cache.mutation_detector import MutationDetector
from .._cache.sync_errors import NOT_STARTED, SYNCED, incomplete, not_started, reason
from .._clock import SYSTEM_CLOCK
from .._models.arguments import check_function
from .._models.model import Model
from ..errors import ClientError, Gone
from ._primitives import Task, call, check_spawn, spawn, wait_until
from .processor import Processor
from .reflector import Reflector

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from .._cache.informer_metrics import InformerMetricsProvider
    from .._cache.informer_options import Namespaces
    from .._clock import Clock
    from .._http.options import Fields, Labels
    from .._http.resource import Resource
    from .._models.codec import WatchEvent
    from .._models.meta_v1 import ModelList
    from .registration import HandlerRegistration
    from .rest import Rest

__all__ = ["SharedInformer", "namespaces_of"]

T = TypeVar("T", bound=Model)

# A thread's request that hangs is not waited for longer than this; it ends by itself later.
_PATIENCE = 10.0

logger = logging.getLogger("clientgen.runtime.informers")


class _NamespaceSink(Generic[T]):
    """What one reflector of an informer delivers: the whole collection, or one namespace of it."""

    def __init__(self, informer: SharedInformer[T], namespace: str | None) -> None:
        self.namespace = namespace
        self._informer = informer

    def prepare(self, obj: T) -> T | None:
        """Transform an object."""
        return self._informer._prepare(obj)

    def replace(self, objects: list[T], version: str) -> None:
        """Take the whole of it."""
        self._informer._replace(self, objects, version)

    def apply(self, events: list[WatchEvent[T]]) -> None:
        """Take changes."""
        self._informer._apply(events)

    def failed(self, error: Exception) -> None:
        """Tell of a pass that failed."""
        self._informer._watch_failed(error)


class SharedInformer(Generic[T]):
    """A cache of a collection that is kept up to date, for any number of users.

    What `lister` and `indexer` give is shared by all of them: read-only. Copy an object
    (`deep_copy`) before you change it.

    Several namespaces have a watch each; their objects are in one cache.

    Args:
        rest: The client to ask with.
        resource: What to watch.
        model: The class of its objects.
        list_model: The class of its lists.
        namespace: One namespace or several; None for all, and for resources that have none.
        label_selector: Only objects whose labels it selects.
        field_selector: Only objects whose fields it selects.
        resync_period: After how many seconds a handler that says nothing else is told of every
            object again, as an update that changes nothing; 0 for never. No request is made.
        transform: What to keep of each object, called before it is stored. See `set_transform`.
        clock: What the waits are measured with.
        metrics: Who is told how it goes, for example `PrometheusInformerMetrics`.

    Attributes:
        resource: What is watched.
        namespaces: The namespaces that are; None for all.
        indexer: The cache. Reading it, also by `lister`, raises `NotSynced` until it is full.
        watch_errors: How many times reading or watching the collection has failed.
    """

    def __init__(
        self,
        rest: Rest,
        resource: Resource,
        model: type[T],
        list_model: type[ModelList[T]],
        *,
        namespace: Namespaces = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        resync_period: float = 0.0,
        transform: Callable[[T], T] | None = None,
        clock: Clock = SYSTEM_CLOCK,
        metrics: InformerMetricsProvider | None = None,
    ) -> None:
        self.resource = resource
        self.namespaces = namespaces_of(resource, namespace)
        self.indexer: Indexer[T] = Indexer()
        self.indexer.hide(self._why_incomplete)
        self.watch_errors = 0
        self._resync_period = resync_period
        self._transform = transform
        self._on_watch_error: Callable[[Exception], object] = self._log_watch_error
        self._clock = clock
        detector: MutationDetector[T] = MutationDetector(resource.name)
        self._processor = Processor(repr(self), self.indexer, detector, clock)
        self._reading: list[Task] = []
        self._stop_by = 0.0
        self._scopes = scopes = [_NamespaceSink(self, each) for each in self.namespaces or (None,)]
        self._unsynced = set(scopes)
        options = {
            "label_selector": selection("label_selector", label_selector),
            "field_selector": selection("field_selector", field_selector),
        }
        self._reflectors = [
            Reflector(
                rest,
                resource.collection_path(scope.namespace),
                model,
                list_model,
                options=options,
                sink=scope,
                clock=clock,
            )
            for scope in scopes
        ]
        self._metrics = None if metrics is None else metrics.informer(resource, self._state)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.title}>"

    @property
    def title(self) -> str:
        """What it is of, for people: `pods in shop`."""
        where = f" in {', '.join(self.namespaces)}" if self.namespaces else ""
        return f"{self.resource.name}{where}"

    @property
    def lister(self) -> Lister[T]:
        """How to look things up in the cache; generated informers give one of their kind."""
        return Lister(self.indexer, self.resource)

    # ---- what users set up --------------------------------------------------------------------

    def add_handler(
        self,
        on_add: Callable[[T, bool], object] | None = None,
        on_update: Callable[[T, T], object] | None = None,
        on_delete: Callable[[T], object] | None = None,
        on_delete_unknown: Callable[[DeletedFinalStateUnknown[T]], object] | None = None,
        *,
        filter: Callable[[T], bool] | None = None,  # noqa: A002 - what it is called everywhere
        resync_period: float | None = None,
    ) -> HandlerRegistration[T]:
        """Have functions called when something changes; coroutine functions are awaited.

        They are called one after the other, in the order of the changes; other handlers and the
        cache do not wait for them. Handlers that are added later are told of what is there by
        `on_add`.

        Args:
            on_add: Given the object, and whether it was there at first.
            on_update: Given the object as it was and as it is.
            on_delete: Given the last known state of the object.
            on_delete_unknown: Called instead when the deletion itself was missed.
            filter: Only for objects it returns true for. One that begins to pass is added, one
                that no longer does is deleted. It must depend on nothing but the object.
            resync_period: Instead of the informer's.

        Raises:
            RuntimeError: The informer is stopped.
            TypeError: One of them is no function, or there is none.
            ValueError: `resync_period` is negative.
        """
        period = self._resync_period if resync_period is None else resync_period
        timer = ResyncTimer(period, self._clock.monotonic())
        handlers = Handlers(on_add, on_update, on_delete, on_delete_unknown, filter)
        for name in handlers.__struct_fields__:
            if (function := getattr(handlers, name)) is not None:
                check_function(f"{name} of add_handler()", function)
        if all(each is None for each in (on_add, on_update, on_delete, on_delete_unknown)):
            raise TypeError("add_handler() needs a function: on_add, on_update or on_delete")
        return self._processor.add(handlers, timer)

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Index the cache by what a function gives for each object, from now on.

        Raises:
            ValueError: There is an index of this name.
        """
        self.indexer.add_index(name, function)

    def set_transform(self, function: Callable[[T], T]) -> None:
        """Have a function say what to keep of each object, before it is stored.

        It may change the object, and must keep its name, namespace, uid and version. An object
        that it fails on is logged, and left as it was in the cache.

        Raises:
            RuntimeError: The informer has started.
        """
        if self._processor.is_started:
            raise RuntimeError(f"{self!r} has started: set its transform before")
        self._transform = function

    def on_watch_error(self, handler: Callable[[Exception], object]) -> None:
        """Have a function called, instead of a log entry, when reading or watching has failed.

        The informer tries again by itself, after 0.8 to 60 seconds. A coroutine function is
        awaited before.

        Raises:
            RuntimeError: The informer has started.
        """
        if self._processor.is_started:
            raise RuntimeError(f"{self!r} has started: set its handler of errors before")
        self._on_watch_error = handler

    # ---- running ------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to read and watch; a second call does nothing.

        Raises:
            RuntimeError: The informer is stopped; one that was does not start again. Or no event
                loop is running.
        """
        check_spawn()
        if self._processor.start():
            for reflector in self._reflectors:
                self._reading.append(spawn(reflector.run, f"clientgen {self!r}"))

    def has_synced(self) -> bool:
        """Whether the cache has been filled; handlers may not have been told of all of it."""
        return self._processor.is_synced

    @property
    def sync_status(self) -> str:
        """Whether the cache has been filled, in words for people; if not, what keeps it from it.

        That is the server's last answer, and for 403 the rule that its RBAC lacks.
        """
        if self._processor.is_synced:
            return SYNCED
        if not self.is_started:
            return NOT_STARTED
        missing = [
            self._prefix(scope) + reason(reflector.last_answer, self.resource)
            for scope, reflector in zip(self._scopes, self._reflectors, strict=True)
            if scope in self._unsynced
        ]
        return "; ".join([*missing, *(["stopped"] if self.is_stopped else [])])

    def _prefix(self, scope: _NamespaceSink[T]) -> str:
        return f"in {scope.namespace}: " if len(self._scopes) > 1 else ""

    def _why_incomplete(self) -> str:
        return incomplete(repr(self), self.sync_status)

    def wait_for_sync(self, timeout: float | None = None) -> bool:
        """Wait until the cache is filled, no longer than so many seconds; gives whether it is.

        It gives up as soon as the informer is stopped. `sync_status` says what is amiss.

        Raises:
            NotSynced: The informer was not started: nobody fills the cache.
        """
        if not self.is_started and not self.is_stopped:
            raise not_started([self.title])
        until = None if timeout is None else self._clock.monotonic() + timeout
        wait_until(self._processor.settled, self._clock, until)
        return self._processor.is_synced

    @property
    def is_started(self) -> bool:
        """Whether it was started."""
        return self._processor.is_started

    @property
    def is_stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._processor.is_stopped

    @property
    def resource_version(self) -> str:
        """The version of the last list, event or bookmark; of any of several namespaces."""
        return self.indexer.resource_version

    @property
    def handler_errors(self) -> int:
        """How many calls of handlers have failed."""
        return self._processor.errors

    def stop(self) -> None:
        """End the watch. Handlers finish the call they are at; what waits for them is dropped.

        The cache stays as it is. A handler may call this: then it waits neither for itself nor
        for handlers that are within such a call too.

        Raises:
            CacheMutationError: Cached objects were changed, and CLIENTGEN_CACHE_MUTATION_DETECTOR
                is set, so that this is detected.
        """
        self.stop_soon()
        for task in self._reading:
            if not task.is_current:  # the handler of watch errors calls this
                task.join(max(0.0, self._stop_by - monotonic()))
        self._processor.join()

    def stop_soon(self) -> None:
        """The same without waiting for the end."""
        if not self.is_stopped:
            self._stop_by = monotonic() + _PATIENCE
        self._processor.stop_soon()
        for reflector in self._reflectors:
            reflector.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    # ---- what the reflectors deliver ----------------------------------------------------------

    def _prepare(self, obj: T) -> T | None:
        """What to keep of an object; what was kept before, when that cannot be said."""
        transformed = self._transformed(obj)
        return (
            self.indexer.stored.get(meta_namespace_key(obj)) if transformed is None else transformed
        )

    def _transformed(self, obj: T) -> T | None:
        if self._transform is None:
            return obj
        transform = cast("Callable[[T], T | None]", self._transform)  # forgetting is easy
        try:
            transformed = transform(obj)
        except Exception:
            key = meta_namespace_key(obj)
            logger.exception("the transform of %r failed on %s, which is left out", self, key)
            return None
        if transformed is None:
            key = meta_namespace_key(obj)
            logger.error("the transform of %r gave None for %s, which is left out", self, key)
        return transformed

    def _replace(self, scope: _NamespaceSink[T], objects: list[T], version: str) -> None:
        began = self._clock.monotonic()

        def apply() -> list[Notification[T]]:
            self._unsynced.discard(scope)
            outside = self._outside(scope) if len(self._reflectors) > 1 else []
            return apply_replace(self.indexer, objects + outside, version)

        self._processor.change(apply, lambda: not self._unsynced)
        self._processed(began)

    def _outside(self, scope: _NamespaceSink[T]) -> list[T]:
        """The objects of the other namespaces, which stay as they are."""
        stored = self.indexer.stored.values()
        return [obj for obj in stored if _namespace_of(obj) != scope.namespace]

    def _apply(self, events: list[WatchEvent[T]]) -> None:
        began = self._clock.monotonic()
        prepared = [(event.type, self._final(event)) for event in events]

        def apply() -> list[Notification[T]]:
            deltas = (
                apply_event(self.indexer, kind, obj) for kind, obj in prepared if obj is not None
            )
            return [each for each in deltas if each is not None]

        self._processor.change(apply)
        self._processed(began)

    def _final(self, event: WatchEvent[T]) -> T | None:
        """The transformed object of an event; a deletion comes through in any case."""
        if event.type == "BOOKMARK" or self._transform is None:
            return event.object
        transformed = self._transformed(event.object)
        return event.object if transformed is None and event.type == "DELETED" else transformed

    def _watch_failed(self, error: Exception) -> None:
        self.watch_errors += 1
        try:
            call(self._on_watch_error, error)
        except Exception:
            logger.exception("the handler of errors of %r failed", self)

    def _log_watch_error(self, error: Exception) -> None:
        level = logging.DEBUG if isinstance(error, Gone) else logging.WARNING
        is_client_error = isinstance(error, ClientError)
        logger.log(
            level, "%r: %s; trying again", self, error, exc_info=None if is_client_error else error
        )

    # ---- metrics ------------------------------------------------------------------------------

    def _processed(self, began: float) -> None:
        if self._metrics is not None:
            self._metrics.processed(self._clock.monotonic() - began)

    def _state(self) -> InformerState:
        version, count = self.indexer.resource_version, len(self.indexer.stored)
        return InformerState(
            self._processor.backlog, count, version, self.handler_errors, self.watch_errors
        )


def _namespace_of(obj: Any) -> str:
    namespace: str = obj.metadata.namespace
    return namespace
