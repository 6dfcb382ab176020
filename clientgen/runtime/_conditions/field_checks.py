"""Checks of single fields: `condition`, `phase`, `jsonpath`.

kubectl: pkg/cmd/wait.
"""

from __future__ import annotations

import json
from typing import Any, Final, cast

from ..errors import one_line
from .checks import JsonCheck
from .json_fields import Json, condition_of, kind_of, number, reason_and_message, text
from .pods import FINAL_PHASES, pod_causes
from .verdict import Verdict, failed, met, unmet

_POD_CONDITIONS: Final = frozenset(
    {"ready", "containersready", "initialized", "podscheduled", "podreadytostartcontainers"}
)
_OPPOSITES: Final = {"complete": "Failed", "failed": "Complete"}
_ANY: Final = object()


def condition(type_: str, status: str = "True") -> JsonCheck:
    """Create a check of a condition in the object's status, as `kubectl wait --for=condition=...`.

    A condition of an older generation does not count. Case is ignored.

    Args:
        type_: the type of the condition, such as `Ready`.
        status: the status to wait for: `True`, `False` or `Unknown`.
    """
    _check_text("condition", type_)
    _check_text("status", status)

    def judge(obj: Json) -> Verdict:
        _check_has_status(obj, "condition()")
        verdict = _judge_condition(obj, type_, status)
        if not verdict.met and status.casefold() == "true" and (why := _why_impossible(obj, type_)):
            return failed(why)
        return verdict

    more = "" if status == "True" else f", status={status!r}"
    return JsonCheck(f"condition({type_!r}{more})", judge)


def _judge_condition(obj: Json, type_: str, status: str) -> Verdict:
    found = condition_of(obj, type_)
    if not found:
        return unmet(f"it has no condition {type_}")
    generation = number(obj, "metadata", "generation")
    observed = number(obj, "status", "observedGeneration", default=generation)
    observed = number(found, "observedGeneration", default=observed)
    if observed < generation:
        return unmet(f"its condition {type_} is of generation {observed}, not yet of {generation}")
    words = reason_and_message(found)
    now = f"its condition {type_} is {one_line(text(found, 'status')) or 'empty'}"
    shown = f"{now} ({words})" if words else now
    return met(shown) if text(found, "status").casefold() == status.casefold() else unmet(shown)


def _why_impossible(obj: Json, type_: str) -> str:
    """Describe why a condition cannot become true any more; empty if it may become true."""
    kind, wanted = kind_of(obj), type_.casefold()
    if kind == "Pod" and wanted in _POD_CONDITIONS and text(obj, "status", "phase") in FINAL_PHASES:
        return pod_causes(obj)
    if kind == "Job.batch" and (opposite := _OPPOSITES.get(wanted)):
        found = condition_of(obj, opposite)
        if text(found, "status") == "True":
            words = reason_and_message(found)
            return f"the Job is {opposite}{f' ({words})' if words else ''}"
    return ""


def phase(*phases: str) -> JsonCheck:
    """Create a check of `status.phase`.

    Args:
        phases: the phase to wait for, or several phases, any of which is enough.
    """
    if not phases:
        raise TypeError("phase() needs at least one phase, such as 'Running'")
    for each in phases:
        _check_text("phase", each)

    def judge(obj: Json) -> Verdict:
        _check_has_status(obj, "phase()")
        now = text(obj, "status", "phase")
        if now in phases:
            return met(f"its phase is {now}")
        if kind_of(obj) != "Pod":
            return unmet(f"its phase is {one_line(now)}" if now else "it has no phase yet")
        why = pod_causes(obj)
        return failed(why) if now in FINAL_PHASES else unmet(why)

    return JsonCheck(f"phase({', '.join(map(repr, phases))})", judge)


def jsonpath(path: str, value: object = _ANY) -> JsonCheck:
    """Create a check of a field, as `kubectl wait --for=jsonpath=...`.

    The check is true if the path selects at least one value, and all selected values equal
    `value`. Text is compared with numbers and booleans as kubectl does: `"3"` equals 3.

    Args:
        path: a JSONPath of kubectl, such as `{.status.readyReplicas}`.
        value: a text, a number or a bool. Without a value, the field has to exist.

    Raises:
        ValueError: the path cannot be read.
    """
    from clientgen import _jsonpath  # imported late: few conditions have paths

    _check_text("path", path)
    inner = path.strip()
    if inner.startswith("{") != inner.endswith("}"):
        raise ValueError(f"{path!r} is not a JSONPath: its braces do not match")
    inner = inner.removeprefix("{").removesuffix("}").strip()
    inner = inner if inner.startswith((".", "[", "$", "@")) else f".{inner}"
    _jsonpath.parse(inner)
    if value is not _ANY and not isinstance(value, (str, int, float)):
        raise TypeError("the value of jsonpath() must be a text, a number or a bool")

    def judge(obj: Json) -> Verdict:
        found = _jsonpath.evaluate(inner, obj)
        if not found:
            return unmet(f"it has no {inner}")
        if value is _ANY:
            return met(f"it has {inner}")
        other = [each for each in found if not _equals(each, value)]
        # Values outside of the status may be secret, so they are not shown.
        is_public = inner.startswith((".status", "$.status"))
        if not other:
            return met(f"{inner} is as wanted")
        return unmet(f"{inner} is {_short_value(other[0]) if is_public else 'another value'}")

    more = "" if value is _ANY else f", {value!r}"
    return JsonCheck(f"jsonpath({path!r}{more})", judge)


def _equals(found: Any, value: object) -> bool:
    if isinstance(found, bool) == isinstance(value, bool) and found == value:
        return True
    if isinstance(value, str) and isinstance(found, (bool, int, float)):
        return json.dumps(found) == value.strip()
    if isinstance(found, str) and isinstance(value, (bool, int, float)):
        return found.strip() == json.dumps(value)
    return False


def _short_value(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "a map" if isinstance(value, dict) else "a list"
    return one_line(json.dumps(value))


def _check_text(what: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        shown = repr(value) if value is None or isinstance(value, str) else type(value).__name__
        raise TypeError(f"{what} must be a non-empty string, not {shown}")


def _check_has_status(obj: Json, what: str) -> None:
    """Check that the object can have a status.

    Raises:
        TypeError: The object is a PartialObjectMetadata.
    """
    if text(cast("object", obj), "kind") == "PartialObjectMetadata":
        raise TypeError(f"{what} needs the whole object: PartialObjectMetadata has no status")
