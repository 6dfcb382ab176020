"""The steps of admission in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..storage.cluster_state import ClusterState
    from .attributes import Attributes
    from .plugin import Plugin


class Chain:
    """Runs the steps; `admit` before the kind validates the object, `validate` after that.

    Args:
        mutating: the steps that may change an object: policies, then webhooks.
        validating: those that may only refuse it: policies, then webhooks.
    """

    def __init__(self, mutating: Sequence[Plugin] = (), validating: Sequence[Plugin] = ()) -> None:
        self._mutating = tuple(mutating)
        self._validating = tuple(validating)
        self._all = self._mutating + self._validating

    @property
    def is_active(self) -> bool:
        """Whether any step has something to do."""
        for plugin in self._all:  # noqa: SIM110 - every write asks
            if plugin.is_active:
                return True
        return False

    def admit(self, attributes: Attributes) -> None:
        """Let the steps change the object, a second time if one asks for that.

        Raises:
            Failure: one refuses the request.
        """
        self._admit(attributes)
        reinvocation = attributes.reinvocation
        if reinvocation.wanted:
            reinvocation.is_reinvoke = True
            self._admit(attributes)

    def _admit(self, attributes: Attributes) -> None:
        for plugin in self._mutating:
            if plugin.is_active:
                plugin.admit(attributes)

    def validate(self, attributes: Attributes) -> None:
        """Let the steps look at the object as it would be stored.

        Raises:
            Failure: one refuses the request.
        """
        for plugin in self._validating:
            if plugin.is_active:
                plugin.validate(attributes)

    def check(self, attributes: Attributes) -> None:
        """Do both, for requests that store no object.

        Raises:
            Failure: a step refuses the request.
        """
        self.admit(attributes)
        self.validate(attributes)


def chain_of(cluster: ClusterState) -> Chain:
    """Return the chain of a server."""
    return cast("Chain", cluster.admission)
