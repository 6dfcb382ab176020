"""The handler: from a request to an answer. It never waits.

`ApiServer` is to be used under one lock: `handle`, the streams it gives and `run_due` all change
the same state. `clientgen.testing` has drivers for it, in process and over HTTP.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.decoding import in_json
from clientgen._apimachinery.decoding.body import check_size
from clientgen._apimachinery.failures import Failure, bad_request, internal_error
from clientgen.runtime._clock import SYSTEM_CLOCK

from . import access, bootstrap
from .admission import Chain
from .admission.policies import MutatingPolicies, ValidatingPolicies
from .admission.webhook_plugins import MutatingWebhooks, ValidatingWebhooks
from .controllers.crd_controller import Definitions
from .controllers.garbage import Garbage
from .controllers.leader_election import Elections
from .controllers.namespaces import Namespaces
from .controllers.role_aggregation import Aggregation
from .documents import Documents
from .kinds.header_limits import fitting
from .requests import authorization
from .requests.api_request import Request
from .requests.negotiation import negotiate
from .requests.request_info import request_info
from .requests.request_options import check_timeout
from .responses.answers import NOSNIFF, Deferred, Response, Upgrade, plain_text
from .responses.rendering import Rendering, failed, unknown_path
from .served_spec import load
from .storage.cluster_state import ClusterState
from .storage.store import MAX_HISTORY_EVENTS, MAX_HISTORY_SECONDS, Store
from .storage.versioned_view import VersionedView
from .verbs.handlers import handler_of
from .webhook_calls import Attempt, Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clientgen.runtime._clock import Clock
    from clientgen.runtime._http.request import HttpRequest

    from .controllers.play import ControllerManager, PlaySettings
    from .responses.answers import Answer, Stream
    from .served_spec import Spec
    from .webhook_calls import WebhookCall

_log = logging.getLogger("clientgen.testing")


class ApiServer:
    """A Kubernetes API server in memory.

    Args:
        spec: what is served; the Kubernetes spec of this package when None.
        clock: where times come from.
        seed: makes uids and generated names the same in every run.
        controller_delay: after how many seconds namespaces are emptied and garbage is collected.
        history_events: how many changes of each resource are remembered.
        history_seconds: for how long they are.
        control_plane: whether kube-system has the ConfigMaps that components of a control plane
            look for.
    """

    def __init__(
        self,
        spec: Spec | None = None,
        *,
        clock: Clock = SYSTEM_CLOCK,
        seed: int | None = None,
        controller_delay: float = 0.0,
        history_events: int = MAX_HISTORY_EVENTS,
        history_seconds: float = MAX_HISTORY_SECONDS,
        control_plane: bool = True,
    ) -> None:
        store = Store(clock, history_events=history_events, history_seconds=history_seconds)
        self.cluster = ClusterState(
            spec or load(),
            clock,
            store,
            Random(seed),  # noqa: S311 - uids and names, no secrets
        )
        self.cluster.admission = Chain(
            mutating=[MutatingPolicies(self.cluster), MutatingWebhooks(self.cluster)],
            validating=[ValidatingPolicies(self.cluster), ValidatingWebhooks(self.cluster)],
        )
        self.documents = Documents(
            self.cluster.spec, self.cluster.registry, objects=self.cluster.store.numbers
        )
        Definitions(self.cluster)
        Namespaces(self.cluster, controller_delay)
        self.garbage = Garbage(self.cluster, controller_delay)
        self._bootstrap(control_plane=control_plane)
        Aggregation(self.cluster, controller_delay)
        Elections(self.cluster, controller_delay)
        self.compact()

    def _bootstrap(self, *, control_plane: bool) -> None:
        from .storage.seed import put_complete

        served = {(each.group, each.version) for each in self.cluster.spec.resources}
        now = self.cluster.timestamp()
        settings = bootstrap.control_plane_settings(now) if control_plane else ()
        for value in (*bootstrap.initial_objects(served, now), *settings):
            if self.cluster.serves(value):
                self.put(value)
        for value in access.bootstrap_objects():
            if self.cluster.serves(value):
                put_complete(self.cluster, value)

    # --------------------------------------------------------------------------- requests

    def in_json(self, request: HttpRequest) -> HttpRequest:
        """The same request with a body in JSON, if it has one in protobuf that can be read."""
        return in_json(request, self.cluster.spec.schema)

    def knows_token(self, token: str) -> bool:
        """Return whether the server has issued this bearer token, and it is still valid."""
        return self.cluster.tokens.caller(token, self.cluster) is not None

    def handle(self, request: HttpRequest) -> Answer:
        """Answer a request, whatever it is."""
        self.run_due()
        request = self.in_json(request)
        answer = self._settled(Request.of(request), partial(self._received, request))
        self.run_due()
        return answer

    def _settled(self, request: Request, answer_to: Callable[[Request], Answer]) -> Answer:
        """Return the answer, or a Status if there is none; a deferred one is settled later."""
        try:
            answer = answer_to(request)
        except Failure as failure:
            answer = failed(failure, request.accept)
        except Exception as error:  # noqa: BLE001 - a defect here is a 500, as a panic is
            _log.exception("%s %s failed", request.method, request.path)
            answer = failed(internal_error(f"{type(error).__name__}: {error}"), request.accept)
        if isinstance(answer, Deferred):
            resume = answer.resume
            return replace(answer, resume=lambda: self._settled(request, lambda _: resume()))
        return answer if isinstance(answer, Upgrade) else _finished(answer, request.warnings)

    def _received(self, http_request: HttpRequest, request: Request) -> Answer:
        caller = authorization.sender_of(self.cluster, http_request.headers)
        request = replace(request, caller=caller)
        if not self.cluster.has_webhooks:
            return self._answer(request)
        attempt = Attempt(self.cluster.random.getrandbits(64), self.cluster.now())
        return self._attempted(attempt, request, lambda: self._answer(request))

    def _attempted(
        self, attempt: Attempt, request: Request, answer_to: Callable[[], Answer]
    ) -> Answer:
        """Answer a request, or raise the calls that it waits for; then it is attempted again."""
        warned = len(request.warnings)
        try:
            with self.cluster.attempting(attempt):
                answer = answer_to()
        except Unanswered as waiting:
            del request.warnings[warned:]
            return self._waiting(
                waiting.calls, lambda: self._attempted(attempt, request, answer_to)
            )
        if isinstance(answer, Deferred) and not answer.calls:
            resume = answer.resume
            return replace(answer, resume=lambda: self._attempted(attempt, request, resume))
        return answer

    def _waiting(self, calls: Sequence[WebhookCall], then: Callable[[], Answer]) -> Answer:
        """Call `then` when all calls have ended."""
        now = self.cluster.clock.monotonic()
        for call in calls:
            call.give_up(now)
        left = [call for call in calls if call.outcome is None]
        if not left:
            return then()

        def on_ready(wake: Callable[[], None]) -> None:
            for call in left:
                call.on_ready(wake)

        deadline = min(call.deadline for call in left)
        return Deferred(deadline, lambda: self._waiting(left, then), on_ready, left)

    def _answer(self, request: Request) -> Answer:
        if self.documents.is_broken(request.path):
            return _unreachable()
        if not request.is_long:
            check_timeout(request.query)
        try:
            info = request_info(request, self.cluster.registry)
        except Failure:
            authorization.check_unserved(self.cluster, request)
            raise
        if info is None or not info.verb:
            authorization.check_unserved(self.cluster, request)
        if info is None:
            answer = self.documents.answer(
                request.method, request.path, request.query, request.headers
            )
            return answer or unknown_path()
        if not info.verb:
            return unknown_path()
        authorization.check(self.cluster, request, info)
        if warning := info.strategy.deprecation_warning(self.cluster.spec.minor):
            request.warnings.append(warning)
        check_size(request.body)
        encoding = negotiate(request.accept, stream=info.verb == "watch")
        _check_segment(info.name)
        view = VersionedView(info.strategy, self.cluster.registry)
        rendering = Rendering.of(request, view, encoding, self.cluster)
        return handler_of(info)(self.cluster, info, rendering)

    # ------------------------------------------------------------------------------ time

    @property
    def next_due(self) -> float | None:
        """When `run_due` has something to do, on the monotonic clock; None: nothing is planned."""
        return self.cluster.next_due

    @property
    def next_awaited(self) -> float | None:
        """The same, without deadlines, back-offs and schedules of controllers that are played."""
        return self.cluster.next_awaited

    def run_due(self) -> None:
        """Do the work behind requests that is due."""
        self.cluster.run_due()

    def compact(self) -> None:
        """Forget the history: older watches and lists get an error."""
        self.cluster.store.compact()

    def skip_to(self, version: int) -> None:
        """Continue with a later version, so that clients of an earlier server get an error.

        Otherwise their watches would wait silently until the versions that they know come again.
        """
        self.cluster.store.skip_to(version)

    def play(self, settings: PlaySettings) -> ControllerManager:
        """Run controllers, a scheduler and kubelets from now on."""
        from .controllers.play import ControllerManager

        return ControllerManager(self.cluster, settings)

    # --------------------------------------------------------------------------- objects

    def put(self, value: dict[str, Any]) -> dict[str, Any]:
        """Store an object without checks, with its status and uid, for tests.

        Defaults and metadata are filled in.

        Raises:
            ValueError: its kind is not served.
        """
        from .storage.seed import put

        return put(self.cluster, value)

    def make_namespace(self, name: str) -> None:
        """Store a namespace, unless it is there or namespaces are not served."""
        from .storage.seed import make_namespace

        make_namespace(self.cluster, name)

    def put_role(self, value: dict[str, Any]) -> None:
        """Store a role or a binding, even before its namespace exists: tests may create that.

        Raises:
            ValueError: roles are not served.
        """
        from .storage.seed import put

        put(self.cluster, value, makes_namespace=False)


def _check_segment(name: str) -> None:
    """Refuse a name that could not stand in a path.

    Raises:
        Failure: 400.
    """
    if name in (".", ".."):
        raise bad_request(f"Name parameter invalid: \"{name}\": may not be '{name}'")
    if "%" in name:
        raise bad_request(f"Name parameter invalid: \"{name}\": may not contain '%'")


def _unreachable() -> Response:
    """Answer as the aggregation layer does for an API server that cannot be reached."""
    return plain_text(503, "service unavailable\n", NOSNIFF)


def _finished(answer: Response | Stream, warnings: list[str]) -> Answer:
    """Add the headers that every answer has, and one for each thing to warn of."""
    headers = answer.headers
    if not any(name == "cache-control" for name, _ in headers):
        headers.append(("cache-control", "no-cache, private"))
    for text in fitting(dict.fromkeys(filter(None, warnings))) if warnings else ():
        headers.append(("warning", f"299 - {json.dumps(text, ensure_ascii=False)}"))
    return answer
