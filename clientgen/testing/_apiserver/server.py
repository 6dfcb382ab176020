"""The handler: a request in, an answer out; it opens no socket and never waits.

`ApiServer` is to be used under one lock: `handle`, the streams it gives and `run_due` all change
the same state. `clientgen.testing` has drivers for it, in process and over HTTP.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import in_json
from clientgen._apimachinery.decoding.body import check_size
from clientgen._apimachinery.failures import Failure, bad_request, internal_error
from clientgen.runtime._clock import SYSTEM_CLOCK

from . import access, bootstrap
from .controllers.definitions import Definitions
from .controllers.garbage import Garbage
from .controllers.namespaces import Namespaces
from .controllers.role_aggregation import Aggregation
from .documents import Documents
from .requests import authorization
from .requests.negotiation import negotiate
from .requests.options import check_timeout
from .requests.request import Request
from .requests.request_info import request_info
from .responses.answers import Deferred
from .responses.rendering import Rendering, failed, unknown_path
from .spec import load
from .storage.cluster import Cluster
from .storage.store import HISTORY_EVENTS, HISTORY_SECONDS, Store
from .storage.versioned_view import VersionedView
from .verbs.handlers import handler_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.runtime._clock import Clock
    from clientgen.runtime._http.request import HttpRequest

    from .responses.answers import Answer, Response, Stream
    from .spec import Spec

__all__ = ["ApiServer"]

_LEVELS_OF_ROLES: Final = 3
"""`admin` is made of `edit`, that of `view`."""
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
        history_events: int = HISTORY_EVENTS,
        history_seconds: float = HISTORY_SECONDS,
        control_plane: bool = True,
    ) -> None:
        store = Store(clock, history_events=history_events, history_seconds=history_seconds)
        self.cluster = Cluster(
            spec or load(),
            clock,
            store,
            Random(seed),  # noqa: S311 - uids and names, no secrets
        )
        self.documents = Documents(
            self.cluster.spec, self.cluster.registry, objects=self.cluster.store.numbers
        )
        Definitions(self.cluster)
        Namespaces(self.cluster, controller_delay)
        self.garbage = Garbage(self.cluster, controller_delay)
        self._bootstrap(Aggregation(self.cluster, controller_delay), control_plane=control_plane)
        self.compact()

    def _bootstrap(self, aggregation: Aggregation, *, control_plane: bool) -> None:
        served = {(each.group, each.version) for each in self.cluster.spec.resources}
        now = self.cluster.timestamp()
        settings = bootstrap.control_plane_settings(now) if control_plane else ()
        objects = bootstrap.initial_objects(served, now)
        for value in (*objects, *settings, *access.bootstrap_objects()):
            if self.cluster.serves(value):
                self.put(value)
        for _ in range(_LEVELS_OF_ROLES):
            aggregation.settle()

    # --------------------------------------------------------------------------- requests

    def in_json(self, request: HttpRequest) -> HttpRequest:
        """The same request with a body in JSON, if it has one in protobuf that can be read."""
        return in_json(request, self.cluster.spec.schema)

    def knows_token(self, token: str) -> bool:
        """Tell whether a bearer token is one of a service account here, and valid."""
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
        return _warning(answer, request.warnings)

    def _received(self, http_request: HttpRequest, request: Request) -> Answer:
        caller = authorization.sender_of(self.cluster, http_request.headers)
        return self._answer(replace(request, caller=caller))

    def _answer(self, request: Request) -> Answer:
        if not request.is_long:
            check_timeout(request.query)
        info = request_info(request, self.cluster.registry)
        if info is None:
            authorization.check(self.cluster, request, None)
            answer = self.documents.answer(
                request.method, request.path, request.query, request.headers
            )
            return answer or unknown_path()
        if not info.verb:
            return unknown_path()
        authorization.check(self.cluster, request, info)
        if warning := info.strategy.deprecation_warning:
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

    def run_due(self) -> None:
        """Do the work behind requests that is due."""
        self.cluster.run_due()

    def compact(self) -> None:
        """Forget what was: watches and lists from before are told that they are too late."""
        self.cluster.store.compact()

    def skip_to(self, version: int) -> None:
        """Go on from a later version: clients of an earlier server are told that they are too late.

        Without it a watch would wait, without a word, until the versions that it knows come again.
        """
        self.cluster.store.skip_to(version)

    # --------------------------------------------------------------------------- objects

    def put(self, value: dict[str, Any]) -> dict[str, Any]:
        """Store an object past all rules, with the status and uid it has; as a test sets the scene.

        Its defaults are filled in, and what every stored object has.

        Raises:
            ValueError: its kind is not served.
        """
        from .storage.seed import put

        return put(self.cluster, value)


def _check_segment(name: str) -> None:
    """Refuse a name that could not stand in a path.

    Raises:
        Failure: 400.
    """
    if name in (".", ".."):
        raise bad_request(f"Name parameter invalid: \"{name}\": may not be '{name}'")
    if "%" in name:
        raise bad_request(f"Name parameter invalid: \"{name}\": may not contain '%'")


def _warning(answer: Response | Stream, warnings: list[str]) -> Answer:
    """The answer with a header for each thing it is to warn of."""
    for text in dict.fromkeys(warnings):
        answer.headers.append(("warning", f"299 - {json.dumps(text, ensure_ascii=False)}"))
    return answer
