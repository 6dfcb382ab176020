"""`Check`: something to wait for, and how checks are combined."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, overload

from .._models.arguments import check_function
from .._models.model import Model
from .._models.model_codec import to_dict
from .._models.unstructured import Object
from .verdict import NO_OBJECT, Verdict, met, unmet

if TYPE_CHECKING:
    from .json_fields import Json

__all__ = ["DELETED", "EXISTS", "Check", "Deleted", "JsonCheck", "as_check"]

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Seen:
    """An object as checks see it. Its JSON is made when the first check needs it."""

    def __init__(self, obj: object) -> None:
        self.object = obj

    @cached_property
    def json(self) -> Json:
        """The JSON of the object."""
        obj = self.object
        return to_dict(obj) if isinstance(obj, Model) else cast("Json", obj)


class Check(Generic[T_contra]):
    """Something that is true or false of an object. Call it with an object to learn which.

    `a & b`, `a | b` and `~a` combine checks. The other side of `&` and `|` may be any function of
    the object.

    Attributes:
        on_absence: Whether the check is true when there is no object; None if it is about what is
            in the object.
    """

    on_absence: bool | None = None

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown

    def __call__(self, obj: T_contra) -> bool:
        return self.check(obj).met

    def check(self, obj: T_contra | None) -> Verdict:
        """Look at an object; None means that it does not exist.

        Raises:
            TypeError: the check is not for such an object.
        """
        return self.absent() if obj is None else self.judge(Seen(obj))

    def absent(self) -> Verdict:
        """Judge that there is no object."""
        return met(NO_OBJECT) if self.on_absence else unmet(NO_OBJECT)

    def judge(self, seen: Seen) -> Verdict:
        """Judge an object."""
        raise NotImplementedError

    # A check of any object, combined with one of Pods, is one of Pods.
    @overload
    def __and__(self, other: Check[Object]) -> Check[T_contra]: ...
    @overload
    def __and__(self, other: Callable[[T], object]) -> Check[T]: ...
    def __and__(self, other: Callable[[T], object]) -> Check[Any]:
        return AllOf([self, as_check(other)])

    @overload
    def __or__(self, other: Check[Object]) -> Check[T_contra]: ...
    @overload
    def __or__(self, other: Callable[[T], object]) -> Check[T]: ...
    def __or__(self, other: Callable[[T], object]) -> Check[Any]:
        return AnyOf([self, as_check(other)])

    def __rand__(self, other: Callable[[T], object]) -> Check[T]:
        return AllOf([as_check(other), self])

    def __ror__(self, other: Callable[[T], object]) -> Check[T]:
        return AnyOf([as_check(other), self])

    def __invert__(self) -> Check[T_contra]:
        return Not(self)


class JsonCheck(Check[Object]):
    """A check that reads the JSON of an object."""

    def __init__(self, shown: str, judge: Callable[[Json], Verdict]) -> None:
        super().__init__(shown)
        self._judge = judge

    def judge(self, seen: Seen) -> Verdict:
        """Judge an object."""
        return self._judge(seen.json)


class FunctionCheck(Check[Any]):
    """A function of the object, as a check."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        check_function("a condition", function)
        super().__init__(getattr(function, "__name__", None) or repr(function))
        self._function = function

    def judge(self, seen: Seen) -> Verdict:
        """Call the function."""
        result = self._function(seen.object)
        if isinstance(result, Awaitable):
            if isinstance(result, Coroutine):
                cast("Coroutine[object, object, object]", result).close()
            raise TypeError(f"{self!r} is a coroutine function: conditions are plain functions")
        return met(f"{self!r} is true") if result else unmet(f"{self!r} is false")


