"""`explore`: runs a program again and again, each time with other faults, and judges the end."""

from __future__ import annotations

import time
from itertools import chain, islice
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar, overload

from msgspec import Struct

from .explored_cluster import Template
from .faults import parse, text_of
from .records import Outcome, Violation
from .run import Run
from .search import pairs, shrunk, singles, unique
from .setting import Setting
from .states import difference
from .virtual_time import VirtualTime

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from clientgen.runtime.aio import AsyncRest

    from .._fake.cluster import Definitions, FakeCluster
    from .faults import Fault

__all__ = ["Exploration", "FoundBug", "explore"]

C = TypeVar("C")
E = TypeVar("E")

_cpu = time.process_time
_MOST_EVENTS = 80
_MOST_BASES = 400


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
        invariant: called with the `FakeCluster` after each write. It raises AssertionError, or
            returns False or a text, if something is wrong.
        compare: returns what is compared in the end, instead of all objects.
        ignore: what is not compared: objects as `configmaps default/lock*`, or fields as
            `pods:status.message`.
        seed: the seed of what is done at random. The same seed gives the same runs.
        budget: the seconds of CPU time to spend.
        runs: the most runs.
        schedule: the schedule to repeat, from an earlier `FoundBug`. Nothing else is tried.

    Raises:
        FoundBug: The program has a bug, or a user's error in the undisturbed run.
        ValueError: The schedule is none, or a number makes no sense.
        RuntimeError: The program behaves differently each time.
    """
    if replicas < 1:
        raise ValueError(f"replicas={replicas}: at least one has to run")
    virtual_time = VirtualTime()
    with virtual_time.installed():
        setting = Setting(
            build=build,
            scenario=scenario,
            clientset=clientset,
            template=Template(virtual_time),
            time=virtual_time,
            crds=crds,
            setup=setup,
            external=external,
            replicas=replicas,
            invariant=invariant,
            compare=compare,
            ignore=ignore,
            seed=seed,
        )
        return _Explorer(setting, budget, runs).explore(schedule)


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

    def explore(self, schedule: str | None) -> Exploration:
        wanted = None if schedule is None else parse(schedule)
        Run(self._setting, ()).execute()  # modules that are loaded late are loaded now
        self._setting.time.look_for_modules()
        self._calm = self._execute(())
        if self._calm.violation is not None:
            raise self._found((), self._calm)
        again = Run(self._setting, ()).execute()
        if self._calm.signature() != again.signature():
            raise RuntimeError(_unequal(self._calm, again))
        self._setting.most_requests = 600 + 20 * self._calm.requests
        if wanted is not None:
            outcome = self._execute(wanted)
            if outcome.violation is not None:
                raise self._found(wanted, outcome)
            return self._result(is_systematic=False)
        return self._search()

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
        outcome = Run(self._setting, faults).execute()
        if outcome.is_skipped:
            self._skipped += 1
        elif faults and outcome.violation is None:
            outcome.violation = self._compared(faults, outcome)
        return outcome

    def _compared(self, faults: tuple[Fault, ...], outcome: Outcome) -> Violation | None:
        calm = self._calm
        lines = difference(calm.state, outcome.state)
        # An object that was created again is another one to the system beside the cluster.
        is_comparable = self._setting.compare or not any(each.kind == "recreate" for each in faults)
        if is_comparable and calm.external != outcome.external:
            what = "the compared value" if self._setting.compare else "the external system"
            lines.append(f"{what} is {outcome.external!r}, not {calm.external!r}")
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


def _unequal(one: Outcome, other: Outcome) -> str:
    pairs_of = zip(one.events, other.events, strict=False)
    first = next(((a, b) for a, b in pairs_of if a != b), None)
    what = f": once {first[0].text!r}, once {first[1].text!r}" if first else ""
    return (
        f"the program does not do the same in two equal runs{what}; it may use threads, the "
        "machine's clock, or a variable that outlives the process"
    )
