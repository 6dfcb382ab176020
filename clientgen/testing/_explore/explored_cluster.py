"""A cluster for one run: it starts from a template, and its time is that of the run's loop."""

from __future__ import annotations

from contextvars import Context
from typing import TYPE_CHECKING, Any, Final, cast

from .._apiserver.server import ApiServer
from .._fake.dispatcher import Dispatcher
from .._fake.fake_cluster import FakeCluster
from .volume_protection import VolumeProtection

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.runtime._clock import Clock

    from .._apiserver.storage.store import Store
    from .virtual_loop import VirtualLoop

__all__ = ["ExploredCluster", "Template"]

_SEED: Final = 0x7E3714A7E
"""No seed of a run, so that no object of a run has a uid of these objects."""


class Template:
    """The objects of a new server, which are made once for many runs."""

    def __init__(self, clock: Clock) -> None:
        server = ApiServer(clock=clock, seed=_SEED, control_plane=False)
        store = server.cluster.store
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
    is_in_background = False

    def run_due(self) -> None:
        """Do the work behind requests, and let it be told from what a request changes."""
        self.is_in_background = True
        try:
            super().run_due()
        finally:
            self.is_in_background = False

    def _bootstrap(self, *, control_plane: bool) -> None:  # noqa: ARG002 - there is none
        self.template.fill(self.cluster.store)


class _Dispatcher(Dispatcher):
    """Does work in the background when the loop says that it is time."""

    loop: VirtualLoop
    on_worked: Callable[[], object] | None = None
    """Called when the server has answered, or has done something by itself."""
    _loop_due: float | None = None

    def _run_due(self) -> None:
        super()._run_due()
        if self.on_worked is not None:
            self.on_worked()

    def _set_timer(self, due: float) -> None:
        if self._loop_due is None or due < self._loop_due:
            self._loop_due = due
            self.loop.at(due, self._on_loop, due, context=Context())

    def _on_loop(self, due: float) -> None:
        if self._loop_due == due:
            self._loop_due = None
            self._run_due()


class ExploredCluster(FakeCluster):
    """A cluster in which nothing happens outside the loop."""

    dispatcher: _Dispatcher

    def __init__(
        self, template: Template, loop: VirtualLoop, clock: Clock, *, seed: int, **options: Any
    ) -> None:
        self._template = template
        self._loop = loop
        super().__init__(clock=clock, seed=seed, record=False, **options)

    @property
    def is_in_background(self) -> bool:
        """Whether the server does something by itself: it collects garbage, for example."""
        return cast("_Server", self.server).is_in_background

    def _new_server(self, *args: Any, **options: Any) -> ApiServer:  # type: ignore[override]
        server_type = type("_Server", (_Server,), {"template": self._template})
        server: ApiServer = server_type(*args, **options)
        VolumeProtection(server.cluster, options["controller_delay"])
        return server

    def _new_dispatcher(self, record: bool) -> _Dispatcher:
        dispatcher = _Dispatcher(self.server, self._clock, records=record)
        dispatcher.loop = self._loop
        return dispatcher
