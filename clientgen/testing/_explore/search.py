"""The order in which schedules are tried, and how a failing schedule is shortened.

First, each kind of fault is tried at each place of the undisturbed run, one fault per run. Kinds
and places alternate, so that the first hundred runs contain some of each. Then random schedules of
several faults follow, at places of runs that had fewer faults.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from .fault_schedules import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from .run_records import Outcome, Point

_LAG_SECONDS: Final = ("0.3", "3")
_LONG_LAG_SECONDS: Final = "12"
_PAUSE_SECONDS: Final = "40"
_ANNOTATE_SECONDS: Final = "3"


def single_faults(baseline: Outcome, replicas: int, random: Random) -> Iterator[tuple[Fault, ...]]:
    """Yield schedules with one fault, at the places of the undisturbed run."""
    for faults in zip_longest(
        _run_wide_faults(baseline), *_faults_by_class(baseline, replicas, random)
    ):
        yield from (
            each if isinstance(each, tuple) else (each,) for each in faults if each is not None
        )


def _run_wide_faults(baseline: Outcome) -> list[tuple[Fault, ...]]:
    """Return the schedules of faults without a place, which affect the whole run."""
    resources = sorted({each.resource for each in baseline.points if each.kind == "change"})
    rush = (Fault("rush"),) if baseline.steps > 1 else ()
    return [
        (Fault("lag", "*", 0, _LAG_SECONDS[0]),),
        *((Fault("lag", each, 0, _LONG_LAG_SECONDS),) for each in resources),
        *((*rush, Fault("lag", each, 0, lag)) for lag in _LAG_SECONDS for each in resources),
        *((Fault("lag", each, 0, lag),) for lag in _LAG_SECONDS for each in resources),
        rush or (Fault("garbage", "", 0, "10"),),
        (Fault("garbage", "", 0, "20"),),
        *((Fault("latency", "", 0, str(seed)),) for seed in range(1, 5)),
        *((*rush, Fault("latency", "", 0, str(seed))) for seed in range(5, 13)),
    ]


def _faults_by_class(baseline: Outcome, replicas: int, random: Random) -> list[list[Fault]]:
    writes = [each for each in baseline.points if each.kind == "write"]
    reads = [each for each in baseline.points if each.kind == "read"]
    changes = [each for each in baseline.points if each.kind == "change"]
    steps = range(1, baseline.steps + 1)
    if replicas > 1:
        stalls = [
            Fault(kind, each.label, each.n, _PAUSE_SECONDS)
            for each in (*writes, *reads)
            for kind in ("pause", "cut-off", "late", "straggle")
            if kind in ("pause", "cut-off") or each.kind == "write"
        ]
        long = [
            Fault("pause-after", each.label, each.n, _PAUSE_SECONDS) for each in (*writes, *reads)
        ]
    else:
        stalls = [Fault("cut-off", each.label, each.n, "10") for each in writes]
        long = [Fault("pause", each.label, each.n, _PAUSE_SECONDS) for each in writes]
    ordered = [
        [Fault("rush", "", n) for n in steps if n > 1],
        [Fault("down", "", n, how) for n in steps for how in ("", "end")],
    ]
    classes = [
        [Fault("crash-after", each.label, each.n) for each in writes],
        [Fault("crash-before", each.label, each.n) for each in writes],
        [Fault("touch", each.label, each.n) for each in writes if not _is_create(each)],
        [Fault("lost", each.label, each.n) for each in writes],
        [Fault("fail", each.label, each.n) for each in (*writes, *reads)],
        [Fault("stale", each.label, each.n, "step") for each in changes],
        [Fault("gap", each.label, each.n, "step") for each in changes],
        [
            Fault(kind, each.label, each.n, how)
            for kind, how in (("stale", "0.5"), ("gap", "end"))
            for each in changes
        ],
        [
            Fault("early", each.label, each.n, str(each.step + 1))
            for each in (*writes, *reads)
            if each.step < baseline.steps
        ],
        [Fault("recreate", each.label, each.n) for each in (*writes, *reads)],
        stalls,
        [Fault("crash-before", each.label, each.n) for each in reads],
        [
            Fault("annotate", each.label, each.n, _ANNOTATE_SECONDS)
            for each in changes
            if _object_remains(each)
        ],
        long,
    ]
    for each in classes:
        random.shuffle(each)
    return ordered + classes


def _object_remains(change: Point) -> bool:
    return " DELETED " not in change.label


def _is_create(point: Point) -> bool:
    return point.label.startswith("create ")


def with_one_more_fault(
    bases: list[tuple[tuple[Fault, ...], Outcome]], replicas: int, random: Random
) -> Iterator[tuple[Fault, ...]]:
    """Yield larger schedules without end: those of runs without a bug, and one more fault."""
    while True:
        faults, outcome = random.choice(bases)
        if len(faults) >= 4:  # noqa: PLR2004 - longer schedules rarely find more
            continue
        classes = [each for each in _faults_by_class(outcome, replicas, random) if each]
        run_wide = [each for schedule in _run_wide_faults(outcome) for each in schedule]
        more = random.choice(random.choice([run_wide, *classes]))
        if more not in faults:
            yield (*faults, more)


def shrink(
    faults: tuple[Fault, ...], fails: Callable[[tuple[Fault, ...]], bool]
) -> tuple[Fault, ...]:
    """Remove the faults that are not needed to fail in the same way."""
    is_shorter = True
    while is_shorter:
        is_shorter = False
        for index in range(len(faults)):
            fewer = faults[:index] + faults[index + 1 :]
            if fails(fewer):
                faults, is_shorter = fewer, True
                break
    return faults


def unique(schedules: Iterable[tuple[Fault, ...]]) -> Iterator[tuple[Fault, ...]]:
    """Yield each schedule once."""
    seen: set[tuple[Fault, ...]] = set()
    for each in schedules:
        if each not in seen:
            seen.add(each)
            yield each
