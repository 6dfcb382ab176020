"""Things that are made once, whatever threads ask for them first.

`functools.cache` may make a thing twice, at the same time. For classes that is one too many, and
msgspec is not safe there: a struct's first decoders must not be built by two threads at once.
"""

from __future__ import annotations

from _thread import RLock  # as functools does: `threading` is more than start-up needs
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["once"]

P = ParamSpec("P")
R = TypeVar("R")

# One for all, since making one thing may take another. It is never held across a wait.
_making = RLock()


def once(make: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function of positional arguments has made, and let one thread make it."""
    made: dict[Any, R] = {}

    @wraps(make)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return made[args]
        except KeyError:
            with _making:
                if args not in made:
                    made[args] = make(*args, **kwargs)
                return made[args]

    return wrapper
