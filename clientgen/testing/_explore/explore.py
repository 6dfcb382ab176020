"""`explore`: runs a program many times with different faults, and checks how each run ends."""

from __future__ import annotations

import inspect
import time
from functools import cache
from itertools import chain, islice, zip_longest
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar, overload

from msgspec import Struct
from msgspec.structs import replace

from .exploration import Setting
from .explored_cluster import Template
from .fault_schedules import PLACED, parse, text_of
from .outliving import OutlivingVariables
from .random_texts import RandomTexts, may_be_random
from .run import Run
from .run_records import Outcome, Violation
from .search import shrink, single_faults, unique, with_one_more_fault
from .states import difference
from .virtual_time import VirtualTime

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from clientgen.runtime.aio import AsyncRest

    from .._fake.fake_cluster import Definitions, FakeCluster
    from .fault_schedules import Fault
    from .run_records import Event

C = TypeVar("C")
E = TypeVar("E")

_cpu = time.process_time
_MAX_EVENTS_SHOWN = 80
_MAX_BASE_RUNS = 400
_MAX_DIFFERENCES_SHOWN = 6


class FoundBug(AssertionError):  # noqa: N818 - a public name
    """The program has a bug. The message says what is wrong, and which steps lead there.

    Attributes:
        rule: the broken rule, in a word.
        schedule: pass it to `explore(schedule=...)` to repeat the run.
        seed: the seed of the run.
        runs: the number of runs until the bug was found.
    """

    def __init__(self, text: str, *, rule: str, schedule: str, seed: int, runs: int) -> None:
        super().__init__(text)
        self.rule = rule
        self.schedule = schedule
        self.seed = seed
        self.runs = runs


class Exploration(Struct, frozen=True):
    """The statistics of an exploration that found no bug.

    Attributes:
        runs: the number of runs.
        skipped: the number of runs without a result, because the user's steps were refused.
        seconds: the CPU time of all runs, in seconds.
        is_systematic: whether every single fault was tried.
    """

    runs: int
    skipped: int
    seconds: float
    is_systematic: bool


