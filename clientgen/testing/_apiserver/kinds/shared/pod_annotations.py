"""Annotations of pods that the server checks: most of them are fields now."""

from __future__ import annotations

import re
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value
from clientgen._json import part, parts

from .common_checks import relative_path
from .pod_scheduling import tolerations_causes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MIRROR: Final = "kubernetes.io/config.mirror"
_TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER: Final = "container.seccomp.security.alpha.kubernetes.io/"
_APP_ARMOR: Final = "container.apparmor.security.beta.kubernetes.io/"
_NUMBER: Final = re.compile("0|[+-]?[1-9][0-9]*")
_MAX_COST: Final = 2**31
_PROFILES: Final = ("runtime/default", "docker/default", "unconfined")


def annotation_causes(
    annotations: Mapping[str, str], spec: dict[str, Any], field: str
) -> Iterator[Cause]:
    """Check the annotations of a pod, or of a template."""
    if _MIRROR in annotations and not spec.get("nodeName"):
        why = "must set spec.nodeName if mirror pod annotation is set"
        yield invalid_value(f"{field}[{_MIRROR}]", annotations[_MIRROR], why)
    if annotations.get(_TOLERATIONS):
        yield from _tolerations(annotations[_TOLERATIONS], field)
    if _COST in annotations and not _is_cost(annotations[_COST]):
        yield invalid_value(f"{field}[{_COST}]", annotations[_COST], "must be a 32bit integer")
    for key, profile in annotations.items():
        if key == _SECCOMP or key.startswith(_SECCOMP_CONTAINER):
            yield from _seccomp(profile, f"{field}.{key}")
        elif key.startswith(_APP_ARMOR):
            name = key.removeprefix(_APP_ARMOR)
            yield from _app_armor(name, profile, spec, f"{field}[{key}]")


def _tolerations(text: str, field: str) -> Iterator[Cause]:
    try:
        value = loads(text)
    except JSONDecodeError as problem:
        yield invalid_value(field, _TOLERATIONS, str(problem))
        return
    if isinstance(value, list) and value:
        yield from tolerations_causes(parts({"value": value}, "value"), f"{field}.{_TOLERATIONS}")


def _is_cost(text: str) -> bool:
    if not _NUMBER.fullmatch(text) or text.startswith("+"):
        return False
    return -_MAX_COST <= int(text) < _MAX_COST


def _seccomp(profile: str, field: str) -> Iterator[Cause]:
    if profile.startswith("localhost/"):
        yield from relative_path(field, profile.removeprefix("localhost/"))
    elif profile not in _PROFILES:
        yield invalid_value(field, profile, "must be a valid seccomp profile")


def _app_armor(name: str, profile: str, spec: dict[str, Any], field: str) -> Iterator[Cause]:
    members = ("initContainers", "containers", "ephemeralContainers")
    if not any(each.get("name") == name for m in members for each in parts(spec, m)):
        yield invalid_value(field, name, "container not found")
    known = profile in ("", "runtime/default", "unconfined")
    if not known and not profile.startswith("localhost/"):
        yield invalid_value(field, profile, f'invalid AppArmor profile name: "{profile}"')


def annotation_change_causes(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    """Check a change of a pod's annotations."""
    after, before = part(new["metadata"], "annotations"), part(old["metadata"], "annotations")
    for key in {*after, *before}:
        act = "add" if key not in before else "remove or update"
        at = f"metadata.annotations[{key}]"
        if after.get(key) == before.get(key):
            continue
        if key.startswith(_APP_ARMOR):
            yield forbidden_value(at, f"may not {act} AppArmor annotations")
        elif key == _MIRROR:
            yield forbidden_value(at, f"may not {act} mirror pod annotation")
    # The server looks at them twice.
    yield from annotation_causes(after, new["spec"], "metadata.annotations")
