"""Rate limiters: how long an item of a work queue waits before it is retried.

Nothing here waits or reads a clock: times are arguments. A queue calls its limiter under the lock
of the queue, so each queue needs its own limiter. The rules and constants are client-go's
(util/workqueue/default_rate_limiters.go).
"""

from __future__ import annotations

from collections.abc import Hashable
from math import ldexp
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from .._http.retry import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T", bound=Hashable)
T_contra = TypeVar("T_contra", bound=Hashable, contravariant=True)

_MAX_DELAY_SECONDS: Final = 1000.0


class RateLimiter(Protocol[T_contra]):
    """Decides when an item may be retried."""

    def when(self, item: T_contra, now: float, /) -> float:
        """Return the seconds that an item has to wait. Each call counts as a failure."""
        ...

    def forget(self, item: T_contra, /) -> None:
        """Reset the failures of an item, because it has succeeded or will not be retried."""
        ...

    def num_requeues(self, item: T_contra, /) -> int:
        """Return how often an item has failed since it was forgotten."""
        ...


class _Failures(Generic[T]):
    """Counts the failures of each item. The base of most limiters."""

    def __init__(self) -> None:
        self._failures: dict[T, int] = {}

    def _count_failure(self, item: T) -> int:
        """Count a failure. Returns the number of earlier failures."""
        before = self._failures.get(item, 0)
        self._failures[item] = before + 1
        return before

    def forget(self, item: T, /) -> None:
        """Reset the failures of an item."""
        self._failures.pop(item, None)

    def num_requeues(self, item: T, /) -> int:
        """Return how often an item has failed since it was forgotten."""
        return self._failures.get(item, 0)


class ItemExponentialFailure(_Failures[T]):
    """Doubles the delay of an item with each failure, from `base` up to `longest` seconds."""

    def __init__(self, base: float = 0.001, longest: float = _MAX_DELAY_SECONDS) -> None:
        super().__init__()
        self._base = base
        self._longest = longest

    def when(self, item: T, now: float, /) -> float:  # noqa: ARG002 - the time has no effect
        """Return `base * 2 ** failures` seconds, up to `longest`."""
        try:
            return min(ldexp(self._base, self._count_failure(item)), self._longest)
        except OverflowError:  # a float overflows after a thousand failures
            return self._longest


class ItemFastSlow(_Failures[T]):
    """Retries an item after `fast` seconds for the first `tries` times, then after `slow`."""

    def __init__(self, fast: float, slow: float, tries: int) -> None:
        super().__init__()
        self._fast = fast
        self._slow = slow
        self._tries = tries

    def when(self, item: T, now: float, /) -> float:  # noqa: ARG002 - the time has no effect
        """Return `fast` for the first tries, then `slow`."""
        return self._fast if self._count_failure(item) < self._tries else self._slow


class Bucket:
    """Limits all items together: `qps` items per second, with bursts of `burst` items."""

    def __init__(self, qps: float = 10.0, burst: int = 100) -> None:
        self._bucket = TokenBucket(qps, burst)

    def when(self, item: object, now: float, /) -> float:  # noqa: ARG002 - all items are equal
        """Take a token. Returns the seconds until it is available."""
        return self._bucket.reserve(now)

    def forget(self, item: object, /) -> None:
        """Do nothing: items are not counted."""

    def num_requeues(self, item: object, /) -> int:  # noqa: ARG002 - all items are equal
        """Return 0: items are not counted."""
        return 0


class MaxOf(Generic[T]):
    """Combines limiters: the longest delay applies."""

    def __init__(self, *limiters: RateLimiter[T]) -> None:
        if not limiters:
            raise ValueError("MaxOf needs at least one limiter")
        self._limiters: Sequence[RateLimiter[T]] = limiters

    def when(self, item: T, now: float, /) -> float:
        """Return the longest delay, in seconds. Each limiter counts a failure."""
        return max([limiter.when(item, now) for limiter in self._limiters])

    def forget(self, item: T, /) -> None:
        """Reset the failures of an item in all limiters."""
        for limiter in self._limiters:
            limiter.forget(item)

    def num_requeues(self, item: T, /) -> int:
        """Return the largest number of failures."""
        return max(limiter.num_requeues(item) for limiter in self._limiters)


class WithMaxWait(Generic[T]):
    """Limits the delays of another limiter to `longest` seconds."""

    def __init__(self, limiter: RateLimiter[T], longest: float) -> None:
        self._limiter = limiter
        self._longest = longest

    def when(self, item: T, now: float, /) -> float:
        """Return the delay of the other limiter, up to `longest` seconds."""
        return min(self._limiter.when(item, now), self._longest)

    def forget(self, item: T, /) -> None:
        """Reset the failures of an item in the other limiter."""
        self._limiter.forget(item)

    def num_requeues(self, item: T, /) -> int:
        """Return the number of failures in the other limiter."""
        return self._limiter.num_requeues(item)


def default_controller_limiter() -> RateLimiter[Hashable]:
    """Return client-go's default limiter: 5 ms, doubling up to 1000 s; 10/s in total, burst 100."""
    per_item: ItemExponentialFailure[Hashable] = ItemExponentialFailure(0.005)
    return MaxOf(per_item, Bucket())


def default_item_limiter() -> RateLimiter[Hashable]:
    """Return client-go's default limiter per item: 1 ms, doubling up to 1000 s."""
    return ItemExponentialFailure()
