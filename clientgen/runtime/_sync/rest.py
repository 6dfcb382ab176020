# Derived from _async/rest.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""The REST client of one cluster. Requests pass the chain of links in `requests`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._clock import SYSTEM_CLOCK
from .._http.json_codec import JSON
from .._http.paging import PAGE_SIZE, checked_page_size
from .._http.request import HttpRequest
from .._http.request_deadlines import RequestDeadlines
from .._http.server_health import is_outage
from .._http.shared_objects import SharedObjects
from .._http.work_deadline import WORK_DEADLINE, pause_within_work
from .._models.argument_errors import UnknownAttribute
from .._redaction import Unpicklable
from ..errors import TransportError
from ._primitives import wait_until
from .requests.fenced_link import FencedLink
from .requests.request_chain import RequestChain
from .requests.request_link import BodyOpening, WebSocketOpening
from .standstill_alarm import alarm_once

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Self, Unpack

    from .._clock import Clock
    from .._config.cluster_config import ClusterConfig
    from .._config.kubeconfig_source import Kubeconfig
    from .._http.call_defaults import CallDefaults
    from .._http.call_options import ClientOptions
    from .._http.codec import Codec
    from .._http.request import Headers, HttpResponse
    from .._http.write_permit import Permit
    from ._primitives import Callback, Event
    from .requests.metrics_link import ResponseObserver
    from .requests.request_link import RequestLink
    from .requests.retry_link import RetryLink
    from .transport_protocol import ByteStream, DuplexStream, Transport
    from .websocket import WebSocket

# The names that `dir` lists. The other attributes are for the runtime.
_PUBLIC = frozenset(
    (
        *("clock", "codec", "config", "field_manager", "from_config", "host"),
        *("namespace", "on_response", "send", "stream", "with_"),
    )
)


