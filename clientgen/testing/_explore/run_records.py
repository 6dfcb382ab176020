"""The records of a run: for the search, for the rules, and for the report of a bug."""

from __future__ import annotations

from msgspec import Struct, field

from .random_texts import RandomTexts


class Event(Struct):
    """A line of the report: at a moment, a client did something."""

    time: float
    who: str
    text: str


class Point(Struct, frozen=True):
    """A place for a fault: a request of the program, or a change of an object.

    Attributes:
        kind: `read`, `write` or `change`.
        label: the request or the change as text.
        n: the number of this request or change, counted from 1.
        step: how many steps the user had done before.
        resource: the resource of a change.
    """

    kind: str
    label: str
    n: int
    step: int
    resource: str = ""


class Violation(Struct, frozen=True):
    """A broken rule.

    Attributes:
        kind: the rule, in a word.
        text: what is wrong, in lines.
    """

    kind: str
    text: str


class Outcome(Struct):
    """The result of a run. Its state and external value still contain their random texts."""

    events: list[Event] = field(default_factory=list[Event])
    points: list[Point] = field(default_factory=list[Point])
    violation: Violation | None = None
    state: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    external: object = None
    deletions: dict[str, int] = field(default_factory=dict[str, int])
    steps: int = 0
    requests: int = 0
    seconds: float = 0.0
    is_skipped: bool = False
    hits: set[str] = field(default_factory=set[str])
    """The faults whose place occurred."""

    def signature(self) -> tuple[object, ...]:
        """Return a value that is equal whenever the run is repeated."""
        return (
            tuple((each.time, each.who, each.text) for each in self.events),
            tuple((each.label, each.n) for each in self.points),
            str(RandomTexts().state(self.state)),
            str(RandomTexts().value(self.external)),
        )
