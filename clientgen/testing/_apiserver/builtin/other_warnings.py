"""What objects of other kinds than pods are warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.ip_warnings import address_warnings, network_warnings, quoted
from ..kinds.shared.node_labels import expression_warnings, label_warning
from .pod_warnings import claim_spec_warnings
from .warning import warns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__: list[str] = []

_CLASS: Final = "kubernetes.io/ingress.class"
_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_STATIC: Final = ".static.k8s.io"
_VOLUME_ANNOTATIONS: Final[Mapping[str, str]] = {
    _BETA_CLASS: 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}
_VOLUMES: Final[Mapping[str, str]] = {
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SHOWN_AS: Final[Mapping[str, str]] = {"storageos": "storageOS"}
_ADMISSION: Final = (
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
)


def _annotations(obj: dict[str, Any]) -> dict[str, Any]:
    return part(obj["metadata"], "annotations")


# ------------------------------------------------------------------------------- services


@warns("", "services", part="status")
def _service_status(service: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    ingress = parts(part(part(service, "status"), "loadBalancer"), "ingress")
    for index, each in enumerate(ingress):
        if each.get("ip"):
            yield from address_warnings(f"status.loadBalancer.ingress[{index}]", each["ip"])


warns("networking.k8s.io", "ingresses", part="status")(_service_status)


@warns("networking.k8s.io", "ingresses")
def _ingress(ingress: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    named = ingress["spec"].get("ingressClassName") is not None
    if old is None and not named and _CLASS in _annotations(ingress):
        yield (
            f"annotation {quoted(_CLASS)} is deprecated, please use 'spec.ingressClassName' instead"
        )


@warns("networking.k8s.io", "networkpolicies")
def _policy(policy: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    for direction, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(parts(policy["spec"], direction)):
            for number, peer in enumerate(parts(rule, peers)):
                block = part(peer, "ipBlock")
                at = f"spec.{direction}[{index}].{peers}[{number}].ipBlock"
                if block:
                    yield from network_warnings(f"{at}.cidr", block["cidr"])
                for count, inner in enumerate(texts(block, "except")):
                    yield from network_warnings(f"{at}.except[{count}]", inner)


# -------------------------------------------------------------------------------- storage


@warns("", "persistentvolumes")
def _volume(volume: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    spec = volume["spec"]
    for name, said in _VOLUME_ANNOTATIONS.items():
        if name in _annotations(volume):
            yield f"metadata.annotations[{name}]: {said}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        said = "Instead, the recommended approach is to use dynamic provisioning."
        at = "spec.persistentVolumeReclaimPolicy"
        yield f"{at}: The Recycle reclaim policy is deprecated. {said}"
    terms = parts(part(part(spec, "nodeAffinity"), "required"), "nodeSelectorTerms")
    for index, term in enumerate(terms):
        at = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        yield from expression_warnings(term, at)
    for kind, said in _VOLUMES.items():
        if spec.get(kind) is not None:
            yield f"spec.{_SHOWN_AS.get(kind, kind)}: {said}"


@warns("", "persistentvolumeclaims")
def _claim(claim: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    if _BETA_CLASS in _annotations(claim):
        said = 'deprecated since v1.8; use "storageClassName" attribute instead'
        yield f"metadata.annotations[{_BETA_CLASS}]: {said}"
    yield from claim_spec_warnings(claim["spec"], "spec")


@warns("storage.k8s.io", "storageclasses")
def _storage_class(storage: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    for index, topology in enumerate(parts(storage, "allowedTopologies")):
        for number, expression in enumerate(parts(topology, "matchLabelExpressions")):
            if said := label_warning(expression.get("key") or ""):
                at = f"allowedTopologies[{index}].matchLabelExpressions[{number}].key"
                yield f"{at}: {said}"


@warns("storage.k8s.io", "csistoragecapacities")
def _capacity(capacity: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    topology = part(capacity, "nodeTopology")
    yield from expression_warnings(topology, "nodeTopology")
    for label in part(topology, "matchLabels"):
        if said := label_warning(label):
            yield f"nodeTopology.matchLabels.{label}: {said}"


@warns("storage.k8s.io", "csidrivers")
def _driver(driver: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    spec = driver["spec"]
    asked = spec.get("tokenRequests")
    changed = old is None or old["spec"].get("tokenRequests") != asked
    if asked and changed and spec.get("serviceAccountTokenInSecrets") is None:
        yield (
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to "
            "true to prevent possible logging of tokens in volume attributes"
        )


# ---------------------------------------------------------------------------- small kinds


@warns("resource.k8s.io", "resourceslices")
def _resource_slice(resources: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    driver = resources["spec"].get("driver") or ""
    if driver != driver.lower():
        said = f"driver names should be lowercase; {quoted(driver)} contains uppercase characters"
        yield f"spec.driver: {said}"


@warns("admissionregistration.k8s.io", *_ADMISSION)
def _static(obj: dict[str, Any], old: dict[str, Any] | None) -> Iterator[str]:
    del old
    if (obj["metadata"].get("name") or "").endswith(_STATIC):
        yield (
            f"metadata.name: names ending with {quoted(_STATIC)} are reserved for static "
            "manifest-based configurations and cannot be managed via the API"
        )
