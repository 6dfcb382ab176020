"""The feature gates of the server, with the defaults of the release that it plays.

https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen._problems import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

SHARDED_LIST_AND_WATCH: Final = "ShardedListAndWatch"
"""Whether lists, watches and deletions of collections obey `shardSelector`; alpha in 1.36."""

COORDINATED_LEADER_ELECTION: Final = "CoordinatedLeaderElection"
"""Whether the server names the holders of leases that have LeaseCandidates; beta, off in 1.36."""

DEFAULTS: Final = {SHARDED_LIST_AND_WATCH: False, COORDINATED_LEADER_ELECTION: False}
"""All gates, and whether they are on unless somebody says otherwise."""


def checked_gates(gates: Mapping[str, bool]) -> dict[str, bool]:
    """Check the names of feature gates.

    Raises:
        ValueError: a gate does not exist.
    """
    for name in gates:
        if name not in DEFAULTS:
            hint = did_you_mean(name, DEFAULTS, f"this server has {', '.join(DEFAULTS)}")
            raise ValueError(f"there is no feature gate {name!r}: {hint}")
    return dict(gates)
