"""Validates fields of pods that depend on their operating system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
)
from clientgen._apimachinery.name_syntax import subdomain_problems
from clientgen._json import part, parts

from .common_checks import matches

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_CONTEXT: Final[dict[str, Any]] = {}
_NOT_WINDOWS: Final = "cannot be set for a windows pod"
_POD_CONTEXT: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
)
_POD: Final = ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace")
_CONTAINER: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)
_TRUE_ONLY: Final = ("hostPID", "hostIPC", "sysctls")
_MAX_SPECIFICATION_BYTES: Final = 64 * 1024
_MAX_DOMAIN_LENGTH: Final = 256
_MAX_USER_LENGTH: Final = 104
_NETBIOS: Final = re.compile(r'[^\\/:*?"<>|.]{1,15}')
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_DOMAIN: Final = re.compile(
    r"(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9\-]{0,61}[A-Za-z0-9])(\.[A-Za-z0-9\-]+)*"
)
_UNUSABLE: Final = re.compile(r'["/\\:;|=,+*?<>@\[\]]')


def system_causes(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check that a pod fits its operating system."""
    yield from _host_process(spec, field)
    if spec.get("os") is None:
        return
    name = spec["os"].get("name") or ""
    if not name:
        yield required(f"{field}.os.name")
    elif name == "windows":
        yield from _on_windows(spec, field)
    elif name == "linux":
        yield from _on_linux(spec, field)
    else:
        yield not_supported(f"{field}.os", name, ("linux", "windows"))


def _containers(spec: dict[str, Any], field: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Return the security contexts of all containers."""
    for member in ("initContainers", "containers", "ephemeralContainers"):
        for index, container in enumerate(parts(spec, member)):
            context = container.get("securityContext") or _NO_CONTEXT
            yield context, f"{field}.{member}[{index}].securityContext"


def _on_windows(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    context = part(spec, "securityContext")
    for member in _POD_CONTEXT:
        if context.get(member) if member in _TRUE_ONLY else context.get(member) is not None:
            yield forbidden_value(f"{field}.securityContext.{member}", _NOT_WINDOWS)
    for member in _POD:
        if spec.get(member) if member in _TRUE_ONLY else spec.get(member) is not None:
            yield forbidden_value(f"{field}.{member}", _NOT_WINDOWS)
    for inner, at in _containers(spec, field):
        for member in _CONTAINER:
            if inner.get(member) is not None:
                yield forbidden_value(f"{at}.{member}", _NOT_WINDOWS)


def _on_linux(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    contexts = [(part(spec, "securityContext"), f"{field}.securityContext")]
    for context, at in [*contexts, *_containers(spec, field)]:
        if context.get("windowsOptions") is not None:
            why = "windows options cannot be set for a linux pod"
            yield forbidden_value(f"{at}.windowsOptions", why)


def _host_process(spec: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check that all containers of a pod are processes of the host, or none."""
    pod = part(part(spec, "securityContext"), "windowsOptions").get("hostProcess")
    choices: list[bool] = []
    for context, at in _containers(spec, field):
        own = part(context, "windowsOptions").get("hostProcess") if context else None
        if pod is not None and own is not None and pod != own:
            why = "pod hostProcess value must be identical if both are specified, was "
            why += "true" if pod else "false"
            yield invalid_value(f"{at}.windowsOptions.hostProcess", own, why)
        choices.append(bool(own if own is not None else pod))
    if not any(choices):
        return
    if not all(choices):
        why = "If pod contains any hostProcess containers then all containers must be"
        yield invalid_value(field, "", f"{why} HostProcess containers")
    if not spec.get("hostNetwork"):
        why = "hostNetwork must be true if pod contains any hostProcess containers"
        yield invalid_value(f"{field}.hostNetwork", False, why)


def windows_causes(options: dict[str, Any], field: str) -> Iterator[Cause]:
    """Check the Windows options of a security context."""
    name, content = options.get("gmsaCredentialSpecName"), options.get("gmsaCredentialSpec")
    if name is not None:
        yield from matches(f"{field}.gmsaCredentialSpecName", name, subdomain_problems)
    if content == "":
        why = "gmsaCredentialSpec cannot be an empty string"
        yield invalid_value(f"{field}.gmsaCredentialSpec", content, why)
    elif content is not None and len(content.encode()) > _MAX_SPECIFICATION_BYTES:
        why = "gmsaCredentialSpec size must be under 64 KiB"
        yield invalid_value(f"{field}.gmsaCredentialSpec", content, why)
    user = options.get("runAsUserName")
    if user is not None:
        at = f"{field}.runAsUserName"
        yield from (invalid_value(at, user, f"runAsUserName{why}") for why in _user_problems(user))


def _user_problems(text: str) -> Iterator[str]:
    if not text:
        yield " cannot be an empty string"
    elif _CONTROL.search(text):
        yield " cannot contain control characters"
    elif text.count("\\") > 1:
        yield " cannot contain more than one backslash"
    else:
        domain, slash, user = text.rpartition("\\")
        if len(domain) >= _MAX_DOMAIN_LENGTH:
            yield f"'s Domain length must be under {_MAX_DOMAIN_LENGTH} characters"
        if slash and not (_NETBIOS.fullmatch(domain) or _DOMAIN.fullmatch(domain)):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif len(user) > _MAX_USER_LENGTH:
            yield f"'s User length must not be longer than {_MAX_USER_LENGTH} characters"
        if re.fullmatch(r"[. ]+", user):
            yield "'s User cannot contain only periods or spaces"
        if _UNUSABLE.search(user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"
