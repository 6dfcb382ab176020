"""`set_condition`: sets a condition in the status of an object, by the rules of meta/v1.

apimachinery: pkg/api/meta/conditions.go (SetStatusCondition), and the validation of
metav1.Condition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from .._clock import SYSTEM_CLOCK
from .._models.model import Model
from .._models.model_info import fields_of
from .._models.unstructured import Unstructured
from .json_fields import text

if TYPE_CHECKING:
    from datetime import datetime

    from .._clock import Clock
    from .._models.unstructured import WholeObject

ConditionStatus: TypeAlias = Literal["True", "False", "Unknown"] | bool

_TYPE: Final = re.compile(r"([a-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?").fullmatch
_REASON: Final = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?").fullmatch
_STATUSES: Final = {"True", "False", "Unknown"}
_MAX_TYPE_CHARACTERS: Final = 316
_MAX_REASON_CHARACTERS: Final = 1024
_MAX_MESSAGE_CHARACTERS: Final = 32768
_GENERATION: Final = "observedGeneration"
_JSON_NAMES: Final = {"observed_generation": _GENERATION}


def set_condition(
    obj: WholeObject,
    type: str,  # noqa: A002 - the name of the field
    status: ConditionStatus,
    *,
    reason: str,
    message: str = "",
    observed_generation: int | None = None,
    clock: Clock = SYSTEM_CLOCK,
) -> bool:
    """Set a condition in `status.conditions` of an object.

        set_condition(tab, "Ready", False, reason="JobFailed", message="the last run has failed")

    `lastTransitionTime` changes only if the status of the condition changes. `lastUpdateTime`, as
    in conditions of Deployments, changes with any field. The conditions may be of any class with
    the fields `type` and `status`; fields that the class does not have are left out.

    Args:
        obj: The object to change. Objects in a cache are read-only: copy them with `deep_copy`
            first.
        type: The aspect that the condition is about: `Ready`.
        status: True, False or "Unknown".
        reason: The reason as one CamelCase word, for programs. It is required.
        message: The explanation, for people. It is truncated to 32768 characters.
        observed_generation: The generation that the condition is about; by default the generation
            of the object.
        clock: The clock for the times.

    Returns:
        Whether the condition has changed.

    Raises:
        ValueError: The type, the status or the reason is not valid.
        TypeError: The status of the object has no list of conditions.
    """
    _check(type, reason)
    value: Any = obj
    generation = value.metadata.generation if observed_generation is None else observed_generation
    wanted: dict[str, Any] = {
        "status": _status_text(status),
        "reason": reason,
        "message": message[:_MAX_MESSAGE_CHARACTERS],
        "observed_generation": generation or None,
    }
    now = clock.now().replace(microsecond=0)  # metav1.Time has seconds
    if isinstance(obj, Unstructured):
        return _set_json(obj, type, wanted, now)
    return _set_model(obj, type, wanted, now)


def _set_model(obj: Model, type_: str, wanted: dict[str, Any], now: datetime) -> bool:
    status, item = _conditions_of(obj)
    known = {each.name for each in fields_of(item).values()}
    wanted = {name: value for name, value in wanted.items() if name in known}
    for condition in status.conditions:
        if condition.type == type_:
            old = {name: getattr(condition, name) for name in wanted}
            new = _changes(old, wanted, now, known)
            for name, value in new.items():
                setattr(condition, name, value)
            return bool(new)
    times = {name: now for name in ("last_transition_time", "last_update_time") if name in known}
    status.conditions = [*status.conditions, item(type=type_, **wanted, **times)]
    return True


def _conditions_of(obj: Model) -> tuple[Any, Any]:
    """Return the status of an object, and the class of its conditions."""
    status: Any = getattr(obj, "status", None)
    if isinstance(status, Model):
        fields = {each.name: each for each in fields_of(type(status)).values()}
        models = fields["conditions"].models if "conditions" in fields else ()
        if len(models) == 1:
            return status, models[0]
    where = "has no status" if status is None else "has no list of conditions in its status"
    raise TypeError(f"{type(obj).__name__} {where}: add conditions: list[Condition] to its class")


def _changes(
    old: dict[str, Any], wanted: dict[str, Any], now: datetime, known: set[str]
) -> dict[str, Any]:
    new = {name: value for name, value in wanted.items() if not _is_equal(old[name], value)}
    if new and "last_update_time" in known:
        new["last_update_time"] = now
    if "status" in new and "last_transition_time" in known:
        new["last_transition_time"] = now
    return new


def _set_json(obj: Unstructured, type_: str, wanted: dict[str, Any], now: datetime) -> bool:
    conditions = _conditions_list(obj)
    members = {
        _JSON_NAMES.get(name, name): value for name, value in wanted.items() if value is not None
    }
    moment = now.isoformat().replace("+00:00", "Z")
    for condition in conditions:
        if text(condition, "type") == type_:
            new = {name: v for name, v in members.items() if not _has_value(condition, name, v)}
            if "status" in new:
                new["lastTransitionTime"] = moment
            condition.update(new)
            return bool(new)
    conditions.append({"type": type_, **members, "lastTransitionTime": moment})
    return True


def _has_value(condition: dict[str, Any], name: str, value: object) -> bool:
    """Return whether a condition has a value already.

    A missing observedGeneration counts as equal, because the kind may lack this field, and servers
    drop unknown fields.
    """
    is_dropped = name == _GENERATION and name not in condition
    return is_dropped or _is_equal(condition.get(name), value)


def _is_equal(old: object, new: object) -> bool:
    """Return whether two values are equal.

    All empty values are equal, because servers drop them.
    """
    return bool(old == new or not (old or new))


def _conditions_list(obj: Unstructured) -> list[Any]:
    """Return the list of conditions of an object. A missing list is added."""
    status: Any = obj.setdefault("status", {})
    conditions: Any = None
    if isinstance(status, dict):
        conditions = cast("dict[str, Any]", status).setdefault("conditions", [])
    if conditions.__class__ is not list:
        raise TypeError(f"the status of {obj!r} has no list of conditions")
    items: list[Any] = conditions
    return items


def _status_text(status: object) -> str:
    text = str(status) if isinstance(status, bool) else status
    if not isinstance(text, str) or text not in _STATUSES:
        raise ValueError(f"status must be True, False or 'Unknown', not {status!r}")
    return text


def _check(type_: object, reason: object) -> None:
    if not isinstance(type_, str) or not _TYPE(type_) or len(type_) > _MAX_TYPE_CHARACTERS:
        raise ValueError(f"{type_!r} is not a condition type; write a type such as 'Ready'")
    if not isinstance(reason, str) or not _REASON(reason) or len(reason) > _MAX_REASON_CHARACTERS:
        raise ValueError(
            f"{reason!r} is not a condition reason; write one CamelCase word, such as 'Available'"
        )
