"""The interface of the steps of admission."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..storage.cluster_state import ClusterState
    from .attributes import Attributes


class Plugin:
    """A step of admission. It overrides `admit`, `validate`, or both.

    A step runs for CREATE, UPDATE, DELETE and CONNECT, each attempt of a request anew. A request is
    attempted again when it has waited for an answer; so a step changes nothing but the attributes.
    """

    def __init__(self, cluster: ClusterState) -> None:
        self.cluster = cluster

    @property
    def is_active(self) -> bool:
        """Whether there is anything to do at all. Every write asks for it: it must be cheap."""
        return True

    def admit(self, attributes: Attributes) -> None:
        """Change `attributes.object` (by `replace`), or refuse the request.

        Raises:
            Failure: the request is refused.
        """

    def validate(self, attributes: Attributes) -> None:
        """Refuse the request if it has to be.

        Raises:
            Failure: the request is refused.
        """