@overload
def explore(
    build: Callable[[C], object],
    scenario: Callable[[C], Awaitable[object]],
    *,
    clientset: Callable[[AsyncRest], C],
    crds: Definitions = ...,
    setup: Callable[[FakeCluster], object] | None = ...,
    replicas: int = ...,
    invariant: Callable[[FakeCluster], object] | None = ...,
    finally_: Callable[[FakeCluster], object] | None = ...,
    compare: Callable[[FakeCluster], object] | None = ...,
    ignore: Sequence[str] = ...,
    seed: int = ...,
    budget: float = ...,
    runs: int | None = ...,
    schedule: str | None = ...,
) -> Exploration: ...
@overload
def explore(
    build: Callable[[C, E], object],
    scenario: Callable[[C, E], Awaitable[object]],
    *,
    clientset: Callable[[AsyncRest], C],
    external: Callable[[], E],
    crds: Definitions = ...,
    setup: Callable[[FakeCluster, E], object] | None = ...,
    replicas: int = ...,
    invariant: Callable[[FakeCluster, E], object] | None = ...,
    finally_: Callable[[FakeCluster, E], object] | None = ...,
    compare: Callable[[FakeCluster, E], object] | None = ...,
    ignore: Sequence[str] = ...,
    seed: int = ...,
    budget: float = ...,
    runs: int | None = ...,
    schedule: str | None = ...,
) -> Exploration: ...
def explore(
    build: Callable[..., object],
    scenario: Callable[..., Awaitable[object]],
    *,
    clientset: Callable[[AsyncRest], Any],
    external: Callable[[], Any] | None = None,
    crds: Definitions = (),
    setup: Callable[..., object] | None = None,
    replicas: int = 1,
    invariant: Callable[..., object] | None = None,
    finally_: Callable[..., object] | None = None,
    compare: Callable[..., object] | None = None,
    ignore: Sequence[str] = (),
    seed: int = 0,
    budget: float = 60.0,
    runs: int | None = None,
    schedule: str | None = None,
) -> Exploration:
    """Look for bugs in a controller: run it with faults, and compare with an undisturbed run.

    The program and a user act on a cluster in memory, in virtual time. The first run has no faults.
    The other runs have faults: crashes between two writes, stale caches, missed events, lost
    answers, conflicts, a user who does not wait... At the end, the cluster has to look as after the
    undisturbed run. The guide "Exploring controllers" lists the faults
    and the rules.

    Args:
        build: called with a clientset for every process of the program. It returns an
            `AsyncManager` or an `AsyncController` that does not run yet, or is a coroutine function
            that runs until it is cancelled. A killed process loses everything in memory.
        scenario: the user: a coroutine function that is called with the user's clientset. Each of
            its writes is a step.
        clientset: the class of the clientsets, such as `AsyncClientset`.
        external: makes the external system that the program manages. The system survives crashes,
            and is passed to all functions as a second argument. Its public attributes are compared
            at the end.
        crds: CustomResourceDefinitions: files, folders, or objects.
        setup: called with the `FakeCluster` before anything else, to add objects or to `play`.
        replicas: how many processes of the program run at once.
        invariant: called with the `FakeCluster` after each write of any client. To report a bug, it
            raises AssertionError, or returns False or a text.
        finally_: called in the same way at the end of each run, including the undisturbed run.
        compare: returns the value to compare at the end, instead of all objects.
        ignore: patterns of what is not compared: objects, such as `configmaps default/lock*`, or
            fields, such as `pods:status.message`.
        seed: the seed of all random choices. The same seed gives the same runs.
        budget: the CPU time to spend, in seconds.
        runs: the maximum number of runs.
        schedule: the schedule of a `FoundBug`. Only this run is repeated.

    Raises:
        FoundBug: the program has a bug.
        Exception: the scenario has raised it in the undisturbed run.
        ValueError: the schedule cannot be read, or its place does not occur in the run; a
            pattern of `ignore` is only a kind; or a number is out of range.
        TypeError: the program uses threads, or an argument is not a function that `explore` can
            call.
        RuntimeError: two undisturbed runs differ: for example, the program keeps state in a
            variable that outlives its process.
    """
    if replicas < 1:
        raise ValueError(f"replicas={replicas}: it must be 1 or more")
    for name, function in (("invariant", invariant), ("finally_", finally_), ("compare", compare)):
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{name} must be an ordinary function, not a coroutine function")
    _check_ignored(ignore)
    virtual_time = VirtualTime()
    with virtual_time.installed():
        setting = Setting(
            build=build,
            scenario=scenario,
            clientset=clientset,
            template=_template(),
            time=virtual_time,
            crds=crds,
            setup=setup,
            external=external,
            replicas=replicas,
            invariant=invariant,
            finally_=finally_,
            compare=compare,
            ignore=ignore,
            seed=seed,
        )
        return _Explorer(setting, budget, runs).explore(schedule)


@cache
def _template() -> Template:
    """The objects of a new server. Making them takes as long as a run, so all runs share them."""
    return Template(VirtualTime())


