"""The result of `ensure`: what an apply has done to an object."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

EnsureOutcome: TypeAlias = Literal["created", "configured", "unchanged"]
ObjectT = TypeVar("ObjectT")

# An apply that changes nothing changes these at most.
_IGNORED = ("managedFields", "resourceVersion")


class Ensured(Struct, Generic[ObjectT], frozen=True, eq=False):
    """What `k.ensure(obj)` has done: its outcome, and the object as the server has it now."""

    outcome: EnsureOutcome
    """`created`, `configured` or `unchanged`, as `kubectl apply` says."""
    obj: ObjectT
    """The object as the server has it now."""

    @property
    def changed(self) -> bool:
        """Whether the object was created or configured."""
        return self.outcome != "unchanged"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.outcome}>"  # the object may be a Secret


def outcome_of_apply(before: Any, after: Any) -> EnsureOutcome:
    """Return what an apply has done to an object.

    Args:
        before: the object before; None if there was none.
        after: the answer of the server.
    """
    if before is None or before.metadata.uid != after.metadata.uid:
        return "created"
    return "unchanged" if _content(before) == _content(after) else "configured"


def _content(obj: Any) -> dict[str, Any]:
    from .model_codec import to_dict  # imported late: few programs need it

    content = to_dict(obj)
    metadata = {name: value for name, value in content["metadata"].items() if name not in _IGNORED}
    return {**content, "metadata": metadata}
