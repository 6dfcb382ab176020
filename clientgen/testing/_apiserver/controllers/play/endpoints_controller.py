"""EndpointSlices and Endpoints: the pods behind each Service that has a selector.

https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .control_plane import Controller
from .objects import key, owner_reference
from .played_kinds import ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES
from .pod_state import is_going, is_ready, phase_of
from .service_ports import ports_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX_ENDPOINTS_PER_SLICE: Final = 100
_MAX_ADDRESSES: Final = 1000
_HEADLESS: Final = "service.kubernetes.io/headless"
_NAME: Final = "kubernetes.io/service-name"
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_ENDPOINTS_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"


class _Services(Controller):
    """What both controllers do: they look at the Services that select a pod."""

    kind: str

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield Services: those that select a pod, or that an object belongs to."""
        value = after or before
        assert value is not None, "something changed"
        if kind == SERVICES:
            yield key(value)
        elif kind == PODS:
            if before is after or _concerns(before) != _concerns(after):
                yield from self._selecting(before, after)
        elif after is None or before is not after:
            namespace, metadata = value["metadata"]["namespace"], value["metadata"]
            yield f"{namespace}/{part(metadata, 'labels').get(_NAME) or metadata['name']}"

    def _selecting(self, *pods: dict[str, Any] | None) -> Iterable[str]:
        there = [each for each in pods if each is not None]
        for service in self._plane.objects.all(SERVICES, there[0]["metadata"]["namespace"]):
            selector = part(part(service, "spec"), "selector")
            if selector and any(_selects(selector, each) for each in there):
                yield key(service)

    def _pods(self, service: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the pods behind a Service that have an address, in order."""
        selector = part(service["spec"], "selector")
        return [
            pod
            for pod in self._plane.objects.all(PODS, service["metadata"]["namespace"])
            if _selects(selector, pod)
            and _is_version_4(part(pod, "status").get("podIP"))
            and phase_of(pod) not in FINAL_PHASES
        ]

    def _service(self, key: str) -> dict[str, Any] | None:
        service = self._plane.objects.get(SERVICES, key)
        if service is None or not part(part(service, "spec"), "selector"):
            return None
        return None if service["spec"].get("type") == "ExternalName" else service


class EndpointSlices(_Services):
    """The controller of EndpointSlices."""

    name = "endpointslice-controller"
    needs = (PODS, SERVICES, ENDPOINT_SLICES)
    watches = (SERVICES, PODS, ENDPOINT_SLICES)

    def sync(self, key: str) -> None:
        """Write the slices of one Service: one for a hundred pods with the same ports."""
        service = self._service(key)
        if service is None or is_going(service):
            return
        wanted = [
            (ports, [self._endpoint(service, pod) for pod in chunk])
            for ports, pods in _by_ports(service, self._pods(service))
            for chunk in _chunks(pods)
        ]
        metadata, objects = service["metadata"], self._plane.objects
        slices = objects.controlled(ENDPOINT_SLICES, metadata["uid"], metadata["namespace"])
        slices = [each for each in slices if not is_going(each)]
        for index, (ports, endpoints) in enumerate(wanted or [([], [])]):
            if index < len(slices):
                self._renew(slices[index], service, ports, endpoints)
            else:
                self._create(service, ports, endpoints)
        for each in slices[max(1, len(wanted)) :]:
            objects.delete(ENDPOINT_SLICES, each)

    def _create(
        self, service: dict[str, Any], ports: list[dict[str, Any]], endpoints: list[dict[str, Any]]
    ) -> None:
        metadata = service["metadata"]
        value = {
            "metadata": {
                "generateName": f"{metadata['name']}-",
                "namespace": metadata["namespace"],
                "labels": _labels(service, self.name),
                "ownerReferences": [owner_reference(service)],
            },
            "addressType": "IPv4",
            "endpoints": endpoints,
            "ports": ports,
        }
        self._plane.objects.create(ENDPOINT_SLICES, value)

    def _renew(
        self,
        known: dict[str, Any],
        service: dict[str, Any],
        ports: list[dict[str, Any]],
        endpoints: list[dict[str, Any]],
    ) -> None:
        labels = _labels(service, self.name)
        now = (parts(known, "ports"), parts(known, "endpoints"), known["metadata"].get("labels"))
        if now == (ports, endpoints, labels):
            return
        changed = self._plane.objects.copy(ENDPOINT_SLICES, key(known))
        if changed is not None:
            changed["ports"], changed["endpoints"] = ports, endpoints
            changed["metadata"]["labels"] = labels
            self._plane.objects.update(ENDPOINT_SLICES, changed)

    def _endpoint(self, service: dict[str, Any], pod: dict[str, Any]) -> dict[str, Any]:
        serving, terminating = is_ready(pod), is_going(pod)
        always = bool(service["spec"].get("publishNotReadyAddresses"))
        endpoint: dict[str, Any] = {
            "addresses": [pod["status"]["podIP"]],
            "conditions": {
                "ready": always or (serving and not terminating),
                "serving": serving or always,
                "terminating": terminating,
            },
            "targetRef": _reference(pod),
        }
        if pod["spec"].get("nodeName"):
            endpoint["nodeName"] = pod["spec"]["nodeName"]
            if zone := self._zone(pod["spec"]["nodeName"]):
                endpoint["zone"] = zone
        if _has_hostname(service, pod):
            endpoint["hostname"] = pod["spec"]["hostname"]
        return endpoint

    def _zone(self, name: str) -> str:
        if self._plane.objects.view(NODES) is None:
            return ""
        node = self._plane.objects.get(NODES, name)
        labels = part(node["metadata"], "labels") if node is not None else {}
        return str(labels.get("topology.kubernetes.io/zone", ""))


class EndpointsController(_Services):
    """The controller of Endpoints, which are older and deprecated."""

    name = "endpoint-controller"
    needs = (PODS, SERVICES, ENDPOINTS)
    watches = (SERVICES, PODS)

    def sync(self, key: str) -> None:
        """Write the Endpoints of one Service, or delete those of one that is gone."""
        objects, service = self._plane.objects, self._service(key)
        known = objects.copy(ENDPOINTS, key)
        if service is None:
            labels = part(known["metadata"], "labels") if known is not None else {}
            gone = objects.get(SERVICES, key) is None
            if known is not None and gone and labels.get(_ENDPOINTS_MANAGED_BY) == self.name:
                objects.delete(ENDPOINTS, known)
            return
        if is_going(service):
            return
        labels = {**part(service["metadata"], "labels"), _ENDPOINTS_MANAGED_BY: self.name}
        if service["spec"].get("clusterIP") in (None, "", "None"):
            labels[_HEADLESS] = ""
        subsets = self._subsets(service)
        if known is None:
            metadata = {
                "name": service["metadata"]["name"],
                "namespace": service["metadata"]["namespace"],
                "labels": labels,
            }
            objects.create(ENDPOINTS, {"metadata": metadata, **_given(subsets)})
        elif (parts(known, "subsets"), known["metadata"].get("labels")) != (subsets, labels):
            known.pop("subsets", None)
            known.update(_given(subsets))
            known["metadata"]["labels"] = labels
            objects.update(ENDPOINTS, known)

    def _subsets(self, service: dict[str, Any]) -> list[dict[str, Any]]:
        always = bool(service["spec"].get("publishNotReadyAddresses"))
        subsets: list[dict[str, Any]] = []
        pods = [pod for pod in self._pods(service) if always or not is_going(pod)]
        for ports, group in _by_ports(service, pods[:_MAX_ADDRESSES]):
            ready = [_address(service, pod) for pod in group if always or is_ready(pod)]
            others = [_address(service, pod) for pod in group if not (always or is_ready(pod))]
            subset: dict[str, Any] = {}
            if ready:
                subset["addresses"] = sorted(ready, key=lambda each: str(each["ip"]))
            if others:
                subset["notReadyAddresses"] = sorted(others, key=lambda each: str(each["ip"]))
            if ports:
                subset["ports"] = [_without_empty_name(each) for each in ports]
            subsets.append(subset)
        return subsets


def _is_version_4(address: str | None) -> bool:
    """Return whether a pod has an address of the kind that Services have here."""
    return bool(address) and ":" not in (address or "")


def _chunks(pods: Sequence[dict[str, Any]]) -> Iterable[Sequence[dict[str, Any]]]:
    for first in range(0, len(pods), _MAX_ENDPOINTS_PER_SLICE):
        yield pods[first : first + _MAX_ENDPOINTS_PER_SLICE]


def _without_empty_name(port: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in port.items() if name != "name" or value}


def _concerns(pod: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return what of a pod stands in endpoints."""
    if pod is None:
        return ()
    return (
        pod["metadata"].get("labels"),
        pod["metadata"]["uid"],
        part(pod, "status").get("podIP"),
        phase_of(pod) in FINAL_PHASES,
        is_ready(pod),
        is_going(pod),
    )


def _selects(selector: dict[str, str], pod: dict[str, Any]) -> bool:
    return selector.items() <= part(pod["metadata"], "labels").items()


def _by_ports(
    service: dict[str, Any], pods: Iterable[dict[str, Any]]
) -> Iterable[tuple[list[dict[str, Any]], Sequence[dict[str, Any]]]]:
    """Group pods by the ports that they have for a Service."""
    groups: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []
    for pod in pods:
        ports = ports_of(service, pod)
        for known, group in groups:
            if known == ports:
                group.append(pod)
                break
        else:
            groups.append((ports, [pod]))
    return groups


def _labels(service: dict[str, Any], manager: str) -> dict[str, str]:
    labels = {**part(service["metadata"], "labels")}
    if service["spec"].get("clusterIP") in (None, "", "None"):
        labels[_HEADLESS] = ""
    return {**labels, _NAME: service["metadata"]["name"], _MANAGED_BY: f"{manager}.k8s.io"}


def _reference(pod: dict[str, Any]) -> dict[str, str]:
    metadata = pod["metadata"]
    return {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def _has_hostname(service: dict[str, Any], pod: dict[str, Any]) -> bool:
    spec = pod["spec"]
    return bool(spec.get("hostname")) and spec.get("subdomain") == service["metadata"]["name"]


def _address(service: dict[str, Any], pod: dict[str, Any]) -> dict[str, Any]:
    address: dict[str, Any] = {"ip": pod["status"]["podIP"]}
    if _has_hostname(service, pod):
        address["hostname"] = pod["spec"]["hostname"]
    return {**address, "nodeName": pod["spec"].get("nodeName", ""), "targetRef": _reference(pod)}


def _given(subsets: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the field as it is in an object: absent if it is empty."""
    return {"subsets": subsets} if subsets else {}
