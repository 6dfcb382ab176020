"""Workflows: the order of dependents, their states, and the conditions that tell them."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

from msgspec import Struct, field

from .._conditions.condition_setting import set_condition
from .._conditions.json_fields import text
from .._models.deep_copy import deep_copy
from .._models.model import Model
from .._models.model_info import fields_of
from .._models.unstructured import Unstructured
from ..errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._clock import Clock

T = TypeVar("T")

Reason: TypeAlias = Literal[
    "Ready", "NotReady", "Stalled", "Waiting", "NotWanted", "Deleting", "Refused", "Failed"
]
_DONE: Final = frozenset({"Ready", "NotWanted"})
# Dependents do not wait for those before them that are to go.
_PASSED: Final = frozenset({"Ready", "NotWanted", "Deleting"})
# What the summary tells first.
_WORST_FIRST: Final[tuple[Reason, ...]] = (
    "Failed",
    "Refused",
    "Stalled",
    "NotReady",
    "Waiting",
    "Deleting",
)
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}").fullmatch
_MAX_MESSAGE_CHARACTERS: Final = 1000
_OF_ERRORS: Final = frozenset({"Failed", "DependentFailed"})
_WITH_DIGITS: Final = re.compile(r"\S*[0-9]\S*")


class DependentState(Struct, frozen=True):
    """The state of a dependent.

    Attributes:
        name: The name of the dependent.
        reason: `Ready`; `NotReady`: it was applied, and its condition is not true yet; `Stalled`:
            its condition cannot become true any more; `Waiting`: a dependent before it is not
            ready, so that it was left as it is; `NotWanted`: it is not wanted, and does not exist;
            `Deleting`: it is not wanted, and still exists; `Refused`: an object of its name belongs
            to somebody else; `Failed`: an error was raised, and the controller tries again.
        message: The explanation, for people.
    """

    name: str
    reason: Reason
    message: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to do."""
        return self.reason in _DONE

    @property
    def is_passed(self) -> bool:
        """Whether the dependents after it may be reconciled."""
        return self.reason in _PASSED


class WorkflowState(Struct, frozen=True):
    """The states of the dependents of one primary object, by name, in their order."""

    dependents: dict[str, DependentState] = field(default_factory=dict[str, DependentState])

    @property
    def is_ready(self) -> bool:
        """Whether all dependents are ready, or not wanted and gone."""
        return all(each.is_ready for each in self.dependents.values())

    @property
    def reason(self) -> str:
        """The reason of the condition `Ready`: `DependentsReady`, `DependentFailed` and others."""
        worst = self._worst
        return "DependentsReady" if worst is None else f"Dependent{worst}"

    @property
    def message(self) -> str:
        """What is left to do, for people; empty if nothing is."""
        left = [each for each in self.dependents.values() if not each.is_ready]
        return "; ".join(f"{each.name}: {each.message or each.reason}" for each in left)

    @property
    def is_progressing(self) -> bool:
        """Whether waiting or trying again may make all dependents ready."""
        return self._worst not in {None, "Refused", "Stalled"}

    @property
    def _worst(self) -> Reason | None:
        found = {each.reason for each in self.dependents.values()}
        return next((reason for reason in _WORST_FIRST if reason in found), None)


