"""StatefulSet: pods that keep their names and their volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Cause, forbidden_value, invalid_value
from clientgen._apimachinery.name_syntax import label_problems
from clientgen._json import part, parts

from ...tables.columns import AGE, NAME, Printer
from ..defaults import TypeDefaults, set_empty, set_missing
from ..shared.claim_warnings import claim_spec_warnings
from ..shared.common_checks import is_not_negative, one_of, text
from ..shared.pod_templates import running_template_causes, template_selector_causes
from ..shared.pod_warnings import is_same_generation, template_warnings
from ..shared.replica_counts import (
    collision_causes,
    count_or_percent,
    counts,
    replica_status_causes,
    spec_counts,
)
from ..shared.volume_claims import claim_causes
from ..shared.workload_columns import READY_COLUMN, TEMPLATE_COLUMNS
from ..strategy import Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHANGEABLE: Final = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_NAMED_BY_SET: Final = ("spec.template.spec.hostname", "spec.template.spec.subdomain")
"""Fields that a stateful set sets in its pods, overriding the template."""
_STATUS_COUNTS: Final = (
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
)
_COLUMNS: Final = (
    NAME,
    READY_COLUMN,
    AGE,
    *TEMPLATE_COLUMNS,
)


def _set_defaults(spec: dict[str, Any]) -> None:
    set_missing(
        spec,
        replicas=1,
        revisionHistoryLimit=10,
        updateStrategy={},
        persistentVolumeClaimRetentionPolicy={},
    )
    set_empty(spec, podManagementPolicy="OrderedReady")
    strategy = spec["updateStrategy"]
    set_empty(strategy, type="RollingUpdate")
    if strategy["type"] == "RollingUpdate":
        set_missing(strategy, rollingUpdate={})
        set_missing(strategy["rollingUpdate"], partition=0)
    part(strategy, "rollingUpdate").pop("maxUnavailable", None)  # a feature gate keeps it off
    set_empty(
        spec["persistentVolumeClaimRetentionPolicy"], whenDeleted="Retain", whenScaled="Retain"
    )
    for claim in parts(spec, "volumeClaimTemplates"):
        claim.update(kind="PersistentVolumeClaim", apiVersion="v1")


class StatefulSetStrategy(Strategy):
    """The strategy for StatefulSets."""

    types = {
        "apps.v1.StatefulSetSpec": TypeDefaults(fill=_set_defaults),
        "apps.v1.StatefulSetOrdinals": TypeDefaults(zeros={"start": 0}),
        "apps.v1.StatefulSetStatus": TypeDefaults(zeros={"availableReplicas": 0}),
    }
    generation_fields = ("spec",)
    printer = Printer(_COLUMNS)

    def name_problems(self, name: str) -> list[str]:
        """Allow DNS labels."""
        return label_problems(name)

    def validate(self, obj: dict[str, Any]) -> Iterator[Cause]:
        """Check the spec, and the volumes that a new object claims."""
        yield from _spec_causes(obj["spec"])
        for index, claim in enumerate(parts(obj["spec"], "volumeClaimTemplates")):
            yield from claim_causes(claim["spec"], f"spec.volumeClaimTemplates[{index}].spec")

    def validate_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check that only members change that may."""
        yield from _spec_causes(new["spec"])
        fixed = [
            {key: value for key, value in each["spec"].items() if key not in _CHANGEABLE}
            for each in (new, old)
        ]
        if fixed[0] != fixed[1]:
            listed = ", ".join(f"'{name}'" for name in _CHANGEABLE[:-1])
            others = f"fields other than {listed} and 'minReadySeconds'"
            why = f"updates to statefulset spec for {others} are forbidden"
            yield forbidden_value("spec", why)

    def validate_status_update(self, new: dict[str, Any], old: dict[str, Any]) -> Iterator[Cause]:
        """Check the numbers of pods."""
        status = part(new, "status")
        others = ("replicas", "observedGeneration", "collisionCount")
        yield from counts(status, (*others, *_STATUS_COUNTS))
        yield from replica_status_causes(status, _STATUS_COUNTS, "status.readyReplicas")
        yield from collision_causes(status, part(old, "status"))

    def warnings_on_write(self, new: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
        """Warn of unusual members of the template and of the claims."""
        spec = new["spec"]
        if not is_same_generation(new, old):
            yield from template_warnings(part(spec, "template"), "spec.template")
        for index, claim in enumerate(parts(spec, "volumeClaimTemplates")):
            # The server writes it like this when the object is updated.
            at = f"spec.volumeClaimTemplates[{index}]" + (".Spec" if old else "")
            yield from claim_spec_warnings(part(claim, "spec"), at)
        if (spec.get("revisionHistoryLimit") or 0) < 0:
            why = "a negative value retains all historical revisions; a value >= 0 is recommended"
            yield f"spec.revisionHistoryLimit: {why}"


def _spec_causes(spec: dict[str, Any]) -> Iterator[Cause]:
    policy = spec.get("podManagementPolicy")
    if policy not in ("OrderedReady", "Parallel"):
        why = "must be 'OrderedReady' or 'Parallel'"
        yield invalid_value("spec.podManagementPolicy", policy, why)
    yield from _strategy_causes(spec["updateStrategy"], "spec.updateStrategy")
    retention = part(spec, "persistentVolumeClaimRetentionPolicy")
    for event in ("whenDeleted", "whenScaled"):
        at = f"spec.persistentVolumeClaimRetentionPolicy.{event}"
        yield from one_of(at, retention.get(event), ("Retain", "Delete"))
    yield from spec_counts(spec, "replicas", "minReadySeconds")
    yield from is_not_negative("spec.ordinals.start", part(spec, "ordinals").get("start"))
    yield from text("spec.serviceName", spec.get("serviceName"), label_problems, needed=False)
    yield from template_selector_causes(spec, "statefulset")
    for cause in running_template_causes(_with_claims(spec), "spec"):
        if cause.field not in _NAMED_BY_SET:
            yield cause


def _with_claims(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec with volumes in the template for the claims."""
    names = [part(each, "metadata").get("name") for each in parts(spec, "volumeClaimTemplates")]
    template = part(spec, "template")
    pod = part(template, "spec")
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
    volumes += [each for each in parts(pod, "volumes") if each.get("name") not in names]
    return {**spec, "template": {**template, "spec": {**pod, "volumes": volumes}}}


def _strategy_causes(strategy: dict[str, Any], field: str) -> Iterator[Cause]:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "RollingUpdate":
        at = f"{field}.rollingUpdate"
        yield from is_not_negative(
            f"{at}.partition", part(strategy, "rollingUpdate").get("partition")
        )
        most = part(strategy, "rollingUpdate").get("maxUnavailable")
        yield from count_or_percent(f"{at}.maxUnavailable", most)
    elif kind != "OnDelete":
        yield invalid_value(field, strategy, "must be 'RollingUpdate' or 'OnDelete'")
    elif rolling is not None:
        why = "only allowed for updateStrategy 'RollingUpdate'"
        yield invalid_value(f"{field}.rollingUpdate", rolling, why)
