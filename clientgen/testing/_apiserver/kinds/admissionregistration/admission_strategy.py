"""Facts of all kinds of the group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..metadata import MetadataChecks
from ..shared.ip_warnings import quoted
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_STATIC: Final = ".static.k8s.io"


class AdmissionStrategy(Strategy):
    """The strategy for all kinds of admissionregistration.k8s.io."""

    allow_unconditional_update = False
    generation_fields = ("spec",)
    metadata_checks = MetadataChecks.WHOLE_AGAIN | MetadataChecks.ANY_FINALIZER

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of names that are reserved."""
        if (new["metadata"].get("name") or "").endswith(_STATIC):
            yield (
                f"metadata.name: names ending with {quoted(_STATIC)} are reserved for static "
                "manifest-based configurations and cannot be managed via the API"
            )
