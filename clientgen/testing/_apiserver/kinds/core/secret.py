"""Secret: data that only few may read, such as passwords, tokens and keys."""

from __future__ import annotations

from base64 import b64decode, b64encode
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, invalid_value, required, too_long
from clientgen._json import part

from ...tables.columns import AGE, NAME, Column, Printer, field, size
from ..defaults import TypeDefaults, set_empty
from ..metadata import MetadataChecks
from ..selector_fields import text
from ..shared.common_checks import immutable
from ..shared.config_data import MAX_BYTES, decoded_size, immutable_causes, key_causes
from ..shared.key_pairs import key_pair_problem
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SERVICE_ACCOUNT: Final = "kubernetes.io/service-account.name"
_REQUIRED_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_TYPES: Final = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")


def _encode_text(secret: dict[str, Any]) -> None:
    """Move `stringData`, which can only be written, to `data`."""
    set_empty(secret, type="Opaque")
    texts: dict[str, str] = secret.pop("stringData", None) or {}
    if texts:
        encoded = {key: b64encode(value.encode()).decode() for key, value in texts.items()}
        secret["data"] = {**part(secret, "data"), **encoded}


class SecretStrategy(Strategy):
    """The strategy for Secrets."""

    types = {"core.v1.Secret": TypeDefaults(fill=_encode_text)}
    metadata_checks = MetadataChecks.UPDATE_AGAIN | MetadataChecks.WHOLE_AGAIN
    selectable_fields = {"type": text("type")}
    printer = Printer(
        (
            NAME,
            Column("Type", "What it is for.", field("type"), doc="type"),
            Column("Data", "How many entries it has.", size("data"), doc="data"),
            AGE,
        )
    )

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the keys and the size of the data, and what the type requires."""
        data, kind = part(obj, "data"), obj.get("type") or ""
        for key in data:
            yield from key_causes(f"data[{key}]", key)
        if decoded_size(data) > MAX_BYTES:
            yield too_long("data", f"may not be more than {MAX_BYTES} bytes")
        for key in _REQUIRED_KEYS.get(kind, ()):
            if key not in data:
                yield required(f"data[{key}]")
            elif kind in _JSON_TYPES:
                yield from _json_causes(data[key], f"data[{key}]")
        if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & set(data):
            yield required("data[username]")
            yield required("data[password]")
        account = part(obj["metadata"], "annotations").get(_SERVICE_ACCOUNT)
        if kind == "kubernetes.io/service-account-token" and not account:
            yield required(f"metadata.annotations[{_SERVICE_ACCOUNT}]")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the type, and the data of an immutable Secret."""
        yield from self.validate(new)
        yield from immutable("type", new.get("type"), old.get("type"))
        yield from immutable_causes(new, old, "data")

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of certificates and keys that do not look like a pair."""
        if new.get("type") == "kubernetes.io/tls":
            data = part(new, "data")
            problem = key_pair_problem(data.get("tls.crt") or "", data.get("tls.key") or "")
            yield from [problem] if problem else []


def _json_causes(encoded: str, field: str) -> Iterator[Cause]:
    try:
        loads(b64decode(encoded))
    except (JSONDecodeError, UnicodeDecodeError) as problem:
        yield invalid_value(field, "<secret contents redacted>", str(problem))
