"""One run: a cluster, the program, a user, and the faults of a schedule."""

from __future__ import annotations

import asyncio
import logging
from asyncio import events
from collections import Counter
from contextlib import contextmanager
from contextvars import Context
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from msgspec import Struct, json

from clientgen.runtime._clock import SYSTEM_CLOCK
from clientgen.runtime._config.cluster_config import ClusterConfig
from clientgen.runtime.errors import ConnectionLost

from .._apiserver.responses.answers import Response
from .explored_cluster import ExploredCluster
from .judges import endless_failures, foreign_owners, is_garbage, stuck_objects
from .network import Transport, WatchStream
from .other_writers import OtherWriters
from .replicas import Replica
from .run_records import Event, Outcome, Point, Violation
from .states import UNJUDGED, plain_value, public_fields, state_of
from .virtual_loop import Process, TooBusy, VirtualLoop, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from clientgen.runtime._http.request import HttpRequest

    from .._apiserver.storage.store import Change, Collection, Record
    from .._fake.actions import Action
    from .exploration import Setting
    from .fault_schedules import Fault

_CONFIG: Final = ClusterConfig("http://explored-cluster")
# All times are seconds of the run's virtual time.
_LATENCY_SECONDS: Final = 0.002
_EVENT_LAG_SECONDS: Final = 0.001
_GARBAGE_DELAY_SECONDS: Final = 0.5
# Before each step, the user waits until nothing has changed for this long.
_STEP_IDLE_SECONDS: Final = 5.0
_STEP_TIMEOUT_SECONDS: Final = 60.0
_STEP_TIMEOUT_WHILE_HELD_SECONDS: Final = 8.0
# A run ends when nothing changes for the idle time, and the program writes nothing afterwards.
_END_IDLE_SECONDS: Final = 30.0
_END_TIMEOUT_SECONDS: Final = 240.0
_END_WATCH_SECONDS: Final = 150.0
_MAX_END_ROUNDS: Final = 6
_RECOVERY_SECONDS: Final = 15.0
_MAX_HOLD_SECONDS: Final = 60.0
_MAX_STALE_WRITES: Final = 12
_MAX_EQUAL_WRITES: Final = 100
_MAX_CONFLICTS: Final = 4
_CONFLICT: Final = 409
_CONFLICTING_VERBS: Final = ("patch", "update")  # a 409 for a create means AlreadyExists
_ARRIVAL_BEFORE_RESUME_SECONDS: Final = 1.0
_REPLICA_START_INTERVAL_SECONDS: Final = 1.5
_OTHER_VERSION_OFFSET: Final = 12_345
_CONTROLLER_LOGGER: Final = "clientgen.runtime.controllers"


class _HeldEvents(Struct):
    resource: str
    fault: Fault
    is_gap: bool
    is_over: bool = False


