"""Faults, and the schedules that are made of them.

A schedule is a list of faults, and written as text: `crash-after(create pods shop/web#1);
stale(pods ADDED shop/web#1, step)`. A place is a request or a change, and how often it had come.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

__all__ = ["KINDS", "PLACED", "Fault", "parse", "text_of"]

KINDS: Final = {
    "crash-before": "the process is killed before the server receives the request",
    "crash-after": "the process is killed after the server did what the request says",
    "down": "the process is killed before the step, and starts again after it",
    "fail": "the server answers 500, and does nothing",
    "lost": "the server does what the request says, but the answer is lost",
    "touch": "somebody else annotates the object just before the request",
    "annotate": "somebody else annotates the object so many seconds after this change",
    "recreate": "the user deletes the object and creates it again just before the request",
    "early": "the user does the step just before the request",
    "rush": "the user does the step at once, without waiting for what follows from the one before",
    "stale": "watches tell nothing of these objects for a while, from this change on",
    "gap": "the same, and then they break: only the state that is left is read",
    "lag": "watches tell of these objects so many seconds late",
    "pause": "the process stands still for so many seconds before it sends the request",
    "pause-after": "the process stands still for so many seconds when it has got the answer",
    "cut-off": "the network is down for the process for so many seconds",
    "late": "the request is on its way for so many seconds, and the process stands still meanwhile",
    "garbage": "garbage is collected so many seconds late",
    "latency": "every request and every event takes another time, by this seed",
}

PLACED: Final = frozenset(KINDS) - {"rush", "lag", "garbage", "latency"}
"""Those that need a request, a change or a step to happen."""

_TEXT: Final = re.compile(r"([a-z-]+)\((.*?)(?:#(\d+))?(?:, ([a-z0-9.]+))?\)")


class Fault(Struct, frozen=True):
    """One fault.

    Attributes:
        kind: one of `KINDS`.
        at: the request, the change or the resource.
        n: which of these requests, changes or steps.
        how: how long, or another detail.
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
        ValueError: it is none.
    """
    faults: list[Fault] = []
    for part in filter(None, (each.strip() for each in text.split(";"))):
        match = _TEXT.fullmatch(part)
        if match is None or match[1] not in KINDS:
            known = ", ".join(KINDS)
            raise ValueError(f"schedule: {part!r} is no fault; write kind(place#number): {known}")
        faults.append(Fault(match[1], match[2], int(match[3] or 0), match[4] or ""))
    return tuple(faults)
