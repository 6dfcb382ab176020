"""A cluster in the process, and typed clientsets for it.

::

    k = fake_clientset(Clientset, Pod(metadata=ObjectMeta(name="web-0", namespace="default")))
    k.core_v1.pods("default").delete("web-0")
    assert [str(a) for a in cluster_of(k).actions] == ["delete pods default/web-0"]

The cluster runs the same server as `clientgen serve`. The guide "The test server"
lists the differences from a real server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast, overload

from msgspec import json

from clientgen._apimachinery.failures import Failure
from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime._controllers.declared_rights import RightsListener
from clientgen.runtime._http.shared_objects import SharedObjects
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.model_codec import to_dict

from .._apiserver.feature_gates import checked_gates
from .._apiserver.served_spec import load
from .._apiserver.server import ApiServer
from .._apiserver.storage.store import MAX_HISTORY_EVENTS, MAX_HISTORY_SECONDS
from .dispatcher import Dispatcher
from .fake_clock import FakeClock
from .network_faults import afterwards, cut, delayed
from .object_files import manifests, put, put_manifest
from .reactors import Pattern, failing, reacting
from .service_accounts import ServiceAccounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from random import Random
    from typing import Unpack

    from clientgen.runtime._clock import Clock
    from clientgen.runtime._http.call_options import ClientOptions
    from clientgen.runtime.aio import AsyncRest
    from clientgen.runtime.sync import Rest

    from .._apiserver.responses.answers import Answer
    from .actions import Action
    from .backends import WebhookBackend
    from .declared_containers import Container, Containers
    from .log_writer import LogWriter
    from .object_files import Source
    from .play import Play
    from .reactors import Error, Reaction, Rule, Trigger
    from .service_accounts import RoleSource

C = TypeVar("C")
Seed: TypeAlias = "Model | Mapping[str, Any]"
Definitions: TypeAlias = "Source | Iterable[Source | Seed]"

_URL: Final = "http://fake-cluster"
_EXPIRED = "too old resource version"


class FakeCluster:
    """A Kubernetes API server in memory that tests can inspect and control.

    Threads, event loops, both kinds of clientsets and a `LocalServer` may share a cluster.

    Args:
        objects: models or dicts to start with; see `add`.
        clock: a `FakeClock` lets the test control times and waits.
        spec: an OpenAPI v2 document to serve instead of Kubernetes 1.36.
        crds: CustomResourceDefinitions: files, folders, or objects.
        seed: a seed for uids and generated names, so that they are the same in every run.
        controller_delay: the seconds after which namespaces are emptied and garbage is collected.
        history_events: how many changes of each resource are kept for watches.
        history_seconds: how long changes are kept.
        record: whether to record `actions`; turn it off for long-running servers.
        control_plane: whether kube-system has the ConfigMaps that control plane components read.
            Without them, a list of all ConfigMaps contains only the ConfigMaps of the test.
        aggregated_discovery: whether one discovery request can return all resources. Servers before
            Kubernetes 1.26 do not support this.
        rbac: the roles and bindings (a file, a folder, a text or objects) that authorize clients
            with a `service_account`. Without `rbac`, such clients may do everything.
        feature_gates: the features to switch on or off, such as `{"ShardedListAndWatch": True}`.
            Others have the default of Kubernetes 1.36.

    Raises:
        SpecError: the spec cannot be served.
        ManifestError: a definition or a role cannot be used.
        ValueError: an object cannot be stored, or a feature gate does not exist.

    Attributes:
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
        history_events: int = MAX_HISTORY_EVENTS,
        history_seconds: float = MAX_HISTORY_SECONDS,
        record: bool = True,
        control_plane: bool = False,
        aggregated_discovery: bool = True,
        rbac: RoleSource | None = None,
        feature_gates: Mapping[str, bool] | None = None,
    ) -> None:
        self._clock = clock
        self.server = self._new_server(
            load(None if spec is None else Path(spec)),
            clock=clock,
            seed=seed,
            controller_delay=controller_delay,
            history_events=history_events,
            history_seconds=history_seconds,
            control_plane=control_plane,
        )
        self.server.documents.has_aggregated_discovery = aggregated_discovery
        self.server.cluster.feature_gates = checked_gates(feature_gates or {})
        self.dispatcher = self._new_dispatcher(record)
        self._play: Play | None = None
        self._containers: Containers | None = None
        for definition in (crds,) if isinstance(crds, (Path, str)) else crds:
            if isinstance(definition, (Path, str)):
                self.apply_manifests(definition)
            else:
                self.add(definition)
        self._service_accounts = ServiceAccounts(
            self.server, rbac, clock.note_refusal if isinstance(clock, FakeClock) else None
        )
        self.add(*objects)

    _new_server = ApiServer

    def _new_dispatcher(self, record: bool) -> Dispatcher:
        return Dispatcher(self.server, self._clock, records=record)

    # ---- clients ------------------------------------------------------------------------------

    @overload
    def clientset(
        self,
        kind: Callable[[Rest], C],
        /,
        *,
        service_account: str | None = ...,
        **options: Unpack[ClientOptions],
    ) -> C: ...
    @overload
    def clientset(
        self,
        kind: Callable[[AsyncRest], C],
        /,
        *,
        service_account: str | None = ...,
        **options: Unpack[ClientOptions],
    ) -> C: ...
    def clientset(
        self,
        kind: Callable[[Any], C],
        /,
        *,
        service_account: str | None = None,
        **options: Unpack[ClientOptions],
    ) -> C:
        """Create a clientset of the given generated class for this cluster.

        Synchronous and asyncio classes both work: `cluster.clientset(Clientset)`,
        `cluster.clientset(AsyncClientset)`. You may close the clientset, but need not; closing it
        does not affect the cluster.

        Args:
            kind: the generated class.
            service_account: `namespace/name` of the ServiceAccount that makes the requests. Its
                requests are recorded for `pytest --rbac`, and authorized by the roles of
                `FakeCluster(rbac=...)` or of `pytest --under-rbac`. The namespace of the clientset
                is the namespace of the ServiceAccount, as in a pod. Without a `service_account`,
                the clientset acts as an administrator. The
                guide "Roles (RBAC)" tells more.
            options: as in `Clientset.from_config`.

        Raises:
            ValueError: `service_account` is not `namespace/name`, or the options also impersonate
                a user.
        """
        if service_account is not None:
            if any(name.startswith("impersonate_") for name in options):
                why = "pass service_account or impersonate_* options, not both"
                raise ValueError(why)
            options["impersonate_user"] = self.acting_as(service_account)
        config = ClusterConfig(_URL, _namespace_of(service_account))
        make = self._async_rest if hasattr(kind, "__aenter__") else self._rest
        rest = make(config, options)
        self.adopt(rest)
        if service_account is not None:
            declare = partial(self._service_accounts.declare, service_account)
            rest.shared.put(RightsListener, RightsListener(declare))
        return kind(rest)

    def adopt(self, rest: Rest | AsyncRest) -> None:
        """Register a REST client whose transport leads to this cluster.

        Call this method for your own transports.
        """
        rest.clock = self._clock
        # Stored with the client, because a registry of clients would keep every cluster in memory.
        rest.shared.put(FakeCluster, self)

    def acting_as(self, service_account: str) -> str:
        """Return the user name of a service account, and record its requests from now on.

        Clients that a test starts elsewhere send this name as `Impersonate-User`.

        Raises:
            ValueError: `service_account` is not `namespace/name`.
        """
        with self.dispatcher.lock:
            return self._service_accounts.user(service_account)

    def _rest(self, config: ClusterConfig, options: ClientOptions) -> Rest:
        from clientgen.runtime.sync import Rest  # a test imports only the flavours it uses

        from .transports import InProcessTransport

        return Rest(config, transport=InProcessTransport(self.dispatcher), **options)

    def _async_rest(self, config: ClusterConfig, options: ClientOptions) -> AsyncRest:
        from clientgen.runtime.aio import AsyncRest  # a test imports only the flavours it uses

        from .transports import AsyncInProcessTransport

        return AsyncRest(config, transport=AsyncInProcessTransport(self.dispatcher), **options)

    def service(self, service: str, backend: str | WebhookBackend) -> None:
        """Set the webhook server behind a service of the cluster.

        The API server calls the webhook server for admission and for conversion, as the guide "The
        test server" explains.

        Args:
            service: namespace and name, such as `default/my-operator`. The Service need not exist.
            backend: an address such as `127.0.0.1:9443`, or an object of this process. The address
                is called over HTTPS, with the name of the service and the `caBundle` of the
                webhook. The object has a function or coroutine function `answer(path, body)`, which
                returns a status and bytes. A coroutine function runs on the event loop on which
                `service` was called.

        Raises:
            ValueError: `service` is not `namespace/name`, or the address is not `host:port`.
            TypeError: the backend is not a string and has no method `answer`.
        """
        self.dispatcher.backends.set(service, backend)

    # ---- objects ------------------------------------------------------------------------------

    def add(self, *objects: Seed) -> None:
        """Store objects as they are, including status and uid, without recording actions.

        Missing namespaces are created. An existing object with the same name is replaced. Watches
        report the changes.

        Raises:
            ValueError: a kind is not served, a name is missing, a field has the wrong type, or an
                admission policy breaks the rules of its kind.
            TypeError: an argument is not an object.
        """
        with self.dispatcher.lock:
            for obj in objects:
                put(self.server, _as_dict(obj))

    def apply_manifests(self, source: Source) -> None:
        """Store the objects of a YAML or JSON text, file or folder, like `add`.

        A string that has several lines or starts with a brace is read as YAML or JSON; any other
        string is a path.

        Raises:
            ManifestError: a document cannot be read or stored; the message names its place.
        """
        with self.dispatcher.lock:
            for manifest in manifests(source):
                put_manifest(self.server, manifest)

    # ---- containers ---------------------------------------------------------------------------

    def container(self, pod: str, name: str = "") -> Container:
        """Declare fake containers, to set their commands, files and ports.

            @cluster.container("shop/web-0").on_exec
            def run(process):
                process.stdout.write("hello")
                return 0

        The pods must exist, but need no node and no status. The guide
        "Commands, files, ports and logs of containers" has examples.

        Args:
            pod: the namespace and the name, or patterns, such as `shop/web-*`.
            name: the name of the container, or a pattern; by default all containers.

        Raises:
            ValueError: `pod` is not `namespace/name`.
        """
        if self._containers is None:
            from .declared_containers import Containers  # imported late: rarely needed

            self._containers = Containers(self._clock)
            self.server.cluster.open_process = self._containers.open
            self.server.cluster.open_ports = self._containers.forward
            self.server.cluster.open_proxy = self._containers.proxy
        return self._containers.declare(pod, name)

    def logs(self, pod: str, container: str = "") -> LogWriter:
        """Return a writer for the log of a container. Clients read and follow the log.

            cluster.logs("shop/web-0").write("listening on :8080")

        The pod must exist. The status of the pod counts the restarts: `previous=True` reads the
        text that was written before the last restart. Before the first call of `logs`, the log of
        every container is "fake logs"; afterwards, logs are empty.

        Args:
            pod: the namespace and the name, such as `shop/web-0`.
            container: the name of the container; may be left out for pods with one container.

        Raises:
            ValueError: the pod or the container does not exist.
        """
        from .log_writer import LogWriter  # imported late: rarely needed

        return LogWriter(self.dispatcher, self.server.cluster, pod, container)

    # ---- workloads ----------------------------------------------------------------------------

    def play(
        self,
        *,
        nodes: int | None = None,
        pod_start: float = 0.0,
        pod_stop: float = 0.0,
        job_run: float = 0.0,
        delay: float = 0.0,
        max_pods: int = 1000,
        advance: bool = False,
    ) -> Play:
        """Simulate controllers, a scheduler and kubelets from now on: workloads become ready.

        The guide "The test server" lists what is simulated. The clock of the cluster measures the
        times. With times of 0, all work is done when a request returns, and watches have seen every
        step.

        Args:
            nodes: how many nodes to add; by default one if the cluster has no node, else 0.
            pod_start: the seconds from the scheduling of a pod until it is ready.
            pod_stop: the seconds from the deletion of a pod until it has ended; at most its grace
                period.
            job_run: the seconds that containers run in pods whose restart policy is not Always.
            delay: the seconds after which controllers react to a change.
            max_pods: the number of pods in the cluster at which controllers stop creating more.
            advance: whether a `FakeClock` moves by itself while a client waits for a watch, as far
                as `settle` moves it. Then no thread has to step the clock.

        Raises:
            ValueError: a number is out of range, or `advance` is set and the clock is not a
                FakeClock.
            RuntimeError: `play` was called before.
        """
        from .._apiserver.controllers.play import PlaySettings  # imported late: rarely needed
        from .play import Play

        settings = PlaySettings(
            nodes=nodes,
            pod_start=pod_start,
            pod_stop=pod_stop,
            job_run=job_run,
            delay=delay,
            max_pods=max_pods,
        )
        if advance and not isinstance(self._clock, FakeClock):
            why = (
                "advance=True needs FakeCluster(clock=FakeClock()); other clocks move by themselves"
            )
            raise ValueError(why)
        with self.dispatcher.lock:
            if self._play is not None:
                raise RuntimeError("play() was called before; use the object that it returned")
            self._play = Play(self.dispatcher, self.server.play(settings))
            self.dispatcher.stop_clock_at_work()
            self.dispatcher.advances = advance
            self.dispatcher.settle()
        return self._play

    @property
    def played(self) -> Play:
        """The object that `play` returned, for tests of `clientgen serve --play`.

        Raises:
            RuntimeError: `play` was not called.
        """
        if self._play is None:
            raise RuntimeError("nothing is played yet: call play(), or serve with --play")
        return self._play

    @property
    def clock(self) -> FakeClock:
        """The `FakeClock` that was passed to the cluster.

        Raises:
            RuntimeError: the cluster has another clock, which tests cannot move.
        """
        if not isinstance(self._clock, FakeClock):
            why = "this cluster's clock cannot be moved; use FakeCluster(clock=FakeClock())"
            raise RuntimeError(why)  # noqa: TRY004 - no argument has a wrong type
        return self._clock

    def settle(self, limit: float = 3600.0) -> None:
        """Move the `FakeClock` until the cluster has no more work.

        Deadlines, back-offs, schedules of CronJobs and the removal of finished Jobs do not count
        as work: use `FakeClock.step` to reach them.

        Args:
            limit: the maximum number of seconds to move the clock.

        Raises:
            TimeoutError: the cluster still has work at the limit.
            ValueError: the cluster has work later, and its clock is not a FakeClock.
        """
        latest = self._clock.monotonic() + limit
        while (due := self.dispatcher.settle()) is not None:
            if not isinstance(self._clock, FakeClock):
                why = "settle() cannot move this clock; use FakeCluster(clock=FakeClock())"
                raise ValueError(why)  # noqa: TRY004 - no argument has a wrong type
            if due > latest:
                raise TimeoutError(f"the cluster still has work after {limit:g} seconds")
            self._clock.advance_to(due)

    # ---- recorded requests --------------------------------------------------------------------

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

    # ---- reactions and faults -----------------------------------------------------------------

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
                code, ConnectionLost to break the connection before the server gets the request, an
                object to return, or a function of the Action that returns or raises one of these.
                If the function returns None, the request continues.
            namespace: react only in this namespace.
            name: react only to objects with this name.
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
        """Fail the next `times` requests; None means all requests.

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
            return delayed(self._clock, seconds, proceed)

        return self.dispatcher.add_rule(self._pattern(verb, resource), effect, times)

    def cut(
        self,
        verb: str = "*",
        resource: str = "*",
        *,
        after: int | Random | None = None,
        times: int | None = 1,
    ) -> Rule:
        """Break the connection in the middle of the next responses. The requests take effect.

        Args:
            verb: as in `react`.
            resource: as in `react`.
            after: how many bytes of the body are sent; a Random chooses a number for each response.
                By default half of the body is sent, or 512 bytes of a watch.
            times: how many responses; None means all responses.
        """

        def effect(_: Action, proceed: Callable[[], Answer]) -> Answer:
            return afterwards(proceed(), lambda answer: cut(answer, after))

        if isinstance(after, int) and after < 0:
            raise ValueError(f"after={after}: write a number of bytes, 0 or more")
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

    def break_group(self, group_version: str) -> None:
        """Make a group version unavailable, as if its API server could not be reached.

        Discovery reports the group version as stale, and the server answers its requests with 503.

        Args:
            group_version: such as `metrics.k8s.io/v1beta1`. The cluster need not serve it.

        Raises:
            ValueError: the text is not `group/version`. The core group `v1` cannot be broken.
        """
        with self.dispatcher.lock:
            self.server.documents.break_group(*_split(group_version))

    def mend_group(self, group_version: str) -> None:
        """Undo `break_group`.

        Raises:
            ValueError: as `break_group`.
        """
        with self.dispatcher.lock:
            self.server.documents.mend_group(*_split(group_version))

    def clear_reactions(self) -> None:
        """Remove all rules of `react`, `fail`, `delay`, `cut` and `duplicate_events`."""
        self.dispatcher.clear_rules()

    def compact(self) -> None:
        """Drop the history. From now on, requests for older versions get 410 Expired."""
        with self.dispatcher.lock:
            self.server.compact()

    def restart(self) -> None:
        """Simulate a restart of the server: all connections break, and the history is gone."""
        with self.dispatcher.lock:
            self.server.compact()
            for stream in self.dispatcher.streams(Pattern()):
                stream.drop()


def _split(group_version: str) -> tuple[str, str]:
    group, slash, version = group_version.partition("/")
    if not group or not version or "/" in version or not slash:
        raise ValueError(f"{group_version!r} must be a group and a version: metrics.k8s.io/v1beta1")
    return group, version


def _namespace_of(service_account: str | None) -> str:
    """Return the namespace of clients: the namespace of the service account, as in a pod."""
    return "default" if service_account is None else service_account.partition("/")[0]


def _as_dict(value: object) -> dict[str, Any]:
    if not isinstance(value, (Model, Mapping)):
        raise TypeError(f"an object must be a model or a mapping, not {value!r}")
    return to_dict(cast("Seed", value))


# ---- the short form ---------------------------------------------------------------------------


@overload
def fake_clientset(
    kind: Callable[[Rest], C],
    /,
    *objects: Seed,
    clock: Clock = ...,
    crds: Definitions = ...,
    service_account: str | None = ...,
) -> C: ...
@overload
def fake_clientset(
    kind: Callable[[AsyncRest], C],
    /,
    *objects: Seed,
    clock: Clock = ...,
    crds: Definitions = ...,
    service_account: str | None = ...,
) -> C: ...
def fake_clientset(
    kind: Callable[[Any], C],
    /,
    *objects: Seed,
    clock: Clock = SYSTEM_CLOCK,
    crds: Definitions = (),
    service_account: str | None = None,
) -> C:
    """Create a clientset for a new cluster with `objects`. `cluster_of` returns the cluster.

    To use the same cluster with another package, pass the REST client:
    `crontabs.Clientset(k.rest)`.

    Args:
        kind: the generated class, synchronous or asyncio.
        objects: models or dicts to start with.
        clock: see `FakeCluster`.
        crds: see `FakeCluster`.
        service_account: see `FakeCluster.clientset`.

    Raises:
        ManifestError: a definition cannot be used.
        ValueError: an object cannot be stored, or `service_account` is not `namespace/name`.
    """
    cluster = FakeCluster(*objects, clock=clock, crds=crds)
    return cluster.clientset(kind, service_account=service_account)


def cluster_of(clientset: object) -> FakeCluster:
    """Return the cluster behind a clientset, or behind its `rest`.

    Raises:
        ValueError: the clientset does not belong to a FakeCluster of this process.
    """
    shared: Any = getattr(getattr(clientset, "rest", clientset), "shared", None)
    cluster = shared.get(FakeCluster) if isinstance(shared, SharedObjects) else None
    if cluster is None:
        raise ValueError(f"{clientset!r} is not connected to a FakeCluster")
    return cluster
