"""Problems of sources from which nothing is generated: no kinds, or none left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clientgen._problems import Problem
from clientgen.generator.ir import Api, Skipped
from clientgen.generator.sources.spec import Spec

_PULL = (
    "`clientgen spec pull` fetches the document of a cluster; `--crd` reads definitions of custom "
    "resources. Nothing was written."
)
_MAX_SHOWN_GROUPS = 5


def nothing_found(specs: Sequence[Spec], api: Api, where: str) -> list[Problem]:
    """List the problems of sources from which nothing can be generated.

    Args:
        specs: what the sources say.
        api: what was made of it.
        where: the place of problems that are about all of them.
    """
    described = [spec for spec in specs if spec.operations]
    if described:
        reasons = sorted({_reason(item) for item in api.skipped if _is_about(item, described)})
        what = "no kind is left to generate clients for"
        hint = (
            f"Left out: {'; '.join(reasons[:_MAX_SHOWN_GROUPS])}." if reasons else "Include more."
        )
        return [Problem(where, what, f"{hint} Nothing was written.")]
    problems = [Problem(_short(spec.source), why, _PULL) for spec, why in _why(specs)]
    return problems or [Problem(where, "no Kubernetes resource was found", _PULL)]


def _why(specs: Iterable[Spec]) -> Iterator[tuple[Spec, str]]:
    """Yield each document without a resource, and the reason."""
    for spec in specs:
        if spec.precedence.is_document and not spec.ignored:
            yield spec, "describes no Kubernetes resource: it has no paths"
        elif spec.precedence.is_document:
            count = f"none of its {len(spec.ignored)} operations is a call on one"
            description = "(`x-kubernetes-action`, on a path such as /apis/apps/v1/deployments)"
            yield spec, f"describes no Kubernetes resource: {count} {description}"


def _is_about(item: Skipped, described: Iterable[Spec]) -> bool:
    """Return whether something was left out that could have been a resource."""
    ignored = {what for spec in described for what, _ in spec.ignored}
    return item.what not in ignored


def _reason(item: Skipped) -> str:
    return f"{item.what}: {item.reason}"


def _short(source: str) -> str:
    """The name of a document; of a folder of them the first."""
    first, comma, _ = source.partition(", ")
    return f"{first} and others" if comma else first
