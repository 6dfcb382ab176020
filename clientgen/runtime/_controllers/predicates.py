"""Events of the sources of a controller, and predicates, which filter events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from .._models.arguments import check_function

T = TypeVar("T")


class Event(NamedTuple, Generic[T]):
    """A change that a source of a controller reports. Its objects are read-only."""

    kind: Literal["add", "update", "delete", "generic"]
    """`generic` is an event from outside the cluster."""
    old: T | None
    """The object before an update, or the last known state of a deleted object; otherwise None."""
    new: T | None
    """The object now; None if it was deleted."""
    is_initial: bool = False
    """Whether the object existed when the watch began."""

    @property
    def object(self) -> T:
        """The object now, or the last known state of a deleted object."""
        found = self.old if self.new is None else self.new
        assert found is not None
        return found


Predicate: TypeAlias = Callable[[Event[Any]], bool]
"""Returns whether an event passes. An event that does not pass causes no reconciliation."""


class EventPredicate:
    """A predicate that combines with others: `a & b`, `a | b` and `~a`.

    The other side of `&` and `|` may be any function of an event. Use it as a decorator to make a
    predicate of your own function::

        @EventPredicate
        def is_large(event: Event[WebApp]) -> bool:
            return event.object.spec.replicas > 10

        controller.for_(WebApp).when(generation_changed | (labels_changed & ~is_large))

    `~a` is true for each event for which `a` is false: `~labels_changed` ignores added objects.
    """

    def __init__(self, function: Predicate) -> None:
        check_function("a predicate", function)
        self._function = function
        update_wrapper(self, function)

    def __call__(self, event: Event[Any]) -> bool:
        return self._function(event)

    def fresh(self) -> EventPredicate:
        """Return the predicate for one more source: it shares no memory with this predicate."""
        return self

    def settle(self, event: Event[Any], *, passed: bool) -> None:
        """Take note whether an event passed all predicates of its source.

        Predicates with a memory override this. It is called after each event of the source.
        """

    def __repr__(self) -> str:
        return _shown_predicate(self._function)

    def __and__(self, other: Predicate) -> EventPredicate:
        return _combined(f"({self!r} & {_shown_predicate(other)})", all, self, other)

    def __rand__(self, other: Predicate) -> EventPredicate:
        return _combined(f"({_shown_predicate(other)} & {self!r})", all, other, self)

    def __or__(self, other: Predicate) -> EventPredicate:
        return _combined(f"({self!r} | {_shown_predicate(other)})", any, self, other)

    def __ror__(self, other: Predicate) -> EventPredicate:
        return _combined(f"({_shown_predicate(other)} | {self!r})", any, other, self)

    def __invert__(self) -> EventPredicate:
        return _combined(f"~{self!r}", lambda results: not any(results), self)


class _Combination(EventPredicate):
    """Several predicates. Like `and` and `or`, it calls no more of them than needed."""

    def __init__(
        self, shown: str, decide: Callable[[Iterable[bool]], bool], predicates: Sequence[Predicate]
    ) -> None:
        for each in predicates:
            check_function("a predicate", each)
        self._decide = decide
        self._predicates = predicates
        super().__init__(self._combine)
        self.__name__ = shown

    def __repr__(self) -> str:
        return self.__name__

    def _combine(self, event: Event[Any]) -> bool:
        return self._decide(each(event) for each in self._predicates)

    def fresh(self) -> EventPredicate:
        return _Combination(self.__name__, self._decide, [*map(fresh, self._predicates)])

    def settle(self, event: Event[Any], *, passed: bool) -> None:
        for each in self._predicates:
            settle(each, event, passed=passed)


def _combined(
    shown: str, decide: Callable[[Iterable[bool]], bool], *predicates: Predicate
) -> EventPredicate:
    return _Combination(shown, decide, predicates)


def fresh(predicate: Predicate) -> Predicate:
    """Return a predicate for one source: it shares no memory with those of other sources."""
    return predicate.fresh() if isinstance(predicate, EventPredicate) else predicate


def settle(predicate: Predicate, event: Event[Any], *, passed: bool) -> None:
    """Tell a predicate whether an event passed all predicates of its source."""
    if isinstance(predicate, EventPredicate):
        predicate.settle(event, passed=passed)


def _shown_predicate(predicate: Predicate) -> str:
    return getattr(predicate, "__name__", None) or repr(predicate)
