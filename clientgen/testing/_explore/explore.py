"""`explore`: runs a program again and again, each time with other faults, and judges the end."""

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
from .outliving import Outliving
from .random_texts import RandomTexts, may_be_random
from .run import Run
from .run_records import Outcome, Violation
from .search import pairs, shrunk, singles, unique
from .states import difference
from .virtual_time import VirtualTime

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from clientgen.runtime.aio import AsyncRest

    from .._fake.fake_cluster import Definitions, FakeCluster
    from .fault_schedules import Fault
    from .run_records import Event

__all__ = ["Exploration", "FoundBug", "explore"]

C = TypeVar("C")
E = TypeVar("E")

_cpu = time.process_time
_MOST_EVENTS = 80
_MOST_BASES = 400
_MOST_DIFFERENCES = 6


class FoundBug(AssertionError):  # noqa: N818 - it is what was looked for
    """The program has a bug. The message says what is wrong, and the steps that lead there.

    Attributes:
        rule: the rule that is broken, in a word.
        schedule: pass it to `explore(schedule=...)` to repeat the run.
        seed: the seed of the run.
        runs: how many runs it took to find it.
    """

    def __init__(self, text: str, *, rule: str, schedule: str, seed: int, runs: int) -> None:
        super().__init__(text)
        self.rule = rule
        self.schedule = schedule
        self.seed = seed
        self.runs = runs


