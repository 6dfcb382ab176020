"""The cluster of a run: it starts from a template, and uses the time of the run's loop."""

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

# Not the seed of any run, so that the uids of the template's objects are unique.
_TEMPLATE_SEED: Final = 0x7E3714A7E


class Template:
    """The objects of a new server, made once and copied into the store of each run."""

    def __init__(self, clock: Clock) -> None:
        server = ApiServer(clock=clock, seed=_TEMPLATE_SEED, control_plane=False)
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
        """Copy the objects into the store of a new server."""
        for name, records in self._records.items():
            collection = store.collection(name)
            collection.restore(records)
        store.version = self._version
        store.stored = self._stored


class _Server(ApiServer):
    template: Template
    is_in_background = False

    def run_due(self) -> None:
        """Do background work, and mark its changes: no client has requested them."""
        self.is_in_background = True
        try:
            super().run_due()
        finally:
            self.is_in_background = False

    def _bootstrap(self, *, control_plane: bool) -> None:  # noqa: ARG002 - runs have none
        self.template.fill(self.cluster.store)


class _Dispatcher(Dispatcher):
    """A dispatcher whose background work is timed by the loop instead of a thread."""

    loop: VirtualLoop
    on_worked: Callable[[], object] | None = None
    """Called after each answer and each background work of the server."""
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
    """A cluster whose background work runs on the virtual loop."""

    dispatcher: _Dispatcher

    def __init__(
        self, template: Template, loop: VirtualLoop, clock: Clock, *, seed: int, **options: Any
    ) -> None:
        self._template = template
        self._loop = loop
        super().__init__(clock=clock, seed=seed, record=False, **options)

    @property
    def is_in_background(self) -> bool:
        """Whether the server does background work now, such as garbage collection."""
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
