"""A cache for functions that must not run twice, even if several threads call them first.

`functools.cache` may call the function in two threads at the same time. A class would be created
twice, and msgspec does not support building the first decoders of a struct in two threads at once.
"""

from __future__ import annotations

from _thread import RLock  # like functools, to keep the import of `threading` out of start-up
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

# A reentrant lock for all functions, because a function may call another. No function that waits
# may use `once`.
_lock = RLock()


def once(make: Callable[P, R]) -> Callable[P, R]:
    """Cache the results of a function of positional arguments. One thread computes each result."""
    results: dict[Any, R] = {}

    @wraps(make)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return results[args]
        except KeyError:
            with _lock:
                if args not in results:
                    results[args] = make(*args, **kwargs)
                return results[args]

    return wrapper
