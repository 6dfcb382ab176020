"""Faults and schedules.

A schedule is a list of faults, written as text: `crash-after(create pods shop/web#1);
stale(pods ADDED shop/web#1, step)`. The place of a fault is a request or a change, and `#n` means
its nth occurrence.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

KINDS: Final = {
    "crash-before": "the process is killed before the server receives the request",
    "crash-after": "the process is killed after the server has executed the request",
    "down": "the process is killed before the step, and starts again after the step",
    "fail": "the server answers 500, and does nothing",
    "lost": "the server executes the request, but the answer is lost",
    "touch": "another client annotates the object just before the request",
    "annotate": "another client annotates the object this many seconds after the change",
    "recreate": "the user deletes the object and creates it again just before the request",
    "early": "the user does the step just before the request",
    "rush": "the user does the step at once, without waiting for the effects of the last step",
    "stale": "watches deliver no events of the kind for a while, from this change on",
    "gap": "as stale, and then the watches break: informers see only the final state",
    "lag": "watches deliver the events of the kind this many seconds late",
    "pause": "the process is paused for this many seconds before it sends the request",
    "pause-after": "the process is paused for this many seconds after it has received the answer",
    "cut-off": "the process has no network for this many seconds",
    "late": "the request takes this many seconds to arrive, and the process is paused meanwhile",
    "straggle": "the request takes this many seconds to arrive, and the process has no network",
    "garbage": "garbage is collected this many seconds late",
    "latency": "each request and each event takes a random time, by this seed",
}

PLACED: Final = frozenset(KINDS) - {"rush", "lag", "garbage", "latency"}
"""The faults that happen at a request, a change or a step."""

_FAULT_PATTERN: Final = re.compile(r"([a-z-]+)\((.*?)(?:#(\d+))?(?:, ([a-z0-9.]+))?\)")


class Fault(Struct, frozen=True):
    """One fault.

    Attributes:
        kind: one of `KINDS`.
        at: the request, the change or the resource.
        n: the number of the request, change or step, counted from 1.
        how: a duration, or another detail.
    """

    kind: str
    at: str = ""
    n: int = 0
    how: str = ""

    def __str__(self) -> str:
        number = f"#{self.n}" if self.n else ""
        how = f", {self.how}" if self.how else ""
        return f"{self.kind}({self.at}{number}{how})"


def text_of(faults: tuple[Fault, ...]) -> str:
    """Write a schedule."""
    return "; ".join(map(str, faults))


def parse(text: str) -> tuple[Fault, ...]:
    """Read a schedule.

    Raises:
        ValueError: the text is not a schedule.
    """
    faults: list[Fault] = []
    for part in filter(None, (each.strip() for each in text.split(";"))):
        match = _FAULT_PATTERN.fullmatch(part)
        if match is None or match[1] not in KINDS:
            known = ", ".join(KINDS)
            raise ValueError(
                f"schedule: {part!r} is not a fault; write kind(place#number) with one of: {known}"
            )
        faults.append(Fault(match[1], match[2], int(match[3] or 0), match[4] or ""))
    return tuple(faults)
