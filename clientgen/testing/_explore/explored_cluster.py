"""A cluster for one run: it starts from a template, and its time is that of the run's loop."""

from __future__ import annotations

from contextvars import Context
from typing import TYPE_CHECKING, Any

from .._apiserver.server import ApiServer
from .._fake.cluster import FakeCluster
from .._fake.dispatcher import Dispatcher

if TYPE_CHECKING:
    from clientgen.runtime._clock import Clock

    from .._apiserver.storage.store import Store
    from .virtual_loop import VirtualLoop

__all__ = ["ExploredCluster", "Template"]


class Template:
    """The objects of a new server, which are made once for many runs."""

    def __init__(self, clock: Clock) -> None:
        store = ApiServer(clock=clock, seed=0, control_plane=False).cluster.store
        self._records = {each.name: dict(each.records) for each in store.collections()}
        self._version = store.version
        self._stored = store.stored
        self.versions = {
            f"{name} {key}": record.version
            for name, records in self._records.items()
            for key, record in records.items()
        }

    def fill(self, store: Store) -> None:
        """Put the objects into the store of a new server."""
        for name, records in self._records.items():
            collection = store.collection(name)
            collection.restore(records)
        store.version = self._version
        store.stored = self._stored


class _Server(ApiServer):
    template: Template

    def _bootstrap(self, *, control_plane: bool) -> None:  # noqa: ARG002 - there is none
        self.template.fill(self.cluster.store)


class _Dispatcher(Dispatcher):
    """Does work in the background when the loop says that it is time."""

    loop: VirtualLoop
    _loop_due: float | None = None

    def _set_timer(self, due: float) -> None:
        if self._loop_due is None or due < self._loop_due:
            self._loop_due = due
            self.loop.call_at(due, self._on_loop, due, context=Context())

    def _on_loop(self, due: float) -> None:
        if self._loop_due == due:
            self._loop_due = None
            self._run_due()


class ExploredCluster(FakeCluster):
    """A cluster in which nothing happens outside the loop."""

    def __init__(
        self, template: Template, loop: VirtualLoop, clock: Clock, *, seed: int, **options: Any
    ) -> None:
        self._template = template
        self._loop = loop
        super().__init__(clock=clock, seed=seed, record=False, **options)

    def _new_server(self, *args: Any, **options: Any) -> ApiServer:  # type: ignore[override]
        server_type = type("_Server", (_Server,), {"template": self._template})
        server: ApiServer = server_type(*args, **options)
        return server

    def _new_dispatcher(self, record: bool) -> Dispatcher:
        dispatcher = _Dispatcher(self.server, self.clock, records=record)
        dispatcher.loop = self._loop
        return dispatcher