class _Explorer:
    """Executes runs until the budget is spent or a bug is found."""

    def __init__(self, setting: Setting, budget: float, runs: int | None) -> None:
        self._setting = setting
        self._began = _cpu()
        self._budget = budget
        self._max_runs = runs
        self._runs = 0
        self._skipped = 0
        self._baseline = Outcome()
        self._random_texts = RandomTexts()

    def explore(self, schedule: str | None) -> Exploration:
        wanted = None if schedule is None else parse(schedule)
        self._baseline = self._execute_twice()
        if self._baseline.violation is not None:
            raise self._found_bug((), self._baseline)
        self._setting.max_requests = 600 + 20 * self._baseline.requests
        if wanted is not None:
            outcome = self._execute(wanted)
            if outcome.violation is not None:
                raise self._found_bug(wanted, outcome)
            if not outcome.is_skipped:
                _check_reached(wanted, outcome)
            return self._result(is_systematic=False)
        return self._search()

    def _execute_twice(self) -> Outcome:
        """Run twice without faults. Comparing runs makes sense only if these two are equal.

        Raises:
            RuntimeError: the two runs differ.
        """
        setting = self._setting
        outliving = OutlivingVariables(setting.time.modules_of_program, setting.build)
        first = Run(setting, ()).execute()
        setting.time.patch_new_modules()  # patch the modules that the first run has imported
        try:
            again = self._execute(())
        except Exception as error:
            raise RuntimeError(_unequal_message(first, None, outliving.hint(), error)) from error
        if first.signature() != again.signature():
            raise RuntimeError(_unequal_message(first, again, outliving.hint()))
        if again.violation is None and may_be_random(again.state, again.external):
            self._learn_texts(first, again)
        return again

    def _learn_texts(self, *equal: Outcome) -> None:
        """Find out which texts change with uids, versions and times: they are random."""
        try:
            other = Run(replace(self._setting, has_other_uids=True), ()).execute()
        except Exception:  # noqa: BLE001 - the program may fail at another time of day
            return
        self._random_texts.learn(*((each.state, each.external) for each in (*equal, other)))

    def _search(self) -> Exploration:
        random = Random(self._setting.seed)  # noqa: S311 - the order of runs, no secrets
        replicas = self._setting.replicas
        bases: list[tuple[tuple[Fault, ...], Outcome]] = [((), self._baseline)]
        first = list(unique(single_faults(self._baseline, replicas, random)))
        schedules = unique(chain(first, with_one_more_fault(bases, replicas, random)))
        tried = 0
        for faults in islice(schedules, 1_000_000):
            if self._is_spent():
                break
            tried += 1
            outcome = self._execute(faults)
            if outcome.violation is not None:
                raise self._found_bug(*self._shrink(faults, outcome))
            if not outcome.is_skipped and len(bases) < _MAX_BASE_RUNS:
                bases.append((faults, outcome))
        return self._result(is_systematic=tried >= len(first))

    def _is_spent(self) -> bool:
        return _cpu() - self._began >= self._budget or (
            self._max_runs is not None and self._runs >= self._max_runs
        )

    def _result(self, *, is_systematic: bool) -> Exploration:
        return Exploration(self._runs, self._skipped, _cpu() - self._began, is_systematic)

    def _execute(self, faults: tuple[Fault, ...]) -> Outcome:
        self._runs += 1
        try:
            outcome = Run(self._setting, faults).execute()
        except Exception as error:
            error.add_note(f"explore: this happened with schedule={text_of(faults)!r}")
            raise
        if outcome.is_skipped:
            self._skipped += 1
        elif faults and outcome.violation is None:
            outcome.violation = self._compare(faults, outcome)
        return outcome

    def _compare(self, faults: tuple[Fault, ...], outcome: Outcome) -> Violation | None:
        baseline = self._baseline
        random_texts = self._random_texts
        lines: list[str] = []
        if outcome.state != baseline.state:
            lines = difference(
                random_texts.state(baseline.state), random_texts.state(outcome.state)
            )
        # The external system sees a recreated object as a new object.
        is_comparable = self._setting.compare or not any(each.kind == "recreate" for each in faults)
        want, have = random_texts.value(baseline.external), random_texts.value(outcome.external)
        if is_comparable and want != have:
            what = "the compared value" if self._setting.compare else "the external system"
            lines.append(f"{what} is {have!r}, not {want!r}")
        if lines:
            listed = "\n".join(f"  {line}" for line in lines[:12])
            return Violation(
                "state", f"the end differs from that of the undisturbed run:\n{listed}"
            )
        if any(each.kind == "recreate" for each in faults):
            return None
        for title, number in outcome.deletions.items():
            if number > baseline.deletions.get(title, 0) and title in _objects_at_end(baseline):
                what = f"{title} was deleted and created again"
                return Violation("deleted", f"{what}, which never happens in the undisturbed run")
        return None

    def _shrink(
        self, faults: tuple[Fault, ...], outcome: Outcome
    ) -> tuple[tuple[Fault, ...], Outcome]:
        assert outcome.violation is not None
        rule, best = outcome.violation.kind, outcome

        def fails(fewer: tuple[Fault, ...]) -> bool:
            nonlocal best
            if not fewer:
                return False
            tried = self._execute(fewer)
            if tried.violation is not None and tried.violation.kind == rule:
                best = tried
                return True
            return False

        return shrink(faults, fails), best

    def _found_bug(self, faults: tuple[Fault, ...], outcome: Outcome) -> FoundBug:
        assert outcome.violation is not None
        schedule, seed = text_of(faults), self._setting.seed
        text = _report(outcome, schedule, seed, self._runs, _cpu() - self._began)
        return FoundBug(
            text, rule=outcome.violation.kind, schedule=schedule, seed=seed, runs=self._runs
        )


