"""Readiness of other built-in kinds, and of kinds without a rule, by their conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .json_fields import condition_of, items, number, reason_and_message, text
from .verdict import Verdict, failed, met, unmet

if TYPE_CHECKING:
    from .json_fields import Json


def always_ready(_: Json) -> Verdict:
    """Return a verdict that is met: no controller has to act on objects of these kinds."""
    return met("it exists")


def judge_claim(obj: Json) -> Verdict:
    """Judge whether a PersistentVolumeClaim is bound."""
    phase = text(obj, "status", "phase")
    if phase == "Bound":
        return met("the claim is Bound")
    if phase == "Lost":
        return failed("the claim is Lost: its volume does not exist any more")
    return unmet(f"the claim is not Bound (its phase is {phase or 'empty'})")


def judge_service(obj: Json) -> Verdict:
    """Judge whether a Service has its addresses, also external ones (unlike in kstatus)."""
    if text(obj, "spec", "type") != "LoadBalancer":
        return met("the Service needs no address of a load balancer")
    if not text(obj, "spec", "clusterIP"):
        return unmet("the Service has no clusterIP yet")
    for address in items(obj, "status", "loadBalancer", "ingress"):
        if text(address, "ip") or text(address, "hostname"):
            return met("the load balancer has an address")
    return unmet("the load balancer has no address yet")


def judge_definition(obj: Json) -> Verdict:
    """Judge whether a CustomResourceDefinition is established."""
    accepted, established = (condition_of(obj, each) for each in ("NamesAccepted", "Established"))
    if text(accepted, "status") == "False":
        return failed(f"its names are not accepted ({reason_and_message(accepted)})")
    if text(established, "status") == "True":
        return met("it is Established")
    if text(established, "status") == "False" and text(established, "reason") != "Installing":
        return failed(f"it is not Established ({reason_and_message(established)})")
    return unmet("it is not Established yet")


def judge_api_service(obj: Json) -> Verdict:
    """Judge whether the server of an APIService is available."""
    available = condition_of(obj, "Available")
    if text(available, "status") == "True":
        return met("its server is available")
    words = reason_and_message(available)
    return unmet(f"its server is not available{f' ({words})' if words else ' yet'}")


def judge_others(obj: Json) -> Verdict:
    """Judge whether the condition Ready is True. Objects without this condition are ready."""
    ready = condition_of(obj, "Ready")
    if not ready:
        return met("it has no condition Ready to wait for")
    if text(ready, "status") not in {"True", "False", "Unknown"}:
        return met("its condition Ready has no status")
    generation = number(obj, "metadata", "generation")
    observed = number(ready, "observedGeneration", default=generation)
    if observed < generation:
        return unmet(f"its condition Ready is of generation {observed}, not yet of {generation}")
    words = reason_and_message(ready)
    shown = f"its condition Ready is {text(ready, 'status')}{f' ({words})' if words else ''}"
    return met(shown) if text(ready, "status") == "True" else unmet(shown)
