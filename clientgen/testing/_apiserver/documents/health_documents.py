"""Documents about the server itself: `/version` and the health checks.

Facts: docs/internals/kubernetes-semantics.md, 1.8.
"""

from __future__ import annotations

import platform
import re
from typing import TYPE_CHECKING, Final

from clientgen import __version__
from clientgen._apimachinery.failures import Failure, method_not_allowed

from .document_answer import document, failed, is_json_accepted, not_acceptable, text

if TYPE_CHECKING:
    from ..responses.answers import Response
    from .document_answer import Asked

# A server in memory is healthy as long as it answers; these are the checks that people name.
_COMMON: Final = ("ping", "log")
CHECKS: Final = {
    "healthz": (*_COMMON, "etcd"),
    "livez": (*_COMMON, "etcd"),
    "readyz": (*_COMMON, "informer-sync", "shutdown"),
}
"""The checks below each of the three paths."""

_FIRST: Final = ("1", "0", "0")


def check(asked: Asked) -> Response | None:
    """Answer `/healthz`, `/livez`, `/readyz` and the checks below them."""
    root, _, name = asked.path.removeprefix("/").partition("/")
    checks = CHECKS.get(root, ())
    if name in checks:
        return text("ok")
    if not checks or asked.path != f"/{root}":
        return None
    return text(_listed(root, checks, asked) if "verbose" in asked.query else "ok")


def _listed(root: str, checks: tuple[str, ...], asked: Asked) -> str:
    excluded = [name for name in asked.query.get("exclude", []) if name]
    lines = [f"[+]{name} excluded: ok" if name in excluded else f"[+]{name} ok" for name in checks]
    unknown = ",".join(f'"{name}"' for name in excluded if name not in checks)
    if unknown:
        lines.append(f"warn: some health checks cannot be excluded: no matches for {unknown}")
    return "\n".join((*lines, f"{root} check passed", ""))


def version(asked: Asked, said: str, *, is_below: bool = False) -> Response:
    """Answer `/version` for a server whose document says it is of version `said`."""
    if is_below:
        missing = "the server could not find the requested resource"
        return failed(Failure(404, "NotFound", missing), asked)
    if asked.method != "GET":
        return failed(method_not_allowed(), asked)
    if not is_json_accepted(asked.accept):
        return failed(not_acceptable(["application/json"]), asked)
    return document(version_info(said), asked)


def version_info(said: str) -> dict[str, str]:
    """Return the `/version` of a server of version `said`, which may be `1.36` or `v1.36.2`."""
    numbers: list[str] = re.findall(r"\d+", said)
    major, minor, patch = [*numbers, *_FIRST[len(numbers) :]][:3]
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(max(int(minor) - 1, 0)),
        "gitVersion": f"v{major}.{minor}.{patch}+clientgen",
        "gitCommit": f"clientgen-{__version__}",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{platform.python_version()}",
        "compiler": platform.python_implementation().lower(),
        "platform": f"{platform.system().lower()}/{machine}",
    }
