"""What configuration, namespaces, nodes, limits and quotas may say, and how they may change."""

from __future__ import annotations

from base64 import b64decode
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from ..failures import (
    Cause,
    duplicate,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from ..parts import part, parts, texts
from .checks import immutable, matches, one_of
from .quantities import amount
from .texts import cidr_problems, config_key_problems, label_value_problems, qualified_name_problems
from .validating import checks, checks_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__: list[str] = []

_MOST_BYTES: Final = 1024 * 1024
_SEALED: Final = "field is immutable when `immutable` is set"
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Keys that secrets of a type have to have."""
_JSON: Final = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_QUOTA: Final = frozenset(
    {
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.storage",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "services",
        "services.nodeports",
        "services.loadbalancers",
        "resourcequotas",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "replicationcontrollers",
    }
)
_COUNTED: Final = _QUOTA - {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "limits.cpu",
    "limits.memory",
}
_SCOPES: Final = frozenset(
    {
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "PriorityClass",
        "CrossNamespacePodAffinity",
        "VolumeAttributesClass",
    }
)


# ------------------------------------------------------------------------- maps and secrets


def _keys(data: Mapping[str, str], field: str) -> Iterator[Cause]:
    for key in data:
        yield from matches_at(f"{field}[{key}]", key)


def matches_at(field: str, key: str) -> Iterator[Cause]:
    """A key of a ConfigMap or Secret."""
    yield from matches(field, key, config_key_problems)


def _bytes(data: Mapping[str, str]) -> int:
    """How many bytes base64 texts stand for."""
    return sum(len(text) * 3 // 4 - text[-2:].count("=") for text in data.values())


@checks("", "configmaps")
def _config_map(config: dict[str, Any]) -> Iterator[Cause]:
    data, binary = part(config, "data"), part(config, "binaryData")
    for key in data:
        yield from matches_at(f"data[{key}]", key)
        if key in binary:
            yield invalid_value(f"data[{key}]", key, "duplicate of key present in binaryData")
    yield from _keys(binary, "binaryData")
    if sum(len(text.encode()) for text in data.values()) + _bytes(binary) > _MOST_BYTES:
        yield too_long("[]", f"may not be more than {_MOST_BYTES} bytes")


@checks_change("", "configmaps")
def _config_map_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from _sealed(new, old, "data", "binaryData")


def _sealed(new: dict[str, Any], old: dict[str, Any], *fields: str) -> Iterator[Cause]:
    if not old.get("immutable"):
        return
    if not new.get("immutable"):
        yield forbidden_value("immutable", _SEALED)
    for field in fields:
        if part(new, field) != part(old, field):
            yield forbidden_value(field, _SEALED)


@checks("", "secrets")
def _secret(secret: dict[str, Any]) -> Iterator[Cause]:
    data, kind = part(secret, "data"), secret.get("type") or ""
    yield from _keys(data, "data")
    if _bytes(data) > _MOST_BYTES:
        yield too_long("data", f"may not be more than {_MOST_BYTES} bytes")
    for key in _NEEDED.get(kind, ()):
        if key not in data:
            yield required(f"data[{key}]")
        elif kind in _JSON:
            yield from _json(data[key], f"data[{key}]")
    if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & set(data):
        yield required("data[username]")
        yield required("data[password]")
    account = part(secret["metadata"], "annotations").get(_ACCOUNT)
    if kind == "kubernetes.io/service-account-token" and not account:
        yield required(f"metadata.annotations[{_ACCOUNT}]")


def _json(encoded: str, field: str) -> Iterator[Cause]:
    try:
        loads(b64decode(encoded))
    except (JSONDecodeError, UnicodeDecodeError) as problem:
        yield invalid_value(field, "<secret contents redacted>", str(problem))


@checks_change("", "secrets")
def _secret_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    yield from immutable("type", new.get("type"), old.get("type"))
    yield from _sealed(new, old, "data")


# ------------------------------------------------------------------- namespaces and nodes


@checks("", "namespaces", again=False)
def _namespace(namespace: dict[str, Any]) -> Iterator[Cause]:
    for name in texts(namespace["spec"], "finalizers"):
        yield from matches("spec.finalizers", name, qualified_name_problems)
        if "/" not in name and name != "kubernetes":
            said = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid_value("spec.finalizers", name, said)


@checks("", "nodes")
def _node(node: dict[str, Any]) -> Iterator[Cause]:
    yield from _taints(node["spec"])
    for index, network in enumerate(texts(node["spec"], "podCIDRs")):
        yield from matches(f"spec.podCIDRs[{index}]", network, cidr_problems)


def _taints(spec: dict[str, Any]) -> Iterator[Cause]:
    seen: set[tuple[object, object]] = set()
    for index, taint in enumerate(parts(spec, "taints")):
        # The server tells taints as if they were metadata.
        at = f"metadata.taints[{index}]"
        yield from matches(f"{at}.key", taint.get("key") or "", qualified_name_problems)
        yield from matches(f"{at}.value", taint.get("value") or "", label_value_problems)
        yield from one_of(f"{at}.effect", taint.get("effect"), _EFFECTS)
        if (taint.get("key"), taint.get("effect")) in seen:
            yield duplicate(at, taint)
        seen.add((taint.get("key"), taint.get("effect")))


@checks_change("", "nodes")
def _node_change(new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
    after, before = new["spec"], old["spec"]
    yield from _taints(after)
    if before.get("podCIDRs") and after.get("podCIDRs") != before["podCIDRs"]:
        said = 'node updates may not change podCIDR except from "" to valid'
        yield forbidden_value("spec.podCIDRs", said)
    if before.get("providerID") and after.get("providerID") != before["providerID"]:
        said = 'node updates may not change providerID except from "" to valid'
        yield forbidden_value("spec.providerID", said)


# ----------------------------------------------------------------------- limits and quotas


@checks("", "limitranges")
def _limits(limits: dict[str, Any]) -> Iterator[Cause]:
    for index, item in enumerate(parts(limits["spec"], "limits")):
        yield from _limit(item, f"spec.limits[{index}]")


def _limit(item: dict[str, Any], field: str) -> Iterator[Cause]:
    kind = item.get("type") or ""
    yield from matches(f"{field}.type", kind, qualified_name_problems)
    if kind == "Pod":
        for side in ("default", "defaultRequest"):
            if item.get(side):
                yield forbidden_value(
                    f"{field}.{side}", "may not be specified when `type` is 'Pod'"
                )
    sides = {side: part(item, side) for side in ("min", "defaultRequest", "default", "max")}
    for name in sorted({name for amounts in sides.values() for name in amounts}):
        yield from _ordered(sides, name, field)


def _ordered(sides: dict[str, dict[str, Any]], name: str, field: str) -> Iterator[Cause]:
    words = {
        "min": "min",
        "defaultRequest": "default request",
        "default": "default",
        "max": "max",
    }
    for low, high, told in (
        ("min", "max", "min"),
        ("min", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "defaultRequest"),
        ("defaultRequest", "default", "defaultRequest"),
        ("min", "default", "default"),
        ("default", "max", "default"),
    ):
        less, more = sides[low].get(name), sides[high].get(name)
        if less is not None and more is not None and amount(less) > amount(more):
            said = f"{words[low]} value {less} is greater than {words[high]} value {more}"
            yield invalid_value(f"{field}.{told}[{name}]", less, said)


@checks("", "resourcequotas")
def _quota(quota: dict[str, Any]) -> Iterator[Cause]:
    spec = quota["spec"]
    for name, quantity in part(spec, "hard").items():
        at = f"spec.hard[{name}]"
        yield from matches(at, name, qualified_name_problems)
        if "/" not in name and name not in _QUOTA and not name.startswith("requests."):
            yield invalid_value(at, name, "must be a standard resource type or fully qualified")
            yield invalid_value(at, name, "must be a standard resource for quota")
        number = amount(quantity)
        if number < 0:
            yield invalid_value(at, quantity, "must be greater than or equal to 0")
        if name in _COUNTED and number != number.to_integral_value():
            yield invalid_value(at, quantity, "must be an integer")
    scopes = texts(spec, "scopes")
    if any(scope not in _SCOPES for scope in scopes):
        yield invalid_value("spec.scopes", scopes, "unsupported scope")
