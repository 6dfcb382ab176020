"""CustomResourceDefinitions: reading them, what they leave out, and what comes of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import unclassified
from clientgen._json import is_array, listed, part

from .custom_versions import CustomVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from clientgen._openapi.resolved import Schemas


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition whose names were accepted.

    Attributes:
        names: the accepted ones: plural, singular, kind, listKind, shortNames, categories.
        scope: `Namespaced` or `Cluster`.
        versions: all of them, in the order of the definition.
        conversion: the strategy, `None` or `Webhook`.
        webhook: what is asked to convert objects, with the strategy `Webhook`.
        is_ending: whether its instances are being removed, so that no more are created.
    """

    group: str
    names: dict[str, Any]
    scope: str
    versions: tuple[CustomVersion, ...]
    conversion: str = "None"
    webhook: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_ending: bool = False

    @property
    def storage_version(self) -> CustomVersion:
        """The version that objects are stored in."""
        return next(version for version in self.versions if version.storage)

    def convert(self, value: dict[str, Any], version: CustomVersion) -> dict[str, Any]:
        """The object in another version: nothing but its apiVersion changes.

        With the strategy `Webhook`, a webhook does this instead.

        Raises:
            Failure: 500, the object is in a version that the definition no longer has.
        """
        source = value.get("apiVersion")
        if source == version.api_version:
            return value
        if all(source != version.api_version for version in self.versions):
            raise unclassified(f"request to convert CR from an invalid group/version: {source}")
        return {**value, "apiVersion": version.api_version}


def read(crd: Mapping[str, Any], schemas: Schemas) -> Definition:
    """A definition that was found valid; `schemas` are those of the built-in types."""
    spec: dict[str, Any] = crd["spec"]
    accepted = part(part(crd, "status"), "acceptedNames")
    names = accepted if accepted.get("plural") else spec["names"]
    return Definition(
        group=spec["group"],
        names=dict(names),
        scope=spec["scope"],
        versions=tuple(
            CustomVersion(
                version,
                spec["group"],
                names["kind"],
                schemas,
                _successor(version, spec["versions"]),
            )
            for version in spec["versions"]
        ),
        conversion=part(spec, "conversion").get("strategy", "None"),
        webhook=part(part(spec, "conversion"), "webhook"),
    )


_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES: Final = ("alpha", "beta", "")


def _rank(name: str) -> tuple[int, ...]:
    """Grows with a version's priority: v2, v1, v1beta2, v1beta1, v1alpha1, and then all others."""
    match = _VERSION.fullmatch(name)
    if match is None:
        return (-1,)
    return (_STAGES.index(match[2] or ""), int(match[1]), int(match[3] or 0))


def _successor(version: Mapping[str, Any], versions: Iterable[Mapping[str, Any]]) -> str:
    """The best version that is neither deprecated nor older than this one; empty for none."""
    rank = _rank(version["name"])
    names = [
        version["name"]
        for version in versions
        if version.get("served") and not version.get("deprecated") and _rank(version["name"]) > rank
    ]
    return max(names, key=_rank, default="")


def default_definition(crd: dict[str, Any]) -> None:
    """Fill in what follows from the rest: names, no conversion, the webhook's port."""
    spec = part(crd, "spec")
    names: dict[str, Any] = spec.setdefault("names", {})
    kind: str = names.get("kind") or ""
    if not names.get("singular") and kind:
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    webhook = part(spec["conversion"], "webhook")
    service = part(webhook, "clientConfig").get("service")
    if service is not None and service.get("port") is None:
        service["port"] = 443


# ------------------------------------------------------------------------------------ status

_RESOURCES: Final = ("plural", "singular")
_KINDS: Final = ("kind", "listKind")
_REASONS: Final = {
    "plural": "PluralConflict",
    "singular": "SingularConflict",
    "shortNames": "ShortNamesConflict",
    "kind": "KindConflict",
    "listKind": "ListKindConflict",
}
_ORDER: Final = ("plural", "singular", "shortNames", "kind", "listKind", "categories")