class Rest(Unpicklable):
    """Sends requests to one cluster, on behalf of any number of typed clients.

    Responses 429 and 5xx with a Retry-After header are retried for every verb, up to `max_retries`
    times. GETs are also retried after a lost connection, as in client-go. A 401 makes the client
    read credential files and run plugins again; if the credential has changed, the client sends the
    request once more. Credentials are sent over TLS only. If `transport` is given, it sends the
    requests instead of the network.

    Use it as a context manager, or call `close`.

    Attributes:
        config: The configuration of the cluster.
        codec: The codec of bodies.
        field_manager: The field manager of server-side apply.
        clock: The clock of timeouts; in a test, the clock of the fake cluster. Pauses before
            retries always take real time.
    """

    def __init__(
        self,
        config: ClusterConfig,
        *,
        transport: Transport | None = None,
        codec: Codec = JSON,
        **options: Unpack[ClientOptions],
    ) -> None:
        from .._http.client_headers import client_headers
        from .._http.user_agent import field_manager, user_agent

        _check_options(options)
        self.config = config
        self.codec = codec
        agent = options.get("user_agent") or user_agent()
        self.field_manager = field_manager(agent)
        self.discovery_cache = options.get("discovery_cache", True)
        self.page_size = checked_page_size(options.get("page_size", PAGE_SIZE))
        self.shared = SharedObjects()
        self.write_defaults: Mapping[str, Any] = {}
        self.delete_defaults: Mapping[str, Any] = {}
        self._namespace = config.namespace
        self._is_derived = False
        self._set_deadlines(RequestDeadlines(SYSTEM_CLOCK, options.get("timeout")))
        headers: Headers = (
            ("Accept", codec.accept),
            ("User-Agent", agent),
            *_impersonation(config, options),
            *client_headers(options.get("headers", {})),
        )
        self.chain = RequestChain(
            config, codec, headers, self._deadlines, options, transport=transport, owner=repr(self)
        )
        self._first: RetryLink | FencedLink = self.chain.first
        self._relayed: RequestLink = self.chain.relayed
        self._alarms: set[Callable[[], object]] = set()

    @classmethod
    def from_config(
        cls,
        kubeconfig: Kubeconfig | None = None,
        context: str | None = None,
        *,
        text: str | bytes | None = None,
        base: str | PathLike[str] | None = None,
        token: str | Callback[[], str] | None = None,
        exec_plugins: Collection[str] | None = None,
        codec: Codec = JSON,
        **options: Unpack[ClientOptions],
    ) -> Self:
        """Create a client from KUBECONFIG, `~/.kube/config` or the pod's service account.

        The arguments before `codec` are those of `load_config`.

        Raises:
            ConfigError: the configuration is missing or invalid.
        """
        from .._config.kubeconfig import load_config  # configs built in code need no YAML

        config = load_config(
            kubeconfig, context, text=text, base=base, token=token, exec_plugins=exec_plugins
        )
        return cls(config, codec=codec, **options)

    def _set_deadlines(self, deadlines: RequestDeadlines) -> None:
        self._deadlines = deadlines
        # Attributes instead of methods, because a method would cost each request one more call.
        self.deadline = deadlines.deadline
        self.left = deadlines.seconds_left
        self.real_deadline = deadlines.real_deadline

    def with_(self, **defaults: Unpack[CallDefaults]) -> Self:
        """Return a client of the same connection with other defaults; see `k.with_`.

        Only the original closes the connection.

        Raises:
            TypeError: there is no such default, or a value has a wrong type.
            ValueError: a value is not valid.
        """
        from .._http.call_defaults import DELETE_DEFAULTS, WRITE_DEFAULTS, check_defaults

        check_defaults(defaults)
        derived = object.__new__(type(self))
        vars(derived).update(vars(self))
        derived._is_derived = True
        derived._namespace = defaults.get("namespace", self._namespace)
        derived.field_manager = defaults.get("field_manager", self.field_manager)
        writes = {**self.write_defaults, **defaults}
        derived.write_defaults = {name: writes[name] for name in WRITE_DEFAULTS if name in writes}
        derived.delete_defaults = {name: writes[name] for name in DELETE_DEFAULTS if name in writes}
        if "timeout" in defaults:
            derived._set_deadlines(self._deadlines.with_timeout(defaults["timeout"]))
        return derived

    def fenced(self, permit: Permit | None) -> Self:
        """Return a client of the same connection whose writes need a permit, in every thread.

        Only the original closes the connection.
        """
        derived = self.with_()
        if permit is not None:
            derived._first = FencedLink(derived._first, permit)
            derived._relayed = FencedLink(derived._relayed, permit)
        return derived

    def __dir__(self) -> list[str]:
        """List the attributes for programs. The other attributes are for the runtime."""
        public = _PUBLIC | {self.close.__name__}
        return [name for name in object.__dir__(self) if name in public or name.startswith("__")]

    if not TYPE_CHECKING:  # `__getattr__` would hide mistakes from type checkers

        def __getattr__(self, name: str) -> object:
            raise AttributeError(UnknownAttribute(type(self), name), name=name)

    @property
    def namespace(self) -> str:
        """The namespace of `with_`, or else the default namespace of the configuration."""
        return self._namespace

    @property
    def host(self) -> str:
        """The host and port of the server."""
        return self.chain.metrics.host

    @property
    def on_response(self) -> ResponseObserver | None:
        """Called with host, method and status code after each attempt, for metrics."""
        return self.chain.metrics.on_response

    @on_response.setter
    def on_response(self, observer: ResponseObserver | None) -> None:
        self.chain.metrics.on_response = observer

    # ---- deadlines ----------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        """The clock of deadlines."""
        return self._deadlines.clock

    @clock.setter
    def clock(self, clock: Clock) -> None:
        self._deadlines.clock = clock

    @property
    def timeout(self) -> float | None:
        """The default seconds that a request may take; None for no limit."""
        return self._deadlines.timeout

    def whole_deadline(self, options: Mapping[str, Any]) -> float | None:
        """Return the deadline of a call that sends many requests, or runs a command.

        The client's timeout limits each request, but not the whole call.
        """
        return self.deadline({"timeout": options.get("timeout")})

    def _bounded(self, request: HttpRequest, deadline: float | None) -> float | None:
        """Return the earlier one of the deadlines of a request and of the calling work."""
        work = WORK_DEADLINE.get()
        return deadline if work is None else work.bound(request, deadline, self.clock)

    # ---- requests -----------------------------------------------------------------------------

    def send(
        self,
        request: HttpRequest,
        deadline: float | None = None,
        *,
        max_retries: int | None = None,
    ) -> HttpResponse:
        """Send a request, with retries, and return the complete successful response.

        `max_retries` overrides the option of the client; the reflector retries by itself. The
        caches of this client's informers show a written object before this returns.

        Raises:
            ApiError: the server responded with an error.
            TransportError: there was no complete response before the deadline.
        """
        return self._first.send(request, self._bounded(request, deadline), max_retries)

    def stream(
        self,
        request: HttpRequest,
        deadline: float | None = None,
        read_timeout: float | None = None,
        *,
        max_retries: int | None = None,
        is_watch: bool = False,
        can_resume: bool = False,
    ) -> ByteStream:
        """Send a request and return the response as a stream. Lost connections are not retried.

        `max_retries` is as in `send`. A watch must respond soon, or it counts as lost. `can_resume`
        means that the reader loses nothing if the stream is cut.

        Raises:
            ApiError: the server responded with an error.
            TransportError: there was no response before the deadline.
        """
        opening = BodyOpening(read_timeout, is_watch=is_watch, can_resume=can_resume)
        until = self._bounded(request, deadline)
        return self._first.stream(request, until, opening, max_retries)

    def relay(self, request: HttpRequest, deadline: float | None = None) -> HttpResponse:
        """Send a request through the API server to another program. Returns the complete response.

        Responses of any status are returned. The request is not retried.

        Raises:
            TransportError: there was no complete response before the deadline.
        """
        return self._relayed.send(request, self._bounded(request, deadline))

    def relay_stream(self, request: HttpRequest, deadline: float | None = None) -> ByteStream:
        """Send a request through the API server to another program.

        Returns the response as a stream.

        Responses of any status are returned. The request is not retried.

        Raises:
            TransportError: there was no response before the deadline.
        """
        opening = BodyOpening(is_relayed=True)
        return self._relayed.stream(request, self._bounded(request, deadline), opening)

    def connect(
        self, request: HttpRequest, subprotocols: Sequence[str], deadline: float | None = None
    ) -> WebSocket:
        """Open a WebSocket. After the handshake, the server may be silent for any time.

        Args:
            request: The request, without the headers of the handshake.
            subprotocols: The supported subprotocols. The preferred one comes first.
            deadline: The deadline of the handshake.

        Raises:
            ApiError: The server refused the request.
            TransportError: There was no response before the deadline, or the response is not a
                handshake.
        """
        from .._streams.websocket_protocol import Handshake  # imported late
        from .websocket import WebSocket as Connected

        handshake = Handshake(subprotocols)
        headers = handshake.headers_for(request.headers)
        upgrade_request = HttpRequest(request.method, request.target, headers)
        until = self._bounded(request, deadline)
        accepted = self._first.stream(upgrade_request, until, WebSocketOpening())
        stream = cast("DuplexStream", accepted)
        try:
            subprotocol = handshake.chosen_subprotocol(stream.status, stream.headers, request.info)
        except TransportError:
            stream.close()
            raise
        return Connected(stream, subprotocol, request.info)

    # ---- the health of the server -------------------------------------------------------------

    def limit_silence(self, stream: ByteStream, seconds: float) -> None:
        """From now on, make a stream fail when no data arrives for this many seconds."""
        self.chain.connections.limit_silence(stream, seconds)

    @property
    def is_mute(self) -> bool:
        """Whether the server does not respond. Then slow operations should not start."""
        return self.chain.monitor is not None and self.chain.monitor.is_mute

    @property
    def silence(self) -> float | None:
        """The seconds without data after which connections are closed; None for no limit."""
        return None if self.chain.monitor is None else self.chain.monitor.silence

    def pause(self, stopped: Event, clock: Clock, seconds: float, error: Exception | None) -> bool:
        """Wait before retrying an operation that failed with `error`.

        The wait ends at once when `stopped` is set, and soon after an unreachable server is back.
        Returns whether the server came back.
        """
        seconds = pause_within_work(seconds)
        monitor = self.chain.monitor
        if monitor is None or not is_outage(error):
            wait_until(stopped, clock, clock.monotonic() + seconds)
            return False
        return monitor.pause(stopped, clock, seconds)

    # ---- alarms and the end -------------------------------------------------------------------

    def alarm_at(self, deadline: float, alarm: Callable[[str], object]) -> Callable[[], object]:
        """Call a function at a deadline, unless the client is closed first.

        The function is called with an empty string, or with a sentence if a test does not move its
        FakeClock. Returns a function that cancels the alarm. The caller must always call this
        function.
        """
        cancel_alarm = alarm_once(self.clock, deadline, alarm)

        def cancel() -> None:
            self._alarms.discard(cancel)
            cancel_alarm()

        self._alarms.add(cancel)
        return cancel

    def close(self) -> None:
        """Close all connections; streams end. Clients made by `with_` close nothing."""
        if self._is_derived:
            return
        for cancel in tuple(self._alarms):
            cancel()
        self.chain.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.config.server!r})"


def _check_options(options: Mapping[str, Any]) -> None:
    from .._http.call_options import ClientOptions

    unknown = sorted(options.keys() - ClientOptions.__annotations__.keys())
    if unknown:
        known_options = ", ".join(ClientOptions.__annotations__)
        raise TypeError(
            f"no such client option: {', '.join(unknown)}; the options are {known_options}"
        )


def _impersonation(config: ClusterConfig, options: ClientOptions) -> Headers:
    """Return the headers for impersonation.

    The options replace the impersonation of the configuration.
    """
    from .._config.cluster_config import Impersonation
    from .._config.impersonation import impersonation_headers

    chosen = config.impersonate
    if any(name.startswith("impersonate_") for name in options):
        chosen = Impersonation(
            options.get("impersonate_user", ""),
            options.get("impersonate_uid", ""),
            options.get("impersonate_groups", ()),
            options.get("impersonate_extra", {}),
        )
    return tuple(impersonation_headers(chosen)) if chosen else ()
