"""Strings that decoded objects share: most strings of an object are in many other objects, too.

msgspec creates a new string for each value, so 5,000 pods have 5,000 strings `Always`. Fields of
strings are therefore decoded as an enum, `SharedText`. Decoding returns strings, not members:

- The common words of Kubernetes are in the table of the enum, where msgspec looks first. That is
  faster than creating a string.
- For any other value, msgspec calls `_missing_`, which returns the string of a pool.

Fields whose values are unique or long, such as `uid`, keep the type `str`. Strings are immutable,
so objects that share them are as independent as before.
"""

from __future__ import annotations

import types
from enum import Enum
from typing import Annotated, Any, Final, Union, get_args, get_origin

_MAX_ENTRIES: Final = 8192
_MAX_TEXT_CHARS: Final = 256

# Attributes whose values are different in each object, or long.
_UNSHARED: Final = frozenset(
    (
        *("binary_data", "ca_bundle", "container_id", "continue_", "data", "ip", "message"),
        *("pod_ip", "resource_version", "string_data", "uid"),
    )
)

# Values of enums, defaults and well-known names: Kubernetes API reference.
_WORDS: Final = """
ALL Aborted Active Allow Always Apply Approved Available BestEffort Bound Burstable ClusterFirst
ClusterIP Complete ConfigMap Container ContainerCreating ContainersReady CrashLoopBackOff CronJob
DaemonSet Default Delete Deployment Directory DirectoryOrCreate DiskPressure DisruptionTarget
DoNotSchedule DoesNotExist Equal ErrImagePull Error Exists Fail Failed False FallbackToLogsOnError
FieldsV1 File Forbid Foreground Guaranteed HTTP HTTPS IPv4 IPv6 IfNotPresent Ignore
ImagePullBackOff Immediate In Initialized Job LoadBalancer Local Localhost Memory MemoryPressure
NET_BIND_SERVICE Never NewReplicaSetAvailable NoExecute NoSchedule Node NodePort None NotIn
OOMKilled OnDelete OnFailure OrderedReady PIDPressure Parallel Pending PersistentVolumeClaim Pod
PodCompleted PodReadyToStartContainers PodScheduled PreemptLowerPriority PreferNoSchedule Prefix
Progressing Ready Recreate ReplicaFailure ReplicaSet Replace Retain RollingUpdate Running
RuntimeDefault SCTP ScheduleAnyway Secret Service ServiceAccount SingleStack StatefulSet Succeeded
Suspended TCP Terminated True UDP Unconfined Unknown Update WaitForFirstConsumer amd64 apps
apps/v1 arm64 autoscaling/v2 batch/v1 ca.crt cluster-autoscaler default default-scheduler false
grpc http https kube-apiserver kube-controller-manager kube-proxy kube-root-ca.crt kube-scheduler
kube-system kubectl kubectl-client-side-apply kubelet kubernetes kubernetes.io/arch
kubernetes.io/hostname kubernetes.io/os linux metadata.name metadata.namespace metadata.uid
metrics namespace node.kubernetes.io/disk-pressure node.kubernetes.io/memory-pressure
node.kubernetes.io/network-unavailable node.kubernetes.io/not-ready
node.kubernetes.io/pid-pressure node.kubernetes.io/unreachable node.kubernetes.io/unschedulable
rbac.authorization.k8s.io scale spec.nodeName spec.serviceAccountName status status.hostIP
status.podIP status.podIPs tmp token topology.kubernetes.io/zone true v1 /dev/termination-log
/healthz /livez /metrics /readyz /tmp /var/run/secrets/kubernetes.io/serviceaccount
"""


class _Pool(dict[str, str]):
    """The short strings that were decoded last, each under itself."""

    def __missing__(self, text: str) -> str:
        if len(text) > _MAX_TEXT_CHARS:
            return text
        if len(self) >= _MAX_ENTRIES:
            self.clear()
        return self.setdefault(text, text)


class SharedText(Enum):
    """The type as which msgspec decodes strings that objects share. No value is a member."""

    WORD = "True"  # msgspec refuses an enum without members


# msgspec reads its table from this attribute, and returns the values of the table.
SharedText._value2member_map_ = {word: word for word in _WORDS.split()}  # type: ignore[misc]
SharedText._missing_ = _Pool().__getitem__  # type: ignore[method-assign, assignment]


def shares_texts(name: str, annotation: object) -> bool:
    """Return whether the strings of an attribute are shared.

    Args:
        name: the attribute.
        annotation: its annotation, as text or as a type.
    """
    text = annotation if isinstance(annotation, str) else str(annotation)
    return name not in _UNSHARED and ("str" in text or "Literal" in text)


def sharing(annotation: Any) -> Any:
    """Return a type whose strings are shared: `list[SharedText]` for `list[str]`."""
    return _with(annotation, str, SharedText)


def unsharing(annotation: Any) -> Any:
    """Return a type as the class declared it: `list[str]` for `list[SharedText]`."""
    return _with(annotation, SharedText, str)


def _with(annotation: Any, old: Any, new: Any) -> Any:
    """Replace a type in lists, in the values of maps, and in unions."""
    if annotation is old:
        return new
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        return list[_with(arguments[0], old, new)]  # type: ignore[misc]
    if origin is dict:
        return dict[arguments[0], _with(arguments[1], old, new)]  # type: ignore[misc, valid-type]
    if origin in {Union, types.UnionType}:
        replaced = tuple(_with(argument, old, new) for argument in arguments)
        return annotation if replaced == arguments else Union[replaced]  # noqa: UP007
    if origin is Annotated and new is str:
        plain, *extras = arguments
        return Annotated[(_with(plain, old, new), *extras)]
    return annotation
