"""`Problem`: what is wrong with an input, where, and what to do.

Bad input is never an exception on its own: every stage collects problems and the first stage that
found any ends the run with all of them at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong: where it is, what it is, and what to do about it."""

    where: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        where, what = map(visible, (self.where, self.what))
        text = f"{where}: {what}" if where else what
        return f"{text}\n    {visible(self.hint)}" if self.hint else text


def visible(text: str) -> str:
    """A text without power over a terminal: documents are quoted in problems."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class ClientgenError(Exception):
    """The run cannot go on; nothing was written."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(dict.fromkeys(problems))
        super().__init__("\n".join(map(str, self.problems)))


class Problems:
    """Collects problems while a stage goes on looking for more."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def add(self, where: str, what: str, hint: str = "") -> None:
        """Note a problem and go on."""
        self._problems.append(Problem(where, what, hint))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Take over what another collection found."""
        self._problems.extend(problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)

    def __bool__(self) -> bool:
        return bool(self._problems)

    def raise_if_any(self) -> None:
        """End the stage here if anything was found.

        Raises:
            ClientgenError: with everything that was found.
        """
        if self._problems:
            raise ClientgenError(self._problems)


def did_you_mean(name: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """A hint that names what is nearest to a mistyped name, if anything is near.

    Args:
        name: what was written; upper and lower case do not count.
        candidates: what could have been.
        otherwise: the hint if nothing is near.
    """
    import difflib  # seldom needed, and it takes a while

    by_lower = {candidate.lower(): candidate for candidate in candidates}
    last = name.lower().rpartition("/")[2]
    for close in difflib.get_close_matches(name.lower(), by_lower):
        # Two kinds of one group are alike by their group alone.
        if difflib.get_close_matches(last, [close.rpartition("/")[2]], cutoff=0.5):
            return f"did you mean `{by_lower[close]}`?"
    return otherwise


def take_all(steps: Iterable[Callable[[], T]]) -> list[T]:
    """Take every step; the problems of one do not hide those of another.

    Raises:
        ClientgenError: with the problems of all steps that have some.
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
