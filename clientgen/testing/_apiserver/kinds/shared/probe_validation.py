"""Validates probes and lifecycle hooks of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value, required
from clientgen._apimachinery.name_syntax import header_name_problems
from clientgen._json import parts

from .common_checks import is_not_negative, matches, one_of, port_number, port_reference, text

if TYPE_CHECKING:
    from collections.abc import Iterator

_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_PROBE_NUMBERS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def probe_causes(probe: dict[str, Any], field: str, kind: str) -> Iterator[Cause]:
    """Check a probe of a kind, such as `livenessProbe`."""
    yield from handler_causes(probe, field, None)
    for number in _PROBE_NUMBERS:
        yield from is_not_negative(f"{field}.{number}", probe.get(number))
    success = probe.get("successThreshold") or 1
    if kind != "readinessProbe" and success > 1:
        yield invalid_value(f"{field}.successThreshold", success, "must be 1")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None:
        at = f"{field}.terminationGracePeriodSeconds"
        if kind == "readinessProbe":
            yield invalid_value(at, grace, "must not be set for readinessProbes")
        elif grace <= 0:
            yield invalid_value(at, grace, "must be greater than 0")


def handler_causes(handler: dict[str, Any], field: str, grace: int | None) -> Iterator[Cause]:
    """Check the action of a probe or a hook; it has exactly one."""
    chosen = [name for name in _HANDLERS if handler.get(name) is not None]
    if not chosen:
        yield required(field, "must specify a handler type")
        return
    for name in chosen[1:]:
        yield forbidden_value(f"{field}.{name}", "may not specify more than 1 handler type")
    yield from _action(handler[chosen[0]], f"{field}.{chosen[0]}", chosen[0], grace)


def _action(action: dict[str, Any], field: str, kind: str, grace: int | None) -> Iterator[Cause]:
    if kind == "exec" and not action.get("command"):
        yield required(f"{field}.command")
    elif kind == "httpGet":
        yield from text(f"{field}.path", action.get("path"))
        yield from port_reference(f"{field}.port", action.get("port") or 0)
        yield from one_of(f"{field}.scheme", action.get("scheme"), ("HTTP", "HTTPS"))
        for header in parts(action, "httpHeaders"):
            name = header.get("name") or ""
            yield from matches(f"{field}.httpHeaders", name, header_name_problems)
    elif kind == "tcpSocket":
        yield from port_reference(f"{field}.port", action.get("port") or 0)
    elif kind == "grpc":
        yield from port_number(f"{field}.port", action.get("port") or 0)
    elif kind == "sleep":
        seconds, most = action.get("seconds") or 0, 30 if grace is None else grace
        if not 0 <= seconds <= most:
            why = f"must be non-negative and less than terminationGracePeriodSeconds ({most})"
            yield invalid_value(field, seconds, why)
