"""What the security contexts of pods and containers may say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ..failures import Cause, invalid_value, required
from ..parts import part, parts, texts
from .checks import one_of
from .texts import range_problems

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["container_security_causes", "pod_security_causes"]

_LONGEST: Final = 253
_MOST: Final = 2**31 - 1
_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_SYSCTL: Final = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def _ids(context: dict[str, Any], field: str, *names: str) -> Iterator[Cause]:
    for name in names:
        value = context.get(name)
        if value is not None:
            for problem in range_problems(value, 0, _MOST):
                yield invalid_value(f"{field}.{name}", value, problem)


def _profile(context: dict[str, Any], field: str) -> Iterator[Cause]:
    profile = context.get("seccompProfile")
    if profile is None:
        return
    at = f"{field}.seccompProfile"
    kind = profile.get("type")
    yield from one_of(f"{at}.type", kind, _PROFILES)
    if kind == "Localhost" and not profile.get("localhostProfile"):
        said = "must be set when seccomp type is Localhost"
        yield required(f"{at}.localhostProfile", said)
    elif kind != "Localhost" and profile.get("localhostProfile") is not None:
        said = "can only be set when seccomp type is Localhost"
        yield invalid_value(f"{at}.localhostProfile", profile["localhostProfile"], said)


def container_security_causes(context: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with a container's security context."""
    yield from _ids(context, field, "runAsUser", "runAsGroup")
    yield from one_of(
        f"{field}.procMount", context.get("procMount"), ("Default", "Unmasked"), needed=False
    )
    yield from _profile(context, field)
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        said = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid_value(field, context, said)
    if "CAP_SYS_ADMIN" in texts(part(context, "capabilities"), "add"):
        said = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        yield invalid_value(field, context, said)


def pod_security_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """What is wrong with a pod's security context."""
    context = part(spec, "securityContext")
    yield from _ids(context, field, "fsGroup", "runAsUser", "runAsGroup")
    for index, group in enumerate(_groups(context)):
        for problem in range_problems(group, 0, _MOST):
            yield invalid_value(f"{field}.supplementalGroups[{index}]", group, problem)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        said = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid_value(f"{field}.shareProcessNamespace", True, said)
    for index, sysctl in enumerate(parts(context, "sysctls")):
        yield from _sysctl(sysctl, f"{field}.sysctls[{index}].name")
    policy = context.get("fsGroupChangePolicy")
    known = ("Always", "OnRootMismatch")
    yield from one_of(f"{field}.fsGroupChangePolicy", policy, known, needed=False)
    yield from _profile(context, field)


def _groups(context: dict[str, Any]) -> list[int]:
    found: list[int] | None = context.get("supplementalGroups")
    return found or []


def _sysctl(sysctl: dict[str, Any], field: str) -> Iterator[Cause]:
    name = sysctl.get("name") or ""
    if not name:
        yield required(field)
    elif len(name) > _LONGEST or not _SYSCTL.fullmatch(name):
        said = f"must have at most {_LONGEST} characters and match regex ^{_SYSCTL.pattern}$"
        yield invalid_value(field, name, said)
