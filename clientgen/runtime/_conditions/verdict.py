"""`Verdict`: the result of a check of an object, and the reason."""

from __future__ import annotations

from msgspec import Struct

NO_OBJECT = "it does not exist"


class Verdict(Struct, frozen=True):
    """The result of a check. It is true if the check is met.

    Attributes:
        met: Whether the check is met.
        why: The state of the object in words, such as `2 of 3 updated replicas are available`.
        failed: Whether the check can no longer become true for this object.
    """

    met: bool
    why: str
    failed: bool = False

    def __bool__(self) -> bool:
        return self.met


def met(why: str) -> Verdict:
    """Return the verdict of a check that is met."""
    return Verdict(met=True, why=why)


def unmet(why: str) -> Verdict:
    """Return the verdict of a check that is not met yet."""
    return Verdict(met=False, why=why)


def failed(why: str) -> Verdict:
    """Return the verdict of a check that cannot become true any more."""
    return Verdict(met=False, why=why, failed=True)
