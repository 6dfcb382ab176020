"""Shared informers: a cache of a collection, and handlers that are called on changes.

client-go: tools/cache/shared_informer.go.
"""

# An informer uses private parts of its sinks and handlers. Its clock measures timeouts.
# pyright: reportPrivateUsage=false
# ruff: noqa: ASYNC109

from __future__ import annotations

import logging
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from .._cache.event_handlers import Handlers, ResyncTimer
from .._cache.indexer import Indexer, IndexFunction, meta_namespace_key
from .._cache.informer_metrics import InformerState
from .._cache.informer_options import NamespaceSelectors, namespaces_of, shard_ranges_of
from .._cache.listers import Lister
from .._cache.local_selection import LocalSelection
from .._cache.mutation_detector import MutationDetector
from .._cache.own_writes import OwnWrites, SentWrite
from .._cache.storage import Storage
from .._cache.storage_forms import storage_of
from .._cache.sync_errors import (
    NOT_STARTED,
    SYNCED,
    incomplete,
    not_started_error,
    reason,
    standstill_error,
)
from .._cache.transforms import stripping
from .._cache.write_answers import WriteAnswers
from .._clock import SYSTEM_CLOCK, SteppedClock
from .._http.shard_filter import log_ignored
from .._models.arguments import check_function
from .._models.unstructured import Object
from ..errors import ClientError, Gone, NotFound
from ._primitives import Task, call, check_spawn, spawn, wait_moving, wait_until
from .lease_client import rest_of
from .live_namespaces import AsyncLiveNamespaces
from .processor import AsyncProcessor
from .reflector import AsyncReflector
from .standstill_alarm import alarm_at_standstill

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from .._cache.deltas import DeletedFinalStateUnknown, Notification
    from .._cache.fill import Fill
    from .._cache.informer_metrics import InformerMetricsProvider
    from .._cache.informer_options import Namespaces, ShardSelection
    from .._cache.storage_forms import StorageForm
    from .._cache.write_requests import WriteTarget
    from .._clock import Clock
    from .._http.call_options import Fields, Labels
    from .._http.codec import Codec
    from .._http.request import HttpResponse
    from .._http.resource import Resource
    from .._http.shard_ranges import ShardRanges
    from .._models.meta_v1 import ModelList
    from .._models.model_codec import WatchEvent
    from .lease_client import AsyncClient
    from .registration import AsyncHandlerRegistration

__all__ = ["AsyncSharedInformer", "namespaces_of"]

T = TypeVar("T", bound=Object)

# How long `stop` waits for a running request. A thread with a longer request ends later.
_STOP_TIMEOUT_SECONDS = 10.0

logger = logging.getLogger("clientgen.runtime.informers")


class _NamespaceSink(Generic[T]):
    """The sink of one reflector of an informer, for one namespace or for all."""

    reflector: AsyncReflector[Any]

    def __init__(
        self,
        informer: AsyncSharedInformer[T],
        namespace: str | None,
        shard: ShardRanges | None = None,
    ) -> None:
        self.namespace = namespace
        self.shard = shard
        self.is_reading = False
        self.has_read = False
        # Another replica may have written the objects until now.
        self.takes_over = informer._sharding is not None
        self._informer = informer

    @property
    def prepare(self) -> Callable[[Any], Any] | None:
        """The function that makes the entry of an item; None if items are kept as they are."""
        return self._informer._preparation if self.shard is None else self._prepare_own

    def _prepare_own(self, item: Any) -> Any:
        """Return the entry of an item; None if the item is in another shard."""
        if not self.has(item):
            return None
        prepare = self._informer._preparation
        return item if prepare is None else prepare(item)

    def has(self, item: Any) -> bool:
        """Return whether an item is in the shard."""
        if self.shard is None or self.shard.has(item.metadata):
            return True
        log_ignored(self._informer._rest.shared, repr(self._informer))
        return False

    def needs_latest(self) -> bool:
        """Return whether the next list must be the latest state."""
        return self._informer._needs_latest(self)

    def list_begins(self, *, latest: bool) -> Fill[Any]:
        """Note that a list of all objects begins."""
        return self._informer._list_begins(self, latest=latest)

    def replace(self, fill: Fill[Any], version: str) -> None:
        """Replace all objects."""
        self._informer._replace(self, fill, version)

    def apply(self, events: list[WatchEvent[Any]]) -> None:
        """Apply changes."""
        self._informer._apply(self, events)

    async def failed(self, error: Exception) -> None:
        """Report that listing or watching has failed."""
        await self._informer._watch_failed(error)
        self._informer._report_listed(self)  # controllers do not wait for a kind that is not served


