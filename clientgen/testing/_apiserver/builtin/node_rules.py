"""What Nodes may say and how they may change."""

from __future__ import annotations

from ipaddress import ip_network
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.name_syntax import (
    cidr_problems,
    label_value_problems,
    qualified_name_problems,
)
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import matches, one_of
from ..kinds.shared.container_resources import quantity_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_AVOID: Final = "scheduler.alpha.kubernetes.io/preferAvoidPods"
_FAMILIES: Final = 2


@checks("", "nodes")
def _node(node: dict[str, Any]) -> Iterator[Cause]:
    yield from _avoided(part(node["metadata"], "annotations").get(_AVOID))
    yield from _taints(node["spec"])
    for side in ("capacity", "allocatable"):
        for name, quantity in part(part(node, "status"), side).items():
            yield from quantity_causes(name, quantity, f"status.{side}.{name}")


@checks("", "nodes")
def _new_node(node: dict[str, Any]) -> Iterator[Cause]:
    networks, field = texts(node["spec"], "podCIDRs"), "spec.podCIDRs"
    for index, network in enumerate(networks):
        yield from matches(f"{field}[{index}]", network, cidr_problems)
    if len(networks) > 1:
        unsound = [each for each in networks if cidr_problems(each)]
        versions = {ip_network(each).version for each in networks if each not in unsound}
        if unsound:
            said = "invalid PodCIDRs. failed to check with dual stack with error:"
            why = f"invalid CIDR address: {unsound[0]}"
            yield Cause("InternalError", f"Internal error: {said}{why}", field)
        if unsound or len(versions) < _FAMILIES or len(networks) > _FAMILIES:
            said = "may specify no more than one CIDR for each IP family"
            yield invalid_value(field, networks, said)


def _avoided(text: str | None) -> Iterator[Cause]:
    """Pods that a node would rather not have."""
    try:
        avoided = loads(text) if text else None
    except JSONDecodeError as problem:
        yield invalid_value("metadata.annotations.AvoidPods", _AVOID, str(problem))
        return
    if isinstance(avoided, dict):
        for index, entry in enumerate(parts({**avoided}, "preferAvoidPods")):
            if not part(entry, "podSignature").get("podController"):
                at = f"metadata.annotations.{_AVOID}[{index}].PodSignature"
                yield required(at)


def _taints(spec: dict[str, Any]) -> Iterator[Cause]:
    seen: set[tuple[object, object]] = set()
    for index, taint in enumerate(parts(spec, "taints")):
        # The server tells taints as if they were metadata.
        at, effect = f"metadata.taints[{index}]", taint.get("effect")
        yield from matches(f"{at}.key", taint.get("key") or "", qualified_name_problems)
        problems = label_value_problems(taint.get("value") or "")
        if problems:
            yield invalid_value(f"{at}.value", taint["value"], ";".join(problems))
        if not effect:
            yield required(f"{at}.effect")
        else:
            yield from one_of(f"{at}.effect", effect, _EFFECTS)
        if (taint.get("key"), effect) in seen:
            yield duplicate(at, taint)
        seen.add((taint.get("key"), effect))


@checks_change("", "nodes")
def _change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    yield from _node(new)  # the server looks at it twice
    was, now = texts(before, "podCIDRs"), texts(after, "podCIDRs")
    said = 'node updates may not change podCIDR except from "" to valid'
    if was and len(was) != len(now):
        yield forbidden_value("spec.podCIDRs", said)
    elif was:
        changed = sum(one != other for one, other in zip(was, now, strict=True))
        yield from (forbidden_value("spec.podCIDRs", said) for _ in range(changed))
    if before.get("providerID") and after.get("providerID") != before["providerID"]:
        said = 'node updates may not change providerID except from "" to valid'
        yield forbidden_value("spec.providerID", said)
    if (after.get("externalID") or "") != (before.get("externalID") or ""):
        yield forbidden_value("spec.externalID", "may not be updated")


@checks_change("", "nodes", part="status")
def _status_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    yield from _node(new)
    addresses = parts(part(new, "status"), "addresses")
    seen: set[tuple[object, object]] = set()
    for index, address in enumerate(addresses):
        pair = (address.get("type"), address.get("address"))
        if pair in seen:
            yield duplicate(f"status.addresses[{index}]", address)
        seen.add(pair)
