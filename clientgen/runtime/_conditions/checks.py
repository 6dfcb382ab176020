"""`Check`: a condition of an object to wait for, and combinations of checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, overload

from .._models.arguments import check_function
from .._models.unstructured import Object
from .verdict import NO_OBJECT, Verdict, met, unmet
from .view_json import json_of

if TYPE_CHECKING:
    from .json_fields import Json

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class CheckedObject:
    """An object, and its JSON, which is encoded when a check first needs the JSON."""

    def __init__(self, obj: object) -> None:
        self.object = obj

    @cached_property
    def json(self) -> Json:
        """The JSON of the object."""
        return json_of(self.object)


class Check(Generic[T_contra]):
    """A condition of an object. Call it with an object: it returns whether the condition is true.

    `a & b`, `a | b` and `~a` combine checks. The other side of `&` and `|` may be any function of
    the object.

    Attributes:
        on_absence: Whether the check is true when the object does not exist; None if the check
            depends on the contents of the object.
    """

    on_absence: bool | None = None

    def __init__(self, title: str) -> None:
        self._title = title

    def __repr__(self) -> str:
        return self._title

    def __call__(self, obj: T_contra) -> bool:
        return self.check(obj).met

    def check(self, obj: T_contra | None) -> Verdict:
        """Check an object; None means that the object does not exist.

        Raises:
            TypeError: The check is not for this kind of object.
        """
        return self.absent() if obj is None else self.judge(CheckedObject(obj))

    def absent(self) -> Verdict:
        """Return the verdict for a missing object."""
        return met(NO_OBJECT) if self.on_absence else unmet(NO_OBJECT)

    def judge(self, checked: CheckedObject) -> Verdict:
        """Return the verdict about an object."""
        raise NotImplementedError

    # A check of any object, combined with a check of Pods, is a check of Pods.
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

    def __init__(self, title: str, judge: Callable[[Json], Verdict]) -> None:
        super().__init__(title)
        self._judge = judge

    def judge(self, checked: CheckedObject) -> Verdict:
        """Return the verdict about an object."""
        return self._judge(checked.json)


class FunctionCheck(Check[Any]):
    """A function of the object, as a check."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        check_function("a condition", function)
        super().__init__(getattr(function, "__name__", None) or repr(function))
        self._function = function

    def judge(self, checked: CheckedObject) -> Verdict:
        """Return the verdict: met if the function returns a true value."""
        result = self._function(checked.object)
        if isinstance(result, Awaitable):
            if isinstance(result, Coroutine):
                cast("Coroutine[object, object, object]", result).close()
            raise TypeError(
                f"{self!r} is a coroutine function; a condition must be a plain function"
            )
        return met(f"{self!r} is true") if result else unmet(f"{self!r} is false")


class AllOf(Check[Any]):
    """All of several checks."""

    def __init__(self, checks: list[Check[Any]]) -> None:
        super().__init__(f"({' & '.join(map(repr, checks))})")
        self._checks = checks
        absences = [check.on_absence for check in checks]
        if None not in absences:
            self.on_absence = all(absences)

    def judge(self, checked: CheckedObject) -> Verdict:
        """Combine the verdicts. All checks must be met; one failed check fails the combination."""
        verdicts = [check.judge(checked) for check in self._checks]
        unmet_verdicts = [verdict for verdict in verdicts if not verdict.met]
        failed_verdicts = [verdict for verdict in unmet_verdicts if verdict.failed]
        return Verdict(
            not unmet_verdicts,
            _join_reasons(failed_verdicts or unmet_verdicts or verdicts, " and "),
            bool(failed_verdicts),
        )


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

    def judge(self, checked: CheckedObject) -> Verdict:
        """Combine the verdicts.

        One check must be met. The combination fails when all checks have failed.
        """
        verdicts = [check.judge(checked) for check in self._checks]
        good = [verdict for verdict in verdicts if verdict.met]
        has_failed = bool(verdicts) and all(verdict.failed for verdict in verdicts)
        return Verdict(bool(good), _join_reasons(good[:1] or verdicts, " and "), has_failed)


class Not(Check[Any]):
    """The opposite of a check."""

    def __init__(self, check: Check[Any]) -> None:
        super().__init__(f"~{check!r}")
        self._check = check
        if check.on_absence is not None:
            self.on_absence = not check.on_absence

    def judge(self, checked: CheckedObject) -> Verdict:
        """Invert the verdict. The result is never `failed`: a met check may become unmet later."""
        verdict = self._check.judge(checked)
        return Verdict(not verdict.met, verdict.why)


class Existence(Check[Object]):
    """The object exists."""

    on_absence = False

    def judge(self, checked: CheckedObject) -> Verdict:  # noqa: ARG002 - every object exists
        """Return a verdict that is met, because the object exists."""
        return met("it exists")


# Conditions that explain why a namespace is not deleted yet.
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
    """The object does not exist. A new object with the same name is another object."""

    on_absence = True

    def judge(self, checked: CheckedObject) -> Verdict:
        """Return the verdict: why the object still exists."""
        from ..errors import one_line
        from .json_fields import conditions, part, reason_and_message, text

        metadata = part(checked.json, "metadata")
        if not text(metadata, "deletionTimestamp"):
            return unmet("it exists, and its deletion was not requested")
        reasons = ["it is being deleted"]
        finalizers = metadata.get("finalizers")
        if isinstance(finalizers, list) and finalizers:
            names = ", ".join(map(str, cast("list[object]", finalizers)[:5]))
            reasons.append(f"these finalizers have to be removed: {one_line(names)}")
        reasons += [
            reason_and_message(each)
            for each in conditions(checked.json)
            if text(each, "type") in _NAMESPACE_CONDITIONS and text(each, "status") == "True"
        ]
        return unmet("; ".join(reasons))


EXISTS: Final = Existence("exists")
DELETED: Final = Deleted("deleted")


def as_check(condition: Callable[[T], object]) -> Check[T]:
    """Convert a function of the object to a check.

    Raises:
        TypeError: `condition` is neither a check nor a function.
    """
    if isinstance(condition, Check):
        return cast("Check[T]", condition)
    if isinstance(condition, str):
        raise TypeError(
            f"{condition!r} is not a condition; write condition({condition!r}) or jsonpath(...)"
            " of clientgen.runtime.conditions"
        )
    return FunctionCheck(condition)


def _join_reasons(verdicts: list[Verdict], joint: str) -> str:
    return joint.join(dict.fromkeys(verdict.why for verdict in verdicts))
