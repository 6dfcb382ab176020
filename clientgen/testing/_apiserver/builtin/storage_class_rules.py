"""What storage classes, drivers and attachments may say, and how they change."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import qualified_name_problems, subdomain_problems
from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.checks import (
    driver_name,
    immutable,
    is_not_negative,
    matches,
    one_of,
    selector_causes,
    text,
    unique,
)
from ..kinds.shared.quantities import amount
from .storage_rules import volume_causes
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__: list[str] = []

_GROUP: Final = "storage.k8s.io"
_MOST_PARAMETERS: Final = 512
_MOST_BYTES: Final = 256 * 1024
_MOST_MESSAGE: Final = 1024
_LONGEST_NODE_ID: Final = 256
_LEAST_TOKEN_SECONDS: Final = 600
_MOST_TOKEN_SECONDS: Final = 2**32
_LEAST_UPDATE_SECONDS: Final = 10


# -------------------------------------------------------------------------------- classes


def _provisioner(name: str, field: str) -> Iterator[Cause]:
    yield from text(field, name.lower(), qualified_name_problems)


def _parameters(parameters: Mapping[str, str]) -> Iterator[Cause]:
    if len(parameters) > _MOST_PARAMETERS:
        yield too_long("parameters", f"may not be more than {_MOST_PARAMETERS} bytes")
        return
    if "" in parameters:
        yield invalid_value("parameters", "", "field can not be empty.")
    yield from _size(parameters, "parameters")


def _size(values: Mapping[str, str], field: str) -> Iterator[Cause]:
    if sum(len(key.encode()) + len(value.encode()) for key, value in values.items()) > _MOST_BYTES:
        yield too_long(field, f"may not be more than {_MOST_BYTES} bytes")


@checks(_GROUP, "storageclasses")
def _storage_class(storage: dict[str, Any]) -> Iterator[Cause]:
    yield from _provisioner(storage.get("provisioner") or "", "provisioner")
    yield from _parameters(part(storage, "parameters"))
    policy, mode = storage.get("reclaimPolicy"), storage.get("volumeBindingMode")
    yield from one_of("reclaimPolicy", policy or None, ("Delete", "Retain"), needed=False)
    yield from one_of("volumeBindingMode", mode, ("Immediate", "WaitForFirstConsumer"))
    # The server compares each with as many empty ones as there are.
    terms = parts(storage, "allowedTopologies")
    empty: frozenset[tuple[str, frozenset[str]]] = frozenset()
    seen = Counter({empty: len(terms)})
    for index, term in enumerate(terms):
        at = f"allowedTopologies[{index}].matchLabelExpressions"
        yield from _topology(term, at)
        found = frozenset(
            (each.get("key") or "", frozenset(texts(each, "values")))
            for each in parts(term, "matchLabelExpressions")
        )
        yield from (duplicate(at, "") for _ in range(seen[found]))
        seen[found] += 1


def _topology(term: dict[str, Any], field: str) -> Iterator[Cause]:
    expressions = parts(term, "matchLabelExpressions")
    keys: set[str] = set()
    for index, expression in enumerate(expressions):
        at, key = f"{field}[{index}]", expression.get("key") or ""
        values = texts(expression, "values")
        if not values:
            yield required(f"{at}.values")
        yield from unique(f"{at}.values", values)
        yield from matches(f"{at}.key", key, qualified_name_problems)
        if key in keys:
            yield duplicate(f"{at}.key", key)
        keys.add(key)


@checks_change(_GROUP, "storageclasses")
def _class_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    for field in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        yield from immutable(field, new.get(field), old.get(field))


@checks(_GROUP, "volumeattributesclasses")
def _attributes_class(attributes: dict[str, Any]) -> Iterator[Cause]:
    yield from _provisioner(attributes.get("driverName") or "", "driverName")
    parameters = part(attributes, "parameters")
    yield from _parameters(parameters)
    if not parameters:
        yield required("parameters", "must contain at least one key/value pair")


@checks_change(_GROUP, "volumeattributesclasses")
def _attributes_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    for field in ("driverName", "parameters"):
        if new.get(field) != old.get(field):
            yield forbidden_value(field, f"updates to {field} are forbidden.")


# -------------------------------------------------------------------------------- drivers


@checks(_GROUP, "csidrivers")
def _driver(driver: dict[str, Any]) -> Iterator[Cause]:
    spec = driver["spec"]
    known = ("File", "None", "ReadWriteOnceWithFSType")
    yield from one_of("spec.fsGroupPolicy", spec.get("fsGroupPolicy"), known, needed=False)
    yield from _token_requests(parts(spec, "tokenRequests"), "spec.tokenRequests")
    for mode in texts(spec, "volumeLifecycleModes"):
        yield from one_of("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))
    seconds = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if seconds is not None and seconds < _LEAST_UPDATE_SECONDS:
        said = f"must be greater than or equal to {_LEAST_UPDATE_SECONDS} seconds"
        yield invalid_value("spec.nodeAllocatableUpdatePeriodSeconds", seconds, said)
    in_secrets = spec.get("serviceAccountTokenInSecrets")
    if in_secrets is not None and not spec.get("tokenRequests"):
        said = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield invalid_value("spec.serviceAccountTokenInSecrets", in_secrets, said)


def _token_requests(requests: list[dict[str, Any]], field: str) -> Iterator[Cause]:
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        audience, seconds = request.get("audience") or "", request.get("expirationSeconds")
        at = f"{field}[{index}].expirationSeconds"
        if audience in audiences:
            yield duplicate(f"{field}[{index}].audience", audience)
        elif seconds is not None and seconds < _LEAST_TOKEN_SECONDS:
            yield invalid_value(at, seconds, "may not specify a duration less than 10 minutes")
        elif seconds is not None and seconds > _MOST_TOKEN_SECONDS:
            yield invalid_value(at, seconds, "may not specify a duration larger than 2^32 seconds")
        audiences.add(audience)


@checks_change(_GROUP, "csidrivers")
def _driver_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    for field, shown in (
        ("attachRequired", "attachedRequired"),  # the server's own word
        ("volumeLifecycleModes", "volumeLifecycleModes"),
    ):
        yield from immutable(f"spec.{shown}", after.get(field), before.get(field))


@checks(_GROUP, "csinodes")
def _csi_node(node: dict[str, Any]) -> Iterator[Cause]:
    names: set[str] = set()
    for index, driver in enumerate(parts(node["spec"], "drivers")):
        at, name = f"spec.drivers[{index}]", driver.get("name") or ""
        yield from driver_name(f"{at}.name", name)
        yield from _node_id(driver.get("nodeID") or "", f"{at}.nodeID")
        count = part(driver, "allocatable").get("count")
        yield from is_not_negative(f"{at}.allocatable.count", count)
        if name in names:
            yield duplicate(f"{at}.name", name)
        names.add(name)
        yield from _topology_keys(texts(driver, "topologyKeys"), at)


def _node_id(node: str, field: str) -> Iterator[Cause]:
    if not node:
        yield required(field)
    elif len(node.encode()) > _LONGEST_NODE_ID:
        yield invalid_value(field, node, f"must be {_LONGEST_NODE_ID} characters or less")


def _topology_keys(keys: list[str], field: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for key in keys:
        if not key:
            yield required(field)
        if key in seen:
            yield duplicate(field, key)
        seen.add(key)
        yield from matches(field, key, qualified_name_problems)


@checks_change(_GROUP, "csinodes")
def _csi_node_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    before = {each.get("name"): each for each in parts(old["spec"], "drivers")}
    for driver in parts(new["spec"], "drivers"):
        known = before.get(driver.get("name"))
        if known is not None:
            after = {**driver, "allocatable": None}
            yield from immutable("spec.drivers", after, {**known, "allocatable": None})


@checks(_GROUP, "csistoragecapacities", again=False)
def _capacity(capacity: dict[str, Any]) -> Iterator[Cause]:
    yield from selector_causes(capacity.get("nodeTopology"), "nodeTopology")
    name = capacity.get("storageClassName") or ""
    yield from matches("storageClassName", name, subdomain_problems)
    if capacity.get("capacity") is not None and amount(capacity["capacity"]) < 0:
        said = "must be greater than or equal to 0"
        yield invalid_value("capacity", capacity["capacity"], said)


@checks_change(_GROUP, "csistoragecapacities")
def _capacity_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    for field in ("nodeTopology", "storageClassName"):
        yield from immutable(field, new.get(field), old.get(field))


# ---------------------------------------------------------------------------- attachments


@checks(_GROUP, "volumeattachments")
def _attachment(attachment: dict[str, Any]) -> Iterator[Cause]:
    spec = attachment["spec"]
    yield from driver_name("spec.attacher", spec.get("attacher"))
    source = part(spec, "source")
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    said = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
    if inline is None and name is None:
        yield required("spec.source", said)
    elif inline is not None and name is not None:
        yield forbidden_value("spec.source", said)
    elif inline is not None:
        yield from volume_causes(inline, "spec.source.inlineVolumeSpec", inline=True)
    elif not name:
        at = "spec.source.persistentVolumeName"
        yield required(at, "must specify non empty persistentVolumeName")
    yield from matches("spec.nodeName", spec.get("nodeName") or "", subdomain_problems)
    if name is not None:
        yield from matches("spec.source.persistentVolumeName", name, subdomain_problems)
    yield from _attachment_status(part(attachment, "status"))


def _attachment_status(status: dict[str, Any]) -> Iterator[Cause]:
    yield from _size(part(status, "attachmentMetadata"), "status.attachmentMetadata")
    for member in ("attachError", "detachError"):
        error, at = part(status, member), f"status.{member}"
        if len((error.get("message") or "").encode()) > _MOST_MESSAGE:
            yield too_long(f"{at}.message", f"may not be more than {_MOST_BYTES} bytes")
        if (error.get("errorCode") or 0) < 0:
            said = "must be between 0 and 2147483647, inclusive"
            yield invalid_value(f"{at}.errorCode", error["errorCode"], said)


@checks_change(_GROUP, "volumeattachments")
def _attachment_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from immutable("spec", new["spec"], old["spec"])


@checks_change(_GROUP, "volumeattachments", part="status")
def _attachment_status_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    del old
    yield from _attachment(new)
