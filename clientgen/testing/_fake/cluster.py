"""A cluster in the process, and typed clientsets for it.

::

    k = fake_clientset(Clientset, Pod(metadata=ObjectMeta(name="web-0", namespace="default")))
    k.core_v1.pods("default").delete("web-0")
    assert [str(a) for a in cluster_of(k).actions] == ["delete pods default/web-0"]

It runs the same server as `clientgen serve`. docs/testing.md lists what the server does not
imitate.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, overload
from weakref import WeakKeyDictionary

from msgspec import json

from clientgen._apimachinery.failures import Failure
from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._models.codec import to_dict
from clientgen.runtime._models.model import Model

from .._apiserver.server import ApiServer
from .._apiserver.spec import load
from .._apiserver.storage.store import HISTORY_EVENTS, HISTORY_SECONDS
from .dispatcher import Dispatcher
from .faults import afterwards, cut, delayed
from .manifests import ManifestError, manifests
from .reactors import Pattern, failing, reacting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random
    from typing import Unpack

    from clientgen.runtime._clock import Clock
    from clientgen.runtime._http.options import ClientOptions
    from clientgen.runtime.aio import AsyncRest
    from clientgen.runtime.sync import Rest

    from .._apiserver.responses.answers import Answer
    from .actions import Action
    from .manifests import Source
    from .reactors import Error, Reaction, Rule, Trigger

__all__ = ["FakeCluster", "Seed", "cluster_of", "fake_clientset"]

C = TypeVar("C")
Seed: TypeAlias = "Model | Mapping[str, Any]"
Definitions: TypeAlias = "Source | Iterable[Source | Seed]"

_CONFIG = ClusterConfig("http://fake-cluster")
_EXPIRED = "too old resource version"


class FakeCluster:
    """A Kubernetes API server in memory that tests can inspect and control.

    Threads, event loops, both kinds of clientsets and a `LocalServer` may share one.

    Args:
        objects: models or dicts to start with; see `add`.
        clock: a `FakeClock` lets the test control times and waits.
        spec: an OpenAPI v2 document to serve instead of Kubernetes 1.36.
        crds: CustomResourceDefinitions: files, folders, or objects.
        seed: makes uids and generated names the same in every run.
        controller_delay: the seconds until namespaces are emptied and garbage is collected.
        history_events: how many changes of each resource are kept for watches.
        history_seconds: for how long they are kept.
        record: whether to record `actions`; turn it off for long-running servers.
        control_plane: whether kube-system has the ConfigMaps that control plane components look
            for. Without them, a list of all ConfigMaps contains only the test's own.

    Raises:
        SpecError: the spec cannot be served.
        ManifestError: a definition cannot be used.
        ValueError: an object cannot be stored.

    Attributes:
        clock: the given clock, or the system's.
        server: the request handler.
        dispatcher: the entry point of requests, for transports of your own.
    """

    def __init__(
        self,
        *objects: Seed,
        clock: Clock = SYSTEM_CLOCK,
        spec: Path | str | None = None,
        crds: Definitions = (),
        seed: int | None = None,
        controller_delay: float = 0.0,
        history_events: int = HISTORY_EVENTS,
        history_seconds: float = HISTORY_SECONDS,
        record: bool = True,
        control_plane: bool = False,
    ) -> None:
        self.clock = clock
        self.server = ApiServer(
            load(None if spec is None else Path(spec)),
            clock=clock,
            seed=seed,
            controller_delay=controller_delay,
            history_events=history_events,
            history_seconds=history_seconds,
            control_plane=control_plane,
        )
        self.dispatcher = Dispatcher(self.server, clock, records=record)
        for definition in (crds,) if isinstance(crds, (Path, str)) else crds:
            if isinstance(definition, (Path, str)):
                self.apply_manifests(definition)
            else:
                self.add(definition)
        self.add(*objects)

    # ---- clients ------------------------------------------------------------------------------

    @overload
    def clientset(self, kind: Callable[[Rest], C], /, **options: Unpack[ClientOptions]) -> C: ...
    @overload
    def clientset(
        self, kind: Callable[[AsyncRest], C], /, **options: Unpack[ClientOptions]
    ) -> C: ...
    def clientset(self, kind: Callable[[Any], C], /, **options: Unpack[ClientOptions]) -> C:
        """Create a clientset of the given generated class for this cluster.

        Synchronous and asyncio classes both work: `cluster.clientset(Clientset)`,
        `cluster.clientset(AsyncClientset)`. You may close the clientset, but need not; closing it
        does not affect the cluster.
        """
        rest = self._async_rest(options) if hasattr(kind, "__aenter__") else self._rest(options)
        _clusters[rest] = self
        return kind(rest)

    def _rest(self, options: ClientOptions) -> Rest:
        from clientgen.runtime.sync import Rest  # a test pays for the flavours it uses

        from .transports import InProcessTransport

        return Rest(_CONFIG, transport=InProcessTransport(self.dispatcher), **options)

    def _async_rest(self, options: ClientOptions) -> AsyncRest:
        from clientgen.runtime.aio import AsyncRest  # a test pays for the flavours it uses

        from .transports import AsyncInProcessTransport

        return AsyncRest(_CONFIG, transport=AsyncInProcessTransport(self.dispatcher), **options)

    # ---- what is there ------------------------------------------------------------------------

    def add(self, *objects: Seed) -> None:
        """Store objects as they are, including status and uid. Not recorded as actions.

        Namespaces are created as needed. An object of the same name is replaced. Watches report it.

        Raises:
            ValueError: a kind is not served, a name is missing, or a field has the wrong type.
            TypeError: an argument is not an object.
        """
        with self.dispatcher.lock:
            for obj in objects:
                self._put(_as_dict(obj))

    def apply_manifests(self, source: Source) -> None:
        """Store the objects of a YAML or JSON text, file or folder, as `add` does.

        A string that has several lines or starts with a brace is read as YAML or JSON; any other
        string is a path.

        Raises:
            ManifestError: something cannot be used; the message names its place.
        """
        with self.dispatcher.lock:
            for manifest in manifests(source):
                try:
                    self._put(manifest.value)
                except ValueError as error:
                    raise ManifestError(f"{manifest.where}: {error}") from None

    def _put(self, value: dict[str, Any]) -> None:
        try:
            self.server.put(value)
        except Failure as failure:
            raise ValueError(failure.message) from failure
        # Definitions are served before their objects come.
        self.server.run_due()

    # ---- what was asked -----------------------------------------------------------------------

    @property
    def actions(self) -> list[Action]:
        """The requests of clients, oldest first, including list and watch but not discovery."""
        with self.dispatcher.lock:
            return self.dispatcher.actions.copy()

    @property
    def writes(self) -> list[Action]:
        """The actions that are writes."""
        return [action for action in self.actions if action.is_write]

    def clear_actions(self) -> None:
        """Clear the recorded actions."""
        with self.dispatcher.lock:
            self.dispatcher.actions.clear()

    def _pattern(
        self, verb: str, resource: str = "*", namespace: str = "*", name: str = "*"
    ) -> Pattern:
        pattern = Pattern(verb, resource, namespace, name)
        with self.dispatcher.lock:
            pattern.check(list(self.server.cluster.registry.resources()))
        return pattern

    # ---- interference -------------------------------------------------------------------------

    def react(
        self,
        verb: str,
        resource: str,
        reaction: Reaction,
        *,
        namespace: str = "*",
        name: str = "*",
        times: int | None = None,
    ) -> Rule:
        """Respond to requests in place of the server. The latest reaction is tried first.

        Args:
            verb: get, list, watch, create, update, patch, delete, deletecollection, or `*`.
            resource: as in RBAC: `pods`, `deployments.apps`, `pods/status`, `*/scale`, or `*`.
            reaction: an error class of `clientgen.runtime.errors` or an instance, an HTTP error
                code, ConnectionLost to break the connection before the server receives the request,
                an object to return, or a function of the Action that returns or raises one of
                these. If it returns None, the request continues.
            namespace: react only in this namespace.
            name: react only to objects of this name.
            times: react only to this many requests.

        Reactions run without a lock, in the thread of the client. They may use the cluster.

        Raises:
            ValueError: the verb or the resource does not exist.
            TypeError: the reaction cannot be a response.
        """
        pattern = self._pattern(verb, resource, namespace, name)
        return self.dispatcher.add_rule(pattern, reacting(reaction), times)

    def fail(
        self,
        verb: str,
        resource: str,
        error: Error,
        *,
        times: int | None = 1,
        retry_after: int | None = None,
        message: str = "",
        namespace: str = "*",
        name: str = "*",
    ) -> Rule:
        """Fail the next request, or the next `times` requests; None means all of them.

        With `retry_after`, clients retry after this many (real) seconds; 0 is allowed.

        Raises:
            TypeError: `error` is not an error.
            ValueError: the number is not an HTTP error code, or the verb or resource does not
                exist.
        """
        pattern = self._pattern(verb, resource, namespace, name)
        return self.dispatcher.add_rule(pattern, failing(error, message, retry_after), times)

    def delay(
        self, seconds: float, verb: str = "*", resource: str = "*", *, times: int | None = 1
    ) -> Rule:
        """Delay the next requests, by the cluster's clock, before the server receives them."""

        def effect(_: Action, proceed: Callable[[], Answer]) -> Answer:
            return delayed(self.clock, seconds, proceed)

        return self.dispatcher.add_rule(self._pattern(verb, resource), effect, times)

    def cut(
        self,
        verb: str = "*",
        resource: str = "*",
        *,
        after: int | Random | None = None,
        times: int | None = 1,
    ) -> Rule:
        """Break the connection in the middle of the next responses. The request takes effect.

        Args:
            verb: as in `react`.
            resource: as in `react`.
            after: how many bytes of the body are sent; a Random chooses anew each time. The default
                is half of the body, or 512 bytes of a watch.
            times: how many responses; None means all of them.
        """

        def effect(_: Action, proceed: Callable[[], Answer]) -> Answer:
            return afterwards(proceed(), lambda answer: cut(answer, after))

        if isinstance(after, int) and after < 0:
            raise ValueError(f"after={after}: it must be a number of bytes, 0 or more")
        return self.dispatcher.add_rule(self._pattern(verb, resource), effect, times)

    def duplicate_events(self, resource: str = "*", *, times: int | None = 1) -> Trigger:
        """Send the next events of watches twice."""
        return self.dispatcher.add_duplicator(self._pattern("watch", resource), times)

    def drop_watches(self, resource: str = "*") -> int:
        """Break the connections of all open watches now. Returns their number."""
        with self.dispatcher.lock:
            streams = self.dispatcher.streams(self._pattern("watch", resource))
            for stream in streams:
                stream.drop()
            return len(streams)

    def end_watches(self, resource: str = "*", *, expired: bool = False) -> int:
        """End all open watches properly now. Returns their number.

        With `expired`, their last event is an ERROR with code 410.
        """
        status = json.encode(Failure(410, "Expired", _EXPIRED, details=False).status())
        last = b'{"type":"ERROR","object":%b}\n' % status if expired else b""
        with self.dispatcher.lock:
            streams = self.dispatcher.streams(self._pattern("watch", resource))
            for stream in streams:
                stream.end(last)
            return len(streams)

    def clear_reactions(self) -> None:
        """Remove everything set up by `react`, `fail`, `delay`, `cut` and so on."""
        self.dispatcher.clear_rules()

    def compact(self) -> None:
        """Drop the history: older versions get 410 Expired from now on."""
        with self.dispatcher.lock:
            self.server.compact()

    def restart(self) -> None:
        """Simulate a restart of the server: all connections break, and the history is gone."""
        with self.dispatcher.lock:
            self.server.compact()
            for stream in self.dispatcher.streams(Pattern()):
                stream.drop()


