"""Validates device classes and resource claims (dynamic resource allocation)."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    not_supported,
    required,
    too_long,
    too_many,
)
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import driver_name, immutable, matches, text
from ..kinds.shared.container_resources import is_extended
from ..kinds.shared.device_names import (
    attribute_name_causes,
    device_toleration_causes,
    pool_name_causes,
)
from ..kinds.shared.expressions import device_expression_causes
from ..kinds.shared.pod_scheduling import node_selector_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__: list[str] = []

_GROUP: Final = "resource.k8s.io"
_MOST: Final = 32
_MOST_CHOICES: Final = 8
_MOST_USERS: Final = 256
_MOST_BYTES: Final = 10 * 1024
_ONE_OF: Final = "exactly one of `exactly` or `firstAvailable` is required"
_REFERENCE: Final = (
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'"
)
_MODES: Final = ("All", "ExactCount")


def _each(
    items: list[dict[str, Any]], most: int, field: str, rule: Callable[..., Iterator[Cause]]
) -> Iterator[Cause]:
    """What is wrong with items, unless there are too many of them."""
    if len(items) > most:
        yield too_many(field, len(items), most)
        return
    for index, item in enumerate(items):
        yield from rule(item, f"{field}[{index}]")


def _unique(items: list[dict[str, Any]], member: str, field: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, item in enumerate(items):
        name = item.get(member) or ""
        if name in seen:
            yield duplicate(f"{field}[{index}]", name)
        seen.add(name)


# --------------------------------------------------------------------------------- claims


@checks(_GROUP, "resourceclaims", again=False)
def _claim(claim: dict[str, Any]) -> Iterator[Cause]:
    yield from _devices(part(part(claim, "spec"), "devices"), "spec.devices")


@checks(_GROUP, "resourceclaimtemplates")
def _template(template: dict[str, Any]) -> Iterator[Cause]:
    spec = part(template, "spec")
    metadata = part(spec, "metadata")
    for member in sorted(metadata.keys() - {"annotations", "labels"}):
        if metadata[member]:
            named = "uID" if member == "uid" else member
            yield forbidden_value(f"spec.metadata.{named}", "cannot be set")
    yield from annotations_causes(metadata.get("annotations"), "spec.metadata.annotations")
    yield from labels_causes(metadata.get("labels"), "spec.metadata.labels")
    yield from _devices(part(part(spec, "spec"), "devices"), "spec.spec.devices")


@checks_change(_GROUP, "resourceclaims", "resourceclaimtemplates")
def _fixed(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from immutable("spec", new.get("spec"), old.get("spec"))


def _devices(claim: dict[str, Any], field: str) -> Iterator[Cause]:
    requests = parts(claim, "requests")
    known = {f"{name}" for name in _names(requests)}
    yield from _each(requests, _MOST, f"{field}.requests", _request)
    yield from _unique(requests, "name", f"{field}.requests")

    def constraint(each: dict[str, Any], at: str) -> Iterator[Cause]:
        yield from _references(texts(each, "requests"), known, f"{at}.requests")
        name, other = each.get("matchAttribute"), each.get("distinctAttribute")
        if name is None and other is None:
            said = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but'
            yield required(at, f"{said} multiple fields are set")
        elif name is not None:
            yield from _attribute(name, f"{at}.matchAttribute")
        else:
            yield from _attribute(other or "", f"{at}.distinctAttribute")

    def config(each: dict[str, Any], at: str) -> Iterator[Cause]:
        yield from _references(texts(each, "requests"), known, f"{at}.requests")
        yield from _config(each, at)

    yield from _each(parts(claim, "constraints"), _MOST, f"{field}.constraints", constraint)
    yield from _each(parts(claim, "config"), _MOST, f"{field}.config", config)


def _names(requests: list[dict[str, Any]]) -> Iterator[str]:
    """How the requests of a claim are called, and those within them."""
    for request in requests:
        name = request.get("name") or ""
        yield name
        yield from (f"{name}/{each.get('name') or ''}" for each in parts(request, "firstAvailable"))


def _attribute(name: str, field: str) -> Iterator[Cause]:
    yield from attribute_name_causes(name, field)
    if "/" not in name:
        said = "a fully qualified name must be a domain and a name separated by a slash"
        yield invalid_value(field, name, said)


def _references(names: list[str], known: set[str], field: str) -> Iterator[Cause]:
    if len(names) > _MOST:
        yield too_many(field, len(names), _MOST)
        return
    seen: set[str] = set()
    for index, name in enumerate(names):
        at = f"{field}[{index}]"
        yield from _reference(name, known, at)
        if name in seen:
            yield duplicate(at, name)
        seen.add(name)


def _reference(name: str, known: set[str], field: str) -> Iterator[Cause]:
    if name.count("/") > 1:
        yield invalid_value(field, name, _REFERENCE)
        return
    for segment in name.split("/"):
        yield from matches(field, segment, label_problems)
    if name not in known:
        yield invalid_value(field, name, _REFERENCE)


def _request(request: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from matches(f"{field}.name", request.get("name") or "", label_problems)
    choices, exactly, at = parts(request, "firstAvailable"), request.get("exactly"), "exactly"
    if exactly is None and request.get("deviceClassName") is not None:
        exactly, at = request, ""  # as v1beta1 has it
    if choices and exactly is not None:
        yield invalid_value(field, None, f"{_ONE_OF}, but multiple fields are set")
    elif choices:
        at = f"{field}.firstAvailable"
        yield from _each(choices, _MOST_CHOICES, at, _choice)
        yield from _unique(choices, "name", at)
    elif exactly is not None:
        yield from _wanted(exactly, f"{field}.{at}" if at else field)
    else:
        yield required(field, _ONE_OF)


def _choice(request: dict[str, Any], field: str) -> Iterator[Cause]:
    yield from matches(f"{field}.name", request.get("name") or "", label_problems)
    yield from _wanted(request, field)


def _wanted(request: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = request.get("deviceClassName")
    yield from text(f"{field}.deviceClassName", kind, subdomain_problems)
    yield from _each(parts(request, "selectors"), _MOST, f"{field}.selectors", _selector)
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode == "All" and count:
        said = "must not be specified when allocationMode is 'All'"
        yield invalid_value(f"{field}.count", count, said)
    elif mode == "ExactCount" and count <= 0:
        yield invalid_value(f"{field}.count", count, "must be greater than zero")
    elif mode not in _MODES:
        yield not_supported(f"{field}.allocationMode", mode, _MODES)
    for index, toleration in enumerate(parts(request, "tolerations")):
        yield from device_toleration_causes(toleration, f"{field}.tolerations[{index}]")


def _selector(selector: dict[str, Any], field: str) -> Iterator[Cause]:
    expression = selector.get("cel")
    if expression is None:
        yield required(f"{field}.cel")
        return
    written, at = expression.get("expression") or "", f"{field}.cel.expression"
    if len(written.encode()) > _MOST_BYTES:
        yield too_long(at, f"may not be more than {_MOST_BYTES} bytes")
    else:
        yield from device_expression_causes(at, written)


def _config(config: dict[str, Any], field: str) -> Iterator[Cause]:
    opaque, at = config.get("opaque"), f"{field}.opaque"
    if opaque is None:
        yield required(at)
        return
    yield from driver_name(f"{at}.driver", opaque.get("driver"))
    parameters = opaque.get("parameters")
    if parameters is None:
        yield required(f"{at}.parameters")
    elif len(dumps(parameters)) > _MOST_BYTES:
        yield too_long(f"{at}.parameters", f"may not be more than {_MOST_BYTES} bytes")
    elif not isinstance(parameters, dict):
        said = "must be a valid JSON object"
        yield invalid_value(f"{at}.parameters", "<value omitted>", said)


# --------------------------------------------------------------------------------- status


@checks_change(_GROUP, "resourceclaims", part="status")
def _status(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    status, before = part(new, "status"), part(old, "status")
    users, allocation = parts(status, "reservedFor"), status.get("allocation")
    yield from _each(users, _MOST_USERS, "status.reservedFor", _user)
    yield from _unique(users, "uid", "status.reservedFor")
    if users and allocation is None:
        said = "may not be specified when `allocated` is not set"
        yield forbidden_value("status.reservedFor", said)
    if allocation is None:
        return
    if before.get("allocation") is not None:
        yield from immutable("status.allocation", allocation, before["allocation"])
        return
    known = set(_names(parts(part(part(new, "spec"), "devices"), "requests")))
    results, at = parts(part(allocation, "devices"), "results"), "status.allocation.devices"

    def result(each: dict[str, Any], field: str) -> Iterator[Cause]:
        yield from _reference(each.get("request") or "", known, f"{field}.request")
        yield from driver_name(f"{field}.driver", each.get("driver"))
        yield from pool_name_causes(each.get("pool") or "", f"{field}.pool")
        yield from matches(f"{field}.device", each.get("device") or "", label_problems)

    yield from _each(results, _MOST, f"{at}.results", result)
    if allocation.get("nodeSelector") is not None:
        selector = allocation["nodeSelector"]
        yield from node_selector_causes(selector, "status.allocation.nodeSelector")


def _user(user: dict[str, Any], field: str) -> Iterator[Cause]:
    for member in ("resource", "name", "uid"):
        if not user.get(member):
            yield required(f"{field}.{member}")


# -------------------------------------------------------------------------------- classes


@checks(_GROUP, "deviceclasses")
def _class(device: dict[str, Any]) -> Iterator[Cause]:
    spec = part(device, "spec")
    yield from _each(parts(spec, "selectors"), _MOST, "spec.selectors", _selector)
    yield from _each(parts(spec, "config"), _MOST, "spec.config", _config)
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended(name):
        said = "must be a valid extended resource name"
        yield invalid_value("spec.extendedResourceName", name, said)
