"""Verdicts on certificate requests, and roles; `test_admin_recipes_threads` on threads.

What kubectl does is compared in tests/testing/test_kubectl_admin.py.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kubeapi import AsyncClientset, Clientset
from kubeapi.certificates.v1 import CertificateSigningRequest
from kubeapi.core.v1 import Namespace, Node, Pod
from kubeapi.meta.v1 import ObjectMeta, Status
from kubeapi.rbac.v1 import ClusterRole, PolicyRule, Role, RoleBinding, RoleRef, Subject

from clientgen.runtime._recipes.rbac_reconciliation import uncovered
from clientgen.runtime._recipes.usage import node_usages, pod_usages
from clientgen.runtime.aio import (
    auth_reconcile,
    certificate_approve,
    certificate_deny,
    debug,
    top_nodes,
    top_pods,
)
from clientgen.runtime.errors import (
    AlreadyExists,
    Conflict,
    DecodeError,
    Forbidden,
    NotFound,
    OperationRefused,
)
from clientgen.runtime.models import Quantity, Unstructured
from clientgen.testing import Action, FakeCluster, LocalServer

RBAC = "rbac.authorization.k8s.io"
PEM = b"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"
PODS = PolicyRule(api_groups=[""], resources=["pods"], verbs=["get", "list"])


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with LocalServer(FakeCluster(Namespace(metadata=ObjectMeta(name="shop")))) as running:
        yield running


def request(name: str = "alice") -> Any:
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "request": base64.b64encode(PEM).decode(),
            "signerName": "example.com/signer",
            "usages": ["client auth"],
        },
    }


def role(*rules: PolicyRule, namespace: str = "shop") -> Role:
    return Role(metadata=ObjectMeta(name="web", namespace=namespace), rules=[*rules])


def binding(role_name: str, *users: str) -> RoleBinding:
    return RoleBinding(
        metadata=ObjectMeta(name="web", namespace="shop"),
        role_ref=RoleRef(api_group=RBAC, kind="Role", name=role_name),
        subjects=[Subject(kind="User", name=each) for each in users],
    )


async def test_a_verdict_names_its_author_and_is_tried_again_after_conflicts(
    server: LocalServer,
) -> None:
    update = ("update", "certificatesigningrequests.certificates.k8s.io/approval")
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        created = await k.create(request())
        server.cluster.react(*update, Conflict, times=10)
        deployer = k.with_(field_manager="deployer")
        approved = await certificate_approve(deployer, CertificateSigningRequest, "alice")
        assert type(approved) is CertificateSigningRequest
        (only,) = approved.status.conditions
        assert (only.type, only.reason) == ("Approved", "Approved")
        assert only.message == "This request was approved by deployer."
        assert (await certificate_approve(k.rest, created)).status.conditions == [only]
        with pytest.raises(OperationRefused, match="alice is already Approved"):
            await certificate_deny(k, created)
        await k.create(request("bob"))
        server.cluster.react(*update, Conflict)
        with pytest.raises(Conflict):
            await certificate_deny(k, CertificateSigningRequest, "bob", reason="Unknown")


async def test_an_approval_of_an_object_is_for_no_later_one(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        seen: Any = await k.create(request())
        await k.delete(seen)
        await k.create(request())
        with pytest.raises(NotFound, match="another object has its name"):
            await certificate_approve(k, seen)
        later = await k.get(CertificateSigningRequest, "alice")
        assert not later.status.conditions
        dry = await certificate_deny(k.with_(dry_run=True), later)
        assert not dry.status.conditions
        for wrong in (Namespace, "alice"):
            call: Callable[..., Any] = certificate_deny
            with pytest.raises(TypeError, match="only a CertificateSigningRequest"):
                await call(k, wrong, "alice")


async def test_roles_get_what_is_missing_and_tell_what_it_was(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        made = await auth_reconcile(k, role(PODS, namespace="new"))
        assert (made.outcome, made.protected, made.extra) == ("created", False, [])
        assert type(made.obj) is Role
        assert repr(made) == "<Reconciled: created>"
        assert (await k.get(Namespace, "new")).metadata.uid
        again = await auth_reconcile(k.with_(namespace="new"), role(PODS, namespace=""))
        assert (again.outcome, again.missing) == ("unchanged", [])
        get = PolicyRule(api_groups=[""], resources=["pods"], verbs=["get"])
        fewer = await auth_reconcile(k, role(get, namespace="new"))
        assert (fewer.outcome, len(fewer.extra)) == ("unchanged", 1)
        fewer = await auth_reconcile(k, role(get, namespace="new"), remove_extra_permissions=True)
        assert fewer.outcome == "configured"
        assert fewer.obj.rules == [get]
        assert fewer.extra == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}]
        call: Callable[..., Any] = auth_reconcile
        with pytest.raises(TypeError, match="only a Role, ClusterRole"):
            await call(k, Namespace(metadata=ObjectMeta(name="shop")))


async def test_a_rule_for_an_odd_name_is_not_a_rule_for_all_names(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await auth_reconcile(k, role(PODS))
        secret = PolicyRule(
            api_groups=[""], resources=["secrets"], verbs=["get"], resource_names=["", "a"]
        )
        done = await auth_reconcile(k, role(PODS, secret))
        assert [each.resource_names for each in done.obj.rules[1:]] == [[""], ["a"]]
        assert (await auth_reconcile(k, role(secret))).outcome == "unchanged"
        for names in ("db", ["db", 1], {"db": ""}):  # a file is not checked by types
            manifest = Unstructured.of(role(secret))
            manifest["rules"][0]["resourceNames"] = names
            with pytest.raises(ValueError, match=r"rules\[0\].resourceNames must be a list of"):
                await auth_reconcile(k, manifest)
        assert len((await k.get(Role, "web", namespace="shop")).rules) == 3


def test_a_rule_of_the_server_that_is_not_valid_allows_nothing() -> None:
    rule: dict[str, Any] = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
    wrongs: list[dict[str, Any]] = [
        {"resourceNames": "web"},
        {"resources": [{}]},
        {"verbs": [["get"]]},
    ]
    for wrong in wrongs:
        assert uncovered([{**rule, **wrong}], [rule]) == [rule]
        assert not uncovered([], [{**rule, **wrong}])


async def test_subjects_have_the_defaults_of_the_server(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        await auth_reconcile(k, binding("viewer", "ann"))
        assert (await auth_reconcile(k, binding("viewer", "ann"))).outcome == "unchanged"
        more = await auth_reconcile(k, binding("viewer", "bob"))
        assert [each.name for each in more.obj.subjects] == ["ann", "bob"]
        before = more.obj.metadata.uid
        dry = await auth_reconcile(k.with_(dry_run=True), binding("editor", "cid"))
        assert (dry.outcome, dry.obj.metadata.uid) == ("recreated", before)
        other = await auth_reconcile(k, binding("editor", "cid"))
        assert other.outcome == "recreated"
        assert other.obj.metadata.uid != before
        assert [each.name for each in other.obj.subjects] == ["cid"]


async def test_a_role_that_others_write_meanwhile_is_read_again(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:

        def create_first(action: Action) -> None:
            server.cluster.add(ClusterRole(metadata=ObjectMeta(name="web")))

        server.cluster.react("create", f"clusterroles.{RBAC}", create_first, times=1)
        server.cluster.react("update", f"clusterroles.{RBAC}", Conflict, times=1)
        wanted = ClusterRole(metadata=ObjectMeta(name="web"), rules=[PODS])
        done = await auth_reconcile(k, wanted)
        assert done.outcome == "configured"
        assert len(done.obj.rules) == 2
        server.cluster.react("create", f"roles.{RBAC}", AlreadyExists)
        server.cluster.react("*", "namespaces", Forbidden)  # users need no right to namespaces
        with pytest.raises(AlreadyExists):
            await auth_reconcile(k, role(PODS))
        assert sum(str(each).startswith("create roles") for each in server.cluster.actions) == 3


def metrics(plural: str, kind: str, scope: str) -> Any:
    """A definition that serves metrics, in the place of a metrics server."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1beta1", "served": True, "storage": True}
    approval = {"api-approved.kubernetes.io": "unapproved in tests"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.metrics.k8s.io", "annotations": approval},
        "spec": {
            "group": "metrics.k8s.io",
            "scope": scope,
            "names": {"plural": plural, "kind": kind},
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def measured(kind: str, name: str, **content: Any) -> Unstructured:
    metadata = {"name": name, **({"namespace": "shop"} if kind == "PodMetrics" else {})}
    version = {"apiVersion": "metrics.k8s.io/v1beta1", "kind": kind}
    return Unstructured({**version, "metadata": metadata, **content})


async def test_usage_is_amounts_and_sums(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(OperationRefused, match="it needs a metrics server"):
            await top_pods(k)
        await k.create(metrics("pods", "PodMetrics", "Namespaced"))
        await k.create(metrics("nodes", "NodeMetrics", "Cluster"))
        assert str(await top_pods(k)) == str(await top_nodes(k)) == ""
        parts = [
            {"name": each, "usage": {"cpu": "100m", "memory": "64Mi"}} for each in ("log", "app")
        ]
        for name in ("a", "b"):
            await k.create(measured("PodMetrics", name, containers=parts))
            spec = {"containers": [{"name": "app", "image": "app"}], "nodeName": f"on-{name}"}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
            await k.create(pod, namespace="shop")
        found = await top_pods(k.rest, field_selector={"spec.nodeName": "on-b"})
        assert [each.name for each in found] == ["b"]
        (only,) = await top_pods(k, "b", namespace="shop")
        assert (only.cpu, only.memory) == (Quantity("200m"), Quantity("128Mi"))
        assert [each.name for each in only.containers] == ["app", "log"]
        assert (await top_pods(k, namespace="shop")).memory == Quantity("256Mi")
        with pytest.raises(NotFound):
            await top_pods(k, "b", namespace="default")
        await k.create(measured("NodeMetrics", "n1", usage={"cpu": "1", "memory": "1Gi"}))
        (node,) = await top_nodes(k)
        assert (node.cpu_percent, node.allocatable_memory) == (None, None)
        await k.create(measured("PodMetrics", "c", containers=[{"usage": {"cpu": "much"}}]))
        with pytest.raises(DecodeError, match="much"):
            await top_pods(k)


def test_names_of_a_server_send_nothing_to_the_terminal() -> None:
    name = "\x1b]0;title\x07a\nb"
    usage = {"cpu": "1", "memory": "1Gi"}
    parts = [{"name": name, "usage": usage}]
    metadata = {"name": name, "namespace": name}
    pods = pod_usages([{"metadata": metadata, "containers": parts}], None)
    nodes = node_usages(
        [{"metadata": metadata, "usage": usage}],
        [{"metadata": {"name": f"{name}c"}}],
        None,
        capacity=False,
    )
    for shown in (pods.text(containers=True, namespaces=True), str(nodes)):
        assert [each for each in shown if not each.isprintable()] == ["\n"] * shown.count("\n")
        assert r"\x1b]0;title\x07a..." in shown


async def test_wrong_arguments_of_top(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        wrong: Any = "name"
        with pytest.raises(ValueError, match="sort_by must be 'cpu' or 'memory', not 'name'"):
            await top_nodes(k, sort_by=wrong)
        for call in (top_pods, top_nodes):
            with pytest.raises(ValueError, match="takes either a name or"):
                await call(k, "a", label_selector={"app": "web"})


async def test_a_debug_container_is_waited_for_and_attached(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        spec = {"containers": [{"name": "app", "image": "app"}], "nodeName": "n1"}
        pod: Any = {"metadata": {"name": "web"}, "spec": spec}
        web = await pods.create(pod)

        def start(action: Action) -> None:
            """Start the containers that the Pod has when it is watched."""
            own: Any = server.cluster.clientset(Clientset).core_v1.pods("shop")
            running = {"state": {"running": {}}, "image": "b", "imageID": "", "ready": False}
            status = [
                {"name": each.name, "restartCount": 0, **running}
                for each in own.get("web").spec.ephemeral_containers
            ]
            own.status("web").patch({"status": {"ephemeralContainerStatuses": status}})

        server.cluster.react("watch", "pods", start, times=1)
        made = await debug(k, web, image="busybox", stdin=True, wait=True, timeout=60)
        assert (made.namespace, made.pod) == ("shop", "web")

        @server.cluster.container("shop/web", made.container).on_attach
        def talk(process: Any) -> None:
            process.stdout.write(process.stdin.readline().upper())

        async with pods.attach(made.pod, container=made.container, stdin=True) as process:
            await process.write("hello\n")
            assert [each.data async for each in process] == [b"HELLO\n"]
        with pytest.raises(OperationRefused, match="has a container app already"):
            await debug(k, Pod, "web", namespace="shop", image="busybox", container="app")
        with pytest.raises(OperationRefused, match="has no container db; a new one needs an image"):
            await debug(k, web, copy_to="copy", command=["sh"], container="db")
        with pytest.raises(NotFound):
            await debug(k, Pod, "none", namespace="shop", image="busybox")
        images = await debug(k, web, copy_to="copy", set_image={"*": "app:2"}, wait=True)
        assert (images.pod, images.container) == ("copy", "")
        missing = Status(status="Failure", reason="NotFound", message="no such path", code=404)
        server.cluster.react("patch", "pods/ephemeralcontainers", NotFound(missing))
        with pytest.raises(OperationRefused, match="has no ephemeral containers"):
            await debug(k, web, image="busybox")


async def test_a_copy_does_not_replace_a_later_pod(server: LocalServer) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        spec = {"containers": [{"name": "app", "image": "app"}]}
        pod: Any = {"metadata": {"name": "web"}, "spec": spec}
        later: list[str] = []

        def create_anew(action: Action) -> None:
            own: Any = server.cluster.clientset(Clientset).core_v1.pods("shop")
            own.delete("web")
            later.append(own.create(pod).metadata.uid)

        await pods.create(pod)
        server.cluster.react("delete", "pods", create_anew, times=1)
        options: Any = {"set_image": {"*": "app:2"}, "replace": True}
        made = await debug(k, Pod, "web", namespace="shop", copy_to="copy", **options)
        assert (await pods.get("web")).metadata.uid == later[-1]
        assert made.pod == "copy"
        await debug(k, Pod, "web", namespace="shop", copy_to="other", **options)
        assert [each.metadata.name for each in await pods.list()] == ["copy", "other"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"command": "sh"}, "command takes a list of words"),
        ({"share_processes": False}, "share_processes needs copy_to"),
        ({"keep": ["labels"]}, "keep needs copy_to"),
        ({"keep": ["names"], "copy_to": "a"}, "keep has parts of labels, .*, not 'names'"),
    ],
)
async def test_options_of_debug_that_kubectl_ignores_or_cannot_have(
    options: Any, message: str, server: LocalServer
) -> None:
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(ValueError, match=f"^debug: {message}"):
            await debug(k, Pod, "web", image="busybox", **options)
        with pytest.raises(ValueError, match="for Pods: a Node gets a new Pod"):
            await debug(k, Node, "n1", image="busybox", copy_to="copy")
        call: Callable[..., Any] = debug
        with pytest.raises(TypeError, match="only a Pod or a Node is debugged"):
            await call(k, Namespace, "shop", image="busybox")
