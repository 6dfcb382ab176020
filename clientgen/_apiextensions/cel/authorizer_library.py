"""Kubernetes' CEL library for authorization: `authorizer.group('').resource('pods').check('get')`.

Who decides is not known here. The server says so with `deciding_by` while an expression runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems

Tagged = dict[str, Any]
Decide: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, str], str], tuple[bool, str]]
"""Returns whether a user (a UserInfo) may do a verb on something, and why."""


def DENIED(user: Mapping[str, Any], target: Mapping[str, str], verb: str) -> tuple[bool, str]:  # noqa: N802 - a constant
    """Allow nothing."""
    del user, target, verb
    return False, ""


_DECIDES: Final[ContextVar[Decide]] = ContextVar("decides", default=DENIED)


@contextmanager
def deciding_by(decide: Decide) -> Generator[None]:
    """Use this function for all expressions that run inside of the block."""
    token = _DECIDES.set(decide)
    try:
        yield
    finally:
        _DECIDES.reset(token)


def authorizer_of(user: Mapping[str, Any], request: Mapping[str, str]) -> Tagged:
    """Return the variable `authorizer`.

    Args:
        user: who sends the request, a UserInfo.
        request: the group, resource, subresource, namespace and name of the request.
    """
    value: Tagged = {"user": {"username": "", "uid": "", "groups": [], **user}}
    return {**value, "requestResource": {**value, "target": dict(request)}}


def path(value: Tagged, text: str) -> Tagged:
    """Return the check of a path.

    Raises:
        ValueError: the path is empty.
    """
    if not text.strip():
        raise ValueError("path must not be empty")
    return {"user": value["user"], "target": {"path": text}}


def group(value: Tagged, name: str) -> Tagged:
    """Return the checks of a group."""
    return {"user": value["user"], "target": {"group": name}}


def resource(value: Tagged, name: str) -> Tagged:
    """Return the checks of a resource.

    Raises:
        ValueError: the name is empty.
    """
    if not name.strip():
        raise ValueError("resource must not be empty")
    return with_part(value, name, part="resource")


def with_part(value: Tagged, text: str, part: str) -> Tagged:
    """Return the same check for a subresource, namespace, name or selector."""
    return {"user": value["user"], "target": {**value["target"], part: text}}


def service_account(value: Tagged, namespace: str, name: str) -> Tagged:
    """Return the authorizer for another user: a service account.

    Raises:
        ValueError: the name is not valid.
    """
    del value
    if subdomain_problems(name):
        raise ValueError("Invalid service account name")
    if label_problems(namespace):
        raise ValueError("Invalid service account namespace")
    groups = [
        "system:serviceaccounts",
        f"system:serviceaccounts:{namespace}",
        "system:authenticated",
    ]
    user = f"system:serviceaccount:{namespace}:{name}"
    return {"user": {"username": user, "uid": "", "groups": groups}}


def check(value: Tagged, verb: str) -> Tagged:
    """Return the decision on a verb."""
    is_allowed, why = _DECIDES.get()(value["user"], value["target"], verb)
    return {"allowed": is_allowed, "reason": why}


def allowed(decision: Tagged) -> bool:
    """Return whether it is allowed."""
    return bool(decision["allowed"])


def reason(decision: Tagged) -> str:
    """Tell why."""
    return str(decision["reason"])


def errored(decision: Tagged) -> bool:
    """Return whether there was an error; the roles of this server never lead to one."""
    del decision
    return False


def error(decision: Tagged) -> str:
    """Return the error, which is always empty."""
    del decision
    return ""
