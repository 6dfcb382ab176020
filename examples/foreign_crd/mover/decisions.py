"""What is changed in a Backup that moves: no request, no waiting. Both flavours ask here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import backups_client
import kubeapi
from backups_client.backups_example.v1 import Backup

from clientgen.runtime import Scheme
from clientgen.runtime.models import Condition


def stores_of(backup: Backup) -> list[str]:
    """The stores a backup writes to: what an index is made of."""
    return sorted({target.store for target in backup.spec.targets})


@dataclass(frozen=True)
class Move:
    """From one store to another."""

    old: str
    new: str

    def in_spec(self, backup: Backup) -> None:
        """Write to the new store; who did so already with the same prefix does it once."""
        kept = {(t.store, t.prefix): t for t in backup.spec.targets if t.store != self.old}
        for target in backup.spec.targets:
            if target.store == self.old:
                target.store = self.new
                kept.setdefault((target.store, target.prefix), target)
        backup.spec.targets = list(kept.values())

    def in_status(self, backup: Backup) -> None:
        """Say so."""
        others = [each for each in backup.status.conditions if each.type != "Moved"]
        moved = Condition(
            type="Moved",
            status="True",
            reason="StoreGivenUp",
            message=f"from {self.old} to {self.new}",
            last_transition_time=datetime.now(UTC),
            observed_generation=backup.metadata.generation,
        )
        backup.status.conditions = [*others, moved]


def known_kinds() -> Scheme:
    """What manifests of ours may hold: the operator's kinds, and those of Kubernetes."""
    scheme = Scheme()
    kubeapi.add_to_scheme(scheme)
    backups_client.add_to_scheme(scheme)
    return scheme
