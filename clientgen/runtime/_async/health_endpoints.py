"""The health and metrics endpoints of a manager: named checks, as in controller-runtime."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from .._controllers.health_checks import CheckResult, check_name, excluded_checks, report
from .._models.arguments import check_function
from .._net.endpoint_messages import EndpointAnswer
from ._primitives import result_of

if TYPE_CHECKING:
    from .._controllers.manager_metrics import ManagerMetrics
    from .._net.endpoint_messages import EndpointRequest
    from ._primitives import Callback

logger = logging.getLogger("clientgen.runtime.manager")

_METHOD_NOT_ALLOWED = EndpointAnswer(405, b"only GET and HEAD\n", headers=(("Allow", "GET, HEAD"),))
_OWN_PATHS = frozenset(["", "metrics", "healthz", "readyz"])
_NOT_FOUND = EndpointAnswer(404, b"404 page not found\n")


class AsyncProbes:
    """Answers `/healthz`, `/readyz` and `/metrics`.

    `/healthz?verbose` lists the checks, `/healthz?exclude=NAME` skips a check, and `/healthz/NAME`
    runs a single check.
    """

    def __init__(self, metrics: ManagerMetrics | None) -> None:
        self._metrics = metrics
        self._checks: dict[str, dict[str, Callback[[], object]]] = {"healthz": {}, "readyz": {}}
        self._handlers: dict[str, Callback[[EndpointRequest], EndpointAnswer | str | bytes]] = {}
        self._failing: set[tuple[str, str]] = set()

    def add(self, endpoint: str, name: str, check: Callback[[], object]) -> None:
        """Add a check to `healthz` or `readyz`.

        Raises:
            ValueError: The name is in use, or cannot be a path segment.
        """
        checks = self._checks[endpoint]
        if check_name(name) in checks:
            raise ValueError(f"{endpoint} already has a check named {name!r}")
        checks[name] = check

    def add_handler(
        self, path: str, function: Callback[[EndpointRequest], EndpointAnswer | str | bytes]
    ) -> None:
        """Add a function that answers requests to a path.

        Raises:
            TypeError: The function is not callable.
            ValueError: The path is in use, or does not begin with a slash.
        """
        check_function("the handler", function)
        if not path.startswith("/") or path.partition("/")[2].partition("/")[0] in _OWN_PATHS:
            raise ValueError(f"{path!r} cannot have a handler; write a path such as /debug/state")
        if path in self._handlers:
            raise ValueError(f"{path} already has a handler")
        self._handlers[path] = function

    async def health(self, request: EndpointRequest) -> EndpointAnswer:
        """Answer a request to `/healthz` or `/readyz`."""
        if request.method not in {"GET", "HEAD"}:
            return _METHOD_NOT_ALLOWED
        endpoint, _, name = request.path.strip("/").partition("/")
        checks = self._checks.get(endpoint)
        if checks is None or (name and name not in checks):
            return _NOT_FOUND
        if name:
            return await self._run_one(endpoint, name)
        return await self._run_all(endpoint, request)

    async def metrics(self, request: EndpointRequest) -> EndpointAnswer:
        """Answer a request to `/metrics`, or to the path of a handler."""
        handler = self._handlers.get(request.path)
        if handler is not None:
            return _as_answer(await result_of(handler, request))
        if request.method not in {"GET", "HEAD"}:
            return _METHOD_NOT_ALLOWED
        if self._metrics is None or request.path != "/metrics":
            return _NOT_FOUND
        text, media_type = self._metrics.text(request.headers.get("Accept", ""))
        return EndpointAnswer(200, text, media_type)

    async def health_and_metrics(self, request: EndpointRequest) -> EndpointAnswer:
        """Answer any request, for an address that serves health and metrics."""
        if request.path == "/metrics" or request.path in self._handlers:
            return await self.metrics(request)
        return await self.health(request)

    async def _run_one(self, endpoint: str, name: str) -> EndpointAnswer:
        result = await self._run_check(endpoint, name)
        if result.problem is None:
            return EndpointAnswer(200, b"ok")
        return EndpointAnswer(500, f"internal server error: {result.problem}\n".encode())

    async def _run_all(self, endpoint: str, request: EndpointRequest) -> EndpointAnswer:
        excluded = excluded_checks(request.query)
        results: list[CheckResult] = []
        for name in list(self._checks[endpoint]):
            if name in excluded:
                results.append(CheckResult(name, is_excluded=True))
            else:
                results.append(await self._run_check(endpoint, name))
        verbose = any(name == "verbose" for name, _ in request.query)
        status, text = report(endpoint, results, excluded, verbose=verbose)
        return EndpointAnswer(status, text.encode())

    async def _run_check(self, endpoint: str, name: str) -> CheckResult:
        problem: Exception | None = None
        try:
            if await result_of(self._checks[endpoint][name]) is False:
                problem = RuntimeError("the check returned False")
        except Exception as error:  # noqa: BLE001 - a check may raise anything
            problem = error
        self._log_change(endpoint, name, problem)
        return CheckResult(name, problem)

    def _log_change(self, endpoint: str, name: str, problem: Exception | None) -> None:
        """Log once why a check fails, because the endpoint does not show the reason."""
        key = (endpoint, name)
        if problem is None:
            self._failing.discard(key)
        elif key not in self._failing:
            self._failing.add(key)
            logger.info("%s: the check %r fails: %s", endpoint, name, problem)


def _as_answer(result: object) -> EndpointAnswer:
    """Return the answer for what a handler returned.

    Raises:
        TypeError: It returned neither a text nor bytes nor an answer.
    """
    if isinstance(result, EndpointAnswer):
        return result
    if isinstance(result, str | bytes):
        return EndpointAnswer(200, result.encode() if isinstance(result, str) else result)
    raise TypeError(f"a handler must return a str, bytes or EndpointAnswer, not {result!r:.100}")
