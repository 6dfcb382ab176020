"""kubectl, as people type it, against the server.

CLIENTGEN_TEST_KUBECONFIG may name a real one instead, to see that it answers the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.kubectl import KUBECTL, Kubectl

REAL = os.environ.get("CLIENTGEN_TEST_KUBECONFIG", "")

pytestmark = pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")


@pytest.fixture(scope="module")
def served_kubeconfig() -> Iterator[str]:
    """A kubeconfig that leads to a server."""
    if REAL:
        yield REAL
        return
    from clientgen.testing._fake.local_server import LocalServer

    with LocalServer() as server:
        yield server.kubeconfig


@pytest.fixture
def kubectl(served_kubeconfig: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """Commands in a fresh namespace; what kubectl learned of the server is kept between tests."""
    folder = tmp_path_factory.getbasetemp() / "kubectl"
    folder.mkdir(exist_ok=True)
    made = Kubectl(served_kubeconfig, folder, f"kubectl-{uuid.uuid4().hex[:8]}")
    made("create", "namespace", made.namespace)
    yield made
    if REAL:
        made("delete", "namespace", made.namespace, "--wait=false")


def config(name: str, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def deployment(name: str = "web", replicas: int = 2) -> dict[str, Any]:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "nginx:1"}]},
            },
        },
    }


# ------------------------------------------------------------------ what there is


def test_api_resources(kubectl: Kubectl) -> None:
    lines = [line.split() for line in kubectl("api-resources").splitlines()]
    assert lines[0] == ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]
    assert ["pods", "po", "v1", "true", "Pod"] in lines
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in lines
    names = kubectl("api-resources", "--namespaced=false", "-o", "name").split()
    assert "nodes" in names
    assert "clusterroles.rbac.authorization.k8s.io" in names
    assert "pods" not in names


def test_api_versions(kubectl: Kubectl) -> None:
    assert {"v1", "apps/v1", "batch/v1"} <= set(kubectl("api-versions").split())


def test_version(kubectl: Kubectl) -> None:
    assert "Server Version: v1." in kubectl("version")


def test_explain(kubectl: Kubectl) -> None:
    printed = kubectl("explain", "deployment.spec.strategy")
    assert "KIND:       Deployment" in printed
    assert "FIELD: strategy <DeploymentStrategy>" in printed
    assert "rollingUpdate\t<RollingUpdateDeployment>" in printed
    assert "does not exist" in kubectl("explain", "pod.spec.nothing", exits=1)


# ------------------------------------------------------------------ creating and reading


def test_create(kubectl: Kubectl) -> None:
    assert kubectl("create", "configmap", "a", "--from-literal=k=v") == "configmap/a created\n"
    assert 'configmaps "a" already exists' in kubectl("create", "configmap", "a", exits=1)
    assert kubectl("create", "-f", "-", given=[config("b"), deployment()]) == (
        "configmap/b created\ndeployment.apps/web created\n"
    )
    dry = kubectl("create", "configmap", "c", "--dry-run=server", "-o", "yaml")
    assert yaml.safe_load(dry)["metadata"]["uid"]
    assert "NotFound" in kubectl("get", "configmap", "c", exits=1)


def test_unknown_fields_are_refused(kubectl: Kubectl) -> None:
    wrong = {**config("a"), "dta": {"k": "v"}}
    assert 'unknown field "dta"' in kubectl("create", "-f", "-", given=wrong, exits=1)


def test_get_as_a_table(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    header, row = kubectl.rows("deployments")
    assert header == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]
    assert row[:4] == ["web", "0/2", "0", "0"]
    header, row = kubectl.rows("deploy/web", "-o", "wide")
    assert header[5:] == ["CONTAINERS", "IMAGES", "SELECTOR"]
    assert row[5:] == ["main", "nginx:1", "app=web"]
    assert "No resources found" in kubectl("get", "pods")


def test_get_in_other_forms(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=config("a", k="v"))
    assert kubectl.json("configmap/a")["data"] == {"k": "v"}
    assert yaml.safe_load(kubectl("get", "cm/a", "-o", "yaml"))["kind"] == "ConfigMap"
    assert kubectl("get", "cm/a", "-o", "jsonpath={.data.k}") == "v"
    assert kubectl("get", "cm", "-o", "name") == "configmap/a\n"
    columns = "custom-columns=N:.metadata.name,K:.data.k"
    assert kubectl.rows("cm", "-o", columns) == [["N", "K"], ["a", "v"]]
    assert 'configmaps "b" not found' in kubectl("get", "cm", "b", exits=1)
    assert "doesn't have a resource type" in kubectl("get", "nothing", exits=1)


def test_get_selects(kubectl: Kubectl) -> None:
    made = [config(name, {"tier": tier}) for name, tier in [("a", "x"), ("b", "y"), ("c", "z")]]
    kubectl("create", "-f", "-", given=made)

    def names(*arguments: str) -> list[str]:
        return kubectl("get", "cm", "-o", "name", *arguments).split()

    assert names("-l", "tier=x") == ["configmap/a"]
    assert names("-l", "tier in (x,y)") == ["configmap/a", "configmap/b"]
    assert names("--field-selector", "metadata.name=c") == ["configmap/c"]
    assert names("--chunk-size=1") == ["configmap/a", "configmap/b", "configmap/c"]
    assert kubectl.rows("cm", "--show-labels")[1][-1] == "tier=x"
    rows = kubectl.rows(
        "cm", "-A", "-l", "tier", "--field-selector", f"metadata.namespace={kubectl.namespace}"
    )
    assert [row[1] for row in rows[1:]] == ["a", "b", "c"]


def test_get_watches(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=config("a"))
    command = kubectl.command("get", "cm", "-w", "--output-watch-events", "--no-headers")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=kubectl.environment
    ) as watching:
        assert watching.stdout is not None
        # A server that says nothing ends the test, not hangs it.
        watchdog = threading.Timer(20, watching.kill)
        watchdog.start()
        try:
            seen = [watching.stdout.readline().split()[:2]]
            kubectl("create", "-f", "-", given=config("b"))
            kubectl("label", "cm", "b", "x=y")
            kubectl("delete", "cm", "b")
            seen += [watching.stdout.readline().split()[:2] for _ in range(3)]
        finally:
            watchdog.cancel()
            watching.terminate()
    assert seen == [["ADDED", "a"], ["ADDED", "b"], ["MODIFIED", "b"], ["DELETED", "b"]]


def test_describe(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=[config("a", k="v"), deployment()])
    printed = kubectl("describe", "configmap", "a")
    assert printed.startswith("Name:         a\n")
    assert "k:\n----\nv\n" in printed
    printed = kubectl("describe", "deployment", "web")
    assert "Replicas:               2 desired" in printed
    assert "Image:         nginx:1" in printed


# ------------------------------------------------------------------ applying and changing


def test_apply(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=config("a", k="1", gone="1"))
    assert kubectl("apply", "-f", "-", given=config("a", k="2")) == "configmap/a configured\n"
    assert kubectl("apply", "-f", "-", given=config("a", k="2")) == "configmap/a unchanged\n"
    assert kubectl.json("cm/a")["data"] == {"k": "2"}


def test_apply_merges_lists_by_their_keys(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=deployment())
    changed = deployment()
    changed["spec"]["template"]["spec"]["containers"].append({"name": "side", "image": "b"})
    assert "configured" in kubectl("apply", "-f", "-", given=changed)
    assert "configured" in kubectl("apply", "-f", "-", given=deployment(replicas=3))
    spec = kubectl.json("deploy/web")["spec"]
    assert spec["replicas"] == 3
    assert [each["name"] for each in spec["template"]["spec"]["containers"]] == ["main"]


def test_apply_on_the_server(kubectl: Kubectl) -> None:
    side = ("apply", "--server-side", "-f", "-")
    assert "serverside-applied" in kubectl(*side, "--field-manager=one", given=config("a", k="1"))
    refused = kubectl(*side, "--field-manager=two", given=config("a", k="2"), exits=1)
    assert 'conflict with "one": .data.k' in refused
    kubectl(*side, "--field-manager=two", "--force-conflicts", given=config("a", k="2"))
    kubectl(*side, "--field-manager=one", given=config("a", l="3"))
    config_map = kubectl.json("cm/a", "--show-managed-fields")
    assert config_map["data"] == {"k": "2", "l": "3"}
    assert {each["manager"] for each in config_map["metadata"]["managedFields"]} == {"one", "two"}


def test_diff(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", given=config("a", k="1"))
    assert kubectl("diff", "-f", "-", given=config("a", k="1")) == ""
    assert '+  k: "2"' in kubectl("diff", "-f", "-", given=config("a", k="2"), exits=1)
    assert "+  l:" in kubectl("diff", "--server-side", "-f", "-", given=config("a", l="x"), exits=1)
    assert kubectl.json("cm/a")["data"] == {"k": "1"}


def test_edit(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=config("a", k="red"))
    assert kubectl("edit", "cm", "a", editor="sed -i s/red/blue/") == "configmap/a edited\n"
    assert kubectl.json("cm/a")["data"] == {"k": "blue"}
    assert "no changes made" in kubectl("edit", "cm", "a")


MERGE = '{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"b"}]}}}}'
JSON_PATCH = '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"b"}]'


@pytest.mark.parametrize(
    ("kind", "patch"),
    [("strategic", MERGE), ("merge", MERGE), ("json", JSON_PATCH)],
    ids=["strategic", "merge", "json"],
)
def test_patch(kubectl: Kubectl, kind: str, patch: str) -> None:
    kubectl("create", "-f", "-", given=deployment())
    printed = kubectl("patch", "deploy/web", f"--type={kind}", "-p", patch)
    assert printed == "deployment.apps/web patched\n"
    spec = kubectl.json("deploy/web")["spec"]["template"]["spec"]
    assert [each["image"] for each in spec["containers"]] == ["b"]


def test_label_and_annotate(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=config("a"))
    assert kubectl("label", "cm", "a", "x=1", "y=2") == "configmap/a labeled\n"
    assert "already has a value" in kubectl("label", "cm", "a", "x=3", exits=1)
    kubectl("label", "cm", "a", "x=3", "y-", "--overwrite")
    assert kubectl("annotate", "cm", "a", "note=hi") == "configmap/a annotated\n"
    metadata = kubectl.json("cm/a")["metadata"]
    assert metadata["labels"] == {"x": "3"}
    assert metadata["annotations"]["note"] == "hi"


def test_scale(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    assert kubectl("scale", "deploy/web", "--replicas=5") == "deployment.apps/web scaled\n"
    assert kubectl.json("deploy/web")["spec"]["replicas"] == 5
    kubectl("scale", "deploy/web", "--current-replicas=2", "--replicas=1", exits=1)


def test_replace(kubectl: Kubectl) -> None:
    assert "NotFound" in kubectl("replace", "-f", "-", given=config("a"), exits=1)
    kubectl("create", "-f", "-", given=config("a", k="1"))
    assert kubectl("replace", "-f", "-", given=config("a", l="2")) == "configmap/a replaced\n"
    config_map = kubectl.json("cm/a")
    assert config_map["data"] == {"l": "2"}
    forced = kubectl("replace", "--force", "-f", "-", given=config("a", l="3"))
    assert "configmap/a replaced" in forced
    assert kubectl.json("cm/a")["metadata"]["uid"] != config_map["metadata"]["uid"]


def test_set_and_subresource(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    kubectl("set", "image", "deploy/web", "main=nginx:2")
    status = '{"status":{"replicas":2,"readyReplicas":1}}'
    kubectl("patch", "deploy/web", "--subresource=status", "--type=merge", "-p", status)
    assert kubectl.rows("deploy/web", "-o", "wide")[1][1] == "1/2"
    assert kubectl.rows("deploy/web", "-o", "wide")[1][6] == "nginx:2"


@pytest.mark.slow
def test_create_by_generators(kubectl: Kubectl) -> None:
    """The typed clients behind these send protobuf."""
    kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2", "--port=80")
    kubectl("create", "service", "nodeport", "web", "--tcp=80:8080")
    kubectl("create", "secret", "generic", "s", "--from-literal=k=v")
    kubectl("create", "cronjob", "tick", "--image=busybox", "--schedule=*/5 * * * *", "--", "date")
    kubectl("create", "job", "once", "--from=cronjob/tick")
    kubectl("create", "ingress", "in", "--rule=a.example.com/x*=web:80")
    kubectl("create", "quota", "q", "--hard=cpu=1,pods=2")
    kubectl("create", "poddisruptionbudget", "pdb", "--selector=app=web", "--min-available=50%")
    kubectl("autoscale", "deployment", "web", "--min=1", "--max=5", "--cpu-percent=80")
    kubectl("run", "p", "--image=nginx", "--env=A=b", "--labels=x=y")
    kubectl("expose", "pod", "p", "--port=443", "--name=p")
    deployment = kubectl.json("deploy/web")["spec"]
    assert deployment["replicas"] == 2
    ports = deployment["template"]["spec"]["containers"][0]["ports"]
    assert ports == [{"containerPort": 80, "protocol": "TCP"}]
    assert kubectl.json("secret/s")["data"] == {"k": "dg=="}
    service = kubectl.json("svc/web")["spec"]["ports"][0]
    assert (service["targetPort"], service["port"]) == (8080, 80)
    assert service["nodePort"] >= 30000
    assert kubectl.json("job/once")["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert kubectl.json("quota/q")["spec"]["hard"] == {"cpu": "1", "pods": "2"}
    assert kubectl.json("pdb/pdb")["spec"]["minAvailable"] == "50%"
    assert kubectl.json("svc/p")["spec"]["selector"] == {"x": "y"}
    rows = kubectl("get", "all").split()
    assert {"pod/p", "service/web", "deployment.apps/web", "job.batch/once"} <= set(rows)
    described = kubectl("describe", "pod,svc,ingress,cronjob,quota,pdb,hpa,secret")
    assert "A: b" in " ".join(described.split())
    assert "Reference:" in described


def test_nodes(kubectl: Kubectl) -> None:
    name = f"node-{kubectl.namespace}"
    status = {"capacity": {"cpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}
    kubectl("create", "-f", "-", given=node)
    try:
        kubectl("label", "node", name, "node-role.kubernetes.io/worker=")
        kubectl("taint", "node", name, "a=b:NoSchedule")
        assert "cordoned" in kubectl("cordon", name)
        assert kubectl.rows("node", name)[1][1:3] == ["Ready,SchedulingDisabled", "worker"]
        kubectl("uncordon", name)
        assert "a=b:NoSchedule" in kubectl("describe", "node", name)
        assert "drained" in kubectl("drain", name, "--timeout=5s")
    finally:
        kubectl("delete", "node", name)


def test_rollout(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    assert "restarted" in kubectl("rollout", "restart", "deploy/web")
    assert "paused" in kubectl("rollout", "pause", "deploy/web")
    assert "resumed" in kubectl("rollout", "resume", "deploy/web")
    timed_out = kubectl("rollout", "status", "deploy/web", "--timeout=1s", exits=1)
    assert "timed out waiting" in timed_out
    assert "no rollout history" in kubectl("rollout", "undo", "deploy/web", exits=1)


def test_apply_prunes(kubectl: Kubectl) -> None:
    labels = {"prune": "me"}
    kubectl("apply", "-f", "-", given=[config("a", labels), config("b", labels)])
    pruned = kubectl("apply", "-f", "-", "--prune", "-l", "prune=me", given=config("a", labels))
    assert "configmap/b pruned" in pruned
    assert kubectl("get", "cm", "-l", "prune=me", "-o", "name") == "configmap/a\n"


def test_kustomize(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "cm.json").write_text(json.dumps(config("a", k="v")))
    kustomization = {"resources": ["cm.json"], "namePrefix": "dev-"}
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    assert kubectl("apply", "-k", str(tmp_path)) == "configmap/dev-a created\n"
    assert kubectl("diff", "-k", str(tmp_path)) == ""
    assert "deleted" in kubectl("delete", "-k", str(tmp_path))


def test_commands_that_need_a_kubelet_fail(kubectl: Kubectl) -> None:
    kubectl("run", "p", "--image=nginx")
    assert "does not have a host assigned" in kubectl("exec", "p", "--", "ls", exits=1)


# ------------------------------------------------------------------ waiting and deleting


def test_wait(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=[deployment(), config("a", k="v")])
    wait = ("wait", "deploy/web", "--for=condition=Available")
    assert "timed out" in kubectl(*wait, "--timeout=1s", exits=1)
    condition = '{"status":{"conditions":[{"type":"Available","status":"True"}]}}'
    kubectl("patch", "deploy/web", "--subresource=status", "--type=merge", "-p", condition)
    assert kubectl(*wait, "--timeout=5s") == "deployment.apps/web condition met\n"
    assert "condition met" in kubectl("wait", "cm/a", "--for=jsonpath={.data.k}=v")
    kubectl("delete", "cm", "a", "--wait=false")
    assert kubectl("wait", "cm/a", "--for=delete", "--timeout=5s") in {
        "",
        "configmap/a condition met\n",
    }


def test_delete(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=[config(name, {"x": "y"}) for name in "abc"])
    assert 'configmap "a" deleted' in kubectl("delete", "cm", "a", "--wait=true")
    assert "NotFound" in kubectl("delete", "cm", "a", exits=1)
    assert kubectl("delete", "cm", "a", "--ignore-not-found") == ""
    kubectl("delete", "cm", "-l", "x=y")
    assert [row[0] for row in kubectl.rows("cm", "--no-headers") if row[0] in "abc"] == []


def test_delete_leaves_what_belongs_to_it(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=deployment())
    uid = kubectl.json("deploy/web")["metadata"]["uid"]
    owned = config("owned")
    owned["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": uid}
    ]
    kubectl("create", "-f", "-", given=owned)
    kubectl("delete", "deploy", "web", "--cascade=orphan", "--wait=false")
    assert kubectl("get", "cm", "owned", "-o", "name") == "configmap/owned\n"


@pytest.mark.skipif(bool(REAL), reason="collecting garbage takes a controller")
@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_delete_takes_what_belongs_to_it(kubectl: Kubectl, cascade: str) -> None:
    kubectl("create", "-f", "-", given=config("owner"))
    uid = kubectl.json("cm/owner")["metadata"]["uid"]
    owned = config("owned")
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}
    owned["metadata"]["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    kubectl("create", "-f", "-", given=owned)
    kubectl("delete", "cm", "owner", f"--cascade={cascade}", "--wait", "--timeout=10s")
    kubectl("wait", "cm/owned", "--for=delete", "--timeout=10s")


@pytest.mark.skipif(bool(REAL), reason="emptying a namespace takes a controller")
def test_delete_a_namespace(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", given=config("a"))
    kubectl("delete", "namespace", kubectl.namespace, "--timeout=20s")
    assert "NotFound" in kubectl("get", "namespace", kubectl.namespace, exits=1)
    assert "No resources found" in kubectl("get", "cm")


# ------------------------------------------------------------------ who may, and own types


@pytest.mark.skipif(bool(REAL), reason="is about texts of our own")
def test_explain_says_what_things_are(kubectl: Kubectl) -> None:
    assert "One or more containers that run together" in kubectl("explain", "pods")
    containers = kubectl("explain", "deployment.spec.template.spec.containers")
    assert "A container of a pod" in containers
    assert "The arguments of the command." in containers


def test_auth(kubectl: Kubectl) -> None:
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert "pods" in kubectl("auth", "can-i", "--list") or "*.*" in kubectl(
        "auth", "can-i", "--list"
    )
    assert "Username" in kubectl("auth", "whoami")


@pytest.mark.skipif(bool(REAL), reason="is about the token of `clientgen serve`")
def test_tokens_over_tls(tmp_path: Path) -> None:
    from clientgen.testing._fake.local_server import LocalServer

    with LocalServer(tls=True, token="sesame") as server:
        kubectl = Kubectl(server.kubeconfig, tmp_path, "default")
        assert "kubernetes-admin" in kubectl("auth", "whoami")
        unauthorized = kubectl("--token=guessed", "get", "cm", exits=1)
        assert "Unauthorized" in unauthorized or "logged in" in unauthorized
        kubectl("create", "serviceaccount", "robot")
        token = kubectl("create", "token", "robot").strip()
        user = json.loads(kubectl("auth", "whoami", f"--token={token}", "-o", "json"))
        assert user["status"]["userInfo"]["username"] == "system:serviceaccount:default:robot"
        read = ("get", "configmaps", f"--token={token}")
        assert "Forbidden" in kubectl(*read, exits=1)
        kubectl("create", "role", "reader", "--verb=list", "--resource=configmaps")
        account = "--serviceaccount=default:robot"
        kubectl("create", "rolebinding", "reader", "--role=reader", account)
        assert "No resources found" in kubectl(*read)
        assert "cannot impersonate" in kubectl(*read, "--as=kubernetes-admin", exits=1)


@pytest.mark.skipif(bool(REAL), reason="is about `clientgen serve`")
def test_two_servers_in_one_kubeconfig(tmp_path: Path) -> None:
    """Contexts have names of their own; over TLS nobody is asked for a user name."""
    from clientgen.testing._fake.local_server import LocalServer

    with LocalServer() as one, LocalServer(tls=True) as other:
        both = Kubectl(f"{one.kubeconfig}{os.pathsep}{other.kubeconfig}", tmp_path, "default")
        both("--context", f"clientgen-{one.port}", "create", "configmap", "in-one")
        both("--context", f"clientgen-{other.port}", "create", "configmap", "in-other")
        assert [line[0] for line in both.rows("configmaps")[1:]] == ["in-one"]
        alone = Kubectl(other.kubeconfig, tmp_path, "default")
        assert [line[0] for line in alone.rows("configmaps")[1:]] == ["in-other"]


@pytest.mark.skipif(bool(REAL), reason="is about definitions that `clientgen serve` began with")
def test_definitions_that_were_there_from_the_start_are_applied(tmp_path: Path) -> None:
    from clientgen.testing import FakeCluster
    from clientgen.testing._fake.local_server import LocalServer

    own = crd("shop.example.com")
    file = tmp_path / "crd.json"
    file.write_text(json.dumps(own))
    changed = {**own, "metadata": {**own["metadata"], "labels": {"a": "b"}}}
    own["spec"]["names"]["shortNames"] = ["wg"]
    with LocalServer(FakeCluster(crds=file)) as server:
        kubectl = Kubectl(server.kubeconfig, tmp_path, "default")
        assert "configured" in kubectl("apply", "-f", "-", given=own)
        assert "serverside-applied" in kubectl(
            "apply", "--server-side", "--force-conflicts", "-f", "-", given=changed
        )
        assert kubectl.rows("wd") == [["No", "resources", "found", "in", "default", "namespace."]]


def test_create_token(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot", "--duration=1h").strip()
    assert token.count(".") == 2
    assert "not found" in kubectl("create", "token", "nobody", exits=1)


def crd(group: str) -> dict[str, Any]:
    properties = {
        "spec": {
            "type": "object",
            "required": ["color"],
            "properties": {"color": {"type": "string"}, "size": {"type": "integer", "default": 1}},
        }
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
                    "additionalPrinterColumns": [
                        {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
                        {
                            "name": "Size",
                            "type": "integer",
                            "jsonPath": ".spec.size",
                            "priority": 1,
                        },
                    ],
                }
            ],
        },
    }


def test_own_types(kubectl: Kubectl) -> None:
    group = f"{kubectl.namespace}.example.com"
    assert "created" in kubectl("apply", "-f", "-", given=crd(group))
    kubectl("wait", f"crd/widgets.{group}", "--for=condition=Established", "--timeout=10s")
    widget: dict[str, Any] = {
        "apiVersion": f"{group}/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": {"color": "red"},
    }
    try:
        assert "created" in kubectl("apply", "-f", "-", given=widget)
        resource = f"widgets.{group}"
        header, row = kubectl.rows(resource)
        assert (header, row) == (["NAME", "COLOR"], ["w", "red"])
        assert kubectl.rows(resource, "-o", "wide")[1] == ["w", "red", "1"]
        assert "size\t<integer>" in kubectl("explain", f"{resource}.spec")
        wrong = {**widget, "spec": {}}
        assert "spec.color" in kubectl("apply", "-f", "-", given=wrong, exits=1)
        kubectl("delete", resource, "w")
    finally:
        kubectl("delete", f"crd/widgets.{group}", "--wait=false")