def _as_dict(value: object) -> dict[str, Any]:
    if not isinstance(value, (Model, Mapping)):
        raise TypeError(f"an object must be a model or a mapping, not {value!r}")
    return to_dict(cast("Seed", value))


# ---- the short form ---------------------------------------------------------------------------

_clusters: WeakKeyDictionary[Any, FakeCluster] = WeakKeyDictionary()


@overload
def fake_clientset(
    kind: Callable[[Rest], C], /, *objects: Seed, clock: Clock = ..., crds: Definitions = ...
) -> C: ...
@overload
def fake_clientset(
    kind: Callable[[AsyncRest], C], /, *objects: Seed, clock: Clock = ..., crds: Definitions = ...
) -> C: ...
def fake_clientset(
    kind: Callable[[Any], C],
    /,
    *objects: Seed,
    clock: Clock = SYSTEM_CLOCK,
    crds: Definitions = (),
) -> C:
    """Create a clientset for a new cluster with `objects`. `cluster_of` returns the cluster.

    For clientsets of other packages on the same cluster, pass them its connection:
    `crontabs.Clientset(k.rest)`.

    Args:
        kind: the generated class, synchronous or asyncio.
        objects: models or dicts to start with.
        clock: see `FakeCluster`.
        crds: see `FakeCluster`.

    Raises:
        ManifestError: a definition cannot be used.
        ValueError: an object cannot be stored.
    """
    return FakeCluster(*objects, clock=clock, crds=crds).clientset(kind)


def cluster_of(clientset: object) -> FakeCluster:
    """Return the cluster behind a clientset, or behind its `rest`.

    Raises:
        ValueError: it does not belong to a FakeCluster of this process.
    """
    try:
        return _clusters[getattr(clientset, "rest", clientset)]
    except (KeyError, TypeError):
        raise ValueError(f"{clientset!r} is not connected to a FakeCluster") from None
