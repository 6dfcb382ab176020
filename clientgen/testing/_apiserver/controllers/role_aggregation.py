"""Aggregated roles get the rules of the roles that they select.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles. In a real
cluster, the controller manager does this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen._json import part, parts

from .. import access

if TYPE_CHECKING:
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change

_ROLES: Final = "clusterroles.rbac.authorization.k8s.io"


class Aggregation:
    """Writes the rules of aggregated roles, some time after a role was written."""

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._is_planned = False
        self._collection = cluster.store.collection(_ROLES)
        self._collection.watch(self._changed)

    def _changed(self, change: Change) -> None:
        del change  # whichever it was, any role may be made of it
        if not self._is_planned:
            self._is_planned = True
            self._cluster.later(self._delay, self.settle)

    def settle(self) -> None:
        """Write the rules that have changed. Roles that select the changed ones follow."""
        self._is_planned = False
        records = self._collection.now()
        roles = [record.value() for record in records]
        for record, role in zip(records, roles, strict=True):
            if not part(role, "aggregationRule"):
                continue
            rules = access.aggregated_rules(role, roles)
            if rules != parts(role, "rules"):
                role["rules"] = rules
                self._collection.put(role, record.form)
