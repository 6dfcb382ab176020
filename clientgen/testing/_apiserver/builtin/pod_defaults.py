"""Defaults of Pods and of pod templates in workloads.

The rules are those of the API reference ("Defaults to ..." of PodSpec, Container and Volume).
"""

from __future__ import annotations

import re
from typing import Any, Final

from clientgen._apimachinery.optional_parts import part, parts

from ..kinds.defaults import defaults

__all__ = ["containers_of"]

_IMAGE: Final = re.compile(
    r"(?P<name>[a-z0-9]+([._:/-]+[a-z0-9]+)*?)(:(?P<tag>[A-Za-z0-9_][\w.-]{0,127}))?(?P<digest>@[^@]+)?"
)
_MODE_0644: Final = 0o644


def containers_of(spec: dict[str, Any], *, ephemeral: bool = False) -> list[dict[str, Any]]:
    """The containers of a pod, those that run first at first."""
    fields = ["initContainers", "containers", *(["ephemeralContainers"] if ephemeral else [])]
    return [container for field in fields for container in parts(spec, field)]


@defaults("core.v1.Pod")
def _pod(pod: dict[str, Any]) -> None:
    spec = pod.setdefault("spec", {})
    for container in containers_of(spec):
        resources = part(container, "resources")
        if resources.get("limits"):
            resources["requests"] = {**resources["limits"], **part(resources, "requests")}
    _share_limits(spec)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork"):
        _publish(spec)


def _share_limits(spec: dict[str, Any]) -> None:
    """A pod asks for what it is limited to, where no container asks for anything."""
    limits = part(part(spec, "resources"), "limits")
    asked = {
        name
        for container in containers_of(spec)
        for name in part(part(container, "resources"), "requests")
    }
    shared = {
        name: amount
        for name, amount in limits.items()
        if name not in asked and (name in ("cpu", "memory") or name.startswith("hugepages-"))
    }
    if shared:
        resources = spec["resources"]
        resources["requests"] = {**shared, **part(resources, "requests")}


def _publish(spec: dict[str, Any]) -> None:
    """With the network of the host, the ports of containers are its ports."""
    for container in containers_of(spec):
        for port in parts(container, "ports"):
            if not port.get("hostPort") and port.get("containerPort"):
                port["hostPort"] = port["containerPort"]


@defaults("core.v1.PodSpec")
def _pod_spec(spec: dict[str, Any]) -> None:
    spec["dnsPolicy"] = spec.get("dnsPolicy") or "ClusterFirst"
    spec["restartPolicy"] = spec.get("restartPolicy") or "Always"
    spec["schedulerName"] = spec.get("schedulerName") or "default-scheduler"
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if spec.get("terminationGracePeriodSeconds") is None:
        spec["terminationGracePeriodSeconds"] = 30
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        # `serviceAccount` is the old name of the member.
        spec["serviceAccountName"] = spec["serviceAccount"] = account


@defaults("core.v1.PodStatus")
def _pod_status(status: dict[str, Any]) -> None:
    """The first of several addresses is the address."""
    if status.get("podIP") and not status.get("podIPs"):
        status["podIPs"] = [{"ip": status["podIP"]}]
    elif status.get("podIPs"):
        status["podIP"] = status["podIPs"][0].get("ip", "")


@defaults("core.v1.Container", "core.v1.EphemeralContainer")
def _container(container: dict[str, Any]) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = _pull_policy(container.get("image") or "")
    container["terminationMessagePath"] = (
        container.get("terminationMessagePath") or "/dev/termination-log"
    )
    container["terminationMessagePolicy"] = container.get("terminationMessagePolicy") or "File"


def _pull_policy(image: str) -> str:
    found = _IMAGE.fullmatch(image)
    if found is None:
        return "IfNotPresent"
    latest = found["tag"] == "latest" or not (found["tag"] or found["digest"])
    return "Always" if latest else "IfNotPresent"


@defaults("core.v1.Probe")
def _probe(probe: dict[str, Any]) -> None:
    for field, preset in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        probe[field] = probe.get(field) or preset


@defaults("core.v1.HTTPGetAction")
def _http_get(action: dict[str, Any]) -> None:
    action["path"] = action.get("path") or "/"
    action["scheme"] = action.get("scheme") or "HTTP"


@defaults("core.v1.GRPCAction")
def _grpc(action: dict[str, Any]) -> None:
    if action.get("service") is None:
        action["service"] = ""


@defaults("core.v1.ObjectFieldSelector")
def _field_selector(selector: dict[str, Any]) -> None:
    selector["apiVersion"] = selector.get("apiVersion") or "v1"


@defaults("core.v1.FileKeySelector")
def _file_key(selector: dict[str, Any]) -> None:
    if selector.get("optional") is None:
        selector["optional"] = False


@defaults("core.v1.Volume")
def _volume(volume: dict[str, Any]) -> None:
    if not any(value is not None for field, value in volume.items() if field != "name"):
        volume["emptyDir"] = {}
    image = volume.get("image")
    if image is not None and not image.get("pullPolicy"):
        image["pullPolicy"] = _pull_policy(image.get("reference") or "")


@defaults(
    "core.v1.SecretVolumeSource",
    "core.v1.ConfigMapVolumeSource",
    "core.v1.DownwardAPIVolumeSource",
    "core.v1.ProjectedVolumeSource",
)
def _mode(source: dict[str, Any]) -> None:
    if source.get("defaultMode") is None:
        source["defaultMode"] = _MODE_0644


@defaults("core.v1.ServiceAccountTokenProjection")
def _token(projection: dict[str, Any]) -> None:
    if projection.get("expirationSeconds") is None:
        projection["expirationSeconds"] = 3600


@defaults("core.v1.HostPathVolumeSource")
def _host_path(source: dict[str, Any]) -> None:
    if source.get("type") is None:
        source["type"] = ""


@defaults("core.v1.AzureDiskVolumeSource")
def _azure_disk(source: dict[str, Any]) -> None:
    if source.get("readOnly") is None:
        source["readOnly"] = False


@defaults("core.v1.VolumeProjection")
def _projection(source: dict[str, Any]) -> None:
    """Take away what is behind feature gates that are off unless somebody turns them on."""
    for member in ("clusterTrustBundle", "podCertificate"):
        source.pop(member, None)
