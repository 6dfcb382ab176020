"""Defaults of the specs of pods, which pod templates have too.

The rules are those of the API reference ("Defaults to ..." of PodSpec, Container and Volume).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import parts

from ..defaults import TypeDefaults, set_empty, set_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

_IMAGE: Final = re.compile(
    r"(?P<name>[a-z0-9]+([._:/-]+[a-z0-9]+)*?)(:(?P<tag>[A-Za-z0-9_][\w.-]{0,127}))?(?P<digest>@[^@]+)?"
)
_MODE_0644: Final = 0o644


def containers_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """List the containers of a pod, in the order in which they start."""
    return [*parts(spec, "initContainers"), *parts(spec, "containers")]


def _pod_spec(spec: dict[str, Any]) -> None:
    set_empty(
        spec, dnsPolicy="ClusterFirst", restartPolicy="Always", schedulerName="default-scheduler"
    )
    set_missing(spec, securityContext={}, terminationGracePeriodSeconds=30)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        # `serviceAccount` is the old name of the member.
        spec["serviceAccountName"] = spec["serviceAccount"] = account


def _container(container: dict[str, Any]) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = _pull_policy(container.get("image") or "")
    set_empty(
        container,
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
    )


def _pull_policy(image: str) -> str:
    match = _IMAGE.fullmatch(image)
    if match is None:
        return "IfNotPresent"
    latest = match["tag"] == "latest" or not (match["tag"] or match["digest"])
    return "Always" if latest else "IfNotPresent"


def _probe(probe: dict[str, Any]) -> None:
    for field, preset in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        probe[field] = probe.get(field) or preset


def _http_get(action: dict[str, Any]) -> None:
    set_empty(action, path="/", scheme="HTTP")


def _grpc(action: dict[str, Any]) -> None:
    set_missing(action, service="")


def _field_selector(selector: dict[str, Any]) -> None:
    set_empty(selector, apiVersion="v1")


def _file_key(selector: dict[str, Any]) -> None:
    set_missing(selector, optional=False)


def _volume(volume: dict[str, Any]) -> None:
    if not any(value is not None for field, value in volume.items() if field != "name"):
        volume["emptyDir"] = {}
    image = volume.get("image")
    if image is not None and not image.get("pullPolicy"):
        image["pullPolicy"] = _pull_policy(image.get("reference") or "")


def _mode(source: dict[str, Any]) -> None:
    set_missing(source, defaultMode=_MODE_0644)


def _token(projection: dict[str, Any]) -> None:
    set_missing(projection, expirationSeconds=3600)


def _host_path(source: dict[str, Any]) -> None:
    set_missing(source, type="")


def _azure_disk(source: dict[str, Any]) -> None:
    set_missing(source, readOnly=False)


def _projection(source: dict[str, Any]) -> None:
    """Drop sources that are behind feature gates, which are off."""
    for member in ("clusterTrustBundle", "podCertificate"):
        source.pop(member, None)


TYPES: Final[Mapping[str, TypeDefaults]] = {
    "core.v1.PodSpec": TypeDefaults(fill=_pod_spec),
    "core.v1.Container": TypeDefaults(fill=_container),
    "core.v1.EphemeralContainer": TypeDefaults(fill=_container),
    "core.v1.Probe": TypeDefaults(fill=_probe),
    "core.v1.HTTPGetAction": TypeDefaults(fill=_http_get),
    "core.v1.GRPCAction": TypeDefaults(fill=_grpc),
    "core.v1.ObjectFieldSelector": TypeDefaults(fill=_field_selector),
    "core.v1.FileKeySelector": TypeDefaults(fill=_file_key),
    "core.v1.Volume": TypeDefaults(fill=_volume),
    "core.v1.SecretVolumeSource": TypeDefaults(fill=_mode),
    "core.v1.ConfigMapVolumeSource": TypeDefaults(fill=_mode),
    "core.v1.DownwardAPIVolumeSource": TypeDefaults(fill=_mode),
    "core.v1.ProjectedVolumeSource": TypeDefaults(fill=_mode),
    "core.v1.ServiceAccountTokenProjection": TypeDefaults(fill=_token),
    "core.v1.HostPathVolumeSource": TypeDefaults(fill=_host_path),
    "core.v1.AzureDiskVolumeSource": TypeDefaults(fill=_azure_disk),
    "core.v1.VolumeProjection": TypeDefaults(fill=_projection),
}
