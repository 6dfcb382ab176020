"""The Service that `kubectl expose` makes of a workload, a Pod or another Service.

kubectl: pkg/cmd/expose/expose.go, and selectors, ports and protocols in pkg/polymorphichelpers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from .._conditions.json_fields import Json, items, number, part, text
from .._models.arguments import type_of
from ..errors import OperationRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EXPOSED: Final = frozenset(
    {
        ("v1", "Pod"),
        ("v1", "Service"),
        ("v1", "ReplicationController"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "ReplicaSet"),
    }
)
_MAX_NAME: Final = 63
_HEADLESS: Final = "None"
_TCP: Final = "TCP"


class Exposure(Struct, frozen=True):
    """The options of `expose`; None for what is taken from the object."""

    port: int | Sequence[int] | None
    target_port: int | str | None
    protocol: str | None
    name: str | None
    type: str | None
    selector: Mapping[str, str] | None
    labels: Mapping[str, str] | None
    cluster_ip: str | None
    external_ip: str | None
    load_balancer_ip: str | None
    session_affinity: str | None

    def service(self, obj: Json, subject: str) -> Json:
        """Return the manifest of the Service.

        Raises:
            OperationRefused: The object has no selector or no port, or its selector has
                expressions.
            TypeError: A port is not a number.
        """
        labels = part(obj, "metadata", "labels") if self.labels is None else self.labels
        selector = _selector_of(obj, subject) if self.selector is None else self.selector
        metadata: Json = {"name": self.name or text(obj, "metadata", "name")[:_MAX_NAME]}
        if labels:
            metadata["labels"] = dict(labels)
        spec: Json = {"selector": dict(selector), **self._settings()}
        if ports := self._ports(obj, subject):
            spec["ports"] = ports
        return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}

    def _settings(self) -> Json:
        address = self.load_balancer_ip if self.type == "LoadBalancer" else None
        settings: Json = {
            "type": self.type,
            "clusterIP": self.cluster_ip,
            "externalIPs": None if self.external_ip is None else [self.external_ip],
            "loadBalancerIP": address,
            "sessionAffinity": self.session_affinity,
        }
        return {name: value for name, value in settings.items() if value is not None}

    def _ports(self, obj: Json, subject: str) -> list[Json]:
        protocols = _protocols_of(obj)
        numbers = list(protocols) if self.port is None else _numbers(self.port)
        if not numbers and self.cluster_ip != _HEADLESS:
            raise OperationRefused(f"{subject} has no port: port= names one")
        ports: list[Json] = []
        for place, port in enumerate(numbers, start=1):
            name = f"port-{place}" if len(numbers) > 1 else ""
            ports += self._ports_of(port, place, name, protocols.get(port, [_TCP]))
        for each in ports:
            each["targetPort"] = each["port"] if self.target_port is None else self.target_port
        return ports

    def _ports_of(self, port: int, place: int, name: str, protocols: Sequence[str]) -> list[Json]:
        if self.protocol is not None or len(protocols) == 1:
            named = {"name": name} if name else {}
            return [{**named, "port": port, "protocol": self.protocol or protocols[0]}]
        return [
            {"name": f"port-{place}-{each.lower()}", "port": port, "protocol": each}
            for each in protocols
        ]


def check_exposed(api_version: str, kind: str) -> None:
    """Check that objects of a kind can be exposed.

    Raises:
        TypeError: They cannot.
    """
    if (api_version, kind) not in _EXPOSED:
        kinds = ", ".join(sorted(each for _, each in _EXPOSED))
        raise TypeError(f"expose takes one of {kinds}, not {kind}")


def _numbers(port: int | Sequence[int]) -> list[int]:
    numbers = [port] if isinstance(port, (int, str)) else list(port)
    for each in numbers:
        if type(each) is not int:
            raise TypeError(f"expose: a port is a number, not {type_of(each)}")
    return numbers


def _selector_of(obj: Json, subject: str) -> Mapping[str, Any]:
    kind = text(obj, "kind")
    if kind == "Pod":
        selector = part(obj, "metadata", "labels")
    elif kind in ("Service", "ReplicationController"):
        selector = part(obj, "spec", "selector")
    else:
        if part(obj, "spec", "selector").get("matchExpressions"):
            raise OperationRefused(
                f"the selector of {subject} has expressions, which a Service cannot have:"
                " selector= names labels"
            )
        selector = part(obj, "spec", "selector", "matchLabels")
    if not selector:
        what = "labels" if kind == "Pod" else "selector"
        raise OperationRefused(f"{subject} has no {what}: selector= names labels of Pods")
    return selector


def _protocols_of(obj: Json) -> dict[int, list[str]]:
    """Return the protocols of each port."""
    found: dict[int, list[str]] = {}
    for port, protocol in _ports_in(obj):
        found.setdefault(port, []).append(protocol or _TCP)
    return found


def _ports_in(obj: Json) -> Iterable[tuple[int, str]]:
    kind = text(obj, "kind")
    if kind == "Service":
        for each in items(obj, "spec", "ports"):
            yield number(each, "port"), text(each, "protocol")
        return
    path = ("spec",) if kind == "Pod" else ("spec", "template", "spec")
    for container in items(obj, *path, "containers"):
        for each in items(container, "ports"):
            yield number(each, "containerPort"), text(each, "protocol")