class Exploration(Struct, frozen=True):
    """What was tried, if nothing was found.

    Attributes:
        runs: how many runs there were.
        skipped: how many of them say nothing, because the user's steps were refused.
        seconds: the seconds of CPU time that they took.
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
    """Look for bugs of a controller: run it against faults, and compare with an undisturbed run.

    The program and a user act on a cluster in memory, in virtual time. First nothing disturbs them.
    Then there are faults: crashes between two writes, stale caches, missed events, lost answers,
    conflicts, a user who does not wait... In the end, the cluster has to look as in the undisturbed
    run. docs/exploring.md lists the faults and the rules.

    Args:
        build: called with a clientset for every process of the program. It returns an
            `AsyncManager` or an `AsyncController` that does not run yet, or is a coroutine function
            that runs until it is cancelled. What it remembers is lost when the process is killed.
        scenario: what the user does: a coroutine function that is called with the user's
            clientset. Each of its writes is a step.
        clientset: the class of the clientsets, such as `AsyncClientset`.
        external: makes the system beside the cluster that the program manages. It survives
            crashes, and is passed to all functions as a further argument. Its public attributes are
            compared in the end.
        crds: CustomResourceDefinitions: files, folders, or objects.
        setup: called with the `FakeCluster` before anything else, to add objects or to `play`.
        replicas: how many processes of the program run at once.
        invariant: called with the `FakeCluster` after each write, whoever makes it. It raises
            AssertionError, or returns False or a text, if something is wrong.
        finally_: called in the same way at the end of each run, also of the undisturbed one.
        compare: returns what is compared in the end, instead of all objects.
        ignore: what is not compared: objects as `configmaps default/lock*`, or fields as
            `pods:status.message`.
        seed: the seed of what is done at random. The same seed gives the same runs.
        budget: the seconds of CPU time to spend.
        runs: the most runs.
        schedule: the schedule to repeat, from an earlier `FoundBug`. Nothing else is tried.

    Raises:
        FoundBug: The program has a bug.
        Exception: The scenario has raised it in the undisturbed run.
        ValueError: The schedule is none, or says what never happens; a pattern of `ignore` is only
            a kind; or a number makes no sense.
        TypeError: The program is one for threads, or a function is none that can be called.
        RuntimeError: The program behaves differently each time: it keeps something in a variable
            that outlives its process, for example.
    """
    if replicas < 1:
        raise ValueError(f"replicas={replicas}: at least one has to run")
    for name, function in (("invariant", invariant), ("finally_", finally_), ("compare", compare)):
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{name} must be an ordinary function: nothing awaits what it returns")
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
    """The objects of every new server; it takes as long as a run to make them."""
    return Template(VirtualTime())


class _Explorer:
    """Spends the budget."""

    def __init__(self, setting: Setting, budget: float, runs: int | None) -> None:
        self._setting = setting
        self._began = _cpu()
        self._budget = budget
        self._most = runs
        self._runs = 0
        self._skipped = 0
        self._calm = Outcome()
        self._texts = RandomTexts()

    def explore(self, schedule: str | None) -> Exploration:
        wanted = None if schedule is None else parse(schedule)
        self._calm = self._execute_twice()
        if self._calm.violation is not None:
            raise self._found((), self._calm)
        self._setting.most_requests = 600 + 20 * self._calm.requests
        if wanted is not None:
            outcome = self._execute(wanted)
            if outcome.violation is not None:
                raise self._found(wanted, outcome)
            if not outcome.is_skipped:
                _check_reached(wanted, outcome)
            return self._result(is_systematic=False)
        return self._search()

    def _execute_twice(self) -> Outcome:
        """Run without faults, twice; both have to be equal, else later runs say nothing.

        Raises:
            RuntimeError: they are not.
        """
        setting = self._setting
        outliving = Outliving(setting.time.modules_of_program, setting.build)
        first = Run(setting, ()).execute()
        setting.time.look_for_modules()  # those that were loaded meanwhile
        try:
            again = self._execute(())
        except Exception as error:
            raise RuntimeError(_unequal(first, None, outliving.hint(), error)) from error
        if first.signature() != again.signature():
            raise RuntimeError(_unequal(first, again, outliving.hint()))
        if again.violation is None and may_be_random(again.state, again.external):
            self._learn_texts(first, again)
        return again

    def _learn_texts(self, *equal: Outcome) -> None:
        """See which texts are others if uids, versions and times are."""
        try:
            other = Run(replace(self._setting, is_other=True), ()).execute()
        except Exception:  # noqa: BLE001 - the program needs this time of day, for example
            return
        self._texts.learn(*((each.state, each.external) for each in (*equal, other)))

    def _search(self) -> Exploration:
        random = Random(self._setting.seed)  # noqa: S311 - the order of runs, no secrets
        replicas = self._setting.replicas
        bases: list[tuple[tuple[Fault, ...], Outcome]] = [((), self._calm)]
        first = list(unique(singles(self._calm, replicas, random)))
        schedules = unique(chain(first, pairs(bases, replicas, random)))
        tried = 0
        for faults in islice(schedules, 1_000_000):
            if self._is_spent():
                break
            tried += 1
            outcome = self._execute(faults)
            if outcome.violation is not None:
                raise self._found(*self._shorter(faults, outcome))
            if not outcome.is_skipped and len(bases) < _MOST_BASES:
                bases.append((faults, outcome))
        return self._result(is_systematic=tried >= len(first))

    def _is_spent(self) -> bool:
        return _cpu() - self._began >= self._budget or (
            self._most is not None and self._runs >= self._most
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
            outcome.violation = self._compared(faults, outcome)
        return outcome

    def _compared(self, faults: tuple[Fault, ...], outcome: Outcome) -> Violation | None:
        calm = self._calm
        texts = self._texts
        lines: list[str] = []
        if outcome.state != calm.state:
            lines = difference(texts.state(calm.state), texts.state(outcome.state))
        # An object that was created again is another one to the system beside the cluster.
        is_comparable = self._setting.compare or not any(each.kind == "recreate" for each in faults)
        want, have = texts.value(calm.external), texts.value(outcome.external)
        if is_comparable and want != have:
            what = "the compared value" if self._setting.compare else "the external system"
            lines.append(f"{what} is {have!r}, not {want!r}")
        if lines:
            shown = "\n".join(f"  {line}" for line in lines[:12])
            return Violation("state", f"the end differs from that of the undisturbed run:\n{shown}")
        if any(each.kind == "recreate" for each in faults):
            return None
        for title, number in outcome.deletions.items():
            if number > calm.deletions.get(title, 0) and title in _kept(calm):
                what = f"{title} was deleted and created again"
                return Violation("deleted", f"{what}, which never happens in the undisturbed run")
        return None

    def _shorter(
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

        return shrunk(faults, fails), best

    def _found(self, faults: tuple[Fault, ...], outcome: Outcome) -> FoundBug:
        assert outcome.violation is not None
        schedule, seed = text_of(faults), self._setting.seed
        text = _story(outcome, schedule, seed, self._runs, _cpu() - self._began)
        return FoundBug(
            text, rule=outcome.violation.kind, schedule=schedule, seed=seed, runs=self._runs
        )


def _check_ignored(ignore: Sequence[str]) -> None:
    """Refuse patterns that no object has.

    Raises:
        ValueError: there is one.
    """
    for each in ignore:
        if not set(each) & set(" :*?["):
            what = f"'{each} *' for the objects, or '{each}:spec.field' for a field of them"
            raise ValueError(
                f"ignore: {each!r} is only a kind, which ignores nothing; write {what}"
            )


def _check_reached(faults: tuple[Fault, ...], outcome: Outcome) -> None:
    """Refuse a schedule that has done nothing.

    Raises:
        ValueError: a place of it was not reached.
    """
    for each in faults:
        is_late = each.kind == "rush" and each.n > outcome.steps
        if is_late or (each.kind in PLACED and str(each) not in outcome.hits):
            raise ValueError(
                f"schedule: {each} never happened, as the run has no such request, change or step; "
                "the program, the scenario or the seed is not that of the report"
            )


def _kept(calm: Outcome) -> frozenset[str]:
    return frozenset(calm.state)


def _story(outcome: Outcome, schedule: str, seed: int, runs: int, seconds: float) -> str:
    assert outcome.violation is not None
    events = outcome.events
    left_out = len(events) - _MOST_EVENTS
    shown = (
        events if left_out <= 0 else [*events[: _MOST_EVENTS // 2], *events[-_MOST_EVENTS // 2 :]]
    )
    lines = [f"{each.time:9.3f} s  {each.who}: {each.text}" for each in shown]
    if left_out > 0:
        lines.insert(_MOST_EVENTS // 2, f"             ... {left_out} more ...")
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


def _unequal(
    first: Outcome, again: Outcome | None, hint: str, error: Exception | None = None
) -> str:
    """Say how two runs without faults differ, and what to do."""
    lines = ["the program does not do the same in two equal runs, so that no run says anything:"]
    if again is None:
        lines.append(f"  the first came to its end, the second raised {error!r}")
    else:
        lines += [f"  {line}" for line in _unequal_lines(first, again)]
    lines.append(
        "Something outlives the process: it has to be made anew by each call of the program, as a "
        "killed process has lost it."
    )
    if hint:
        lines.append(hint)
    lines.append("Or the program uses threads, or a clock or random numbers that are not Python's.")
    return "\n".join(lines)


def _unequal_lines(first: Outcome, again: Outcome) -> Iterator[str]:
    if first.requests != again.requests:
        yield f"requests: once {first.requests}, then {again.requests}"
    events = zip_longest(first.events, again.events)
    for one, other in events:
        if one != other:
            yield f"once {_told(one)}, then {_told(other)}"
            break
    else:
        points = zip_longest(first.points, again.points)
        pair = next(((one, other) for one, other in points if one != other), None)
        if pair is not None:
            once, then = (repr(each.label) if each is not None else "nothing" for each in pair)
            yield f"once {once}, then {then}"
    yield from difference(first.state, again.state)[:_MOST_DIFFERENCES]
    if first.external != again.external:
        yield f"the external system: once {first.external!r}, then {again.external!r}"


def _told(event: Event | None) -> str:
    return "nothing" if event is None else f"{event.who}: {event.text!r} at {event.time:.3f} s"
