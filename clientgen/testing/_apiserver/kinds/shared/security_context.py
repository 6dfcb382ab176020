"""Validates security contexts of pods and containers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
    not_supported,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import range_problems
from clientgen._json import part, parts, texts

from .common_checks import one_of, relative_path
from .operating_systems import windows_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_SYSCTL_LENGTH: Final = 253
_MAX_PATH_LENGTH: Final = 4095
_MAX_ID: Final = 2**31 - 1
_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_SHARED_SYSCTLS: Final = (
    ("hostNetwork", ("net.", "net/")),
    ("hostIPC", ("kernel.sem", "kernel.shm", "kernel.msg", "fs.mqueue.")),
)
"""Fields that a pod cannot set when it shares them with its node."""
_SYSCTL: Final = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def _ids(context: dict[str, Any], field: str, *names: str) -> Iterator[Cause]:
    for name in names:
        value = context.get(name)
        if value is not None:
            for problem in range_problems(value, 0, _MAX_ID):
                yield invalid_value(f"{field}.{name}", value, problem)


def _profile(context: dict[str, Any], field: str) -> Iterator[Cause]:
    profile = context.get("seccompProfile")
    if profile is None:
        return
    at, place = f"{field}.seccompProfile", profile.get("localhostProfile")
    kind = profile.get("type") or ""
    if not kind:
        yield required(f"{at}.type", "type is required when seccompProfile is set")
    else:
        yield from one_of(f"{at}.type", kind, _PROFILES)
    if kind != "Localhost":
        if place is not None:
            why = "can only be set when seccomp type is Localhost"
            yield invalid_value(f"{at}.localhostProfile", place, why)
    elif place is None:
        yield required(f"{at}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from relative_path(f"{at}.localhostProfile", place)


def _app_armor(context: dict[str, Any], field: str) -> Iterator[Cause]:
    profile = context.get("appArmorProfile")
    if profile is None:
        return
    kind, place = profile.get("type") or "", profile.get("localhostProfile")
    at = f"{field}.appArmorProfile"
    if kind == "Localhost":
        yield from _app_armor_place(place, f"{at}.localhostProfile")
    elif kind in _PROFILES:
        if place is not None:
            why = "can only be set when AppArmor type is Localhost"
            yield invalid_value(f"{at}.localhostProfile", place, why)
    elif kind:
        yield not_supported(f"{at}.type", kind, _PROFILES)
    else:
        yield required(f"{at}.type", "type is required when appArmorProfile is set")


def _app_armor_place(place: str | None, field: str) -> Iterator[Cause]:
    if place and place != place.strip():
        yield invalid_value(field, place, "must not be padded with whitespace")
    elif not place:
        yield required(field, "must be set when AppArmor type is Localhost")
    if place and len(place.encode()) > _MAX_PATH_LENGTH:
        yield too_long(field, f"may not be more than {_MAX_PATH_LENGTH} bytes")


def container_security_causes(
    context: dict[str, Any], field: str, *, host_users: bool
) -> Iterator[Cause]:
    """Check a container's security context."""
    yield from _ids(context, field, "runAsUser", "runAsGroup")
    yield from one_of(
        f"{field}.procMount", context.get("procMount"), ("Default", "Unmasked"), needed=False
    )
    if host_users and context.get("procMount") == "Unmasked":
        why = "`hostUsers` must be false to use `Unmasked`"
        yield invalid_value(f"{field}.procMount", "Unmasked", why)
    yield from _profile(context, field)
    yield from windows_causes(part(context, "windowsOptions"), f"{field}.windowsOptions")
    yield from _app_armor(context, field)
    if context.get("allowPrivilegeEscalation") is not False:
        return
    if context.get("privileged"):
        why = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid_value(field, context, why)
    if "CAP_SYS_ADMIN" in texts(part(context, "capabilities"), "add"):
        why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
        yield invalid_value(field, context, why)


def pod_security_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check a pod's security context."""
    context = part(spec, "securityContext")
    yield from _ids(context, field, "fsGroup", "runAsUser", "runAsGroup")
    for index, group in enumerate(_groups(context)):
        for problem in range_problems(group, 0, _MAX_ID):
            yield invalid_value(f"{field}.supplementalGroups[{index}]", group, problem)
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        why = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid_value(f"{field}.shareProcessNamespace", True, why)
    names: set[str] = set()
    for index, sysctl in enumerate(parts(context, "sysctls")):
        name = sysctl.get("name") or ""
        yield from _sysctl(name, f"{field}.sysctls[{index}].name")
        if name and name in names:
            yield duplicate(f"{field}.sysctls[{index}].name", name)
        names.add(name)
        for member, prefixes in _SHARED_SYSCTLS:
            if spec.get(member) and name.startswith(prefixes):
                why = f"may not be specified when '{member}' is true"
                yield invalid_value(f"{field}.sysctls[{index}].name", name, why)
    policy = context.get("fsGroupChangePolicy")
    known = ("Always", "OnRootMismatch")
    yield from one_of(f"{field}.fsGroupChangePolicy", policy, known, needed=False)
    yield from _profile(context, field)
    yield from windows_causes(part(context, "windowsOptions"), f"{field}.windowsOptions")
    yield from _app_armor(context, field)
    for member, words in (
        ("supplementalGroupsPolicy", ("Merge", "Strict")),
        ("seLinuxChangePolicy", ("Recursive",)),
    ):
        yield from one_of(f"{field}.{member}", context.get(member), words, needed=False)


def _groups(context: dict[str, Any]) -> list[int]:
    groups: list[int] | None = context.get("supplementalGroups")
    return groups or []


def _sysctl(name: str, field: str) -> Iterator[Cause]:
    if not name:
        yield required(field)
    elif len(name) > _MAX_SYSCTL_LENGTH or not _SYSCTL.fullmatch(name):
        most = _MAX_SYSCTL_LENGTH
        why = f"must have at most {most} characters and match regex ^{_SYSCTL.pattern}$"
        yield invalid_value(field, name, why)
