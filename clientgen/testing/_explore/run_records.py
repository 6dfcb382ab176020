"""What happened in a run: for the search, for the judges, and for who reads about a bug."""

from __future__ import annotations

from msgspec import Struct, field

from .random_texts import RandomTexts

__all__ = ["Event", "Outcome", "Point", "Violation"]


class Event(Struct):
    """Something that happened, for readers."""

    time: float
    who: str
    text: str


class Point(Struct, frozen=True):
    """A place where a fault can be put: a request of the program, or a change of an object.

    Attributes:
        kind: `read`, `write` or `change`.
        label: the request or the change, in words.
        n: how often it had come.
        step: how many steps the user had done.
        resource: the resource of a change.
    """

    kind: str
    label: str
    n: int
    step: int
    resource: str = ""


class Violation(Struct, frozen=True):
    """What is wrong.

    Attributes:
        kind: which rule was broken, in a word.
        text: what is wrong, in lines.
    """

    kind: str
    text: str


class Outcome(Struct):
    """All that is known of a run. Its state and its external system have their random texts."""

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
    """The faults whose place was reached."""

    def signature(self) -> tuple[object, ...]:
        """What has to be equal if a run is repeated."""
        return (
            tuple((each.time, each.who, each.text) for each in self.events),
            tuple((each.label, each.n) for each in self.points),
            str(RandomTexts().state(self.state)),
            str(RandomTexts().value(self.external)),
        )
