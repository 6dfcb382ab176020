"""Names of the pods and claims of StatefulSets."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from clientgen._json import part, parts

from .objects import owner_reference
from .pod_control import from_template

REVISION: Final = "controller-revision-hash"
_MAX_DIGITS: Final = 9


def ordinals_of(stateful_set: dict[str, Any]) -> range:
    """Return the ordinals that the pods of a StatefulSet shall have."""
    spec = stateful_set["spec"]
    start: int = part(spec, "ordinals").get("start") or 0
    return range(start, start + (spec.get("replicas") or 0))


def ordinal_of(stateful_set: dict[str, Any], pod: dict[str, Any]) -> int | None:
    """Return the ordinal in the name of a pod; None if the name is another one."""
    prefix, name = f"{stateful_set['metadata']['name']}-", pod["metadata"]["name"]
    text = name.removeprefix(prefix)
    if text == name or not text.isdecimal() or len(text) > _MAX_DIGITS:
        return None
    return int(text)


def new_pod(
    stateful_set: dict[str, Any], ordinal: int, template: dict[str, Any], revision: str
) -> dict[str, Any]:
    """Return the pod with an ordinal."""
    metadata, name = stateful_set["metadata"], f"{stateful_set['metadata']['name']}-{ordinal}"
    pod = from_template(template, metadata["name"])
    pod["metadata"]["name"] = name
    own = {
        REVISION: revision,
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": str(ordinal),
    }
    pod["metadata"]["labels"] = {**part(pod["metadata"], "labels"), **own}
    spec = pod["spec"]
    spec["hostname"] = name
    if stateful_set["spec"].get("serviceName"):
        spec["subdomain"] = stateful_set["spec"]["serviceName"]
    volumes = {
        each["metadata"]["name"]: _claim_name(stateful_set, each, ordinal)
        for each in parts(stateful_set["spec"], "volumeClaimTemplates")
    }
    if volumes:
        own_volumes = [
            {"name": each, "persistentVolumeClaim": {"claimName": claim}}
            for each, claim in volumes.items()
        ]
        others = [each for each in parts(spec, "volumes") if each["name"] not in volumes]
        spec["volumes"] = [*own_volumes, *others]
    return pod


def _claim_name(stateful_set: dict[str, Any], template: dict[str, Any], ordinal: int) -> str:
    return f"{template['metadata']['name']}-{stateful_set['metadata']['name']}-{ordinal}"


def claims_of(stateful_set: dict[str, Any], ordinal: int) -> list[dict[str, Any]]:
    """Return the claims of the pod with an ordinal."""
    metadata, spec = stateful_set["metadata"], stateful_set["spec"]
    policy = part(spec, "persistentVolumeClaimRetentionPolicy").get("whenDeleted")
    claims: list[dict[str, Any]] = []
    for template in parts(spec, "volumeClaimTemplates"):
        given = part(template, "metadata")
        labels = {**part(given, "labels"), **part(part(spec, "selector"), "matchLabels")}
        claim: dict[str, Any] = {
            "metadata": {
                "name": _claim_name(stateful_set, template, ordinal),
                "namespace": metadata["namespace"],
                "labels": labels,
            },
            "spec": deepcopy(part(template, "spec")),
        }
        if given.get("annotations"):
            claim["metadata"]["annotations"] = dict(given["annotations"])
        if policy == "Delete":
            claim["metadata"]["ownerReferences"] = [owner_reference(stateful_set)]
        claims.append(claim)
    return claims