def _check_ignored(ignore: Sequence[str]) -> None:
    """Refuse patterns that match no object.

    Raises:
        ValueError: a pattern is only a kind.
    """
    for each in ignore:
        if not set(each) & set(" :*?["):
            what = f"'{each} *' for the objects, or '{each}:spec.field' for a field of them"
            raise ValueError(
                f"ignore: {each!r} is only a kind, which ignores nothing; write {what}"
            )


def _check_reached(faults: tuple[Fault, ...], outcome: Outcome) -> None:
    """Refuse a schedule that had no effect.

    Raises:
        ValueError: a place of the schedule did not occur in the run.
    """
    for each in faults:
        is_late = each.kind == "rush" and each.n > outcome.steps
        if is_late or (each.kind in PLACED and str(each) not in outcome.hits):
            raise ValueError(
                f"schedule: {each} never happened, as the run has no such request, change or step; "
                "use the program, the scenario and the seed of the report"
            )


def _objects_at_end(baseline: Outcome) -> frozenset[str]:
    return frozenset(baseline.state)


def _report(outcome: Outcome, schedule: str, seed: int, runs: int, seconds: float) -> str:
    assert outcome.violation is not None
    events = outcome.events
    left_out = len(events) - _MAX_EVENTS_SHOWN
    shown = (
        events
        if left_out <= 0
        else [*events[: _MAX_EVENTS_SHOWN // 2], *events[-_MAX_EVENTS_SHOWN // 2 :]]
    )
    lines = [f"{each.time:9.3f} s  {each.who}: {each.text}" for each in shown]
    if left_out > 0:
        lines.insert(_MAX_EVENTS_SHOWN // 2, f"             ... {left_out} more ...")
    how = f"explore(..., seed={seed}, schedule={schedule!r})" if schedule else "no fault is needed"
    return "\n".join(
        [
            outcome.violation.text,
            "",
            "What happened:",
            *lines,
            "",
            f"To repeat it: {how}",
            f"({runs} runs, {seconds:.1f} s of CPU time)",
        ]
    )


def _unequal_message(
    first: Outcome, again: Outcome | None, hint: str, error: Exception | None = None
) -> str:
    """Explain how two runs without faults differ, and what to do."""
    lines = ["two runs without faults differ, so runs with faults cannot be judged:"]
    if again is None:
        lines.append(f"  the first run succeeded, the second raised {error!r}")
    else:
        lines += [f"  {line}" for line in _unequal_lines(first, again)]
    lines.append(
        "A variable outlives the process. A killed process loses its variables, so create this "
        "state in each call of the program."
    )
    if hint:
        lines.append(hint)
    lines.append("Or the program uses threads, or a clock or random numbers other than Python's.")
    return "\n".join(lines)


def _unequal_lines(first: Outcome, again: Outcome) -> Iterator[str]:
    if first.requests != again.requests:
        yield f"requests: once {first.requests}, then {again.requests}"
    events = zip_longest(first.events, again.events)
    for one, other in events:
        if one != other:
            yield f"once {_event_line(one)}, then {_event_line(other)}"
            break
    else:
        points = zip_longest(first.points, again.points)
        pair = next(((one, other) for one, other in points if one != other), None)
        if pair is not None:
            once, then = (repr(each.label) if each is not None else "nothing" for each in pair)
            yield f"once {once}, then {then}"
    yield from difference(first.state, again.state)[:_MAX_DIFFERENCES_SHOWN]
    if first.external != again.external:
        yield f"the external system: once {first.external!r}, then {again.external!r}"


def _event_line(event: Event | None) -> str:
    return "nothing" if event is None else f"{event.who}: {event.text!r} at {event.time:.3f} s"