def status_of(
    crd: Mapping[str, Any], other_crds: Iterable[Mapping[str, Any]], now: datetime
) -> dict[str, Any]:
    """The status of a definition: its names are accepted unless another of its group has them.

    Args:
        crd: the definition.
        other_crds: the other definitions, of whatever group.
        now: when conditions change.
    """
    status: dict[str, Any] = dict(part(crd, "status"))
    names, conflict = _accept(crd, list(other_crds))
    conditions: list[dict[str, Any]] = [
        dict(condition) for condition in listed(status, "conditions")
    ]
    if conflict is None:
        good = ("True", "NoConflicts", "no conflicts found")
        _set(conditions, "NamesAccepted", good, now)
        established = ("True", "InitialNamesAccepted", "the initial names have been accepted")
    else:
        _set(conditions, "NamesAccepted", ("False", *conflict), now)
        established = ("False", "NotAccepted", "not all names are accepted")
    if not _is_true(conditions, "Established"):
        _set(conditions, "Established", established, now)
    return {**status, "acceptedNames": names, "conditions": conditions}


def installing(status: Mapping[str, Any]) -> dict[str, Any]:
    """The status a definition has for a moment, between its names' acceptance and being served."""
    conditions = [dict(condition) for condition in listed(status, "conditions")]
    for condition in conditions:
        if condition["type"] == "Established" and condition["status"] == "True":
            condition.update({"status": "False", "reason": "Installing"})
    return {**status, "conditions": conditions}


_PENDING: Final = (
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)
_IN_PROGRESS: Final = (
    "True",
    "InstanceDeletionInProgress",
    "CustomResource deletion is in progress",
)
_COMPLETED: Final = ("False", "InstanceDeletionCompleted", "removed all instances")


def ended(crd: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The status of a definition that stays for others' finalizers; its instances are gone."""
    status: dict[str, Any] = dict(part(crd, "status"))
    conditions: list[dict[str, Any]] = [
        dict(condition) for condition in listed(status, "conditions")
    ]
    _set(conditions, "Terminating", _COMPLETED, now)
    return {**status, "conditions": conditions}


def ending(crd: Mapping[str, Any], now: datetime, *, begun: bool) -> dict[str, Any]:
    """The status of a definition that is to go; `begun` as soon as its instances go."""
    status: dict[str, Any] = dict(part(crd, "status"))
    conditions: list[dict[str, Any]] = [
        dict(condition) for condition in listed(status, "conditions")
    ]
    _set(conditions, "Terminating", _IN_PROGRESS if begun else _PENDING, now)
    return {**status, "conditions": conditions}


def _accept(
    crd: Mapping[str, Any], other_crds: list[Mapping[str, Any]]
) -> tuple[dict[str, Any], tuple[str, str] | None]:
    wanted: dict[str, Any] = crd["spec"]["names"]
    accepted: dict[str, Any] = dict(part(part(crd, "status"), "acceptedNames"))
    resources, kinds = _taken(crd["spec"]["group"], other_crds)
    conflict: tuple[str, str] | None = None
    for name in _REASONS:
        in_use = kinds if name in _KINDS else resources
        clashes = _clashes(wanted.get(name), accepted.get(name), in_use)
        if clashes:
            conflict = _REASONS[name], clashes
        else:
            accepted[name] = wanted.get(name)
    accepted["categories"] = wanted.get("categories")
    # Kind and plural are always written, even empty.
    names = {name: accepted[name] for name in _ORDER if accepted.get(name)}
    return {"kind": "", "plural": "", **names}, conflict


def _taken(group: str, other_crds: list[Mapping[str, Any]]) -> tuple[set[str], set[str]]:
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in other_crds:
        if other["spec"]["group"] == group:
            names = part(part(other, "status"), "acceptedNames")
            resources.update(names[name] for name in _RESOURCES if names.get(name))
            resources.update(listed(names, "shortNames"))
            kinds.update(names[name] for name in _KINDS if names.get(name))
    return resources, kinds


def _clashes(wanted: Any, accepted: Any, in_use: set[str]) -> str:
    requested = wanted if is_array(wanted) else [wanted]
    own = accepted if is_array(accepted) else [accepted]
    clashing = [
        f'"{name}" is already in use' for name in requested if name not in own and name in in_use
    ]
    return clashing[0] if len(clashing) == 1 else f"[{', '.join(clashing)}]" if clashing else ""


def _is_true(conditions: list[dict[str, Any]], kind: str) -> bool:
    return any(
        condition["type"] == kind and condition["status"] == "True" for condition in conditions
    )


def _set(
    conditions: list[dict[str, Any]], kind: str, condition_text: tuple[str, str, str], now: datetime
) -> None:
    status, reason, message = condition_text
    condition = next((each for each in conditions if each["type"] == kind), None)
    if condition is None:
        condition = {"type": kind}
        conditions.append(condition)
    if condition.get("status") != status:
        condition["lastTransitionTime"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    condition.update({"status": status, "reason": reason, "message": message})
