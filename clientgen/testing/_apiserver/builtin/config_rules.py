"""What config maps, secrets and namespaces may say, and how they may change."""

from __future__ import annotations

from base64 import b64decode
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
    too_long,
)
from clientgen._apimachinery.name_syntax import config_key_problems, qualified_name_problems
from clientgen._apimachinery.optional_parts import part, texts

from ..kinds.shared.checks import immutable, matches
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