def checked_name(name: object, known: Iterable[str]) -> str:
    """Check the name of a dependent, and return it.

    Raises:
        ValueError: The name is not valid, or another dependent has it.
    """
    if not isinstance(name, str) or not is_name(name):
        raise ValueError(
            f"{name!r} is not a name of a dependent: write a word such as name='service'"
        )
    if condition_type(name) in {condition_type(each) for each in known}:
        raise ValueError(f"there is a dependent called {name!r} already: give it a name=")
    return name


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a dependent."""
    return _NAME(text) is not None


def in_order(after: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names of dependents, each after those that it is to come after.

    Dependents that may come in any order keep the order of their declaration.

    Raises:
        ValueError: A name is not known, or dependents wait for each other in a circle.
    """
    for name, before in after.items():
        for each in before:
            if each not in after:
                known = ", ".join(after)
                raise ValueError(
                    f"the dependent {name!r} is after {each!r}, which is none: {known}"
                )
    sorter = TopologicalSorter({name: set(before) for name, before in after.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        circle = " after ".join(reversed(cast("list[str]", error.args[1])))
        raise ValueError(f"dependents wait for each other in a circle: {circle}") from None
    declared = {name: number for number, name in enumerate(after)}
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=declared.__getitem__)
        order += ready
        sorter.done(*ready)
    return order


def all_after(name: str, after: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names of the dependents that come after one, at any distance."""
    found: set[str] = set()
    left = [name]
    while left:
        current = left.pop()
        nearer = {each for each, before in after.items() if current in before} - found
        found |= nearer
        left += nearer
    return found


def summary(name: str, found: list[DependentState]) -> DependentState:
    """Return the state of a dependent with several objects."""
    for reason in _WORST_FIRST:
        texts = [each.message for each in found if each.reason == reason]
        if texts:
            return DependentState(name, reason, "; ".join(texts))
    reason = "Ready" if any(each.reason == "Ready" for each in found) else "NotWanted"
    return DependentState(name, reason)


def failure(name: str, error: Exception) -> DependentState:
    """Return the state of a dependent whose work raised an error."""
    message = f"{type(error).__name__}: {one_line(str(error))}"[:_MAX_MESSAGE_CHARACTERS]
    return DependentState(name, "Failed", message)


# ---- conditions -------------------------------------------------------------------------------


def condition_type(name: str) -> str:
    """Return the condition type of a dependent: `DeploymentReady` for `deployment`."""
    words = re.split(r"[_-]+", name)
    return "".join(word[:1].upper() + word[1:] for word in words) + "Ready"


def with_conditions(primary: T, state: WorkflowState, clock: Clock) -> T:
    """Return a copy of a primary object whose conditions tell the state of its dependents.

    `Ready` and `Progressing` are about all dependents, and each dependent that is wanted has a
    condition of its own. A status with `observedGeneration` gets the generation of the object.

    Raises:
        TypeError: The status of the object has no list of conditions.
    """
    changed: Any = deep_copy(primary)
    is_ready, message = state.is_ready, state.message
    about_all = {"reason": state.reason, "message": message}
    _set(changed, "Ready", is_ready, clock, **about_all)
    _set(changed, "Progressing", state.is_progressing, clock, **about_all)
    for each in state.dependents.values():
        type_ = condition_type(each.name)
        if each.reason == "NotWanted":
            _remove_condition(changed, type_)
        else:
            _set(changed, type_, each.is_ready, clock, reason=each.reason, message=each.message)
    _set_observed_generation(changed)
    return cast("T", changed)


def _set(obj: Any, type_: str, is_true: bool, clock: Clock, *, reason: str, message: str) -> None:
    """Set a condition. A message that differs only in words with digits is kept.

    An error with a time or an id in it would change the object at each attempt, and each change
    would be a reason for the next attempt.
    """
    for each in _conditions(obj):
        if (_text(each, "type"), _text(each, "reason")) == (type_, reason):
            old = _text(each, "message")
            is_same = reason in _OF_ERRORS and _masked(old) == _masked(message)
            message = old if is_same else message
    set_condition(obj, type_, is_true, reason=reason, message=message, clock=clock)


def _masked(message: str) -> str:
    return _WITH_DIGITS.sub("#", message)


def _conditions(obj: Any) -> list[Any]:
    if isinstance(obj, Unstructured):
        return cast("list[Any]", obj.get("status", {}).get("conditions") or [])
    return list(getattr(getattr(obj, "status", None), "conditions", None) or [])


def _text(condition: Any, name: str) -> str:
    if isinstance(condition, dict):
        return text(cast("object", condition), name)
    return str(getattr(condition, name, "") or "")


def _remove_condition(obj: Any, type_: str) -> None:
    found = _conditions(obj)
    left = [each for each in found if _text(each, "type") != type_]
    if len(left) == len(found):
        return
    if isinstance(obj, Unstructured):
        obj["status"]["conditions"] = left
    else:
        obj.status.conditions = left


def _set_observed_generation(obj: Any) -> None:
    status = None if isinstance(obj, Unstructured) else getattr(obj, "status", None)
    if not isinstance(status, Model):
        return
    if "observed_generation" in {each.name for each in fields_of(type(status)).values()}:
        cast("Any", status).observed_generation = obj.metadata.generation or 0
