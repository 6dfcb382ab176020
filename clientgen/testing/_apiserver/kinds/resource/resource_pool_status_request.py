"""ResourcePoolStatusRequest: a question about the devices of pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import invalid_value
from clientgen._apimachinery.name_syntax import driver_name_problems
from clientgen._json import part, parts
from clientgen.runtime._printing import human_durations

from ...tables.columns import NAME, NONE, Column, Printer, View, field
from ..shared.common_checks import conditions_causes, immutable, text
from ..shared.device_names import pool_name_causes
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clientgen._apimachinery.failures import Cause

_MAX_POOLS: Final = 1000
_OUTCOMES: Final = ("Complete", "Failed")


class _PoolStatus(View):
    """A ResourcePoolStatusRequest and the totals of its pools."""

    @property
    def outcome(self) -> dict[str, Any] | None:
        """The condition that says how it ended; None while it has not."""
        for condition in self.items("status", "conditions"):
            if condition.get("type") in _OUTCOMES and condition.get("status") == "True":
                outcome: dict[str, Any] = condition
                return outcome
        return None

    @property
    def failed(self) -> bool:
        """Return whether it failed."""
        return self.outcome is not None and self.outcome["type"] == "Failed"

    def total(self, count: Callable[[dict[str, Any]], int]) -> str:
        """The sum over all pools; `-` where there is nothing to be counted."""
        if self.at("status") is None or self.failed:
            return "-"
        return str(sum(map(count, self.items("status", "pools"))))

    @property
    def state(self) -> str:
        """Show the outcome, and how many pools were left out."""
        if self.outcome is None:
            return "Pending"
        shown, total = len(self.items("status", "pools")), self.at("status", "poolCount") or 0
        partial = not self.failed and shown < total
        return f"Complete ({shown}/{total} pools)" if partial else str(self.outcome["type"])

    @property
    def completed(self) -> str:
        """The time since it ended well."""
        if self.outcome is None or self.failed:
            return NONE
        return human_durations.since(self.outcome.get("lastTransitionTime"), self.now)


def _is_invalid(pool: dict[str, Any]) -> bool:
    return bool(pool.get("validationError"))


def _devices(name: str, member: str) -> Column:
    def cell(view: _PoolStatus) -> str:
        return view.total(lambda pool: pool.get(member) or 0)

    return Column(name, f"How many devices: {name.lower()}.", cell)


_COLUMNS: Final = (
    NAME,
    Column("Driver", "Whose pools are asked about.", field("spec.driver"), doc="spec.driver"),
    _devices("Total", "totalDevices"),
    _devices("Available", "availableDevices"),
    _devices("Allocated", "allocatedDevices"),
    _devices("Unavailable", "unavailableDevices"),
    Column(
        "Errors",
        "How many pools are not valid.",
        lambda view: view.total(_is_invalid),
    ),
    Column("Pools", "How many pools match.", field("status.poolCount", 0), type="integer"),
    Column("Status", "How the request goes.", lambda view: view.state),
    Column("Completed", "The time since it was answered.", lambda view: view.completed),
)


class ResourcePoolStatusRequestStrategy(Strategy):
    """The strategy for ResourcePoolStatusRequests."""

    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    delete_returns_object = True
    allow_unconditional_update = False
    printer = Printer(_COLUMNS, view=_PoolStatus)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check whose pools are asked about, and how many of them are shown."""
        spec = part(obj, "spec")
        yield from text("spec.driver", spec.get("driver"), driver_name_problems)
        if spec.get("poolName") is not None:
            yield from pool_name_causes(spec["poolName"], "spec.poolName")
        most = spec.get("limit")
        if most is not None and most > _MAX_POOLS:
            why = f"must be less than or equal to {_MAX_POOLS}"
            yield invalid_value("spec.limit", most, why)
        elif most is not None and most < 1:
            yield invalid_value("spec.limit", most, "must be greater than or equal to 1")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the question."""
        yield from immutable("spec", new.get("spec"), old.get("spec"))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the answer once it is given."""
        if old.get("status"):
            yield from immutable("status", new.get("status"), old["status"])
        else:
            conditions = parts(part(new, "status"), "conditions")
            yield from conditions_causes(conditions, "status.conditions")
