"""ServiceAccount: the identity of the processes in pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

from ...tables.columns import AGE, NAME, Printer
from ..metadata import MetadataChecks
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"


class ServiceAccountStrategy(Strategy):
    """The strategy for ServiceAccounts."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    delete_returns_object = True
    printer = Printer((NAME, AGE))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of a deprecated annotation."""
        if _is_enforced(new) and not (old and _is_enforced(old)):
            yield (
                f"metadata.annotations[{_MOUNTABLE}]: deprecated in v1.32+; prefer separate "
                "namespaces to isolate access to mounted secrets"
            )


def _is_enforced(account: dict[str, Any]) -> bool:
    return _MOUNTABLE in part(account["metadata"], "annotations")