class Run:
    """Executes one run.

    Attributes:
        is_over: whether the run has ended; later events do not count.
        externals: the external system as a tuple of arguments; empty without one.
    """

    def __init__(self, setting: Setting, faults: tuple[Fault, ...]) -> None:
        self.setting = setting
        self.faults = faults
        self.loop = VirtualLoop()
        seed = setting.seed + setting.has_other_uids
        setting.time.begin(self.loop, seed, shift=_OTHER_VERSION_OFFSET * setting.has_other_uids)
        garbage = next(
            (float(each.how) for each in faults if each.kind == "garbage"), _GARBAGE_DELAY_SECONDS
        )
        self.cluster = ExploredCluster(
            setting.template,
            self.loop,
            setting.time,
            seed=seed,
            crds=setting.crds,
            controller_delay=garbage,
        )
        self.dispatcher = self.cluster.dispatcher
        if setting.has_other_uids:
            self.cluster.server.cluster.store.version += _OTHER_VERSION_OFFSET
        self.outcome = Outcome()
        self.externals: tuple[Any, ...] = () if setting.external is None else (setting.external(),)
        self.is_over = False
        chance = next((int(each.how) for each in faults if each.kind == "latency"), None)
        self._random = None if chance is None else Random(chance)  # noqa: S311 - no secrets
        self._lags = {each.at: float(each.how) for each in faults if each.kind == "lag"}
        self._held: list[_HeldEvents] = []
        self._counts: Counter[str] = Counter()
        self._conflicts: Counter[tuple[str, str, str]] = Counter()
        self._since_step: Counter[str] = Counter()
        self._aliases: dict[str, str] = {}
        self._actor = ""
        self._failed: asyncio.Future[None] | None = None
        self._action: Action | None = None
        self._request: HttpRequest | None = None
        self._last_change = 0.0
        self._recovery_end = 0.0
        self._program_changes = 0
        self._last_writes: list[str] = []
        self._has_changed = False
        self._is_checking = False
        self._recreated_deletion: tuple[HttpRequest, str, str, str] | None = None
        self._processes = 0
        self._error: Exception | None = None
        self._requests = 0
        self._user = Transport(self)
        self._is_dirty = True
        self._step = 0
        self._is_scenario_over = False
        self._early: dict[tuple[str, int], Fault] = {
            (each.at, each.n): each for each in faults if each.kind == "early"
        }
        self._reached: dict[int, asyncio.Event] = {}
        self._done: dict[int, asyncio.Event] = {}
        self._others = OtherWriters(self.cluster, self.log_event, self.call_later)
        self._failures: list[tuple[float, str]] = []
        names = ["controller"] if setting.replicas == 1 else None
        self.replicas = [
            Replica(self, names[0] if names else f"replica {number + 1}")
            for number in range(setting.replicas)
        ]
        if setting.setup is not None:
            setting.setup(self.cluster, *self.externals)
        self.cluster.server.cluster.store.on_change(self._on_change)
        self.dispatcher.on_worked = self._check_invariant

    # ---- the course of the run ----------------------------------------------------------------

    def execute(self) -> Outcome:
        """Execute the run, and return its outcome."""
        with _capture_logs(_FailureHandler(self)):
            self._execute()
        if self._error is not None:
            raise self._error
        self.outcome.is_skipped = self.outcome.is_skipped or self._others.is_spoiled
        self.outcome.seconds = self.loop.now
        self.outcome.steps = self._step
        self.outcome.requests = self._requests
        return self.outcome

    def _execute(self) -> None:
        try:
            self.loop.run_until_complete(self._drive_until_failure())
        except TooBusy:
            self.fail("busy", "the program never becomes idle: its tasks run without end")
        finally:
            self.is_over = True
            self._user.is_down = True
            for replica in self.replicas:
                if replica.transport is not None:
                    replica.transport.is_down = True
            self.loop.finish([each for replica in self.replicas for each in replica.processes])

    async def _drive_until_failure(self) -> None:
        driving = asyncio.ensure_future(self._drive())
        self._failed = self.loop.create_future()
        await asyncio.wait({driving, self._failed}, return_when=asyncio.FIRST_COMPLETED)
        if driving.done():
            await driving

    async def _drive(self) -> None:
        for number, replica in enumerate(self.replicas):
            # The replicas of a Deployment do not start at the same moment either.
            self.call_later(number * _REPLICA_START_INTERVAL_SECONDS, replica.start)
        await self._run_user()
        if self.outcome.is_skipped or self.outcome.violation is not None:
            return
        self._is_scenario_over = True
        self.log_event("user", "has done everything")
        self.call_later(0.5, self._start_all)
        for held in tuple(self._held):
            if not held.is_over and held.fault.how in ("step", "end"):
                self.call_later(
                    2.0 if held.fault.how == "step" else 5.0, partial(self._release, held)
                )
        await self._wait_for_end()
        if self.outcome.violation is None:
            self._judge()

    async def _run_user(self) -> None:
        k = self._clientset(self._user)
        try:
            await self.setting.scenario(k, *self.externals)
        except Exception as error:
            if not self.faults:
                raise
            self._judge_user(error)

    def _judge_user(self, error: Exception) -> None:
        """Decide what an error of the scenario means in a run with faults."""
        match error:
            case TimeoutError():
                self.fail("waiting", f"the user waited in vain: {text_of(error)}")
            case AssertionError():
                self.fail("scenario", f"the user does not find what is expected: {error}")
            case _:
                self.outcome.is_skipped = True

    def new_process(self, name: str) -> Process:
        """Make a process with the next number."""
        self._processes += 1
        return Process(name, self._processes - 1)

    def start_program(self, transport: Transport) -> object:
        """Call `build`."""
        return self.setting.build(self._clientset(transport), *self.externals)

    def _clientset(self, transport: Transport) -> Any:
        from clientgen.runtime.aio import AsyncRest

        rest = AsyncRest(_CONFIG, transport=transport)
        self.cluster.adopt(rest)
        rest.clock = SYSTEM_CLOCK  # as in a real program; VirtualTime has patched it
        made = self.setting.clientset(rest)
        if not hasattr(made, "__aenter__"):
            name = getattr(self.setting.clientset, "__name__", "clientset")
            raise TypeError(
                f"clientset={name}: explore runs asyncio programs; pass the asyncio class of the "
                "clientset, such as AsyncClientset"
            )
        return made

    def call_later(self, seconds: float, function: Callable[[], object]) -> None:
        """Call a function later, outside of all processes."""
        self.loop.call_later(seconds, function, context=Context())

    def log_event(self, who: str, text: str) -> None:
        """Add a line to the report."""
        self.outcome.events.append(Event(self.loop.now, who, text))

    def fail(self, kind: str, text: str) -> None:
        """Record a broken rule, and end the run. Only the first one counts."""
        if self.outcome.violation is None and not self.is_over:
            self.outcome.violation = Violation(kind, text)
            self.log_event("judge", text.partition("\n")[0])
            if self._failed is not None and not self._failed.done():
                self._failed.set_result(None)

    def refuse(self, error: Exception) -> None:
        """End the run with an error that `execute` raises: the program cannot be explored."""
        if self._error is None and not self.is_over:
            self._error = error
            if self._failed is not None and not self._failed.done():
                self._failed.set_result(None)

    # ---- time ---------------------------------------------------------------------------------

    def latency(self) -> float:
        """Return the seconds that a request or an answer takes."""
        return (
            _LATENCY_SECONDS if self._random is None else self._random.choice((0.001, 0.004, 0.03))
        )

    def event_lag(self, stream: WatchStream) -> float:
        """Return the seconds that a watch event takes."""
        if not stream.is_program:
            return _EVENT_LAG_SECONDS
        lag = self._lags.get(stream.resource, self._lags.get("*", _EVENT_LAG_SECONDS))
        return lag if self._random is None else lag + self._random.choice((0.0, 0.005, 0.05, 0.3))

    async def _wait_until_idle(self, idle_seconds: float, limit: float) -> bool:
        end = self.loop.now + limit
        while self.loop.now < end:
            idle = self.loop.now - self._last_change
            if idle >= idle_seconds and not self._others.pending:
                return True
            await asyncio.sleep(max(idle_seconds - idle, 0.1))
        return False

    async def _wait_for_end(self) -> None:
        for _ in range(_MAX_END_ROUNDS):
            if self.outcome.violation is not None:
                return
            await asyncio.sleep(self._recovery_end - self.loop.now)
            if not await self._wait_until_idle(_END_IDLE_SECONDS, _END_TIMEOUT_SECONDS):
                break
            before = self._program_changes
            await asyncio.sleep(_END_WATCH_SECONDS)
            if self._program_changes == before and self.loop.now >= self._recovery_end:
                return
        writes = "\n".join(f"  {each}" for each in self._last_writes[-6:])
        self.fail(
            "flapping", f"the program never stops changing objects; the last changes:\n{writes}"
        )

    # ---- requests -----------------------------------------------------------------------------

    async def before(
        self, transport: Transport, request: HttpRequest, action: Action | None
    ) -> Response | None:
        """Apply the faults before a request. Returns an answer to give instead of the server's."""
        self.setting.time.patch_new_modules()  # the program may have imported modules meanwhile
        if not transport.name:
            await self._before_user(request, action)
            return None
        if self.externals:  # the program may have changed the external system
            self._check_invariant(is_due=True)
        self._requests += 1
        if self._requests > self.setting.max_requests:
            self.fail("busy", f"the program has sent {self._requests} requests, and does not stop")
            await self.loop.create_future()
        if action is None or action.group_resource in UNJUDGED:
            return None
        label = self._label(action)
        n = self._count(label)
        kind = "write" if action.is_write else "read"
        self.outcome.points.append(Point(kind, label, n, self._step))
        answer = None
        for fault in self._faults_at(label, n):
            answer = await self._apply(fault, transport, request, action, label) or answer
        return answer

    def _faults_at(self, label: str, n: int) -> list[Fault]:
        return [each for each in self.faults if each.n == n and each.at == label]

    async def _apply(
        self,
        fault: Fault,
        transport: Transport,
        request: HttpRequest,
        action: Action,
        label: str,
    ) -> Response | None:
        replica = self._replica_of(transport)
        self._note_hit(fault)
        match fault.kind:
            case "crash-before":
                replica.kill(f"before it sends: {label}")
                await self.loop.create_future()
            case "fail":
                self.log_event(replica.name, f"{label} → 500, the server did nothing")
                return _failure_response()
            case "touch":
                self._others.touch(action)
            case "recreate":
                if self._others.recreate(action):
                    self._check_deletion_later(request, action)
            case "early":
                await self._do_step_now(int(fault.how))
            case "pause":
                self._pause(replica, float(fault.how))
                await asyncio.sleep(0)
            case "late":
                return await self._deliver_late(transport, request, action, float(fault.how))
            case "cut-off" | "straggle":
                self._cut_off(fault, transport, request, action)
            case _:
                pass
        return None

    def _cut_off(
        self, fault: Fault, transport: Transport, request: HttpRequest, action: Action
    ) -> NoReturn:
        """Take the network away from a replica before it sends a request, or while that travels."""
        name, seconds = transport.name, float(fault.how)
        if fault.kind == "straggle":
            self.log_event(name, f"sends {self._label(action)}, which takes long")
            self._deliver(transport, request, action, seconds)
        self.log_event(name, f"has no network for {fault.how} s")
        transport.offline_until = self.loop.now + seconds
        self._extend_recovery(seconds)
        transport.break_streams()
        raise ConnectionLost(f"{request.info}: the connection was lost")

    def _pause(self, replica: Replica, seconds: float) -> None:
        replica.pause(seconds)
        self._extend_recovery(seconds)

    def _extend_recovery(self, seconds: float) -> None:
        """Let the program recover: its back-off may be as long as the fault lasted."""
        self._recovery_end = max(self._recovery_end, self.loop.now + 2 * seconds)

    async def _deliver_late(
        self, transport: Transport, request: HttpRequest, action: Action, seconds: float
    ) -> Response:
        """Pause the process while its request travels; the request arrives before it continues."""
        replica = self._replica_of(transport)
        self.log_event(replica.name, f"sends {self._label(action)}, which takes long")
        self._pause(replica, seconds)
        return await asyncio.shield(self._deliver(transport, request, action, seconds))

    def _deliver(
        self, transport: Transport, request: HttpRequest, action: Action, seconds: float
    ) -> asyncio.Task[Response]:
        """Let a request arrive a second before these seconds are over."""
        replica = self._replica_of(transport)

        async def deliver() -> Response:
            await asyncio.sleep(max(0.0, seconds - _ARRIVAL_BEFORE_RESUME_SECONDS))
            self.log_event("network", f"delivers {self._label(action)} of {replica.name}")
            answer = await transport.ask(request, action)
            assert isinstance(answer, Response)  # only writes are delivered late
            return answer

        # The delivery is not a task of the process, so pausing or killing the process does not
        # stop it.
        return self.loop.create_task(deliver(), context=Context())

    def _check_deletion_later(self, request: HttpRequest, action: Action) -> None:
        """Remember to check a deletion of an object that the user has just recreated."""
        if action.verb != "delete" or action.subresource:
            return
        record = self.cluster.server.cluster.record(
            action.group, action.resource, action.namespace, action.name
        )
        if record is not None:
            self._recreated_deletion = (request, action.group_resource, record.key, record.uid)

    def _check_deletion(self) -> None:
        assert self._recreated_deletion is not None
        _, resource, key, uid = self._recreated_deletion
        self._recreated_deletion = None
        record = self.cluster.server.cluster.store.collection(resource).records.get(key)
        if record is None or record.uid != uid or record.is_going:
            what = f"the program deletes {resource} {key} by name, but it is a new object"
            why = (
                "the user has recreated it, and the program has not seen that; delete with its uid"
            )
            self.fail("anew", f"{what}: {why}")

    @contextmanager
    def attributing(
        self, transport: Transport, request: HttpRequest, action: Action | None
    ) -> Generator[None]:
        """Attribute the changes inside the `with` block to a request."""
        self._actor, self._request, self._action = transport.name, request, action
        try:
            yield
        finally:
            self._action = None
        if self._recreated_deletion is not None and self._recreated_deletion[0] is request:
            self._check_deletion()

    async def after(
        self,
        transport: Transport,
        request: HttpRequest,
        action: Action | None,
        status: int,
        body: bytes,
    ) -> None:
        """Apply the faults after the server's answer."""
        if action is None or action.group_resource in UNJUDGED:
            return
        if not transport.name:
            self._after_user(action, status)
            return
        replica = self._replica_of(transport)
        label = self._label(action)
        self._note_conflict(replica, action, label, status, body)
        n = self._counts[f"request {label}"]
        if action.is_write or status >= 400:  # noqa: PLR2004 - HTTP
            self.log_event(replica.name, f"{label} → {status}")
        for fault in self._faults_at(label, n):
            if fault.kind == "crash-after":
                replica.kill("before it receives the answer")
                await self.loop.create_future()
            if fault.kind == "pause-after":
                self._pause(replica, float(fault.how))
                await asyncio.sleep(0)
            if fault.kind == "lost":
                self.log_event(replica.name, "does not receive the answer: the connection breaks")
                raise ConnectionLost(f"{request.info}: the connection was lost")

    def _note_conflict(
        self, replica: Replica, action: Action, label: str, status: int, body: bytes
    ) -> None:
        """Count conflicts in a row, even those that the program catches; single ones are normal."""
        if action.verb not in _CONFLICTING_VERBS:
            return
        series = replica.name, label, action.options.get("fieldManager", "")
        if status == _CONFLICT:
            self._conflicts[series] += 1
            if self._conflicts[series] >= _MAX_CONFLICTS:
                why = json.decode(body)["message"]
                self.note_failure(f"{label} → {status}, {self._conflicts[series]} times: {why}")
        elif status < 300:  # noqa: PLR2004 - HTTP
            del self._conflicts[series]

    def _replica_of(self, transport: Transport) -> Replica:
        return next(each for each in self.replicas if each.name == transport.name)

    def _count(self, label: str) -> int:
        self._counts[f"request {label}"] += 1
        return self._counts[f"request {label}"]

    def _label(self, action: Action) -> str:
        name = action.name
        body: Any = action.object
        if not name and action.verb == "create" and isinstance(body, dict):
            metadata: dict[str, str] | None = cast("dict[str, Any]", body).get("metadata")
            name = f"{(metadata or {}).get('generateName', '')}*"
        name = self._aliases.get(name, name)
        suffix = f"/{action.subresource}" if action.subresource else ""
        verb = "apply" if action.patch_type == "apply" else action.verb
        where = "/".join(filter(None, (action.namespace, name)))
        return f"{verb} {action.group_resource}{suffix} {where}".rstrip()

    def _note_hit(self, fault: Fault) -> None:
        self.outcome.hits.add(str(fault))
        self._extend_recovery(_RECOVERY_SECONDS)

    # ---- the user -----------------------------------------------------------------------------

    async def _before_user(self, request: HttpRequest, action: Action | None) -> None:
        if self._others.pending:  # the user waits for the object that is being recreated
            await self._wait_until_idle(0.0, _MAX_HOLD_SECONDS)
        number = self._step + 1
        if self._is_dirty:
            self._is_dirty = False
            rush = any(each.kind == "rush" and each.n in (0, number) for each in self.faults)
            early = [each for each in self._early.values() if int(each.how) == number]
            if early:
                await self._wait_for_early(number)
            elif not rush:
                is_held = any(not each.is_over for each in self._held)
                await self._wait_until_idle(
                    _STEP_IDLE_SECONDS,
                    _STEP_TIMEOUT_WHILE_HELD_SECONDS if is_held else _STEP_TIMEOUT_SECONDS,
                )
        if action is None or not action.is_write:
            return
        self._others.check_stale_uids(request, action)
        self._is_dirty = True
        self._step = number
        self._since_step.clear()
        for fault in self.faults:
            if fault.kind == "down" and fault.n == number:
                self._note_hit(fault)
                for replica in self.replicas:
                    replica.is_held_down = True
                    replica.kill("and stays down")
                self.call_later(_MAX_HOLD_SECONDS, self._start_all)

    async def _wait_for_early(self, number: int) -> None:
        reached = self._reached[number] = asyncio.Event()
        while not reached.is_set():
            idle = self.loop.now - self._last_change
            if idle >= _STEP_IDLE_SECONDS:
                return
            try:
                async with asyncio.timeout(max(_STEP_IDLE_SECONDS - idle, 0.1)):
                    await reached.wait()
            except TimeoutError:
                continue

    async def _do_step_now(self, number: int) -> None:
        """Let the user do a step now, and wait for its end."""
        reached = self._reached.get(number)
        if reached is None or reached.is_set():
            return
        done = self._done[number] = asyncio.Event()
        reached.set()
        try:
            async with asyncio.timeout(5.0):
                await done.wait()
        except TimeoutError:
            pass

    def _after_user(self, action: Action, status: int) -> None:
        if not action.is_write:
            return
        self.log_event("user", f"{self._label(action)} → {status}")
        if status < 300:  # noqa: PLR2004 - HTTP
            self._others.forget_deleted(action)
        self._last_change = self.loop.now
        if done := self._done.get(self._step):
            done.set()
        for held in tuple(self._held):
            if held.fault.how == "step" and not held.is_over:
                self.call_later(2.0, partial(self._release, held))
        for fault in self.faults:
            if fault.kind == "down" and fault.n == self._step and fault.how != "end":
                self.call_later(0.5, self._start_all)

    def _start_all(self) -> None:
        for replica in self.replicas:
            replica.is_held_down = False
            replica.start()

    # ---- changes ------------------------------------------------------------------------------

    def _on_change(self, collection: Collection, change: Change) -> None:
        resource = collection.name
        self._has_changed = True
        if resource in UNJUDGED:
            return
        record = change.record
        if change.before is None and b'"generateName"' in record.data:
            base = record.value()["metadata"].get("generateName")
            if base and record.name.startswith(base):
                self._aliases[record.name] = f"{base}*"
        name = self._aliases.get(record.name, record.name)
        kind = (
            "ADDED" if change.before is None else "DELETED" if change.after is None else "MODIFIED"
        )
        where = f"{record.namespace}/{name}" if record.namespace else name
        label = f"{resource} {kind} {where}"
        self._counts[label] += 1
        n = self._counts[label]
        self._last_change = self.loop.now
        is_by_request = self._is_by_request(resource, record)
        is_by_program = is_by_request and bool(self._actor)
        if is_by_request and not is_by_program:
            assert self._request is not None
            assert self._action is not None
            self._others.record_write(self._request, self._action, change)
        if is_by_program:
            self._program_changes += 1
            self._last_writes.append(f"{self.loop.now:.3f} s: {label} by {self._actor}")
            self._limit_repetition(label)
        if change.after is not None and self._others.is_lost(resource, change.before, change.after):
            what = f"an annotation that another client has written to {resource} {where} is lost"
            self.fail("foreign", f"{what}: the program has overwritten it")
        if (
            is_by_program
            and kind == "DELETED"
            and name == record.name
            and not is_garbage(self.cluster.server.cluster.store, record)
        ):
            title = f"{resource} {where}"
            self.outcome.deletions[title] = self.outcome.deletions.get(title, 0) + 1
        self.outcome.points.append(Point("change", label, n, self._step, resource))
        for fault in self._faults_at(label, n):
            self._apply_to_change(fault, resource, record.key)

    def _apply_to_change(self, fault: Fault, resource: str, key: str) -> None:
        self._note_hit(fault)
        if fault.kind in ("stale", "gap"):
            self._hold(resource, fault)
        elif fault.kind == "annotate":
            self.call_later(float(fault.how), partial(self._others.annotate, resource, key))

    def _is_by_request(self, resource: str, record: Record) -> bool:
        """Whether the current request changes this object, rather than background work."""
        action = self._action
        return (
            action is not None
            and not self.cluster.is_in_background
            and (action.group_resource, action.namespace) == (resource, record.namespace)
            and action.name in ("", record.name)
        )

    def _hold(self, resource: str, fault: Fault) -> None:
        self.log_event("network", f"delivers no events of {resource} from now on")
        held = _HeldEvents(resource, fault, fault.kind == "gap")
        self._held.append(held)
        if fault.how not in ("step", "end"):
            self.call_later(float(fault.how), partial(self._release, held))
        else:
            self.call_later(
                5.0 if self._is_scenario_over else _MAX_HOLD_SECONDS, partial(self._release, held)
            )

    def _limit_repetition(self, label: str) -> None:
        """Deliver held events before the program has repeated itself a hundred times.

        A stale cache makes many programs repeat a write. Without end, that is a bug.
        """
        self._since_step[label] += 1
        if self._since_step[label] == _MAX_STALE_WRITES:
            self._lags.clear()
            for held in self._held:
                self.call_later(0.01, partial(self._release, held))
        if self._since_step[label] > _MAX_EQUAL_WRITES:
            self.fail("flapping", f"the program repeats the same change without end: {label}")

    def is_held(self, stream: WatchStream) -> bool:
        """Whether a fault holds back the events of a stream."""
        return stream.is_program and any(
            each.resource == stream.resource and not each.is_over for each in self._held
        )

    def _release(self, held: _HeldEvents) -> None:
        if held.is_over:
            return
        held.is_over = True
        self._last_change = self.loop.now
        streams = [
            stream
            for replica in self.replicas
            if replica.transport is not None
            for stream in tuple(replica.transport.streams)
            if stream.resource == held.resource
        ]
        if held.is_gap:
            self.log_event(
                "network", f"breaks the watches of {held.resource}, and the history is gone"
            )
            self.cluster.compact()
            for stream in streams:
                stream.break_off()
        else:
            self.log_event("network", f"delivers all events of {held.resource}")
            for stream in streams:
                stream.wake()

    # ---- the rules ----------------------------------------------------------------------------

    def note_failure(self, text: str) -> None:
        """Record a failure of the program, such as a failed reconciliation."""
        self._failures.append((self.loop.now, text))
        if len(self._failures) <= 20:  # noqa: PLR2004 - enough for the report
            self.log_event("controller", text)

    def _check_invariant(self, *, is_due: bool = False) -> None:
        """Call the invariant if any client has changed an object, or if `is_due`."""
        invariant = self.setting.invariant
        if invariant is None or self._is_checking or not (is_due or self._has_changed):
            return
        self._has_changed = False
        if self.outcome.violation is None and not self.is_over:
            self._is_checking = True  # the invariant's own reads must not call it again
            try:
                self._call_check("invariant", "the invariant does not hold", invariant)
            finally:
                self._is_checking = False

    def _call_check(self, kind: str, what: str, function: Callable[..., object]) -> None:
        """Call a function of the test, and record a violation if it reports one."""
        try:
            with _outside_the_loop():
                result = function(self.cluster, *self.externals)
        except AssertionError as error:
            self.fail(kind, f"{what}: {error}")
            return
        if result is False or isinstance(result, str):
            why = f": {result}" if result else ""
            self.fail(kind, f"{what}{why}")

    def _judge(self) -> None:
        store, setting = self.cluster.server.cluster.store, self.setting
        known = setting.template.versions
        since = (self._last_disturbance() + self.loop.now) / 2
        for violation in (
            *endless_failures(self._failures, [each.ends for each in self.replicas], since),
            *foreign_owners(store),
            *stuck_objects(store, known),
        ):
            self.fail(violation.kind, violation.text)
        self._check_invariant(is_due=True)
        if setting.finally_ is not None:
            self._call_check("finally", "the end is wrong", setting.finally_)
        if setting.compare is not None:
            with _outside_the_loop():
                value = setting.compare(self.cluster, *self.externals)
            self.outcome.external = plain_value(value)
            return
        self.outcome.state = state_of(store, known, setting.ignore)
        if self.externals:
            self.outcome.external = plain_value(public_fields(self.externals[0]))

    def _last_disturbance(self) -> float:
        times = [
            each.time
            for each in self.outcome.events
            if each.who in ("user", "network", "another client")
            or each.text.startswith("is killed")
        ]
        return max(*times, self._recovery_end, 0.0)


