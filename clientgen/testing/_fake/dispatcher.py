"""The dispatcher in front of the server: records actions, applies reactions and faults.

The transports (in process, over HTTP) pass requests to a Dispatcher, from any thread. The
dispatcher records an Action. Rules may answer, delay or cut the request; otherwise the server
answers it, under a lock. Nothing here waits: a transport passes a `wake` with each request, and
reads streams after `wake` was called.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol
from weakref import ref

from clientgen.runtime._clock import on_move, real_seconds

from .._apiserver.responses.answers import Deferred, Response, Stream, Upgrade
from .actions import action_of, pack
from .backends import Backends
from .fake_clock import FakeClock
from .network_faults import OpenStream, afterwards
from .reactors import Rule, Trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from clientgen.runtime._clock import Clock
    from clientgen.runtime._http.request import HttpRequest

    from .._apiserver.responses.answers import Answer
    from .actions import Action
    from .reactors import Effect, Pattern

_FRESH_ACTIONS: Final = 256
"""The actions whose bodies are not compressed."""
_MAX_ADVANCE_SECONDS: Final = 3600.0


class Handler(Protocol):
    """The server behind the dispatcher, such as `ApiServer`."""

    @property
    def next_due(self) -> float | None:
        """The time of the next background work of the server; None without such work."""
        ...

    def in_json(self, request: HttpRequest) -> HttpRequest:
        """Return the request with its body in JSON, for actions and reactions."""
        ...

    def knows_token(self, token: str) -> bool:
        """Return whether the server has issued this bearer token."""
        ...

    def handle(self, request: HttpRequest) -> Answer:
        """Answer a request."""
        ...

    @property
    def next_awaited(self) -> float | None:
        """Like `next_due`, without deadlines, back-offs and schedules; see `FakeCluster.settle`."""
        ...

    def run_due(self) -> None:
        """Do the background work that is due."""
        ...


class Dispatcher:
    """Passes requests to one server, from any number of threads.

    Attributes:
        lock: held during every call of the server. Reentrant.
        records: whether actions are recorded.
        advances: whether a FakeClock moves by itself while a client waits.
        backends: makes the calls to webhooks.
    """

    def __init__(self, server: Handler, clock: Clock, *, records: bool = True) -> None:
        self.server = server
        self.clock = clock
        self.lock = threading.RLock()
        self._is_postponed = False
        self.records = records
        self.advances = False
        self.backends = Backends(clock)
        self.actions: list[Action] = []
        self._rules: list[Rule] = []
        self._duplicators: list[Trigger] = []
        self._streams: set[OpenStream] = set()
        self._timer: threading.Timer | None = None
        self._timer_due = 0.0
        on_move(clock, self._run_due)

    # ---- requests -----------------------------------------------------------------------------

    def handle(self, request: HttpRequest, wake: Callable[[], None]) -> Answer:
        """Answer a request. `wake` is called when more of the response is ready."""
        if isinstance(self.clock, FakeClock):
            self.clock.note_activity()
        request = self.server.in_json(request)
        action = action_of(request) if self.records or self._rules else None
        if action is None:
            answer = self._ask(request, action)
        else:
            rules = self._record(action)
            answer = (
                self._apply_rules(rules, action, request) if rules else self._ask(request, action)
            )
        return self._with_wake(answer, wake)

    def knows_token(self, token: str) -> bool:
        """Return whether the server has issued this bearer token."""
        with self.lock:
            return self.server.knows_token(token)

    def resume(self, deferred: Deferred, wake: Callable[[], None]) -> Answer:
        """Try again to answer a deferred request."""
        with self.lock:
            answer = deferred.resume()
            self._run_due()
        return self._with_wake(answer, wake)

    def take(self, stream: Stream) -> bytes | None:
        """Return the bytes of a stream that are ready; empty if none are, None at the end.

        Raises:
            ConnectionCut: the connection breaks here.
        """
        with self.lock:
            return stream.take()

    def close(self, stream: Stream) -> None:
        """Close a stream that is no longer read."""
        with self.lock:
            stream.close()

    def _record(self, action: Action) -> list[Rule]:
        with self.lock:
            if self.records:
                self.actions.append(action)
                if len(self.actions) > _FRESH_ACTIONS:
                    pack(self.actions[-_FRESH_ACTIONS - 1])
            return self._rules[::-1]

    def _apply_rules(self, rules: list[Rule], action: Action, request: HttpRequest) -> Answer:
        remaining_rules = iter(rules)

        def proceed() -> Answer:
            effect = self._next_effect(remaining_rules, action)
            return effect(action, proceed) if effect else self._ask(request, action)

        return proceed()

    def _next_effect(self, rules: Iterator[Rule], action: Action) -> Effect | None:
        with self.lock:
            return next((rule.effect for rule in rules if rule.takes(action)), None)

    def _ask(self, request: HttpRequest, action: Action | None) -> Answer:
        with self.lock:
            answer = self.server.handle(request)
            self._run_due()
            if isinstance(answer, Response):
                return answer
            return afterwards(answer, partial(self._wrap_stream, action or action_of(request)))

    def _wrap_stream(self, action: Action | None, answer: Answer) -> Answer:
        """Wrap a stream, so that faults can break it and duplicate its events."""
        match answer:
            case Stream():
                stream = OpenStream(answer, action, self._duplicate_events, self._streams.discard)
                self._streams.add(stream)
                return stream
            case Response() | Deferred() | Upgrade():
                return answer

    def _with_wake(self, answer: Answer, wake: Callable[[], None]) -> Answer:
        if not isinstance(answer, Response):
            with self.lock:
                answer.on_ready(wake)
        return answer

    # ---- reactions and faults -----------------------------------------------------------------

    def add_rule(self, pattern: Pattern, effect: Effect, times: int | None) -> Rule:
        """Apply an effect to requests from now on, before the other rules."""
        rule = Rule(pattern, times, effect, self._remove)
        with self.lock:
            self._rules.append(rule)
        return rule

    def add_duplicator(self, pattern: Pattern, times: int | None) -> Trigger:
        """Send events twice from now on."""
        with self.lock:
            duplicator = Trigger(pattern, times, self._remove)
            self._duplicators.append(duplicator)
            return duplicator

    def clear_rules(self) -> None:
        """Remove all rules."""
        with self.lock:
            self._rules.clear()
            self._duplicators.clear()

    def _remove(self, trigger: Trigger) -> None:
        with self.lock:
            self._rules = [rule for rule in self._rules if rule is not trigger]
            self._duplicators = [
                duplicator for duplicator in self._duplicators if duplicator is not trigger
            ]

    def _duplicate_events(self, stream: OpenStream, data: bytes) -> bytes:
        action = stream.action
        if not self._duplicators or action is None:
            return data
        lines: list[bytes] = []
        for line in data.splitlines(keepends=True):
            twice = any(duplicator.takes(action) for duplicator in self._duplicators)
            lines += [line, line] if twice else [line]
        return b"".join(lines)

    def streams(self, pattern: Pattern) -> list[OpenStream]:
        """Return the open streams whose requests match. The caller must hold the lock."""
        return [
            stream for stream in self._streams if stream.action and pattern.matches(stream.action)
        ]

    # ---- background work ----------------------------------------------------------------------

    def settle(self) -> float | None:
        """Do the work that is due. Returns the time of the next awaited work, or None."""
        with self.lock:
            self._run_due()
            return self.server.next_awaited

    def advance_clock(self, is_woken: Callable[[], bool]) -> None:
        """Move a FakeClock while a client waits for more of a response, if `advances` is set.

        The clock moves to each time at which the cluster has awaited work, until the client is
        woken or an hour has passed. Without awaited work, it moves to the next timeout of a client.
        """
        if not self.advances or not isinstance(self.clock, FakeClock) or self.clock.is_moving:
            return
        latest = self.clock.monotonic() + _MAX_ADVANCE_SECONDS
        while not is_woken() and (due := self.settle()) is not None and due <= latest:
            self.clock.advance_to(due)
        timeout = self.clock.next_timeout
        if not is_woken() and timeout is not None and timeout <= latest and self.settle() is None:
            self.clock.advance_to(timeout)

    async def own_step_passed(self) -> None:
        """Wait for the end of the step of the FakeClock that the current task has begun."""
        if isinstance(self.clock, FakeClock) and self.clock.is_moving:
            await self.clock.own_step_passed()

    def finish_own_step(self) -> None:
        """Move the FakeClock at once to the end of the step that the current task has begun."""
        if isinstance(self.clock, FakeClock) and self.clock.is_moving:
            self.clock.finish_own_step()

    def stop_clock_at_work(self) -> None:
        """Make a FakeClock stop at each time at which background work is due."""
        if isinstance(self.clock, FakeClock):
            self.clock.stop_at(lambda: self.server.next_due)

    @contextmanager
    def postponed_work(self) -> Generator[None]:
        """Postpone the background work of the server to the end of the `with` block."""
        self._is_postponed = True
        try:
            yield
        finally:
            self._is_postponed = False
            self._run_due()

    def _run_due(self) -> None:
        with self.lock:
            if self._is_postponed:
                return
            due = self.server.next_due
            while due is not None and due <= self.clock.monotonic():
                self.server.run_due()
                due = self.server.next_due
            if due is not None and (self._timer is None or due < self._timer_due):
                self._set_timer(due)

    def _set_timer(self, due: float) -> None:
        seconds = real_seconds(self.clock, due)
        if seconds is None:  # a FakeClock calls `_run_due` when it moves
            return
        if self._timer is not None:
            self._timer.cancel()
        # The timer holds a weak reference, so that it does not keep an unused cluster in memory.
        self._timer = threading.Timer(seconds, self._on_timer, [ref(self)])
        self._timer.daemon = True
        self._timer_due = due
        self._timer.start()

    def _fire(self, timer: threading.Thread) -> None:
        with self.lock:
            if self._timer is timer:  # otherwise another timer has replaced this timer
                self._timer = None
            self._run_due()

    @staticmethod
    def _on_timer(reference: ref[Dispatcher]) -> None:
        dispatcher = reference()
        if dispatcher is not None:
            dispatcher._fire(threading.current_thread())
