"""The caller of a request.

It is an administrator, unless the request impersonates somebody else or has a token.

Facts: docs/internals/kubernetes-semantics.md, 1.9.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from clientgen._apimachinery.failures import bad_request
from clientgen._json import part
from clientgen._rbac.callers import (
    AUTHENTICATED,
    MASTERS,
    Caller,
    service_account,
    service_account_groups,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..served_resources import Resource

_UNAUTHENTICATED: Final = "system:unauthenticated"
_ANONYMOUS: Final = "system:anonymous"
_EXTRA: Final = "impersonate-extra-"
_REQUESTS: Final = "certificatesigningrequests.certificates.k8s.io"


ADMIN: Final = Caller("kubernetes-admin", groups=(MASTERS, AUTHENTICATED))


def caller_of(headers: Iterable[tuple[str, str]], caller: Caller = ADMIN) -> Caller:
    """Whom the `Impersonate-*` headers name, else `caller`.

    Args:
        headers: as they came, repeated ones several times.
        caller: who sends the request.

    Raises:
        Failure: 400, when something else than a user is impersonated.
    """
    user, uid = "", ""
    groups: list[str] = []
    extra: dict[str, tuple[str, ...]] = {}
    for name, value in headers:
        match name.lower():
            case "impersonate-user":
                user = value
            case "impersonate-uid":
                uid = value
            case "impersonate-group":
                groups.append(value)
            case lower if lower.startswith(_EXTRA):
                key = unquote(lower.removeprefix(_EXTRA))
                extra[key] = (*extra.get(key, ()), value)
            case _:
                pass
    if user:
        return Caller(user, uid, _with_implied(user, groups), extra)
    if uid or groups or extra:
        raise bad_request(
            "requested to impersonate a uid, groups or extra without impersonating a user name"
        )
    return caller


def _with_implied(user: str, groups: list[str]) -> tuple[str, ...]:
    account = service_account(user)
    if account and not groups:
        groups = list(service_account_groups(account[0]))
    if user == _ANONYMOUS:
        implied = _UNAUTHENTICATED
    elif _UNAUTHENTICATED in groups:
        return tuple(groups)
    else:
        implied = AUTHENTICATED
    return tuple(groups) if implied in groups else (*groups, implied)


def sign_request(resource: Resource, obj: dict[str, Any], caller: Caller) -> None:
    """Set the caller in a CertificateSigningRequest; other objects stay as they are."""
    if resource.group_resource == _REQUESTS:
        own = ("username", "uid", "groups", "extra")
        spec = {name: value for name, value in part(obj, "spec").items() if name not in own}
        obj["spec"] = spec | caller.user_info()
