"""The zero values of built-in objects.

The server keeps built-in kinds in structures of which some parts are always there: every Deployment
has a spec, with a strategy and a template in it. Nobody owns the existence of such parts, only what
is in them; so a new object is compared not with nothing but with its empty structure. Custom kinds
have no such parts. The table says which members are parts; a member that is required is never
absent either, but empty, unless the server leaves it out when it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding.presence import presence
from clientgen._json import is_object

from .ownership_shapes import is_built_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clientgen._openapi.resolved import ResolvedSchema

_META: Final = frozenset(["apiVersion", "kind", "metadata"])
_KIND_PARTS: Final = ("spec", "status")
_POINTERS: Final = frozenset(
    {
        ("ResourcePoolStatusRequest", "status"),
    }
)
_ZERO: Final[Mapping[str, Any]] = {"string": "", "integer": 0, "number": 0, "boolean": False}
_PARTS: Final[Mapping[str, str]] = {
    "Binding": "target",
    "CronJobSpec": "jobTemplate",
    "CustomResourceDefinitionSpec": "names",
    "CustomResourceDefinitionStatus": "acceptedNames",
    "DaemonSetSpec": "template updateStrategy",
    "DeploymentSpec": "strategy template",
    "DeviceTaintRuleSpec": "taint",
    "Event": "involvedObject source reportingComponent reportingInstance firstTimestamp"
    " lastTimestamp eventTime regarding deprecatedSource deprecatedFirstTimestamp"
    " deprecatedLastTimestamp",
    "FlowSchemaSpec": "priorityLevelConfiguration matchingPrecedence",
    "HorizontalPodAutoscalerSpec": "scaleTargetRef",
    "IngressStatus": "loadBalancer",
    "JobSpec": "template",
    "JobTemplateSpec": "metadata spec",
    "NetworkPolicySpec": "podSelector",
    "NodeDaemonEndpoints": "kubeletEndpoint",
    "NodeStatus": "daemonEndpoints nodeInfo",
    "PersistentVolumeClaimSpec": "resources",
    "PodDisruptionBudgetStatus": "currentHealthy desiredHealthy disruptionsAllowed expectedPods",
    "PodTemplate": "template",
    "PodTemplateSpec": "metadata spec",
    "PriorityClass": "value",
    "ReplicaSetSpec": "template",
    "ReplicationControllerSpec": "minReadySeconds",
    "ResourceClaimSpec": "devices",
    "ResourceClaimTemplateSpec": "metadata spec",
    "ResourceSliceSpec": "pool",
    "RoleBinding": "roleRef",
    "ClusterRoleBinding": "roleRef",
    "RoleRef": "apiGroup",
    "ScaleSpec": "replicas",
    "ServiceStatus": "loadBalancer",
    "StatefulSetSpec": "serviceName template updateStrategy",
    "StatefulSetStatus": "availableReplicas",
    "VolumeAttachmentSpec": "source",
}


def zero_of(kind: ResolvedSchema | None) -> Mapping[str, Any]:
    """Return the zero values that every object of a kind has; not to be changed."""
    if kind is None or not is_built_in(kind):
        return {}
    found: Mapping[str, Any] | None = kind.notes.get("zero")
    if found is None:
        found = kind.notes["zero"] = _zero(kind, _KIND_PARTS)
    return found


def _zero(schema: ResolvedSchema, more: tuple[str, ...] = ()) -> dict[str, Any]:
    name = schema.name.rpartition(".")[2]
    parts = {*_PARTS.get(name, "").split(), *more}
    made: dict[str, Any] = {}
    unsaid = _META | presence(schema.name).droppable
    for member, kind in schema.properties.items():
        if member in parts and (name, member) not in _POINTERS:
            made[member] = _part(kind)
        elif member in schema.required and member not in unsaid:
            made[member] = _ZERO.get(kind.type)
    return made


def _part(schema: ResolvedSchema) -> Any:
    if schema.is_time or schema.is_micro_time:
        return None
    return _zero(schema) if schema.type == "object" else _ZERO.get(schema.type)


def filled(value: Mapping[str, Any], zero: Mapping[str, Any]) -> dict[str, Any]:
    """The object with the parts that it has without saying so."""
    made = {**zero, **value}
    for name, part in zero.items():
        there = value.get(name)
        if is_object(part) and is_object(there):
            made[name] = filled(there, part)
    return made
