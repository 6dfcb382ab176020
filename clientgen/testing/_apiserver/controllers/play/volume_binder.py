"""Binds claims to volumes: one that fits, or a new one.

Protected volumes and claims are removed when they are no longer in use. Storage classes do not
count: every claim without a volume gets one at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts, texts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from ...kinds.shared.quantities import amount
from .control_plane import Controller
from .objects import key
from .played_kinds import CLAIMS, PODS, VOLUMES
from .pod_state import is_going, phase_of

if TYPE_CHECKING:
    from collections.abc import Iterable

PROTECTED: Final = "kubernetes.io/pvc-protection"
VOLUME_PROTECTED: Final = "kubernetes.io/pv-protection"
_BOUND: Final = {
    "pv.kubernetes.io/bind-completed": "yes",
    "pv.kubernetes.io/bound-by-controller": "yes",
}
_PROVISIONER: Final = "play.clientgen.example"


class Volumes(Controller):
    """Binds claims, provisions volumes, and lets both go."""

    name = "persistentvolume-controller"
    needs = (CLAIMS, VOLUMES, PODS)
    watches = (CLAIMS, VOLUMES, PODS)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield claims as `namespace/name`, and volumes by their name."""
        value = after or before
        assert value is not None, "something changed"
        if kind in (CLAIMS, VOLUMES):
            yield key(value)
            if kind == CLAIMS and after is None:
                yield from filter(None, [part(value, "spec").get("volumeName")])
        elif after is None or phase_of(after) in FINAL_PHASES:
            namespace = value["metadata"].get("namespace", "")
            yield from (f"{namespace}/{each}" for each in claims_of(value))

    def sync(self, key: str) -> None:
        """Look at a claim or a volume."""
        if "/" in key:
            self._sync_claim(key)
        else:
            self._sync_volume(key)

    def _sync_claim(self, key: str) -> None:
        claim = self._plane.objects.copy(CLAIMS, key)
        if claim is None:
            return
        if is_going(claim):
            self._unprotect(CLAIMS, claim, PROTECTED, in_use=self._is_used(claim))
        elif part(claim, "status").get("phase") != "Bound":
            self._bind(claim, self._find(claim) or self._provision(claim))

    def _is_used(self, claim: dict[str, Any]) -> bool:
        metadata = claim["metadata"]
        return any(
            metadata["name"] in claims_of(pod)
            for pod in self._plane.objects.all(PODS, metadata["namespace"])
            if phase_of(pod) not in FINAL_PHASES
        )

    def _unprotect(self, kind: str, value: dict[str, Any], name: str, *, in_use: bool) -> None:
        finalizers = texts(value["metadata"], "finalizers")
        if in_use or name not in finalizers:
            return
        value["metadata"]["finalizers"] = [each for each in finalizers if each != name]
        self._plane.objects.update(kind, value)

    # --------------------------------------------------------------------------- binding

    def _find(self, claim: dict[str, Any]) -> dict[str, Any] | None:
        """Return the smallest volume that a claim names or fits."""
        spec = claim["spec"]
        if spec.get("volumeName"):
            return self._plane.objects.copy(VOLUMES, spec["volumeName"])
        fitting = [each for each in self._plane.objects.all(VOLUMES) if _fits(claim, each)]
        if not fitting:
            return None
        return self._plane.objects.copy(VOLUMES, key(min(fitting, key=_size)))

    def _provision(self, claim: dict[str, Any]) -> dict[str, Any] | None:
        metadata, spec = claim["metadata"], claim["spec"]
        if spec.get("volumeName") or part(spec, "selector"):
            return None  # it is to be a certain one, which is not there
        name = f"pvc-{metadata['uid']}"
        volume: dict[str, Any] = {
            "metadata": {
                "name": name,
                "annotations": {"pv.kubernetes.io/provisioned-by": _PROVISIONER},
            },
            "spec": {
                "capacity": {"storage": part(part(spec, "resources"), "requests")["storage"]},
                "accessModes": texts(spec, "accessModes"),
                "persistentVolumeReclaimPolicy": "Delete",
                "volumeMode": spec.get("volumeMode", "Filesystem"),
                "csi": {"driver": _PROVISIONER, "volumeHandle": name},
            },
        }
        if spec.get("storageClassName"):
            volume["spec"]["storageClassName"] = spec["storageClassName"]
        volume = self._plane.objects.create(VOLUMES, volume)
        self._record(claim, "ProvisioningSucceeded", f"Successfully provisioned volume {name}")
        return volume

    def _bind(self, claim: dict[str, Any], volume: dict[str, Any] | None) -> None:
        objects, metadata = self._plane.objects, claim["metadata"]
        if volume is None:
            return
        volume["spec"]["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "namespace": metadata["namespace"],
            "name": metadata["name"],
            "uid": metadata["uid"],
            "apiVersion": "v1",
            "resourceVersion": metadata["resourceVersion"],
        }
        volume = objects.update(VOLUMES, volume)
        volume["status"] = {"phase": "Bound", "lastPhaseTransitionTime": self._plane.timestamp()}
        objects.update_status(VOLUMES, volume)
        claim["spec"]["volumeName"] = volume["metadata"]["name"]
        metadata["annotations"] = {**part(metadata, "annotations"), **_BOUND}
        claim = objects.update(CLAIMS, claim)
        claim["status"] = {
            "phase": "Bound",
            "accessModes": volume["spec"].get("accessModes", []),
            "capacity": dict(volume["spec"].get("capacity", {})),
        }
        objects.update_status(CLAIMS, claim)

    # --------------------------------------------------------------------------- volumes

    def _sync_volume(self, key: str) -> None:
        volume = self._plane.objects.copy(VOLUMES, key)
        if volume is None:
            return
        reference = part(volume["spec"], "claimRef")
        claim = self._claim(reference)
        if is_going(volume):
            self._unprotect(VOLUMES, volume, VOLUME_PROTECTED, in_use=claim is not None)
        elif not reference:
            self._set_phase(volume, "Available")
            self._offer(volume)
        elif claim is None and reference.get("uid"):
            if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
                self._plane.objects.delete(VOLUMES, volume)
            else:
                self._set_phase(volume, "Released")

    def _claim(self, reference: dict[str, Any]) -> dict[str, Any] | None:
        if not reference:
            return None
        place = f"{reference.get('namespace', '')}/{reference.get('name', '')}"
        claim = self._plane.objects.get(CLAIMS, place)
        same = claim is not None and claim["metadata"]["uid"] == reference.get("uid")
        return claim if same else None

    def _set_phase(self, volume: dict[str, Any], phase: str) -> None:
        if part(volume, "status").get("phase") != phase:
            now = self._plane.timestamp()
            volume["status"] = {"phase": phase, "lastPhaseTransitionTime": now}
            self._plane.objects.update_status(VOLUMES, volume)

    def _offer(self, volume: dict[str, Any]) -> None:
        """Look again at claims that wait for a certain volume."""
        for claim in self._plane.objects.all(CLAIMS):
            waits = part(claim, "status").get("phase") != "Bound"
            named = part(claim, "spec").get("volumeName")
            if waits and (named == volume["metadata"]["name"] or _fits(claim, volume)):
                self._plane.come_back(self, key(claim), 0)


def claims_of(pod: dict[str, Any]) -> list[str]:
    """Return the names of the claims that a pod uses."""
    volumes = parts(part(pod, "spec"), "volumes")
    found = (part(each, "persistentVolumeClaim").get("claimName") for each in volumes)
    return [each for each in found if each]


def _size(volume: dict[str, Any]) -> Any:
    return amount(part(part(volume, "spec"), "capacity").get("storage", "0"))


def _fits(claim: dict[str, Any], volume: dict[str, Any]) -> bool:
    """Return whether a volume is free, and large enough."""
    spec, wanted = part(volume, "spec"), part(claim, "spec")
    if part(spec, "claimRef") or is_going(volume):
        return False
    if (spec.get("storageClassName") or "") != (wanted.get("storageClassName") or ""):
        return False
    if not set(texts(wanted, "accessModes")) <= set(texts(spec, "accessModes")):
        return False
    needed = amount(part(part(wanted, "resources"), "requests").get("storage", "0"))
    return bool(_size(volume) >= needed)
