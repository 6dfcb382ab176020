"""How pods behave when they are played, and the rules that say so."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.optional_parts import part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["NORMAL", "Behaviour", "Exit", "PodRule", "behaviour_of"]


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a container.

    Attributes:
        code: the exit code.
        reason: the reason in its status.
        message: the message in its status.
        after: how many seconds it runs before.
        times: how many times it ends like this; None means always.
        container: which container; empty for the first one if the code is not 0, else for all.
    """

    code: int = 0
    reason: str = "Completed"
    message: str = ""
    after: float = 0.0
    times: int | None = None
    container: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What becomes of a pod.

    Attributes:
        pending: the reason why it is not scheduled; empty if it is.
        pull_error: why its images cannot be pulled; empty if they can.
        message: a text for either of them.
        start: the seconds until it is ready; None for the setting.
        is_ready: whether it gets ready.
        exit: how its containers end; None for the rules of their restart policy.
        never_ends: its containers run until the pod is deleted, whatever its restart policy.
    """

    pending: str = ""
    pull_error: str = ""
    message: str = ""
    start: float | None = None
    is_ready: bool = True
    exit: Exit | None = None
    never_ends: bool = False


NORMAL = Behaviour()


@dataclass(slots=True)
class PodRule:
    """Which pods behave in which way.

    Attributes:
        namespace: a pattern for namespaces.
        name: a pattern for names.
        selects: whether the labels of a pod are meant.
        behaviour: how these pods behave; None until somebody says so.
    """

    namespace: str
    name: str
    selects: Callable[[Mapping[str, str]], bool]
    behaviour: Behaviour | None = field(default=None)

    def fits(self, pod: Mapping[str, Any]) -> bool:
        """Tell whether a pod is meant."""
        metadata = pod["metadata"]
        return (
            fnmatchcase(metadata.get("namespace", ""), self.namespace)
            and fnmatchcase(metadata["name"], self.name)
            and self.selects(part(metadata, "labels"))
        )


def behaviour_of(pod: Mapping[str, Any], rules: Iterable[PodRule]) -> Behaviour:
    """Return what the latest rule for a pod says."""
    found = NORMAL
    for rule in rules:
        if rule.behaviour is not None and rule.fits(pod):
            found = rule.behaviour
    return found
