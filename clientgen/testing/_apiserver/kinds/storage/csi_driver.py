"""CSIDriver: a driver of volumes, and what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    duplicate,
    invalid_value,
)
from clientgen._json import parts, texts

from ...tables.columns import AGE, NAME, NONE, UNSET, Column, Printer, View, field
from ..defaults import TypeDefaults, set_missing
from ..shared.common_checks import (
    immutable,
    one_of,
)
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_TOKEN_SECONDS: Final = 600
_MAX_TOKEN_SECONDS: Final = 2**32
_MIN_UPDATE_SECONDS: Final = 10


def _yes_or_no(name: str, about: str, member: str, *, missing: bool = False) -> Column:
    path = f"spec.{member}"
    return Column(name, about, field(path, missing=missing), type="boolean", doc=path)


def _audiences(view: View) -> str:
    requests = view.at("spec", "tokenRequests")
    if requests is None:
        return UNSET
    return ",".join(each.get("audience", "") for each in requests)


_COLUMNS: Final = (
    NAME,
    _yes_or_no(
        "AttachRequired", "Whether volumes are attached first.", "attachRequired", missing=True
    ),
    _yes_or_no("PodInfoOnMount", "Whether it is told of the Pod.", "podInfoOnMount"),
    _yes_or_no("StorageCapacity", "Whether it tells what room it has.", "storageCapacity"),
    Column("TokenRequests", "Whom it gets tokens for.", _audiences, doc="spec.tokenRequests"),
    _yes_or_no("RequiresRepublish", "Whether mounts are renewed.", "requiresRepublish"),
    Column(
        "Modes",
        "The kinds of volumes it serves.",
        lambda view: ",".join(view.items("spec", "volumeLifecycleModes")) or NONE,
        doc="spec.volumeLifecycleModes",
    ),
    AGE,
)


def _set_defaults(spec: dict[str, Any]) -> None:
    set_missing(
        spec,
        attachRequired=True,
        podInfoOnMount=False,
        storageCapacity=False,
        fsGroupPolicy="ReadWriteOnceWithFSType",
        requiresRepublish=False,
        seLinuxMount=False,
    )
    spec["volumeLifecycleModes"] = spec.get("volumeLifecycleModes") or ["Persistent"]


class CSIDriverStrategy(Strategy):
    """The strategy for CSIDrivers."""

    types = {"storage.v1.CSIDriverSpec": TypeDefaults(fill=_set_defaults)}
    delete_returns_object = True
    allow_unconditional_update = False
    generation_fields = ("spec",)
    generation_on_create = False
    printer = Printer(_COLUMNS)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check policies, modes and tokens."""
        spec = obj["spec"]
        known = ("File", "None", "ReadWriteOnceWithFSType")
        yield from one_of("spec.fsGroupPolicy", spec.get("fsGroupPolicy"), known, needed=False)
        yield from _token_requests(parts(spec, "tokenRequests"), "spec.tokenRequests")
        for mode in texts(spec, "volumeLifecycleModes"):
            yield from one_of("spec.volumeLifecycleModes", mode, ("Persistent", "Ephemeral"))
        seconds = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if seconds is not None and seconds < _MIN_UPDATE_SECONDS:
            why = f"must be greater than or equal to {_MIN_UPDATE_SECONDS} seconds"
            yield invalid_value("spec.nodeAllocatableUpdatePeriodSeconds", seconds, why)
        in_secrets = spec.get("serviceAccountTokenInSecrets")
        if in_secrets is not None and not spec.get("tokenRequests"):
            why = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
            yield invalid_value("spec.serviceAccountTokenInSecrets", in_secrets, why)

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Keep the modes."""
        yield from self.validate(new)
        after, before = new["spec"], old["spec"]
        for member, shown in (
            ("attachRequired", "attachedRequired"),  # the server's own word
            ("volumeLifecycleModes", "volumeLifecycleModes"),
        ):
            yield from immutable(f"spec.{shown}", after.get(member), before.get(member))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of tokens that may be logged."""
        spec = new["spec"]
        asked = spec.get("tokenRequests")
        changed = old is None or old["spec"].get("tokenRequests") != asked
        if asked and changed and spec.get("serviceAccountTokenInSecrets") is None:
            yield (
                "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set "
                "to true to prevent possible logging of tokens in volume attributes"
            )


def _token_requests(requests: list[dict[str, Any]], path: str) -> Iterator[Cause]:
    audiences: set[str] = set()
    for index, request in enumerate(requests):
        audience, seconds = request.get("audience") or "", request.get("expirationSeconds")
        at = f"{path}[{index}].expirationSeconds"
        if audience in audiences:
            yield duplicate(f"{path}[{index}].audience", audience)
        elif seconds is not None and seconds < _MIN_TOKEN_SECONDS:
            yield invalid_value(at, seconds, "may not specify a duration less than 10 minutes")
        elif seconds is not None and seconds > _MAX_TOKEN_SECONDS:
            yield invalid_value(at, seconds, "may not specify a duration larger than 2^32 seconds")
        audiences.add(audience)
