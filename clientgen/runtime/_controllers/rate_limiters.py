"""Rate limiters: the time that an item of a work queue waits before it is tried again.

Decisions only: the time comes in as a number of seconds. A queue calls its limiter under its own
lock, so each queue wants a limiter of its own. The rules and constants are client-go's
(util/workqueue/default_rate_limiters.go).
"""

from __future__ import annotations

from collections.abc import Hashable
from math import ldexp
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from .._http.retry import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Bucket",
    "ItemExponentialFailure",
    "ItemFastSlow",
    "MaxOf",
    "RateLimiter",
    "WithMaxWait",
    "default_controller_limiter",
    "default_item_limiter",
]

T = TypeVar("T", bound=Hashable)
T_contra = TypeVar("T_contra", bound=Hashable, contravariant=True)

_LONGEST: Final = 1000.0


class RateLimiter(Protocol[T_contra]):
    """Says when an item may be tried again."""

    def when(self, item: T_contra, now: float, /) -> float:
        """The seconds an item has to wait; each call counts as a failure of the item."""
        ...

    def forget(self, item: T_contra, /) -> None:
        """Stop counting an item's failures: it has succeeded, or is given up."""
        ...

    def num_requeues(self, item: T_contra, /) -> int:
        """Return how often an item has failed since it was forgotten."""
        ...


class _Failures(Generic[T]):
    """The count of failures of each item, which most limiters use."""

    def __init__(self) -> None:
        self._failures: dict[T, int] = {}

    def _failed(self, item: T) -> int:
        """Count one more failure; gives how many there were before."""
        before = self._failures.get(item, 0)
        self._failures[item] = before + 1
        return before

    def forget(self, item: T, /) -> None:
        """Stop counting an item's failures."""
        self._failures.pop(item, None)

    def num_requeues(self, item: T, /) -> int:
        """Return how often an item has failed since it was forgotten."""
        return self._failures.get(item, 0)


class ItemExponentialFailure(_Failures[T]):
    """Doubles the delay of an item with each failure: `base` seconds, never more than `longest`."""

    def __init__(self, base: float = 0.001, longest: float = _LONGEST) -> None:
        super().__init__()
        self._base = base
        self._longest = longest

    def when(self, item: T, now: float, /) -> float:  # noqa: ARG002 - the clock does not matter
        """`base * 2 ** failures` seconds, up to the longest."""
        try:
            return min(ldexp(self._base, self._failed(item)), self._longest)
        except OverflowError:  # after a thousand failures
            return self._longest


class ItemFastSlow(_Failures[T]):
    """Tries an item again after `fast` seconds for the first `tries` times, then after `slow`."""

    def __init__(self, fast: float, slow: float, tries: int) -> None:
        super().__init__()
        self._fast = fast
        self._slow = slow
        self._tries = tries

    def when(self, item: T, now: float, /) -> float:  # noqa: ARG002 - the clock does not matter
        """`fast` seconds for the first tries, `slow` after them."""
        return self._fast if self._failed(item) < self._tries else self._slow


class Bucket:
    """Limits all items together: `qps` a second in the long run, `burst` at once."""

    def __init__(self, qps: float = 10.0, burst: int = 100) -> None:
        self._bucket = TokenBucket(qps, burst)

    def when(self, item: object, now: float, /) -> float:  # noqa: ARG002 - all are alike
        """The seconds until there is a token, which is taken."""
        return self._bucket.reserve(now)

    def forget(self, item: object, /) -> None:
        """Do nothing: items are not told apart."""

    def num_requeues(self, item: object, /) -> int:  # noqa: ARG002 - all are alike
        """Always 0: items are not told apart."""
        return 0


class MaxOf(Generic[T]):
    """Asks several limiters, all of them each time, and takes the longest delay."""

    def __init__(self, *limiters: RateLimiter[T]) -> None:
        if not limiters:
            raise ValueError("MaxOf needs at least one limiter")
        self._limiters: Sequence[RateLimiter[T]] = limiters

    def when(self, item: T, now: float, /) -> float:
        """The longest of the delays, in seconds."""
        return max([limiter.when(item, now) for limiter in self._limiters])

    def forget(self, item: T, /) -> None:
        """Have all limiters forget an item."""
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: T, /) -> int:
        """The largest of the counts."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)


class WithMaxWait(Generic[T]):
    """Another limiter, but never more than `longest` seconds."""

    def __init__(self, limiter: RateLimiter[T], longest: float) -> None:
        self._limiter = limiter
        self._longest = longest

    def when(self, item: T, now: float, /) -> float:
        """The other's delay in seconds, up to the longest."""
        return min(self._limiter.when(item, now), self._longest)

    def forget(self, item: T, /) -> None:
        """Have the other limiter forget an item."""
        self._limiter.forget(item)

    def num_requeues(self, item: T, /) -> int:
        """The other's count."""
        return self._limiter.num_requeues(item)


def default_controller_limiter() -> RateLimiter[Hashable]:
    """Return client-go's limiter: 5 ms, doubling up to 1000 s; 10 a second after 100."""
    per_item: ItemExponentialFailure[Hashable] = ItemExponentialFailure(0.005)
    return MaxOf(per_item, Bucket())


def default_item_limiter() -> RateLimiter[Hashable]:
    """client-go's limiter for items alone: 1 ms doubling up to 1000 s."""
    return ItemExponentialFailure()