@contextmanager
def _outside_the_loop() -> Generator[None]:
    """Hide the running loop, so that the synchronous clients of a test work."""
    running = events._get_running_loop()
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(running)


@contextmanager
def _capture_logs(handler: logging.Handler) -> Generator[None]:
    """Send all log records to one handler only.

    The handler gets the records of controllers even if the program disables logging.
    """
    root, controllers = logging.getLogger(), logging.getLogger(_CONTROLLER_LOGGER)
    handlers, root.handlers = root.handlers, [handler]
    overrides = {"isEnabledFor": _is_warning, "handle": handler.handle}
    vars(controllers).update(overrides)
    try:
        yield
    finally:
        root.handlers = handlers
        for name in overrides:
            vars(controllers).pop(name)


def _is_warning(level: int) -> bool:
    return level >= logging.WARNING


class _FailureHandler(logging.Handler):
    """Records failed reconciliations; other log records of a run are dropped."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def handle(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.name.startswith(_CONTROLLER_LOGGER) and not self._run.is_over:
            error = record.exc_info[1]
            words = record.getMessage()
            self._run.note_failure(words if error is None else f"{words}: {text_of(error)}")
        return True


def _failure_response() -> Response:
    status: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "reason": "InternalError",
        "message": "an internal error, made by explore",
        "code": 500,
    }
    return Response(500, json.encode(status))