class AllOf(Check[Any]):
    """All of several checks."""

    def __init__(self, checks: list[Check[Any]]) -> None:
        super().__init__(f"({' & '.join(map(repr, checks))})")
        self._checks = checks
        absences = [check.on_absence for check in checks]
        if None not in absences:
            self.on_absence = all(absences)

    def judge(self, seen: Seen) -> Verdict:
        """All have to be met; one that has failed is enough to fail."""
        verdicts = [check.judge(seen) for check in self._checks]
        open_ones = [verdict for verdict in verdicts if not verdict.met]
        lost = [verdict for verdict in open_ones if verdict.failed]
        return Verdict(not open_ones, _words(lost or open_ones or verdicts, " and "), bool(lost))


class AnyOf(Check[Any]):
    """At least one of several checks."""

    def __init__(self, checks: list[Check[Any]]) -> None:
        super().__init__(f"({' | '.join(map(repr, checks))})")
        self._checks = checks
        absences = [check.on_absence for check in checks]
        if True in absences:
            self.on_absence = True
        elif None not in absences:
            self.on_absence = False

    def judge(self, seen: Seen) -> Verdict:
        """One has to be met; it has failed when all have."""
        verdicts = [check.judge(seen) for check in self._checks]
        good = [verdict for verdict in verdicts if verdict.met]
        lost = bool(verdicts) and all(verdict.failed for verdict in verdicts)
        return Verdict(bool(good), _words(good[:1] or verdicts, " and "), lost)


class Not(Check[Any]):
    """The opposite of a check."""

    def __init__(self, check: Check[Any]) -> None:
        super().__init__(f"~{check!r}")
        self._check = check
        if check.on_absence is not None:
            self.on_absence = not check.on_absence

    def judge(self, seen: Seen) -> Verdict:
        """What has failed to become true stays false, but nothing tells what stays true."""
        verdict = self._check.judge(seen)
        return Verdict(not verdict.met, verdict.why)


class Existence(Check[Object]):
    """There is such an object."""

    on_absence = False

    def judge(self, seen: Seen) -> Verdict:  # noqa: ARG002 - every object exists
        """It is there."""
        return met("it exists")


# What keeps a namespace from being deleted; a True of other kinds' conditions is no obstacle.
# kubernetes: pkg/controller/namespace/deletion/status_condition_utils.go.
_NAMESPACE_CONDITIONS: Final = frozenset(
    {
        "NamespaceDeletionDiscoveryFailure",
        "NamespaceDeletionGroupVersionParsingFailure",
        "NamespaceDeletionContentFailure",
        "NamespaceContentRemaining",
        "NamespaceFinalizersRemaining",
    }
)


class Deleted(Check[Object]):
    """There is no such object. An object with the same name and another uid is another object."""

    on_absence = True

    def judge(self, seen: Seen) -> Verdict:
        """It is still there."""
        from ..errors import one_line
        from .json_fields import conditions, part, said, text

        metadata = part(seen.json, "metadata")
        if not text(metadata, "deletionTimestamp"):
            return unmet("it exists and nobody has deleted it")
        reasons = ["it is being deleted"]
        finalizers = metadata.get("finalizers")
        if isinstance(finalizers, list) and finalizers:
            names = ", ".join(map(str, cast("list[object]", finalizers)[:5]))
            reasons.append(f"these finalizers have to be removed: {one_line(names)}")
        reasons += [
            said(each)
            for each in conditions(seen.json)
            if text(each, "type") in _NAMESPACE_CONDITIONS and text(each, "status") == "True"
        ]
        return unmet("; ".join(reasons))


EXISTS: Final = Existence("exists")
DELETED: Final = Deleted("deleted")


def as_check(condition: Callable[[T], object]) -> Check[T]:
    """Make a check of a function of the object.

    Raises:
        TypeError: it is not a function.
    """
    if isinstance(condition, Check):
        return cast("Check[T]", condition)
    if isinstance(condition, str):
        raise TypeError(
            f"{condition!r} is no condition: write condition({condition!r}), or jsonpath(...),"
            " from clientgen.runtime.conditions"
        )
    return FunctionCheck(condition)


def _words(verdicts: list[Verdict], joint: str) -> str:
    return joint.join(dict.fromkeys(verdict.why for verdict in verdicts))
