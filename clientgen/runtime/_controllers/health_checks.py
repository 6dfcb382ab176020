"""The responses of health endpoints: the results of checks as text.

The texts are the same as in controller-runtime (pkg/healthz) and Kubernetes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._http.path_segments import check_segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class CheckResult(NamedTuple):
    """The result of one check."""

    name: str
    """The name of the check."""
    problem: Exception | None = None
    """The reason of the failure; None if the check succeeded."""
    is_excluded: bool = False
    """Whether the request has excluded the check."""

    def __str__(self) -> str:
        if self.is_excluded:
            return f"[+]{self.name} excluded: ok\n"
        # The endpoint needs no credentials, so it does not show the reason.
        return (
            f"[-]{self.name} failed: reason withheld\n" if self.problem else f"[+]{self.name} ok\n"
        )


def check_name(name: str) -> str:
    """Check the name of a check, which is a part of paths, and return it.

    Raises:
        ValueError: The name cannot be a path segment.
    """
    return check_segment("name of a check", name)


def excluded_checks(query: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the checks that a request excludes: `?exclude=caches&exclude=webhooks`."""
    return frozenset(value for name, value in query if name == "exclude")


def report(
    endpoint: str, results: Sequence[CheckResult], excluded: frozenset[str], *, verbose: bool
) -> tuple[int, str]:
    """Return the status code and the text for the results of several checks."""
    is_failed = any(result.problem is not None for result in results)
    if not is_failed and not verbose:
        return 200, "ok"
    lines = [str(result) for result in results]
    if unknown := sorted(excluded - {result.name for result in results}):
        named = ", ".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {named}\n")
    lines.append(f"{endpoint} check {'failed' if is_failed else 'passed'}\n")
    return (500 if is_failed else 200), "".join(lines)