class AsyncSharedInformer(Generic[T]):
    """A cache of a collection that is kept in sync, shared by any number of users.

    All users share the objects that `lister` and `indexer` return: treat them as read-only. Copy an
    object (`deep_copy`) before you change it.

    With several namespaces, each has a watch of its own, and one cache has all objects.

    Args:
        rest: The clientset or REST client for requests.
        resource: The resource to watch.
        model: The class of its objects.
        list_model: The class of its lists.
        namespace: One namespace or several. None for all, and for cluster-scoped resources. A
            manager passes a set that changes.
            A mapping gives namespaces selectors of their own:
            `{"shop": {"label_selector": "app=web"}, "ops": {}}`.
        label_selector: Watch only objects whose labels match.
        field_selector: Watch only objects whose fields match.
        shard_selector: Watch only a part of the objects: the text of a shard selector, or an
            `AsyncSharding`, whose replicas divide the objects among them. If the server does not
            support shards, it sends all objects, and the informer keeps its part; this is logged
            once.
        resync_period: The default interval in seconds at which handlers are called with every
            object again, as an update without changes. 0 disables it. A resync sends no request.
        transform: Called with each object before it is stored. See `set_transform`.
        strip_managed_fields: Whether to drop the managed fields of each object before `transform`
            gets it. They are half of many objects.
        clock: The clock for waits.
        metrics: Receives metrics, for example `PrometheusInformerMetrics`.
        own_writes: Whether the cache shows what is written through `rest` as soon as the call
            returns. Handlers are called when the watch delivers the write.
        storage: "compressed" keeps each object compressed, and decodes it when it is read. "full"
            keeps it as an instance of `model`. None means "full".

    Raises:
        ImportError: `storage` is "compressed", and zstd is missing: install `clientgen[zstd]`.
        TypeError: `model` is a Table.
        ValueError: The storage does not fit `model`, or a namespace or selector is not valid.

    Attributes:
        client: The clientset or REST client that was passed as `rest`.
        resource: The watched resource.
        namespaces: The watched namespaces; None for all.
        indexer: The cache. Until it is synced, reading it or its `lister` raises `NotSynced`.
        watch_errors: How many times listing or watching the collection has failed.
    """

    def __init__(
        self,
        rest: AsyncClient,
        resource: Resource,
        model: type[T],
        list_model: type[ModelList[T]],
        *,
        namespace: Namespaces | AsyncLiveNamespaces = None,
        label_selector: Labels | None = None,
        field_selector: Fields | None = None,
        shard_selector: ShardSelection = None,
        resync_period: float = 0.0,
        transform: Callable[[T], T] | None = None,
        strip_managed_fields: bool = False,
        clock: Clock = SYSTEM_CLOCK,
        metrics: InformerMetricsProvider | None = None,
        own_writes: bool = True,
        storage: Storage[T] | StorageForm | None = None,
    ) -> None:
        self._storage: Storage[T] = (
            storage
            if isinstance(storage, Storage)
            else storage_of(model, list_model, storage or "full")
        )
        self.client = rest
        self.resource = resource
        self._live: AsyncLiveNamespaces | None = None
        if not isinstance(namespace, AsyncLiveNamespaces):
            self.namespaces = namespaces_of(resource, namespace)
        else:
            self.namespaces = ()
            self._live = namespace if resource.namespaced else None
        # Before the first list of namespaces, an empty cache is not synced.
        self._awaits_namespaces = self._live is not None
        self._shard = shard_ranges_of(shard_selector)
        self._sharding = None if isinstance(shard_selector, str) else shard_selector
        # The hashes of the objects that are certainly in the cache.
        self._read_ranges: ShardRanges | None = None
        self.indexer: Indexer[T] = Indexer(decode=self._storage.decoder)
        self.indexer.hide(self._why_incomplete)
        self.watch_errors = 0
        self._resync_period = resync_period
        self._strips_managed_fields = strip_managed_fields
        self._transform = stripping(transform) if strip_managed_fields else transform
        self._on_watch_error: Callable[[Exception], object] = self._log_watch_error
        self._clock = clock
        self._rest = rest_of(rest)
        named = namespace.selectors if isinstance(namespace, AsyncLiveNamespaces) else namespace
        self._selectors = NamespaceSelectors(named, label_selector, field_selector)
        self._store: OwnWrites[Any] = OwnWrites(
            self.indexer,
            self.namespaces,
            selective=self._selectors.is_selective or shard_selector is not None,
            changing=self._live is not None,
        )
        keeps_objects = self._storage.keeps_objects
        detector: MutationDetector[Any] = MutationDetector(
            resource.name, on_reads=not keeps_objects
        )
        self._storage.connect(detector, self._read_again)
        is_watched = None if self._live is None else self._is_watched
        self._processor: AsyncProcessor[T] = AsyncProcessor(
            repr(self),
            self._store,
            detector,
            clock,
            storage=None if keeps_objects else self._storage,
            is_watched=is_watched,
        )
        self._shows_own_writes = own_writes
        self._answers = WriteAnswers(
            self._store,
            resource,
            self._storage,
            selection=self._selection_in,
            transform=self._transform_object,
        )
        self._reflector_tasks: list[Task] = []
        self._stop_by = 0.0
        self._reflect = partial(
            AsyncReflector,
            self._rest,
            storage=self._storage,
            clock=clock,
        )
        # Replaced as a whole, never changed, because threads read it without a lock.
        self._sinks: dict[str | None, _NamespaceSink[T]] = {}
        self._unsynced: set[_NamespaceSink[T]] = set()
        # The namespaces to watch as soon as the shard is known.
        self._waiting: set[str | None] = set()
        self._selections: dict[str, LocalSelection] = {}
        if self._live is not None:
            self._live.join(self)
        else:
            for each in self.namespaces or (None,):
                self._begin_watch(each)
        if self._sharding is not None:
            self._sharding._join(self)
        self._metrics = None if metrics is None else metrics.informer(resource, self._state)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.title}>"

    @property
    def title(self) -> str:
        """The name of the collection in messages: `pods in shop`."""
        where = f" in {', '.join(self.namespaces)}" if self.namespaces else ""
        if self._live is not None:
            where = f" in {self._live.title}"
        return f"{self.resource.name}{where}"

    @property
    def lister(self) -> Lister[T]:
        """A lister that reads the cache. Generated informers return a lister for their kind."""
        return Lister(self.indexer, self.resource)

    # ---- handlers, indices, transform ---------------------------------------------------------

    def add_handler(
        self,
        on_add: Callable[[T, bool], object] | None = None,
        on_update: Callable[[T, T], object] | None = None,
        on_delete: Callable[[T], object] | None = None,
        on_delete_unknown: Callable[[DeletedFinalStateUnknown[T]], object] | None = None,
        *,
        filter: Callable[[T], bool] | None = None,  # noqa: A002 - client-go's name
        resync_period: float | None = None,
    ) -> AsyncHandlerRegistration[T]:
        """Add functions to call on changes. Coroutine functions are awaited.

        Calls are sequential, in the order of the changes. Other handlers and the cache do not wait
        for them. Handlers that are added later first get an `on_add` for every cached object.

        Args:
            on_add: Called with the object, and whether it is an initial object.
            on_update: Called with the old object and the new object.
            on_delete: Called with the last known state of the object.
            on_delete_unknown: Called instead of `on_delete` if the deletion itself was missed.
            filter: A function of the object, and of nothing else. Handlers are called only for
                objects for which it returns true. An object that begins to pass the filter is
                reported as added, an object that stops passing as deleted.
            resync_period: Overrides the resync period of the informer.

        Raises:
            RuntimeError: The informer is stopped.
            TypeError: A handler is not a function, or no handler is given.
            ValueError: `resync_period` is negative.
        """
        period = self._resync_period if resync_period is None else resync_period
        timer = ResyncTimer(period, self._clock.monotonic())
        handlers = Handlers(on_add, on_update, on_delete, on_delete_unknown, filter)
        for name in handlers.__struct_fields__:
            if (function := getattr(handlers, name)) is not None:
                check_function(f"{name} of add_handler()", function)
        if all(each is None for each in (on_add, on_update, on_delete, on_delete_unknown)):
            raise TypeError(
                "add_handler() needs at least one function: on_add, on_update or on_delete"
            )
        return self._processor.add(handlers, timer)

    def add_index(self, name: str, function: IndexFunction[T]) -> None:
        """Add an index to the cache: the function returns the values for each object.

        Raises:
            ValueError: An index with this name exists.
        """
        self.indexer.add_index(name, function)

    def set_transform(self, function: Callable[[T], T]) -> None:
        """Set a function that is called with each object before it is stored.

        The function may change the object, but must keep its name, namespace, uid and version. If
        it raises, the error is logged, and the object in the cache stays as it was.

        Raises:
            RuntimeError: The informer has started.
        """
        if self._processor.is_started:
            raise RuntimeError(f"{self!r} has already started; set the transform before it starts")
        self._transform = stripping(function) if self._strips_managed_fields else function

    def on_watch_error(self, handler: Callable[[Exception], object]) -> None:
        """Set a function to call, instead of logging, when listing or watching fails.

        The informer retries by itself, after 0.8 to 60 seconds. If `handler` is a
        coroutine function, it is awaited before the retry.

        Raises:
            RuntimeError: The informer has started.
        """
        if self._processor.is_started:
            raise RuntimeError(
                f"{self!r} has already started; set the error handler before it starts"
            )
        self._on_watch_error = handler

    # ---- running ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start listing and watching. Further calls do nothing.

        Raises:
            RuntimeError: The informer was stopped, and cannot be started again; or no event loop is
                running.
        """
        check_spawn()
        if self._processor.start():
            if self._shows_own_writes:
                self._rest.chain.own_writes.add(self)
            self._set_namespaces_known()
            self._start_reflectors()

    def has_synced(self) -> bool:
        """Return whether the cache is synced. Handlers may not have received all objects yet."""
        return self._processor.is_synced and not self._unsynced

    @property
    def sync_status(self) -> str:
        """Whether the cache is synced, as text; if it is not, the reason.

        The reason is the server's last response, and for 403 the RBAC rule that is missing. While a
        list is read, it says how many objects have been read, and of about how many if the server
        says so (it does for lists in pages without selectors).
        """
        if self.has_synced():
            return SYNCED
        if not self.is_started:
            return NOT_STARTED
        missing = [
            self._prefix(sink) + reason(sink.reflector.progress, self.resource)
            for sink in self._sinks.values()
            if sink in self._unsynced
        ]
        if self._awaits_namespaces:
            missing.append("the namespaces are not known yet")
        elif self._awaits_shard:
            missing.append("the shard is not known yet: the sharding has not started")
        return "; ".join([*missing, *(["stopped"] if self.is_stopped else [])])

    @property
    def seconds_without_watch(self) -> float:
        """For how many seconds the cache has had no open watch.

        The time is 0 while all watches are open, and before the start. With several namespaces, it
        is the longest time. A cache without a watch keeps its contents, and stays synced.
        """
        return max(
            (each.reflector.seconds_without_watch for each in self._sinks.values()), default=0.0
        )

    @property
    def is_unserved(self) -> bool:
        """Whether the server answered that it does not serve the resource.

        The definition of a custom resource may come later: the informer keeps trying.
        """
        return not self.has_synced() and any(
            isinstance(sink.reflector.last_answer, NotFound) for sink in self._sinks.values()
        )

    def _prefix(self, sink: _NamespaceSink[T]) -> str:
        is_in_title = len(self._sinks) == 1 and (self._live is None or not self._live.selector)
        return "" if is_in_title else f"in {sink.namespace}: "

    def _why_incomplete(self) -> str:
        return incomplete(repr(self), self.sync_status)

    async def wait_for_sync(self, timeout: float | None = None) -> bool:
        """Wait until the cache is synced, for at most this many seconds. Returns whether it is.

        This returns early if the informer is stopped. `sync_status` explains why a cache is not
        synced.

        Raises:
            NotSynced: The informer was not started.
            SyncTimeout: The clock is a FakeClock that the test does not move.
        """
        if not self.is_started and not self.is_stopped:
            raise not_started_error([self.title])
        until = None if timeout is None else self._clock.monotonic() + timeout
        await self._wait_until_settled(until)
        return self.has_synced()

    async def _wait_until_settled(self, until: float | None) -> None:
        settled, standstill_reason = self._processor.settled, [""]

        def on_standstill(why: str) -> None:
            standstill_reason[0] = why
            settled.wake()

        def end() -> float:
            return 0.0 if standstill_reason[0] else float("inf") if until is None else until

        cancel_alarm = alarm_at_standstill(self._clock, on_standstill)
        try:
            if isinstance(self._clock, SteppedClock):
                await wait_moving(settled, self._clock, end)
            else:
                await wait_until(settled, self._clock, until)
        finally:
            cancel_alarm()
        if standstill_reason[0] and not settled.is_set():
            raise standstill_error(standstill_reason[0], [(self.title, self.sync_status)])

    @property
    def is_started(self) -> bool:
        """Whether the informer was started."""
        return self._processor.is_started

    @property
    def is_stopped(self) -> bool:
        """Whether the informer was stopped."""
        return self._processor.is_stopped

    @property
    def resource_version(self) -> str:
        """The version of the last list, event or bookmark, from any of the watched namespaces."""
        return self.indexer.resource_version

    @property
    def handler_errors(self) -> int:
        """The number of handler calls that have failed."""
        return self._processor.errors

    async def stop(self) -> None:
        """Stop watching. Handlers finish their current call; pending notifications are dropped.

        The cache stays as it is. A handler may call `stop`, which then waits neither for this
        handler nor for other handlers that are calling `stop`.

        Raises:
            CacheMutationError: Cached objects were changed, and CLIENTGEN_CACHE_MUTATION_DETECTOR
                is set.
        """
        self.stop_soon()
        for task in self._reflector_tasks:
            if not task.is_current:  # `on_watch_error` called `stop`
                await task.join(max(0.0, self._stop_by - monotonic()))
        await self._processor.join()

    def stop_soon(self) -> None:
        """Stop without waiting for the end."""
        if not self.is_stopped:
            self._stop_by = monotonic() + _STOP_TIMEOUT_SECONDS
            self._rest.chain.own_writes.remove(self)
        self._processor.stop_soon()
        for sink in self._sinks.values():
            sink.reflector.stop()
        if self._live is not None:
            self._live.leave(self)
        if self._sharding is not None:
            self._sharding._leave(self)

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()

    # ---- changes of namespaces ----------------------------------------------------------------

    def _add_namespace(self, namespace: str) -> None:
        """Watch another namespace. Handlers get its objects as initial objects.

        Until the objects are listed, the informer is not synced, but its cache can be read.
        """

        def add() -> None:
            if not (namespace in self._sinks or namespace in self._waiting or self.is_stopped):
                self._store.add_namespace(namespace)
                self._begin_watch(namespace)
                self._processor.settled.clear()
                self._read_ranges = None

        self._processor.with_lock(add)
        self._start_reflectors()

    def _remove_namespace(self, namespace: str) -> None:
        """Stop watching a namespace, and remove its objects from the cache.

        `on_delete` is not called: the objects still exist, and a controller must not treat them as
        deleted.
        """

        def remove() -> list[Notification[Any]]:
            sink = self._sinks.get(namespace)
            if sink is not None:
                sink.reflector.stop()
                self._sinks = {k: v for k, v in self._sinks.items() if v is not sink}
                self.namespaces = tuple(sorted(filter(None, self._sinks)))
                self._unsynced.discard(sink)
                self._note_read()
            if sink is not None or namespace in self._waiting:
                self._waiting.discard(namespace)
                self._processor.forget(self._store.remove_namespace(namespace))
            return []

        self._processor.change(remove, self._is_complete)

    def _set_namespaces_known(self) -> None:
        """Note that the namespaces are known.

        Without any namespace, the cache is synced and empty.
        """

        def know() -> list[Notification[Any]]:
            live = self._live
            self._awaits_namespaces = live is not None and not live.is_known
            if self._is_complete():
                self._store.fill_empty()
            return []

        if self._live is not None:
            self._processor.change(know, self._is_complete)

    def _has_listed(self, namespace: str) -> bool:
        """Return whether the objects of a namespace are in the cache, or never will be."""
        if not self.is_started or self.is_stopped:
            return True
        sink = self._sinks.get(namespace)
        return sink is not None and (
            sink not in self._unsynced or isinstance(sink.reflector.last_answer, NotFound)
        )

    def _begin_watch(self, namespace: str | None) -> None:
        """Watch a namespace, or None for all, as soon as the shard is known."""
        if self._awaits_shard:
            self._waiting.add(namespace)
        else:
            self._add_sink(namespace)

    def _add_sink(self, namespace: str | None, version: str = "") -> _NamespaceSink[T]:
        """Watch a namespace, or None for all, from a version; without it, from a list."""
        sink = _NamespaceSink(self, namespace, self._shard)
        path = self.resource.collection_path(namespace)
        selectors = self._selectors.of(namespace)
        options = {"label_selector": selectors.labels, "field_selector": selectors.fields}
        if self._shard is not None:
            options["shard_selector"] = self._shard.text
        sink.reflector = self._reflect(path=path, sink=sink, options=options, version=version)
        self._unsynced.add(sink)
        self._sinks = {**self._sinks, namespace: sink}
        if namespace is not None:
            self.namespaces = tuple(sorted(filter(None, self._sinks)))
        return sink

    def _selection_in(self, namespace: str) -> LocalSelection:
        """Return the selectors for the objects of a namespace."""
        found = self._selections.get(namespace)
        if found is None:
            labels, fields = self._selectors.of(namespace)
            is_in_shard = self._is_in_shard if self.is_sharded else None
            found = self._selections[namespace] = LocalSelection(labels, fields, is_in_shard)
        return found

    # ---- shards -------------------------------------------------------------------------------

    @property
    def is_sharded(self) -> bool:
        """Whether the informer reads only a part of the collection."""
        return self._sharding is not None or self._shard is not None

    @property
    def _awaits_shard(self) -> bool:
        return self._sharding is not None and self._shard is None

    def _read_shard(self, ranges: ShardRanges | None) -> None:
        """Read other objects from now on.

        Objects that are no longer read leave the cache. `on_delete` is not called for them, because
        they still exist. If there are no more objects to read than before, the watch goes on where
        it was; otherwise, everything is listed in its latest state, because another replica may
        just have written it.
        """

        def change() -> list[Notification[Any]]:
            before, self._shard = self._shard, ranges
            if ranges is None or self.is_stopped or ranges == before:
                return []
            if before is None:
                waiting, self._waiting = self._waiting, set()
                for namespace in waiting:
                    self._add_sink(namespace)
            else:
                self._processor.forget(self._store.forget(ranges.has_value))
                if self._read_ranges is not None:
                    self._read_ranges = self._read_ranges.intersection(ranges)
                for old in [*self._sinks.values()]:
                    self._replace_sink(old, narrows=before.includes(ranges))
            self._note_read()
            return []

        self._processor.change(change, self._is_complete)
        self._start_reflectors()

    def _replace_sink(self, old: _NamespaceSink[T], *, narrows: bool) -> None:
        """Watch the objects of a namespace that are in the new shard."""
        old.reflector.stop()
        continues = narrows and old.has_read
        # The reflector may have taken events that are not in the cache yet, and never will be.
        version = self._store.version_of(old.namespace) if continues else ""
        new = self._add_sink(old.namespace, version)
        new.has_read, new.takes_over = continues, not continues
        if old not in self._unsynced:
            self._unsynced.discard(new)
        self._unsynced.discard(old)

    def _has_read_uid(self, uid: str) -> bool:
        """Return whether the object with this uid is in the cache, if it exists."""
        if not self.is_sharded:
            return True
        ranges = self._read_ranges
        return ranges is not None and ranges.has_value(uid)

    def _is_in_shard(self, obj: Any) -> bool:
        return self._shard is not None and self._shard.has(obj.metadata)

    def _note_read(self) -> None:
        """Note which part of the collection the cache has, after a list or without a namespace."""
        if all(each.has_read for each in self._sinks.values()):
            self._read_ranges = self._shard

    def _start_reflectors(self) -> None:
        """Start the reflectors that are not running."""

        def read() -> None:
            if not self.is_started or self.is_stopped:
                return
            self._reflector_tasks = [task for task in self._reflector_tasks if not task.done]
            for sink in self._sinks.values():
                if not sink.is_reading:
                    sink.is_reading = True
                    self._reflector_tasks.append(spawn(sink.reflector.run, f"clientgen {self!r}"))

        self._processor.with_lock(read)

    def _is_current(self, sink: _NamespaceSink[T]) -> bool:
        return self._sinks.get(sink.namespace) is sink

    def _is_complete(self) -> bool:
        is_known = not self._awaits_namespaces and not self._awaits_shard
        return self.is_started and not self._unsynced and is_known

    def _is_watched(self, obj: Any) -> bool:
        return obj.metadata.namespace in self._sinks

    def _report_listed(self, sink: _NamespaceSink[T]) -> None:
        if self._live is not None and sink.namespace is not None:
            self._live.note_listed(sink.namespace)

    # ---- lists and events of reflectors -------------------------------------------------------

    def _list_begins(self, sink: _NamespaceSink[T], *, latest: bool) -> Fill[Any]:
        def begin() -> Fill[Any]:
            if self._is_current(sink):
                self._store.begin_read(sink.namespace, latest=latest)
            is_empty = not self.indexer.stored
            return self.indexer.new_fill(sink.prepare, None if is_empty else self._unchanged)

        return self._processor.with_lock(begin)

    def _unchanged(self, key: str, item: Any) -> Any:
        """Return the entry of the cache for an item of a list; None if the item is new.

        A list after the first repeats most objects. Keeping their entries saves the memory of a
        second cache.
        """
        return self._processor.with_lock(lambda: self._store.unchanged(key, item))

    @property
    def _preparation(self) -> Callable[[Any], Any] | None:
        """The function that makes the entry of an item; None if items are kept as they are."""
        is_kept = self._transform is None and self._storage.keeps_objects
        return None if is_kept else self._prepare

    def _prepare(self, item: Any) -> Any:
        """Return the entry of an item. If the transform fails, return the entry in the cache."""
        entry = self._entry_of(item)
        return self.indexer.stored.get(meta_namespace_key(item)) if entry is None else entry

    def _entry_of(self, item: Any) -> Any:
        """Return the entry of an item; None if the transform fails."""
        return self._storage.prepare(
            item, None if self._transform is None else self._transform_object
        )

    def _transform_object(self, obj: T) -> T | None:
        if self._transform is None:
            return obj
        transform = cast("Callable[[T], T | None]", self._transform)  # no `return`: None
        try:
            transformed = transform(obj)
        except Exception:
            key = meta_namespace_key(obj)
            logger.exception("the transform of %r failed for %s, which is left out", self, key)
            return None
        if transformed is None:
            key = meta_namespace_key(obj)
            logger.error("the transform of %r returned None for %s, which is left out", self, key)
        return transformed

    def _needs_latest(self, sink: _NamespaceSink[T]) -> bool:
        """Return whether a list from the server's cache might be too old.

        It might be older than an own write, or than a write of the last owner of the objects.
        """
        if not self._shows_own_writes:
            return sink.takes_over
        store, namespace = self._store, sink.namespace

        def needs() -> bool:
            if not self._is_current(sink):
                return False
            if sink.takes_over:
                return True
            is_first = not store.has_read(namespace)
            has_written = self._rest.chain.own_writes.has_written
            return (is_first and has_written) or store.needs_latest(namespace)

        return self._processor.with_lock(needs)

    def _read_again(self, entry: Any, error: Exception) -> None:
        """Read the objects of a namespace again, because an entry of it is corrupted."""
        sinks = self._sinks
        sink = sinks.get(None) or sinks.get(entry.metadata.namespace)
        if sink is not None:
            sink.reflector.read_again(error)

    def _replace(self, sink: _NamespaceSink[T], fill: Fill[Any], version: str) -> None:
        began = self._clock.monotonic()

        def apply() -> list[Notification[Any]]:
            if not self._is_current(sink):
                return []
            notifications = self._store.replace(sink.namespace, fill, version)
            sink.has_read, sink.takes_over = True, False
            self._note_read()
            self._unsynced.discard(sink)  # last, because other threads read it without the lock
            return notifications

        self._processor.change(apply, self._is_complete)
        self._processed(began)
        self._report_listed(sink)

    def _apply(self, sink: _NamespaceSink[T], events: list[WatchEvent[Any]]) -> None:
        began = self._clock.monotonic()
        is_kept = self._preparation is None
        prepared = [
            (event.type, event.object if is_kept else self._entry_in(event))
            for event in events
            if sink.shard is None or event.type == "BOOKMARK" or sink.has(event.object)
        ]
        last: Any = events[-1].object
        version = last.metadata.resource_version

        def apply() -> list[Notification[Any]]:
            store = self._store
            if not self._is_current(sink):
                return []
            deltas = [
                store.apply_event(kind, entry) for kind, entry in prepared if entry is not None
            ]
            store.note_progress(sink.namespace, version, began)
            return [each for each in deltas if each is not None]

        self._processor.change(apply)
        self._processed(began)

    def _entry_in(self, event: WatchEvent[Any]) -> Any:
        """Return the entry in an event. A deletion has an entry even if the transform fails."""
        if event.type == "BOOKMARK":  # only its resource version is used
            return event.object
        entry = self._entry_of(event.object)
        if entry is None and event.type == "DELETED":
            return self._storage.prepare(event.object, None)
        return entry

    async def _watch_failed(self, error: Exception) -> None:
        self.watch_errors += 1
        try:
            await call(self._on_watch_error, error)
        except Exception:
            logger.exception("the error handler of %r failed", self)

    def _log_watch_error(self, error: Exception) -> None:
        level = logging.DEBUG if isinstance(error, Gone) else logging.WARNING
        is_client_error = isinstance(error, ClientError)
        logger.log(
            level, "%r: %s; trying again", self, error, exc_info=None if is_client_error else error
        )

    # ---- own writes ---------------------------------------------------------------------------

    def begin_write(self, target: WriteTarget) -> SentWrite | None:
        """Note that a write of this client is being sent. For the client only."""
        return self._processor.with_lock(
            lambda: self._store.begin_write(target.namespace, target.key)
        )

    def show_response(
        self, sent: SentWrite, target: WriteTarget, response: HttpResponse, codec: Codec
    ) -> None:
        """Show the object that a write of this client has returned. For the client only."""
        show = self._answers.read(sent, target, response, codec)
        if show is not None:
            self._processor.show(lambda: show(self._clock.monotonic()))

    def end_write(self, sent: SentWrite) -> None:
        """Note that a write of this client has ended. For the client only."""
        self._processor.with_lock(lambda: self._store.end_write(sent))

    # ---- metrics ------------------------------------------------------------------------------

    def _processed(self, began: float) -> None:
        if self._metrics is not None:
            self._metrics.processed(self._clock.monotonic() - began)

    def _state(self) -> InformerState:
        version, count = self.indexer.resource_version, len(self.indexer.stored)
        return InformerState(
            self._processor.backlog,
            count,
            version,
            self.handler_errors,
            self.watch_errors,
            self.seconds_without_watch,
        )
