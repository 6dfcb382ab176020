"""What objects of other kinds than pods are warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.optional_parts import part, parts, texts

from ..kinds.shared.ip_warnings import address_warnings, network_warnings, quoted
from .warning import warns

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

_CLASS: Final = "kubernetes.io/ingress.class"
_STATIC: Final = ".static.k8s.io"
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
