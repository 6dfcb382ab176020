"""The order in which schedules are tried, and how one that fails is made shorter.

First, every kind of fault is put at every place of the undisturbed run, one fault per run; kinds
and places take turns, so that the first hundred runs have a bit of everything. Then come pairs, in
the places of runs that had one fault already, and larger schedules at random.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from .fault_schedules import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from random import Random

    from .run_records import Outcome, Point

__all__ = ["pairs", "shrunk", "singles"]

_LAGS: Final = ("0.3", "3")
_LONG_LAG: Final = "12"
_PAUSE: Final = "40"
_WHILE_WAITING: Final = "3"


def singles(calm: Outcome, replicas: int, random: Random) -> Iterator[tuple[Fault, ...]]:
    """Schedules with one fault, from the places of the undisturbed run."""
    for faults in zip_longest(_whole(calm), *_classes(calm, replicas, random)):
        yield from (
            each if isinstance(each, tuple) else (each,) for each in faults if each is not None
        )


def _whole(calm: Outcome) -> list[tuple[Fault, ...]]:
    """What is different for all of a run."""
    resources = sorted({each.resource for each in calm.points if each.kind == "change"})
    rush = (Fault("rush"),) if calm.steps > 1 else ()
    return [
        (Fault("lag", "*", 0, _LAGS[0]),),
        *((Fault("lag", each, 0, _LONG_LAG),) for each in resources),
        *((*rush, Fault("lag", each, 0, lag)) for lag in _LAGS for each in resources),
        *((Fault("lag", each, 0, lag),) for lag in _LAGS for each in resources),
        rush or (Fault("garbage", "", 0, "10"),),
        (Fault("garbage", "", 0, "20"),),
        *((Fault("latency", "", 0, str(seed)),) for seed in range(1, 5)),
        *((*rush, Fault("latency", "", 0, str(seed))) for seed in range(5, 13)),
    ]


def _classes(calm: Outcome, replicas: int, random: Random) -> list[list[Fault]]:
    writes = [each for each in calm.points if each.kind == "write"]
    reads = [each for each in calm.points if each.kind == "read"]
    changes = [each for each in calm.points if each.kind == "change"]
    steps = range(1, calm.steps + 1)
    if replicas > 1:
        stalls = [
            Fault(kind, each.label, each.n, _PAUSE)
            for each in (*writes, *reads)
            for kind in ("pause", "cut-off", "late")
            if kind != "late" or each.kind == "write"
        ]
        long = [Fault("pause-after", each.label, each.n, _PAUSE) for each in (*writes, *reads)]
    else:
        stalls = [Fault("cut-off", each.label, each.n, "10") for each in writes]
        long = [Fault("pause", each.label, each.n, _PAUSE) for each in writes]
    ordered = [
        [Fault("rush", "", n) for n in steps if n > 1],
        [Fault("down", "", n, how) for n in steps for how in ("", "end")],
    ]
    classes = [
        [Fault("crash-after", each.label, each.n) for each in writes],
        [Fault("crash-before", each.label, each.n) for each in writes],
        [Fault("touch", each.label, each.n) for each in writes if not _creates(each)],
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
            if each.step < calm.steps
        ],
        [Fault("recreate", each.label, each.n) for each in (*writes, *reads)],
        stalls,
        [Fault("crash-before", each.label, each.n) for each in reads],
        [Fault("annotate", each.label, each.n, _WHILE_WAITING) for each in changes if _stays(each)],
        long,
    ]
    for each in classes:
        random.shuffle(each)
    return ordered + classes


def _stays(change: Point) -> bool:
    return " DELETED " not in change.label


def _creates(point: Point) -> bool:
    return point.label.startswith("create ")


def pairs(
    bases: list[tuple[tuple[Fault, ...], Outcome]], replicas: int, random: Random
) -> Iterator[tuple[Fault, ...]]:
    """Larger schedules, for ever: one fault more, in a place of a run that was good."""
    while True:
        faults, outcome = random.choice(bases)
        if len(faults) >= 4:  # noqa: PLR2004 - longer ones say no more
            continue
        classes = [each for each in _classes(outcome, replicas, random) if each]
        whole = [each for schedule in _whole(outcome) for each in schedule]
        more = random.choice(random.choice([whole, *classes]))
        if more not in faults:
            yield (*faults, more)


def shrunk(
    faults: tuple[Fault, ...], fails: Callable[[tuple[Fault, ...]], bool]
) -> tuple[Fault, ...]:
    """Leave out what is not needed to fail in the same way."""
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
    """Each schedule once."""
    seen: set[tuple[Fault, ...]] = set()
    for each in schedules:
        if each not in seen:
            seen.add(each)
            yield each
