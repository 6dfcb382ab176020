"""The rules of `kubectl drain`: which Pods of a node to evict.

kubectl: pkg/drain/filters.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from .._conditions.json_fields import Json, flag, items, part, text
from .._conditions.pods import FINAL_PHASES
from .._http.request import selector_text
from .._http.resource import Resource
from .._models.arguments import type_of
from .._models.meta_v1 import LabelSelector
from ..errors import OperationRefused, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._http.call_options import Labels

NODES: Final = Resource("", "v1", "nodes", "Node", namespaced=False)
DAEMON_SETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet")

_MIRROR_ANNOTATION: Final = "kubernetes.io/config.mirror"
_MAX_NAMES_SHOWN: Final = 10
# Names of namespaces and Pods: DNS labels and subdomains.
_match_namespace: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?").fullmatch
_match_name: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?").fullmatch

_Name = tuple[str, str]


class DrainPlan(Struct):
    """The Pods of a node: which to evict, and which need an option.

    Attributes:
        evict: The Pods to evict.
        refused: The names of the other Pods by reason. The reason names the option.
    """

    evict: list[Any] = field(default_factory=list[Any])
    refused: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])

    @classmethod
    def of(
        cls,
        pods: Iterable[Json],
        orphans: Iterable[_Name],
        *,
        force: bool,
        delete_empty_dir_data: bool,
    ) -> DrainPlan:
        """Decide for each Pod whether to evict it.

        Args:
            pods: The Pods of the node.
            orphans: The DaemonSets of these Pods that do not exist.
            force: Whether to evict Pods that no controller would create again.
            delete_empty_dir_data: Whether to evict Pods with emptyDir volumes.
        """
        plan, missing_daemon_sets = cls(), set(orphans)
        for pod in pods:
            if _would_be_recreated(pod, missing_daemon_sets):
                continue
            reason = _refusal(
                pod, missing_daemon_sets, force=force, delete_empty_dir_data=delete_empty_dir_data
            )
            if reason:
                plan.refused.setdefault(reason, []).append(pod_name(pod))
            else:
                plan.evict.append(pod)
        return plan

    def check(self, node: str) -> None:
        """Check that every Pod may be evicted.

        Raises:
            OperationRefused: A Pod may not be evicted. The message names the Pods and the options.
        """
        if not self.refused:
            return
        reasons = [f"{why}: {_join_names(names)}" for why, names in self.refused.items()]
        raise OperationRefused(
            f"Node {node} is not drained, only cordoned; it has Pods {'; and Pods '.join(reasons)}"
        )


def check_node(call: str, node: object) -> None:
    """Check that a node is given by its name.

    Raises:
        TypeError: `node` is not a text.
    """
    if not isinstance(node, str):
        raise TypeError(f"{call} takes the name of a node, not {type_of(node)}")


def check_pod_selector(selector: Labels | None) -> None:
    """Check that a Pod selector is not empty, because an empty selector selects all Pods.

    Raises:
        ValueError: The selector is empty.
    """
    if isinstance(selector, LabelSelector):
        selector = selector_text("label_selector", selector)
    if selector is None or (selector.strip(" \t\r\n,") if isinstance(selector, str) else selector):
        return
    raise ValueError("pod_selector is empty, which selects all Pods; leave it out to mean all")


def pods_on(node: str, pods: Iterable[Json]) -> list[Json]:
    """Return the Pods of a node, even if the server ignores the field selector.

    Raises:
        OperationRefused: A Pod has an invalid name or namespace, or no uid.
    """
    found = [pod for pod in pods if text(pod, "spec", "nodeName") == node]
    wrong = [one_line(pod_name(pod)) for pod in found if not _has_identity(pod)]
    if wrong:
        raise OperationRefused(
            f"Node {node} is not drained, only cordoned; the server lists Pods with an invalid"
            f" name or namespace or without a uid: {_join_names(wrong)}"
        )
    return found


def _has_identity(pod: Json) -> bool:
    namespace, name = text(pod, "metadata", "namespace"), text(pod, "metadata", "name")
    uid = text(pod, "metadata", "uid")
    return bool(_match_namespace(namespace) and _match_name(name) and uid)


def pod_name(pod: Json) -> str:
    """Return the namespace and name of a Pod."""
    return f"{text(pod, 'metadata', 'namespace')}/{text(pod, 'metadata', 'name')}"


def daemon_sets_of(pods: Iterable[Json]) -> list[_Name]:
    """Return the namespaces and names of the DaemonSets that control the Pods."""
    owners = {name: None for pod in pods if (name := _daemon_set(pod)) and not _is_finished(pod)}
    return [*owners]


def eviction_of(pod: Json, grace_period_seconds: int | None) -> Json:
    """Return the Eviction of a Pod. Its precondition protects a new Pod with the same name."""
    options: Json = {"preconditions": {"uid": text(pod, "metadata", "uid")}}
    if grace_period_seconds is not None:
        options["gracePeriodSeconds"] = grace_period_seconds
    metadata = {name: text(pod, "metadata", name) for name in ("namespace", "name")}
    return {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": metadata,
        "deleteOptions": options,
    }


def unschedulable(*, wanted: bool) -> Json:
    """Return the merge patch that cordons or uncordons a node."""
    return {"spec": {"unschedulable": True if wanted else None}}


def _is_finished(pod: Json) -> bool:
    return text(pod, "status", "phase") in FINAL_PHASES


def _controller(pod: Json) -> Json:
    for each in items(pod, "metadata", "ownerReferences"):
        if flag(each, "controller"):
            return each
    return {}


def _daemon_set(pod: Json) -> _Name | None:
    owner = _controller(pod)
    if text(owner, "kind") != "DaemonSet" or text(owner, "apiVersion") != "apps/v1":
        return None
    return text(pod, "metadata", "namespace"), text(owner, "name")


def _would_be_recreated(pod: Json, missing_daemon_sets: set[_Name]) -> bool:
    """Return whether a DaemonSet or the kubelet would create the Pod again after an eviction."""
    if _MIRROR_ANNOTATION in part(pod, "metadata", "annotations"):
        return True
    owner = _daemon_set(pod)
    return owner is not None and owner not in missing_daemon_sets and not _is_finished(pod)


def _refusal(
    pod: Json, missing_daemon_sets: set[_Name], *, force: bool, delete_empty_dir_data: bool
) -> str:
    """Return why a Pod must not be evicted; empty if it may be evicted."""
    if _is_finished(pod):
        return ""
    if not force and _daemon_set(pod) in missing_daemon_sets:
        return "of DaemonSets that do not exist (force=True evicts them)"
    has_data = any("emptyDir" in volume for volume in items(pod, "spec", "volumes"))
    if has_data and not delete_empty_dir_data:
        return "with emptyDir volumes (delete_empty_dir_data=True deletes their data)"
    if not _controller(pod) and not force:
        return "that no controller would create again (force=True evicts them)"
    return ""


def _join_names(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES_SHOWN} more" if len(names) > _MAX_NAMES_SHOWN else ""
    return ", ".join(names[:_MAX_NAMES_SHOWN]) + more
