"""The interface of the steps of admission."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..storage.cluster_state import ClusterState
    from .attributes import Attributes


class Plugin:
    """A step of admission. It overrides `admit`, `validate`, or both.

    A step runs for CREATE, UPDATE, DELETE and CONNECT, and again in each attempt of a request.
    Attempts are repeated after waiting for an answer, so a step must change nothing but the
    attributes.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self.cluster = cluster

    @property
    def is_active(self) -> bool:
        """Whether the step has anything to do. Every write reads it, so it must be cheap."""
        return True

    def admit(self, attributes: Attributes) -> None:
        """Change `attributes.object` (by `replace`), or refuse the request.

        Raises:
            Failure: the request is refused.
        """

    def validate(self, attributes: Attributes) -> None:
        """Refuse the request, if it violates a rule of the step.

        Raises:
            Failure: the request is refused.
        """
