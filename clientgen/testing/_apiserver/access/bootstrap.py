"""The roles and bindings that a fresh cluster has.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings.
Those of the controllers and of the control plane's own components are in `control_plane.json`.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._rbac.authorizer import GROUP, aggregated_rules
from clientgen._rbac.default_rules import ROLES_OF_EVERYBODY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_READ: Final = "get list watch"
_WRITE: Final = "create delete deletecollection patch update"
_ALL: Final = "create delete deletecollection get list patch update watch"
_LEVELS_OF_ROLES: Final = 3
"""`admin` is made of `edit`, that of `view`."""
_ANYBODY: Final = ("system:authenticated", "system:unauthenticated")


def _on(verbs: str, groups: str, resources: str, names: str = "") -> dict[str, Any]:
    rule: dict[str, Any] = {
        "verbs": verbs.split(),
        "apiGroups": groups.split(","),
        "resources": resources.split(),
    }
    return rule | ({"resourceNames": names.split()} if names else {})


def _at(paths: str, verbs: str = "get") -> dict[str, Any]:
    return {"verbs": verbs.split(), "nonResourceURLs": paths.split()}


_ROLES: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    **ROLES_OF_EVERYBODY,
    "cluster-admin": (
        _on("*", "*", "*"),
        _at("*", "*"),
    ),
    "system:aggregate-to-admin": (
        _on("create", "authorization.k8s.io", "localsubjectaccessreviews"),
        _on(_ALL, "rbac.authorization.k8s.io", "rolebindings roles"),
    ),
    "system:aggregate-to-edit": (
        _on(_READ, "", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
        _on("impersonate", "", "serviceaccounts"),
        _on(_WRITE, "", "pods pods/attach pods/exec pods/portforward pods/proxy"),
        _on("create", "", "pods/eviction"),
        _on(
            _WRITE,
            "",
            "configmaps persistentvolumeclaims replicationcontrollers "
            "replicationcontrollers/scale secrets serviceaccounts "
            "services services/proxy",
        ),
        _on("create", "", "serviceaccounts/token"),
        _on(_WRITE, ",events.k8s.io", "events"),
        _on(
            _WRITE,
            "apps",
            "daemonsets deployments deployments/rollback "
            "deployments/scale replicasets replicasets/scale statefulsets "
            "statefulsets/scale",
        ),
        _on(_WRITE, "autoscaling", "horizontalpodautoscalers"),
        _on(_WRITE, "batch", "cronjobs jobs"),
        _on(
            _WRITE,
            "extensions",
            "daemonsets deployments deployments/rollback "
            "deployments/scale ingresses networkpolicies replicasets "
            "replicasets/scale replicationcontrollers/scale",
        ),
        _on(_WRITE, "policy", "poddisruptionbudgets"),
        _on(_WRITE, "networking.k8s.io", "ingresses networkpolicies"),
        _on(_ALL, "coordination.k8s.io", "leases"),
        _on(_WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
    ),
    "system:aggregate-to-view": (
        _on(
            _READ,
            "",
            "configmaps endpoints persistentvolumeclaims "
            "persistentvolumeclaims/status pods replicationcontrollers "
            "replicationcontrollers/scale serviceaccounts services "
            "services/status",
        ),
        _on(
            _READ,
            "",
            "bindings limitranges namespaces/status pods/log pods/status "
            "replicationcontrollers/status resourcequotas "
            "resourcequotas/status",
        ),
        _on(_READ, "", "namespaces"),
        _on(_READ, ",events.k8s.io", "events"),
        _on(_READ, "discovery.k8s.io", "endpointslices"),
        _on(
            _READ,
            "apps",
            "controllerrevisions daemonsets daemonsets/status deployments "
            "deployments/scale deployments/status replicasets "
            "replicasets/scale replicasets/status statefulsets "
            "statefulsets/scale statefulsets/status",
        ),
        _on(_READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
        _on(_READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
        _on(
            _READ,
            "extensions",
            "daemonsets daemonsets/status deployments deployments/scale "
            "deployments/status ingresses ingresses/status "
            "networkpolicies replicasets replicasets/scale "
            "replicasets/status replicationcontrollers/scale",
        ),
        _on(_READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
        _on(_READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
        _on(
            _READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"
        ),
    ),
    "system:auth-delegator": (
        _on("create", "authentication.k8s.io", "tokenreviews"),
        _on("create", "authorization.k8s.io", "subjectaccessreviews"),
    ),
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient": (
        _on("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
    ),
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient": (
        _on("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
    ),
    "system:certificates.k8s.io:kube-apiserver-client-approver": (
        _on(
            "approve", "certificates.k8s.io", "signers", names="kubernetes.io/kube-apiserver-client"
        ),
    ),
    "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver": (
        _on(
            "approve",
            "certificates.k8s.io",
            "signers",
            names="kubernetes.io/kube-apiserver-client-kubelet",
        ),
    ),
    "system:certificates.k8s.io:kubelet-serving-approver": (
        _on("approve", "certificates.k8s.io", "signers", names="kubernetes.io/kubelet-serving"),
    ),
    "system:certificates.k8s.io:legacy-unknown-approver": (
        _on("approve", "certificates.k8s.io", "signers", names="kubernetes.io/legacy-unknown"),
    ),
    "system:kube-dns": (_on("list watch", "", "endpoints services"),),
    "system:kubelet-api-admin": (
        _on(_READ, "", "nodes"),
        _on("proxy", "", "nodes"),
        _on("*", "", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
        _on("*", "", "nodes/configz nodes/healthz nodes/pods"),
    ),
    "system:monitoring": (
        _at(
            "/flagz /healthz /healthz/* /livez /livez/* /metrics "
            "/metrics/slis /readyz /readyz/* /statusz"
        ),
        _on("get", "", "nodes/metrics"),
    ),
    "system:node": (
        _on("create", "authentication.k8s.io", "tokenreviews"),
        _on("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
        _on(_READ, "", "services"),
        _on("create get list watch", "", "nodes"),
        _on("patch update", "", "nodes/status"),
        _on("patch update", "", "nodes"),
        _on("create patch update", ",events.k8s.io", "events"),
        _on(_READ, "", "pods"),
        _on("create delete", "", "pods"),
        _on("patch update", "", "pods/status"),
        _on("create", "", "pods/eviction"),
        _on(_READ, "", "configmaps secrets"),
        _on("get", "", "persistentvolumeclaims persistentvolumes"),
        _on("get", "", "endpoints"),
        _on("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
        _on("create delete get patch update", "coordination.k8s.io", "leases"),
        _on("get", "storage.k8s.io", "volumeattachments"),
        _on("create", "", "serviceaccounts/token"),
        _on("get patch update", "", "persistentvolumeclaims/status"),
        _on(_READ, "storage.k8s.io", "csidrivers"),
        _on("create delete get patch update", "storage.k8s.io", "csinodes"),
        _on(_READ, "node.k8s.io", "runtimeclasses"),
        _on("get", "resource.k8s.io", "resourceclaims"),
        _on("deletecollection", "resource.k8s.io", "resourceslices"),
        _on("get", "", "serviceaccounts"),
    ),
    "system:node-bootstrapper": (
        _on("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    ),
    "system:node-proxier": (
        _on("list watch", "", "endpoints services"),
        _on(_READ, "", "nodes"),
        _on("create patch update", ",events.k8s.io", "events"),
        _on("list watch", "networking.k8s.io", "servicecidrs"),
        _on("list watch", "discovery.k8s.io", "endpointslices"),
    ),
    "system:persistent-volume-provisioner": (
        _on("create delete get list watch", "", "persistentvolumes"),
        _on("get list update watch", "", "persistentvolumeclaims"),
        _on(_READ, "storage.k8s.io", "storageclasses"),
        _on("watch", "", "events"),
        _on("create patch update", ",events.k8s.io", "events"),
    ),
}
"""The rules of the cluster roles."""

_AGGREGATED: Final = ("admin", "edit", "view")
"""Roles whose rules are those of the roles labelled for them."""

_PART_OF: Final = {
    "edit": "admin",
    "view": "edit",
    **{f"system:aggregate-to-{role}": role for role in _AGGREGATED},
}

_BINDINGS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "cluster-admin": (("Group", "system:masters"),),
    "system:basic-user": (("Group", "system:authenticated"),),
    "system:discovery": (("Group", "system:authenticated"),),
    "system:kube-dns": (("ServiceAccount", "kube-dns", "kube-system"),),
    "system:monitoring": (("Group", "system:monitoring"),),
    "system:node": (),
    "system:node-proxier": (("User", "system:kube-proxy"),),
    "system:public-info-viewer": tuple(("Group", each) for each in _ANYBODY),
    "system:service-account-issuer-discovery": (("Group", "system:serviceaccounts"),),
}
"""The subjects of each role, by the name that role and binding share."""


def bootstrap_objects() -> list[dict[str, Any]]:
    """Return new copies of the objects, without what storing adds (uid, times, versions).

    They are complete: their defaults are filled in, and aggregated roles have their rules.
    """
    objects: list[dict[str, Any]] = json.decode(_encoded())
    return objects


@cache
def _encoded() -> bytes:
    objects = [*_for_everybody(), *_control_plane()]
    roles = [each for each in objects if each["kind"] == "ClusterRole"]
    for _ in range(_LEVELS_OF_ROLES):
        for role in roles:
            if "aggregationRule" in role:
                role["rules"] = aggregated_rules(role, roles)
    return json.encode(objects)


def _for_everybody() -> Iterator[dict[str, Any]]:
    for name in sorted((*_ROLES, *_AGGREGATED)):
        role = _object("ClusterRole", name)
        if name in _PART_OF:
            role["metadata"]["labels"] |= {f"{GROUP}/aggregate-to-{_PART_OF[name]}": "true"}
        role["rules"] = list(_ROLES[name]) if name in _ROLES else None
        if name in _AGGREGATED:
            labels = {f"{GROUP}/aggregate-to-{name}": "true"}
            role["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": labels}]}
        yield role
    for name, subjects in _BINDINGS.items():
        binding = _object("ClusterRoleBinding", name)
        if subjects:
            binding["subjects"] = [_subject(*each) for each in subjects]
        binding["roleRef"] = {"apiGroup": GROUP, "kind": "ClusterRole", "name": name}
        yield binding


def _control_plane() -> Iterator[dict[str, Any]]:
    """The content of `control_plane.json`: rules and subjects, by namespace (if any) and name.

    A rule is `get list on pods of GROUP,GROUP named NAME`, or `get at /path`.
    """
    text = resources.files(__name__.rpartition(".")[0]).joinpath("control_plane.json").read_bytes()
    table: dict[str, dict[str, list[str]]] = json.decode(text)
    for path, rules in table["roles"].items():
        namespace, _, name = path.rpartition("/")
        role = _object("Role" if namespace else "ClusterRole", name, namespace)
        yield role | {"rules": [_rule(each) for each in rules] or None}
    for path, subjects in table["bindings"].items():
        namespace, _, name = path.rpartition("/")
        binding = _object("RoleBinding" if namespace else "ClusterRoleBinding", name, namespace)
        kind = "Role" if namespace else "ClusterRole"
        binding["subjects"] = [_named_subject(each) for each in subjects]
        binding["roleRef"] = {"apiGroup": GROUP, "kind": kind, "name": _ROLE_OF.get(name, name)}
        yield binding


_ROLE_OF: Final = {
    "system::extension-apiserver-authentication-reader": "extension-apiserver-authentication-reader"
}


def _rule(text: str) -> dict[str, Any]:
    verbs, on, rest = text.partition(" on ")
    if not on:
        verbs, _, paths = text.partition(" at ")
        return _at(paths, verbs)
    rest, _, names = rest.partition(" named ")
    resources_, _, groups = rest.partition(" of ")
    return _on(verbs, groups, resources_, names)


def _named_subject(text: str) -> dict[str, str]:
    kind, _, path = text.partition(" ")
    namespace, _, name = path.rpartition("/")
    return _subject(kind, name, namespace)


def _object(kind: str, name: str, namespace: str = "") -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    }
    return {"kind": kind, "apiVersion": f"{GROUP}/v1", "metadata": metadata}


def _subject(kind: str, name: str, namespace: str = "") -> dict[str, str]:
    if namespace:
        return {"kind": kind, "name": name, "namespace": namespace}
    return {"kind": kind, "apiGroup": GROUP, "name": name}
