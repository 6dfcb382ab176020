"""What kubectl writes, and the same by a call: commands, calls, and the objects they begin with.

Each case runs in two namespaces: kubectl in one, the call in the other. `{ns}` in commands and
objects is the namespace. Both must leave the same objects, or both refuse and change nothing.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.apps.v1 import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kubeapi.autoscaling.v2 import HorizontalPodAutoscaler
from kubeapi.batch.v1 import CronJob, Job
from kubeapi.core.v1 import ConfigMap, Node, Pod, ReplicationController, Secret, Service
from kubeapi.rbac.v1 import ClusterRoleBinding, RoleBinding

from clientgen.runtime.errors import (
    AlreadyExists,
    Conflict,
    Invalid,
    NotFound,
    OperationRefused,
)
from clientgen.runtime.models import to_dict

from .kubectl import Kubectl

Json = dict[str, Any]
Call = Callable[[Any, Any], Any]
_MADE = (Service, Pod, Job, HorizontalPodAutoscaler)


@dataclass(frozen=True)
class Case:
    """A command of kubectl and the call that does the same.

    Attributes:
        command: What follows `kubectl`.
        call: The call. It gets the module of the flavour and the clientset.
        given: The objects that there are before.
        refusal: The error of the call, if both refuse.
        stdin: The manifest that kubectl reads.
    """

    command: str
    call: Call
    given: tuple[Json, ...] = ()
    refusal: type[Exception] | None = None
    stdin: Json | None = field(default=None)

    def __str__(self) -> str:
        return self.command

    def set_up(self, k: Clientset, namespace: str) -> None:
        """Make what there is before, in a namespace."""
        for each in self.given:
            k.create(_placed(each, namespace), **_where(each, namespace))

    def run_kubectl(self, kubectl: Kubectl) -> bool:
        """Return whether kubectl did it."""
        words = [word.replace("{ns}", kubectl.namespace) for word in shlex.split(self.command)]
        return kubectl.run(*words, given=self.stdin).returncode == 0

    def outcome(self) -> AbstractContextManager[object]:
        """Expect that the call succeeds, or refuses."""
        return nullcontext() if self.refusal is None else pytest.raises(self.refusal)

    def state(self, k: Clientset, namespace: str) -> list[Json]:
        """Return the objects that there are, without what differs between equal objects."""
        found: list[Any] = []
        for each in self.given:
            if each["kind"] in _CLASSES:
                found += k.list(_CLASSES[each["kind"]], namespace=namespace)
            else:
                found.append(k.get(_GLOBAL[each["kind"]], namespace))
        kinds = {each["kind"] for each in self.given}
        for kind in _MADE:
            if kind.__name__ not in kinds:
                found += k.list(kind, namespace=namespace)
        manifests = [_comparable(to_dict(each), namespace) for each in found]
        if "--from=configmap" in self.command or "--from=secret" in self.command:
            # kubectl writes the variables in the order of a Go map.
            return [_with_sorted_env(each) for each in manifests]
        return manifests


_CLASSES: dict[str, Any] = {
    each.__name__: each
    for each in (
        ConfigMap, CronJob, DaemonSet, Deployment, Job, Pod, ReplicaSet, ReplicationController,
        RoleBinding, Secret, Service, StatefulSet,
    )
}  # fmt: skip
_GLOBAL: dict[str, Any] = {"Node": Node, "ClusterRoleBinding": ClusterRoleBinding}


def _where(obj: Json, namespace: str) -> dict[str, str]:
    return {} if obj["kind"] in _GLOBAL else {"namespace": namespace}


def _placed(obj: Json, namespace: str) -> Json:
    placed: Json = json.loads(json.dumps(obj).replace("{ns}", namespace))
    return placed


def clean_up(k: Clientset, name: str) -> None:
    """Delete the objects of the whole cluster that have the name of a namespace."""
    for kind in (Node, ClusterRoleBinding):
        k.delete(kind, name, missing_ok=True)


def _comparable(obj: Json, namespace: str) -> Json:
    """Drop what the server chooses, and what differs with the time and the namespace."""
    obj.pop("status", None)
    metadata = obj["metadata"]
    for name in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "namespace"):
        metadata.pop(name, None)
    for name in ("clusterIP", "clusterIPs"):
        if obj.get("spec", {}).get(name) not in (None, "None", ["None"]):
            obj["spec"][name] = "chosen"
    for each in metadata.get("ownerReferences", []):
        each["uid"] = "chosen"
    text = json.dumps(obj, sort_keys=True)
    text = re.sub(r"kube-api-access-[a-z0-9]{5}", "kube-api-access", text)
    text = re.sub(r'"nodePort": [0-9]+', '"nodePort": 0', text)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uid", text)
    compared: Json = json.loads(text.replace(namespace, "{ns}"))
    return compared


def _with_sorted_env(obj: Json) -> Json:
    for container in obj.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
        container.get("env", []).sort(key=lambda each: each["name"])
    return obj


# ---- objects ------------------------------------------------------------------------------------


LABELS = {"app": "web"}


def made(api_version: str, kind: str, name: str, **more: Any) -> Json:
    metadata = {"name": name, **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def container(name: str = "app", **more: Any) -> Json:
    return {"name": name, "image": f"{name}:1", **more}


def template(*containers: Json, **spec: Any) -> Json:
    pod_spec = {"containers": [*containers] or [container()], **spec}
    return {"metadata": {"labels": LABELS}, "spec": pod_spec}


def workload(kind: str, *containers: Json, spec: Json | None = None, **pod_spec: Any) -> Json:
    """A workload called web. Its labels differ from those of its Pods."""
    own: Json = {"serviceName": "web"} if kind == "StatefulSet" else {}
    inner = {"selector": {"matchLabels": LABELS}, "template": template(*containers, **pod_spec)}
    labels = {"labels": {"tier": "front"}}
    return made("apps/v1", kind, "web", metadata=labels, spec={**inner, **own, **(spec or {})})


def job_template(*containers: Json) -> Json:
    return template(*containers, restartPolicy="Never")


DEPLOYMENT = workload("Deployment")
TWO = workload("Deployment", container(), container("proxy"), initContainers=[container("init")])
STATEFUL_SET = workload("StatefulSet")
DAEMON_SET = workload("DaemonSet")
REPLICA_SET = workload("ReplicaSet")
POD = made(
    "v1", "Pod", "web", metadata={"labels": LABELS, "annotations": {"note": "old"}},
    spec={"containers": [container(ports=[{"containerPort": 80}])]},
)  # fmt: skip
JOB = made("batch/v1", "Job", "web", spec={"template": job_template()})
JOB_METADATA = {"labels": {"tier": "batch"}, "annotations": {"note": "hi"}}
CRON_JOB = made(
    "batch/v1", "CronJob", "web",
    spec={"schedule": "@daily", "jobTemplate": {
        "metadata": JOB_METADATA, "spec": {"template": job_template(), "backoffLimit": 2}}},
)  # fmt: skip
CONTROLLER = made(
    "v1", "ReplicationController", "web",
    spec={"replicas": 1, "selector": LABELS, "template": template(
        container(ports=[{"containerPort": 80}]))},
)  # fmt: skip
SERVICE = made(
    "v1", "Service", "web", spec={"selector": {**LABELS, "old": "1"}, "ports": [{"port": 80}]}
)
CONFIG_MAP = made("v1", "ConfigMap", "settings", data={"log-level": "debug", "PORT": "80"})
SECRET = made("v1", "Secret", "keys", stringData={"tls.key": "k"})
OLD = {"name": "OLD", "value": "1"}
REFERRING = {"name": "REF", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
WITH_ENV = workload("Deployment", container(env=[OLD, REFERRING]), container("proxy"))
WITH_RESOURCES = workload(
    "Deployment", container(resources={"limits": {"cpu": "1"}, "requests": {"cpu": "1"}})
)
WITH_ACCOUNT = workload("Deployment", serviceAccountName="old")
TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
NODE = made("v1", "Node", "{ns}", spec={"taints": [TAINT, {"key": "gpu", "effect": "NoExecute"}]})
RBAC = "rbac.authorization.k8s.io"
ANN = {"kind": "User", "apiGroup": RBAC, "name": "ann"}
ROLE = {"kind": "ClusterRole", "apiGroup": RBAC, "name": "view"}
BINDING = made(f"{RBAC}/v1", "RoleBinding", "web", roleRef=ROLE, subjects=[ANN])
CLUSTER_BINDING = made(f"{RBAC}/v1", "ClusterRoleBinding", "{ns}", roleRef=ROLE)


def exposed(*ports: Json) -> Json:
    return workload("Deployment", container(ports=[*ports]))


def port(number: int, **more: Any) -> Json:
    return {"containerPort": number, **more}


PAUSED = workload("Deployment", spec={"paused": True})
SCALED = workload("Deployment", spec={"replicas": 2})
EXPRESSIONS = workload(
    "Deployment", container(ports=[port(80)]),
    spec={"selector": {"matchLabels": LABELS, "matchExpressions": [
        {"key": "app", "operator": "Exists"}]}},
)  # fmt: skip
BARE_POD = made("v1", "Pod", "web", spec={"containers": [container(ports=[port(80)])]})
NEW_DATA = made("v1", "ConfigMap", "settings", data={"new": "1"})
NEW_SELECTOR = workload("Deployment", spec={"selector": {"matchLabels": {"app": "web"}}})
STALE = made("v1", "ConfigMap", "settings", metadata={"resourceVersion": "1"}, data={"new": "1"})

WEB = (Deployment, "web")


def case(command: str, call: Call, *given: Json, **more: Any) -> Case:
    return Case(command, call, given, **more)


def bad(
    refusal: type[Exception],
    command: str,
    call: Callable[[Any, Any], Any],
    *given: Json,
    **more: Any,
) -> Case:
    return Case(command, call, given, refusal=refusal, **more)


IMAGES = [
    case("set image deploy/web app=new:2",
         lambda v, k: v.set_image(k, *WEB, {"app": "new:2"}), TWO),
    case("set image deploy/web app=a:2 init=b:2",
         lambda v, k: v.set_image(k, *WEB, {"app": "a:2", "init": "b:2"}), TWO),
    case("set image deploy/web *=all:2", lambda v, k: v.set_image(k, *WEB, {"*": "all:2"}), TWO),
    case("set image deploy/web app=app:1",
         lambda v, k: v.set_image(k, *WEB, {"app": "app:1"}), TWO),
    case("set image sts/web app=new:2",
         lambda v, k: v.set_image(k, StatefulSet, "web", {"app": "new:2"}), STATEFUL_SET),
    case("set image ds/web app=new:2",
         lambda v, k: v.set_image(k, DaemonSet, "web", {"app": "new:2"}), DAEMON_SET),
    case("set image rs/web app=new:2",
         lambda v, k: v.set_image(k, ReplicaSet, "web", {"app": "new:2"}), REPLICA_SET),
    case("set image rc/web app=new:2",
         lambda v, k: v.set_image(k, ReplicationController, "web", {"app": "new:2"}), CONTROLLER),
    case("set image cronjob/web app=new:2",
         lambda v, k: v.set_image(k, CronJob, "web", {"app": "new:2"}), CRON_JOB),
    case("set image pod/web app=new:2",
         lambda v, k: v.set_image(k, Pod, "web", {"app": "new:2"}), POD),
    bad(Invalid, "set image job/web app=new:2",
        lambda v, k: v.set_image(k, Job, "web", {"app": "b"}), JOB),
    bad(OperationRefused, "set image deploy/web none=b",
        lambda v, k: v.set_image(k, *WEB, {"none": "b"}), TWO),
    bad(ValueError, "set image deploy/web *=b app=c",
        lambda v, k: v.set_image(k, *WEB, {"*": "b", "app": "c"}), TWO),
    bad(TypeError, "set image svc/web app=b",
        lambda v, k: v.set_image(k, Service, "web", {"app": "b"}), SERVICE),
    bad(NotFound, "set image deploy/none app=b",
        lambda v, k: v.set_image(k, Deployment, "none", {"app": "b"}), TWO),
    bad(ValueError, "set image deploy/web", lambda v, k: v.set_image(k, *WEB, {}), TWO),
]  # fmt: skip

ENV = [
    case("set env deploy/web A=1 B=",
         lambda v, k: v.set_env(k, *WEB, {"A": "1", "B": ""}), WITH_ENV),
    case("set env deploy/web OLD=2", lambda v, k: v.set_env(k, *WEB, {"OLD": "2"}), WITH_ENV),
    case("set env deploy/web OLD-", lambda v, k: v.set_env(k, *WEB, {"OLD": None}), WITH_ENV),
    case("set env deploy/web REF=2 OLD-",
         lambda v, k: v.set_env(k, *WEB, {"REF": "2", "OLD": None}), WITH_ENV),
    case("set env deploy/web NONE-", lambda v, k: v.set_env(k, *WEB, {"NONE": None}), WITH_ENV),
    case("set env deploy/web A=1 -c proxy",
         lambda v, k: v.set_env(k, *WEB, {"A": "1"}, containers="proxy"), WITH_ENV),
    case("set env deploy/web A=1 -c *y",
         lambda v, k: v.set_env(k, *WEB, {"A": "1"}, containers="*y"), WITH_ENV),
    case("set env deploy/web A=1 --prefix=APP_",
         lambda v, k: v.set_env(k, *WEB, {"A": "1"}, prefix="APP_"), WITH_ENV),
    case("set env deploy/web --from=configmap/settings",
         lambda v, k: v.set_env(k, *WEB, {}, from_=CONFIG_MAP), DEPLOYMENT, CONFIG_MAP),
    case("set env deploy/web --from=configmap/settings --keys=PORT",
         lambda v, k: v.set_env(k, *WEB, {}, from_=CONFIG_MAP, keys=["PORT"]),
         DEPLOYMENT, CONFIG_MAP),
    case("set env deploy/web A=1 --from=secret/keys --prefix=APP_",
         lambda v, k: v.set_env(k, *WEB, {"A": "1"}, from_=SECRET, prefix="APP_"),
         DEPLOYMENT, SECRET),
    case("set env deploy/web OLD=1 C=3 --overwrite=false",
         lambda v, k: v.set_env(k, *WEB, {"OLD": "1", "C": "3"}, overwrite=False), WITH_ENV),
    case("set env cronjob/web A=1",
         lambda v, k: v.set_env(k, CronJob, "web", {"A": "1"}), CRON_JOB),
    case("set env deploy/web A=1", lambda v, k: v.set_env(k, *WEB, {"A": "1"}), TWO),
    bad(OperationRefused, "set env deploy/web OLD=2 --overwrite=false",
        lambda v, k: v.set_env(k, *WEB, {"OLD": "2"}, overwrite=False), WITH_ENV),
    bad(ValueError, "set env deploy/web '1 A=1'",
        lambda v, k: v.set_env(k, *WEB, {"1 A": "1"}), WITH_ENV),
    bad(Invalid, "set env pod/web A=1", lambda v, k: v.set_env(k, Pod, "web", {"A": "1"}), POD),
    bad(TypeError, "set env deploy/web --from=svc/web",
        lambda v, k: v.set_env(k, *WEB, {}, from_=SERVICE), WITH_ENV, SERVICE),
    bad(ValueError, "set env deploy/web --keys=a A=1",
        lambda v, k: v.set_env(k, *WEB, {"A": "1"}, keys=["a"]), WITH_ENV),
]  # fmt: skip

RESOURCES = [
    case("set resources deploy/web --limits=cpu=1000m,memory=1024Mi",
         lambda v, k: v.set_resources(k, *WEB, limits={"cpu": "1000m", "memory": "1024Mi"}), TWO),
    case("set resources deploy/web --limits=memory=1Gi --requests=cpu=0.5",
         lambda v, k: v.set_resources(k, *WEB, limits={"memory": "1Gi"}, requests={"cpu": "0.5"}),
         WITH_RESOURCES),
    case("set resources deploy/web --requests=cpu=100m -c proxy",
         lambda v, k: v.set_resources(k, *WEB, requests={"cpu": "100m"}, containers="proxy"), TWO),
    bad(ValueError, "set resources deploy/web --limits=cpu=much",
        lambda v, k: v.set_resources(k, *WEB, limits={"cpu": "much"}), TWO),
    bad(OperationRefused, "set resources deploy/web --limits=cpu=1 -c none",
        lambda v, k: v.set_resources(k, *WEB, limits={"cpu": "1"}, containers="none"), TWO),
    bad(Invalid, "set resources deploy/web --limits=cpu=1 --requests=cpu=2",
        lambda v, k: v.set_resources(k, *WEB, limits={"cpu": "1"}, requests={"cpu": "2"}), TWO),
    bad(ValueError, "set resources deploy/web", lambda v, k: v.set_resources(k, *WEB), TWO),
]  # fmt: skip

ACCOUNTS = [
    case("set serviceaccount deploy/web robot",
         lambda v, k: v.set_service_account(k, *WEB, "robot"), DEPLOYMENT),
    case("set sa deploy/web robot",
         lambda v, k: v.set_service_account(k, *WEB, "robot"), WITH_ACCOUNT),
    case("set sa cronjob/web robot",
         lambda v, k: v.set_service_account(k, CronJob, "web", "robot"), CRON_JOB),
    bad(Invalid, "set sa pod/web robot",
        lambda v, k: v.set_service_account(k, Pod, "web", "robot"), POD),
    case("set selector svc/web app=new,tier=b",
         lambda v, k: v.set_selector(k, Service, "web", {"app": "new", "tier": "b"}), SERVICE),
    bad(TypeError, "set selector deploy/web app=new",
        lambda v, k: v.set_selector(k, *WEB, {"app": "new"}), DEPLOYMENT),
    bad(Conflict, "set selector svc/web app=new --resource-version=1",
        lambda v, k: v.set_selector(k, Service, "web", {"app": "new"}, resource_version="1"),
        SERVICE),
    case("set subject rolebinding/web --user=bob --user=ann --group=b --group=a",
         lambda v, k: v.set_subject(k, RoleBinding, "web", users=["bob", "ann"], groups=["b", "a"]),
         BINDING),
    case("set subject rolebinding/web --serviceaccount=:robot --serviceaccount=other:robot",
         lambda v, k: v.set_subject(
             k, RoleBinding, "web", service_accounts=[":robot", "other:robot"]), BINDING),
    case("set subject clusterrolebinding/{ns} --serviceaccount=other:robot",
         lambda v, k: v.set_subject(
             k, ClusterRoleBinding, k.namespace, service_accounts=["other:robot"]),
         CLUSTER_BINDING),
    bad(ValueError, "set subject clusterrolebinding/{ns} --serviceaccount=:robot",
        lambda v, k: v.set_subject(
            k, ClusterRoleBinding, k.namespace, service_accounts=[":robot"]), CLUSTER_BINDING),
    bad(ValueError, "set subject rolebinding/web",
        lambda v, k: v.set_subject(k, RoleBinding, "web"), BINDING),
    bad(ValueError, "set subject rolebinding/web --serviceaccount=robot",
        lambda v, k: v.set_subject(k, RoleBinding, "web", service_accounts=["robot"]), BINDING),
    bad(TypeError, "set subject deploy/web --user=ann",
        lambda v, k: v.set_subject(k, *WEB, users=["ann"]), TWO),
]  # fmt: skip

PODS = (Pod, "web")
MARKS = [
    case("label pod web x=1 y=", lambda v, k: v.label(k, *PODS, {"x": "1", "y": ""}), POD),
    case("label pod web app=new x=1 --overwrite",
         lambda v, k: v.label(k, *PODS, {"app": "new", "x": "1"}, overwrite=True), POD),
    case("label pod web app=web", lambda v, k: v.label(k, *PODS, {"app": "web"}), POD),
    case("label pod web app- x=1", lambda v, k: v.label(k, *PODS, {"app": None, "x": "1"}), POD),
    case("label pod web none-", lambda v, k: v.label(k, *PODS, {"none": None}), BARE_POD),
    case("label node {ns} pool=big",
         lambda v, k: v.label(k, Node, k.namespace, {"pool": "big"}), NODE),
    bad(OperationRefused, "label pod web app=new",
        lambda v, k: v.label(k, *PODS, {"app": "new"}), POD),
    bad(OperationRefused, "label pod web x=1 app=new",
        lambda v, k: v.label(k, *PODS, {"x": "1", "app": "new"}), POD),
    bad(Conflict, "label pod web x=1 --resource-version=1",
        lambda v, k: v.label(k, *PODS, {"x": "1"}, resource_version="1"), POD),
    bad(Invalid, "label pod web 'x=a b'", lambda v, k: v.label(k, *PODS, {"x": "a b"}), POD),
    bad(ValueError, "label pod web", lambda v, k: v.label(k, *PODS, {}), POD),
    bad(NotFound, "label pod none x=1", lambda v, k: v.label(k, Pod, "none", {"x": "1"}), POD),
    case("annotate pod web x=1 'y=a b=c'",
         lambda v, k: v.annotate(k, *PODS, {"x": "1", "y": "a b=c"}), POD),
    case("annotate pod web note=new --overwrite",
         lambda v, k: v.annotate(k, *PODS, {"note": "new"}, overwrite=True), POD),
    case("annotate pod web note-", lambda v, k: v.annotate(k, *PODS, {"note": None}), POD),
    case("annotate deploy web kubernetes.io/change-cause=new",
         lambda v, k: v.annotate(k, *WEB, {"kubernetes.io/change-cause": "new"}),
         {**DEPLOYMENT, "metadata": {
             "name": "web", "annotations": {"kubernetes.io/change-cause": "old"}}}),
    bad(OperationRefused, "annotate pod web note=new",
        lambda v, k: v.annotate(k, *PODS, {"note": "new"}), POD),
    bad(Conflict, "annotate pod web x=1 --resource-version=1",
        lambda v, k: v.annotate(k, *PODS, {"x": "1"}, resource_version="1"), POD),
    bad(Invalid, "annotate pod web 'a b=1'", lambda v, k: v.annotate(k, *PODS, {"a b": "1"}), POD),
]  # fmt: skip

TAINTS = [
    case(f"taint node {{ns}} {' '.join(taints)} {' '.join(flags)}",
         lambda v, k, taints=taints, flags=flags: v.taint(
             k, k.namespace, taints, overwrite=bool(flags)), NODE, refusal=refusal)
    for taints, flags, refusal in [
        (["a=b:NoExecute"], [], None),
        (["a:NoSchedule", "b=:PreferNoSchedule"], [], None),
        (["dedicated:NoSchedule-"], [], None),
        (["dedicated=batch:NoSchedule-", "gpu-"], [], None),
        (["a:NoExecute", "gpu-"], [], None),
        (["dedicated=web:NoSchedule"], ["--overwrite"], None),
        (["dedicated=web:NoExecute"], [], None),
        (["dedicated=batch:NoSchedule"], [], OperationRefused),
        (["a=b:Never"], [], ValueError),
        (["gpu:Never-"], [], ValueError),
        (["none-"], [], OperationRefused),
        (["gpu:NoSchedule-"], [], OperationRefused),
        (["a:NoExecute", "a:NoExecute-"], [], ValueError),
        (["a:NoExecute", "a=c:NoExecute"], [], ValueError),
        (["a=b"], [], ValueError),
    ]
]  # fmt: skip

EXPOSED = exposed(port(80, name="http"))
SEVERAL = exposed(port(80), port(443), port(53, protocol="UDP"))
TWICE = exposed(port(53), port(53, protocol="UDP"), port(80))
EXPOSE = [
    case("expose deploy web", lambda v, k: v.expose(k, *WEB), EXPOSED),
    case("expose deploy web --port=8000 --target-port=http",
         lambda v, k: v.expose(k, *WEB, port=8000, target_port="http"), EXPOSED),
    case("expose deploy web --name=front --type=NodePort --target-port=8080",
         lambda v, k: v.expose(k, *WEB, name="front", type="NodePort", target_port=8080), EXPOSED),
    case("expose deploy web", lambda v, k: v.expose(k, *WEB), SEVERAL),
    case("expose deploy web", lambda v, k: v.expose(k, *WEB), TWICE),
    case("expose deploy web --protocol=UDP",
         lambda v, k: v.expose(k, *WEB, protocol="UDP"), SEVERAL),
    case("expose deploy web --port=1,2", lambda v, k: v.expose(k, *WEB, port=[1, 2]), DEPLOYMENT),
    case("expose deploy web --cluster-ip=None",
         lambda v, k: v.expose(k, *WEB, cluster_ip="None"), DEPLOYMENT),
    case("expose deploy web --selector=a=b -l=c=d,e=f --session-affinity=ClientIP"
         " --external-ip=192.0.2.1",
         lambda v, k: v.expose(k, *WEB, selector={"a": "b"}, labels={"c": "d", "e": "f"},
                               session_affinity="ClientIP", external_ip="192.0.2.1"), EXPOSED),
    case("expose deploy web --type=LoadBalancer --load-balancer-ip=192.0.2.1",
         lambda v, k: v.expose(k, *WEB, type="LoadBalancer", load_balancer_ip="192.0.2.1"),
         EXPOSED),
    case("expose deploy web --selector=a=b",
         lambda v, k: v.expose(k, *WEB, selector={"a": "b"}), EXPRESSIONS),
    case("expose pod web", lambda v, k: v.expose(k, *PODS), POD),
    case("expose svc web --name=other",
         lambda v, k: v.expose(k, Service, "web", name="other"), SERVICE),
    case("expose rc web", lambda v, k: v.expose(k, ReplicationController, "web"), CONTROLLER),
    case("expose rs web --port=80",
         lambda v, k: v.expose(k, ReplicaSet, "web", port=80), REPLICA_SET),
    bad(OperationRefused, "expose deploy web", lambda v, k: v.expose(k, *WEB), DEPLOYMENT),
    bad(OperationRefused, "expose deploy web", lambda v, k: v.expose(k, *WEB), EXPRESSIONS),
    bad(OperationRefused, "expose pod web", lambda v, k: v.expose(k, *PODS), BARE_POD),
    bad(TypeError, "expose sts web --port=80",
        lambda v, k: v.expose(k, StatefulSet, "web", port=80), STATEFUL_SET),
    bad(AlreadyExists, "expose svc web", lambda v, k: v.expose(k, Service, "web"), SERVICE),
    bad(Invalid, "expose deploy web --port=0", lambda v, k: v.expose(k, *WEB, port=0), EXPOSED),
    bad(Invalid, "expose deploy web --session-affinity=Never",
        lambda v, k: v.expose(k, *WEB, session_affinity="Never"), EXPOSED),
]  # fmt: skip

RUN = [
    case("run web --image=nginx", lambda v, k: v.run(k, "web", "nginx")),
    case("run web --image=r.example.com:5000/a/b:1 -- one two",
         lambda v, k: v.run(k, "web", "r.example.com:5000/a/b:1", args=["one", "two"])),
    case("run web --image=busybox --restart=Never --command -- sleep 60",
         lambda v, k: v.run(k, "web", "busybox", command=["sleep", "60"], restart="Never")),
    case("run web --image=nginx --env=A=1 --env=B=x=y --port=80 -l=a=b,c=d --annotations=e=f",
         lambda v, k: v.run(k, "web", "nginx", env={"A": "1", "B": "x=y"}, port=80,
                            labels={"a": "b", "c": "d"}, annotations={"e": "f"})),
    case("run web --image=nginx --image-pull-policy=Never --privileged",
         lambda v, k: v.run(k, "web", "nginx", image_pull_policy="Never", privileged=True)),
    case("run web --image=nginx -i -t --attach=false",
         lambda v, k: v.run(k, "web", "nginx", stdin=True, tty=True)),
    case("run web --image=nginx --port=80 --expose",
         lambda v, k: v.run(k, "web", "nginx", port=80, expose=True)),
    case("run web --image=nginx --port=80 --expose -l=a=b",
         lambda v, k: v.run(k, "web", "nginx", port=80, expose=True, labels={"a": "b"})),
    bad(ValueError, "run web --image=Nginx", lambda v, k: v.run(k, "web", "Nginx")),
    bad(ValueError, "run web --image=nginx --restart=Once",
        lambda v, k: v.run(k, "web", "nginx", restart="Once")),
    bad(ValueError, "run web --image=nginx -t", lambda v, k: v.run(k, "web", "nginx", tty=True)),
    bad(ValueError, "run web --image=nginx '--env=1 A=b'",
        lambda v, k: v.run(k, "web", "nginx", env={"1 A": "b"})),
    bad(ValueError, "run web --image=nginx --expose",
        lambda v, k: v.run(k, "web", "nginx", expose=True)),
    bad(AlreadyExists, "run web --image=nginx", lambda v, k: v.run(k, "web", "nginx"), POD),
    bad(Invalid, "run Web --image=nginx", lambda v, k: v.run(k, "Web", "nginx")),
]  # fmt: skip

NIGHTLY = (CronJob, "web")
JOBS = [
    case("create job now --from=cronjob/web",
         lambda v, k: v.create_job_from(k, *NIGHTLY, "now"), CRON_JOB),
    bad(AlreadyExists, "create job web --from=cronjob/web",
        lambda v, k: v.create_job_from(k, *NIGHTLY, "web"), CRON_JOB, JOB),
    bad(NotFound, "create job now --from=cronjob/none",
        lambda v, k: v.create_job_from(k, CronJob, "none", "now"), CRON_JOB),
    bad(TypeError, "create job now --from=deploy/web",
        lambda v, k: v.create_job_from(k, *WEB, "now"), DEPLOYMENT),
    case("rollout pause deploy/web", lambda v, k: v.rollout_pause(k, *WEB), DEPLOYMENT),
    case("rollout resume deploy/web", lambda v, k: v.rollout_resume(k, *WEB), PAUSED),
    bad(OperationRefused, "rollout pause deploy/web",
        lambda v, k: v.rollout_pause(k, *WEB), PAUSED),
    bad(OperationRefused, "rollout resume deploy/web",
        lambda v, k: v.rollout_resume(k, *WEB), DEPLOYMENT),
    bad(TypeError, "rollout pause sts/web",
        lambda v, k: v.rollout_pause(k, StatefulSet, "web"), STATEFUL_SET),
]  # fmt: skip

SCALE = [
    case("scale deploy/web --replicas=3", lambda v, k: v.scale(k, *WEB, 3), SCALED),
    case("scale deploy/web --replicas=0 --current-replicas=2",
         lambda v, k: v.scale(k, *WEB, 0, current_replicas=2), SCALED),
    case("scale sts/web --replicas=3",
         lambda v, k: v.scale(k, StatefulSet, "web", 3), STATEFUL_SET),
    case("scale rs/web --replicas=3", lambda v, k: v.scale(k, ReplicaSet, "web", 3), REPLICA_SET),
    case("scale rc/web --replicas=3",
         lambda v, k: v.scale(k, ReplicationController, "web", 3), CONTROLLER),
    bad(OperationRefused, "scale deploy/web --replicas=3 --current-replicas=1",
        lambda v, k: v.scale(k, *WEB, 3, current_replicas=1), SCALED),
    bad(OperationRefused, "scale deploy/web --replicas=3 --resource-version=1",
        lambda v, k: v.scale(k, *WEB, 3, resource_version="1"), SCALED),
    bad(ValueError, "scale deploy/web --replicas=-1", lambda v, k: v.scale(k, *WEB, -1), SCALED),
    bad(OperationRefused, "scale ds/web --replicas=3",
        lambda v, k: v.scale(k, DaemonSet, "web", 3), DAEMON_SET),
    bad(NotFound, "scale deploy/none --replicas=3",
        lambda v, k: v.scale(k, Deployment, "none", 3), SCALED),
    case("autoscale deploy web --max=5 --cpu-percent=70",
         lambda v, k: v.autoscale(k, *WEB, max=5, cpu="70%"), DEPLOYMENT),
    case("autoscale sts web --min=2 --max=5 --name=other --cpu-percent=50",
         lambda v, k: v.autoscale(k, StatefulSet, "web", min=2, max=5, name="other", cpu="50%"),
         STATEFUL_SET),
    case("autoscale deploy web --max=5", lambda v, k: v.autoscale(k, *WEB, max=5), DEPLOYMENT),
    bad(ValueError, "autoscale deploy web --max=1 --min=2",
        lambda v, k: v.autoscale(k, *WEB, max=1, min=2), DEPLOYMENT),
    bad(ValueError, "autoscale deploy web --max=0",
        lambda v, k: v.autoscale(k, *WEB, max=0), DEPLOYMENT),
    bad(OperationRefused, "autoscale ds web --max=2",
        lambda v, k: v.autoscale(k, DaemonSet, "web", max=2), DAEMON_SET),
    bad(NotFound, "autoscale deploy none --max=2",
        lambda v, k: v.autoscale(k, Deployment, "none", max=2), DEPLOYMENT),
]  # fmt: skip

REPLACE = [
    case("replace -f -", lambda v, k: v.replace(k, NEW_DATA), CONFIG_MAP, stdin=NEW_DATA),
    case("replace --force -f -", lambda v, k: v.replace(k, NEW_DATA, force=True), CONFIG_MAP,
         stdin=NEW_DATA),
    case("replace --force -f -", lambda v, k: v.replace(k, POD, force=True), stdin=POD),
    case("replace --force -f -", lambda v, k: v.replace(k, STALE, force=True), CONFIG_MAP,
         stdin=STALE),
    bad(NotFound, "replace -f -", lambda v, k: v.replace(k, NEW_DATA), stdin=NEW_DATA),
    bad(Conflict, "replace -f -", lambda v, k: v.replace(k, STALE), CONFIG_MAP, stdin=STALE),
    bad(ValueError, "replace --force --dry-run=server -f -",
        lambda v, k: v.replace(k, NEW_DATA, force=True, dry_run=True), CONFIG_MAP, stdin=NEW_DATA),
]  # fmt: skip

CASES = [
    *IMAGES, *ENV, *RESOURCES, *ACCOUNTS, *MARKS, *TAINTS, *EXPOSE, *RUN, *JOBS, *SCALE, *REPLACE
]  # fmt: skip
