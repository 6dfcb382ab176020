"""`Problem`: what is wrong with an input, where, and what to do.

A stage does not raise an exception for the first problem in its input. It collects all problems,
and raises one exception for all of them at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A problem of an input: its place, its description, and a hint what to do."""

    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        where, what = map(visible, (self.where, self.what))
        text = f"{where}: {what}" if where else what
        return f"{text}\n    {visible(self.hint)}" if self.hint else text


def visible(text: str) -> str:
    """Escape control characters: problems quote documents, which could control the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class ClientgenError(Exception):
    """The run has ended because of problems, and has written nothing."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__("\n".join(map(str, self.problems)))


class Problems:
    """Collects the problems that a stage finds."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, where: str, what: str, hint: str = "") -> None:
        """Add a problem."""
        self._problems.append(Problem(where, what, hint))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add several problems."""
        self._problems.extend(problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)

    def __bool__(self) -> bool:
        return bool(self._problems)

    def raise_if_any(self) -> None:
        """End the stage if there are problems.

        Raises:
            ClientgenError: there are problems; the error has all of them.
        """
        if self._problems:
            raise ClientgenError(self._problems)


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """Return a hint with the candidate that is most similar to a wrong name.

    Args:
        name: the wrong name. Case is ignored.
        candidates: the existing names.
        otherwise: the hint if no candidate is similar.
    """
    similar = most_similar(name, candidates)
    return f"did you mean `{similar}`?" if similar else otherwise


def most_similar(name: str, candidates: Iterable[str]) -> str:
    """Return the candidate that is most similar to a wrong name, or "" if none is similar.

    Case is ignored.
    """
    import difflib  # imported late: only messages need it

    by_lower = {candidate.lower(): candidate for candidate in candidates}
    last = name.lower().rpartition("/")[2]
    for close in difflib.get_close_matches(name.lower(), by_lower):
        # The names of two kinds of one group are always similar, so the last parts are compared,
        # too.
        if difflib.get_close_matches(last, [close.rpartition("/")[2]], cutoff=0.5):
            return by_lower[close]
    return ""


def take_all(steps: Iterable[Callable[[], T]]) -> list[T]:
    """Run all steps, also after a step with problems, and return their results.

    Raises:
        ClientgenError: steps have found problems; the error has the problems of all steps.
    """
    problems = Problems()
    done: list[T] = []
    for step in steps:
        try:
            done.append(step())
        except ClientgenError as error:
            problems.extend(error.problems)
    problems.raise_if_any()
    return done
