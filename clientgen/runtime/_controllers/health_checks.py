"""What health endpoints answer: checks that were made, as text.

The texts are those of controller-runtime (pkg/healthz), which are Kubernetes' own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._http.path_segments import check_segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CheckResult", "check_name", "excluded_checks", "report"]


class CheckResult(NamedTuple):
    """The result of one check."""

    name: str
    """The name of the check."""
    problem: Exception | None = None
    """Why it failed; None if it did not."""
    is_excluded: bool = False
    """Whether the request did not want it."""

    def __str__(self) -> str:
        if self.is_excluded:
            return f"[+]{self.name} excluded: ok\n"
        # The endpoint is open to everybody, so it keeps the reason to itself.
        return (
            f"[-]{self.name} failed: reason withheld\n" if self.problem else f"[+]{self.name} ok\n"
        )


def check_name(name: str) -> str:
    """Return the name of a check, which is a part of paths.

    Raises:
        ValueError: It is none.
    """
    return check_segment("name of a check", name)


def excluded_checks(query: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The checks that a request excludes: `?exclude=caches&exclude=webhooks`."""
    return frozenset(value for name, value in query if name == "exclude")


def report(
    endpoint: str, results: Sequence[CheckResult], excluded: frozenset[str], *, verbose: bool
) -> tuple[int, str]:
    """Return the status and the text of an answer about several checks."""
    is_failed = any(result.problem is not None for result in results)
    if not is_failed and not verbose:
        return 200, "ok"
    lines = [str(result) for result in results]
    if unknown := sorted(excluded - {result.name for result in results}):
        named = ", ".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {named}\n")
    lines.append(f"{endpoint} check {'failed' if is_failed else 'passed'}\n")
    return (500 if is_failed else 200), "".join(lines)
