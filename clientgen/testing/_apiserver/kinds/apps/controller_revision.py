"""ControllerRevision: an earlier state of a DaemonSet or a StatefulSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required

from ...tables.columns import AGE, NAME, NONE, Column, Printer, View, field
from ..metadata import MetadataChecks
from ..shared.common_checks import is_not_negative
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator


def _controller(view: View) -> str:
    """Show the owner that manages the object, as `kind.group/name`."""
    for owner in view.items("metadata", "ownerReferences"):
        if owner.get("controller"):
            group, slash, _ = owner.get("apiVersion", "").rpartition("/")
            kind = f"{owner['kind']}.{group}" if slash else owner["kind"]
            return f"{kind.lower()}/{owner['name']}"
    return NONE


_COLUMNS: Final = (
    NAME,
    Column("Controller", "Whose history it is part of.", _controller),
    Column("Revision", "Its number.", field("revision", 0), doc="revision"),
    AGE,
)


class ControllerRevisionStrategy(Strategy):
    """The strategy for ControllerRevisions."""

    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Require data."""
        if obj.get("data") is None:
            yield required("data", "data is mandatory")
        yield from is_not_negative("revision", obj.get("revision"))

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the data and the number."""
        yield from self.validate(new)
        # The server reports another number as a change of the data.
        if (new.get("data"), new.get("revision")) != (old.get("data"), old.get("revision")):
            yield invalid_value("data", new.get("data"), "field is immutable")
