"""ResourceClaim: a request for devices, and those that were allocated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, required
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts, texts

from ...tables.columns import AGE, NAME, Column, Printer, View
from ..metadata import MetadataChecks
from ..shared.common_checks import driver_name, immutable, matches, one_of
from ..shared.device_names import pool_name_causes
from ..shared.pod_scheduling import node_selector_causes
from ..strategy import Strategy
from .allocated_devices import allocated_device_causes
from .binding_conditions import binding_causes
from .device_requests import (
    MAX_LIST_ITEMS,
    REQUEST_TYPES,
    claim_causes,
    config_causes,
    each_causes,
    reference_causes,
    references_causes,
    request_names,
    unique_causes,
)
from .old_versions import as_validated, converted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...served_resources import Resource

_MAX_USERS: Final = 256


def _claim_state(view: View) -> str:
    states = ["deleted"] if view.terminating else []
    if view.at("status", "allocation") is None:
        states += [] if states else ["pending"]
    else:
        states += ["allocated"] + ["reserved"] * bool(view.items("status", "reservedFor"))
    return ",".join(states)


class ResourceClaimStrategy(Strategy):
    """The strategy for ResourceClaims."""

    types = REQUEST_TYPES
    is_converted = True
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    metadata_kept_by_status = ("labels", "annotations", "finalizers", "ownerReferences")
    delete_returns_object = True
    printer = Printer((NAME, Column("State", "Whether it was met.", _claim_state), AGE))

    def from_version(self, obj: dict[str, Any], source: Resource) -> dict[str, Any]:
        """Move the members of requests."""
        return converted(obj, source, self.resource.version)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the requests of a new claim."""
        spec = part(as_validated(obj, self.resource), "spec")
        yield from claim_causes(part(spec, "devices"), "spec.devices")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the spec."""
        yield from immutable("spec", new.get("spec"), old.get("spec"))

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the users and the allocated devices."""
        status, before = part(new, "status"), part(old, "status")
        users, allocation = parts(status, "reservedFor"), status.get("allocation")
        yield from each_causes(users, _MAX_USERS, "status.reservedFor", _user)
        yield from unique_causes(users, "uid", "status.reservedFor")
        if users and allocation is None:
            why = "may not be specified when `allocated` is not set"
            yield forbidden_value("status.reservedFor", why)
        yield from allocated_device_causes(status)
        if allocation is None:
            return
        if before.get("allocation") is not None:
            yield from immutable("status.allocation", allocation, before["allocation"])
            return
        known = set(request_names(parts(part(part(new, "spec"), "devices"), "requests")))
        results, at = parts(part(allocation, "devices"), "results"), "status.allocation.devices"

        def result(each: dict[str, Any], path: str) -> Iterator[Cause]:
            yield from reference_causes(each.get("request") or "", known, f"{path}.request")
            yield from driver_name(f"{path}.driver", each.get("driver"))
            yield from pool_name_causes(each.get("pool") or "", f"{path}.pool")
            yield from matches(f"{path}.device", each.get("device") or "", label_problems)
            yield from binding_causes(each, path)

        def config(each: dict[str, Any], path: str) -> Iterator[Cause]:
            if not each.get("source"):
                yield required(f"{path}.source")
            else:
                yield from one_of(f"{path}.source", each["source"], ("FromClaim", "FromClass"))
            yield from references_causes(texts(each, "requests"), known, f"{path}.requests")
            yield from config_causes(each, path)

        yield from each_causes(results, MAX_LIST_ITEMS, f"{at}.results", result)
        configs = parts(part(allocation, "devices"), "config")
        yield from each_causes(configs, 2 * MAX_LIST_ITEMS, f"{at}.config", config)
        if allocation.get("nodeSelector") is not None:
            selector = allocation["nodeSelector"]
            yield from node_selector_causes(selector, "status.allocation.nodeSelector")


def _user(user: dict[str, Any], path: str) -> Iterator[Cause]:
    for member in ("resource", "name", "uid"):
        if not user.get(member):
            yield required(f"{path}.{member}")
