"""Facts about built-in kinds that fit into a table.

Facts: docs/internals/kubernetes-semantics.md, 1.4 and 1.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..kinds.metadata import MetadataChecks

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "HAS_GENERATION",
    "KEPT_BY_STATUS",
    "METADATA_CHECKS",
    "ORPHANS_BY_DEFAULT",
    "STATUS_METADATA_ONCE",
]


HAS_GENERATION: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    **dict.fromkeys(
        [
            ("batch", "cronjobs"),
            ("batch", "jobs"),
        ],
        ("spec",),
    ),
}
"""Kinds whose objects begin with generation 1, and the members whose change counts."""

ORPHANS_BY_DEFAULT: Final = frozenset({("batch", "jobs")})
"""Kinds whose objects are deleted without their dependents, unless the client says otherwise."""

KEPT_BY_STATUS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {}
"""Metadata that a write to the status cannot change."""

_BOTH: Final = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
METADATA_CHECKS: Final[Mapping[tuple[str, str], MetadataChecks]] = {
    **dict.fromkeys(
        [
            ("batch", "jobs"),
        ],
        _BOTH,
    ),
}
STATUS_METADATA_ONCE: Final = frozenset({("batch", "cronjobs")})
