"""The clusters that the recipes of docs/how-to need, one for each recipe."""

from __future__ import annotations

import base64
import contextlib
import os
import re
import ssl
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from aiohttp import web
from click.testing import CliRunner
from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.cli.program import program
from clientgen.testing import Action, FakeClock, FakeCluster, LocalServer, Play

from .kubectl import KUBECTL
from .proxy import TunnelProxy
from .recipes import Recipe, write_modules
from .web_server import WebServer, running

OBJECTS = """
apiVersion: v1
kind: Node
metadata: {name: node-1}
---
apiVersion: v1
kind: Secret
metadata: {name: db-password, namespace: shop, labels: {app: db}}
data: {password: czNjcmV0}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {colour: blue}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1"}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "postgres:17"}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop}
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: main, image: report}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ledger, namespace: bank}
spec: {containers: [{name: ledger, image: "ledger:3"}]}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: PLURAL.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: PLURAL, kind: KIND, shortNames: [SHORT]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [REQUIRED]
              x-kubernetes-preserve-unknown-fields: true
              properties: {REQUIRED: {type: string}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
CRONTAB = """
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: nightly, namespace: shop}
spec: {schedule: 0 3 * * *}
"""
PALETTE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: palette}
data: {sky: blue}
"""
PAINTER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: painter}
spec:
  selector: {matchLabels: {app: painter}}
  template:
    metadata: {labels: {app: painter}}
    spec: {containers: [{name: painter, image: "painter:1"}]}
"""


def definition(kind: str, plural: str, group: str, *, short: str, required: str) -> str:
    words = {"KIND": kind, "PLURAL": plural, "GROUP": group, "SHORT": short, "REQUIRED": required}
    return re.sub("|".join(words), lambda word: words[word[0]], DEFINITION)


CRONTABS = definition("CronTab", "crontabs", "stable.example.com", short="ct", required="schedule")
BACKUPS = definition("Backup", "backups", "batch.example.com", short="bk", required="target")


@dataclass
class World:
    """The cluster of a recipe, as its page describes it, and the folder in which it runs."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    stack: contextlib.ExitStack
    cluster: FakeCluster
    play: Play
    replace: dict[str, str] = field(default_factory=dict)
    """Texts of the snippets that cannot be used as they are, such as ports."""
    proxy: TunnelProxy | None = None
    is_served: bool = False

    @property
    def k(self) -> Clientset:
        """A client that is not the recipe's."""
        return self.cluster.clientset(Clientset)

    def serve(self, **options: Any) -> LocalServer:
        """Serve the cluster over HTTP, with kubeconfigs that lead there."""
        self.is_served = True
        server = self.stack.enter_context(LocalServer(self.cluster, **options))
        config = yaml.safe_load(Path(server.kubeconfig).read_text())
        [context] = config["contexts"]
        context["context"]["namespace"] = "shop"
        for name in ("staging", "production"):
            inner = {**context["context"], "namespace": f"web-{name}"}
            config["contexts"].append({"name": name, "context": inner})
        kube = self.folder / ".kube"
        kube.mkdir()
        for name in ("config", "test.yaml"):
            (kube / name).write_text(yaml.safe_dump(config))
        self.monkeypatch.setenv("KUBECONFIG", str(kube / "config"))
        return server

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


# ---- what the pages say that there is -------------------------------------------------------

CONTAINERS = """[{name: web, image: "web:1"}]"""
TWO_CONTAINERS = """
      - {name: web, image: "web:1", resources: {requests: {cpu: 100m, memory: 128Mi}}}
      - {name: proxy, image: "proxy:1"}"""
BROKEN = PAINTER.replace("painter:1", "registry.invalid/broken:1").replace("painter", "broken")
FAILING = """
apiVersion: batch/v1
kind: Job
metadata: {name: migration, namespace: shop}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: migrate, command: [sh, -c, exit 3]}]
"""
CRASHING = """
apiVersion: v1
kind: Pod
metadata: {name: mailer, namespace: shop}
spec: {containers: [{name: main, image: mailer, command: [sh, -c, exit 3]}]}
"""
USAGE = """
apiVersion: metrics.k8s.io/v1
kind: PodMetrics
metadata: {name: db-0, namespace: shop}
containers: [{name: db, usage: {cpu: 12m, memory: 300Mi}}]
"""
CERTIFICATE_REQUEST = """
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: alice}
spec: {signerName: example.com/people, usages: [client auth], request: REQUEST}
"""
STUCK = """
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: stuck, namespace: shop, finalizers: [example.com/bucket]}
spec: {schedule: 0 0 * * *}
"""


def run(process: Any) -> int:
    """The programs of the container of db-0."""
    match process.command:
        case ["sh", "-c", _]:
            process.stdout.write("3\n")
        case ["psql", "shop"]:
            if process.stdin.read() != b"create table visits (n int);\n":
                return 1
            process.stdout.write("CREATE TABLE")
        case ["cat"]:
            while piece := process.stdin.read1():
                process.stdout.write(piece)
        case _:
            return 127
    return 0


def answer(connection: Any) -> None:
    """The program behind the port of the web pods."""
    path = connection.readline().split()[1]
    connection.write(b"HTTP/1.0 200 OK\r\n\r\nhello from " + path)


def write_log(cluster: FakeCluster, request: Action) -> None:
    """Write what `date` prints, before somebody reads the log of a pod that has run it."""
    if request.name == "once" or request.name.startswith("report-"):
        cluster.logs(f"{request.namespace}/{request.name}").write("Mon May  4 03:00:00 UTC 2026")


def set_up_config(world: World) -> None:
    world.write("conf/nginx.conf", "events {}")
    world.write("conf/mime.types", "types {}")
    leaf = trustme.CA().issue_cert("shop.example.com")
    world.write("tls.crt", leaf.cert_chain_pems[0].bytes().decode())
    world.write("tls.key", leaf.private_key_pem.bytes().decode())


def set_up_custom_resources(world: World) -> None:
    world.write("crds/crontabs.yaml", CRONTABS)
    world.write("backups.yaml", BACKUPS)
    world.cluster.apply_manifests(CRONTABS)
    world.cluster.apply_manifests(CRONTAB)


def set_up_deploy(world: World) -> None:
    world.write("deploy/palette.yaml", PALETTE)
    world.write("deploy/painter.yaml", PAINTER)


def set_up_kustomization(world: World) -> None:
    set_up_deploy(world)
    world.write("deploy/kustomization.yaml", "resources: [painter.yaml]")
    text = "resources: [../../deploy]\nnamePrefix: prod-"
    world.write("overlays/production/kustomization.yaml", text)
    if not KUBECTL:  # a program that prints what kubectl would
        set_up_program(
            world, "kustomize", PAINTER.replace("name: painter}\nspec", "name: prod-painter}\nspec")
        )


def set_up_url(world: World) -> None:
    authority = trustme.CA()
    world.write("ca.pem", authority.cert_pem.bytes().decode())
    world.monkeypatch.setenv("SSL_CERT_FILE", str(world.folder / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    site = WebServer(answer_palette)
    world.stack.enter_context(running(site, context))
    world.replace["https://example.com"] = site.url


async def answer_palette(request: web.BaseRequest) -> web.StreamResponse:
    """Answer any request with a manifest."""
    del request
    return web.Response(text=PALETTE)


def set_up_chart(world: World) -> None:
    hook = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {helm.sh/hook: test}}\n"
    set_up_program(world, "helm", f"---\n# Source: shop/palette.yaml{PALETTE}---\n{hook}")


def set_up_program(world: World, name: str, output: str) -> None:
    """Install a program that prints this."""
    world.write(f"bin/{name}", f"#!/bin/sh\ncat <<'END'\n{output}END\n")
    (world.folder / "bin" / name).chmod(0o755)
    path = f"{world.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    world.monkeypatch.setenv("PATH", path)


def set_up_failures(world: World) -> None:
    world.k.manifests(BROKEN, FAILING, namespace="shop").apply()


def set_up_crash(world: World) -> None:
    world.k.manifests(CRASHING).apply()
    world.cluster.clock.step(15)


def set_up_pods(world: World) -> None:
    db = world.cluster.container("shop/db-0")
    db.on_exec(run)
    db.files["/data/base"] = b""  # from here on, it has tar
    world.cluster.container("shop/web-*").port(8080, answer)
    world.cluster.logs("shop/db-0").write("starting\nlistening\nready")
    for pod in world.k.core_v1.pods("shop").list(label_selector="app=web"):
        world.cluster.logs(f"shop/{pod.metadata.name}", "web").write("serving")
    world.cluster.react("get", "pods/log", partial(write_log, world.cluster))
    world.write("dist/index.html", "<h1>shop</h1>")


def set_up_tls(world: World) -> None:
    server = world.serve(tls=True, token="s3cret")
    config = yaml.safe_load(Path(server.kubeconfig).read_text())
    authority = config["clusters"][0]["cluster"]["certificate-authority-data"]
    world.write("ca.crt", base64.b64decode(authority).decode())
    world.monkeypatch.setenv("CLUSTER_URL", server.url)
    world.monkeypatch.setenv("CLUSTER_TOKEN", "s3cret")


def set_up_kubeconfig(world: World) -> None:
    world.serve()


def set_up_token(world: World) -> None:
    world.serve(tls=True, token="s3cret")
    world.monkeypatch.setenv("CLUSTER_TOKEN", "s3cret")


def set_up_secret(world: World) -> None:
    server = world.serve(tls=True, token="s3cret")
    data = {"kubeconfig": Path(server.kubeconfig).read_bytes()}
    secret = Secret(metadata=ObjectMeta(name="other-cluster"), data=data)
    world.k.create(secret, namespace="shop")


PLUGIN = """#!{python} -ISs
import json, os, sys
request = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
assert sys.argv[1:] == {args!r}, sys.argv
assert ("cluster" in request["spec"]) == {has_cluster}, request
print(json.dumps({{"kind": "ExecCredential", "apiVersion": request["apiVersion"],
                  "status": {{"token": "s3cret"}}}}))
"""


def set_up_plugin(name: str, *args: str, has_cluster: bool = False) -> Callable[[World], None]:
    """Install a fake of a cloud's credential plugin, which checks how it is called."""

    def set_up(world: World) -> None:
        set_up_tls(world)
        text = PLUGIN.format(python=sys.executable, args=list(args), has_cluster=has_cluster)
        world.write(f"bin/{name}", text)
        (world.folder / "bin" / name).chmod(0o755)
        world.monkeypatch.setenv("PATH", str(world.folder / "bin"))

    return set_up


def set_up_proxy(world: World) -> None:
    world.serve(tls=True)  # the proxy makes tunnels
    proxy = TunnelProxy()
    world.stack.callback(proxy.close)
    world.proxy = proxy
    world.replace[":3128"] = f":{proxy.port}"


def set_up_mount(world: World) -> None:
    volume = {"name": "settings", "configMap": {"name": "settings"}}
    volumes = {"spec": {"template": {"spec": {"volumes": [volume]}}}}
    world.k.patch(Deployment, "web", volumes, namespace="shop")


def set_up_ports(world: World) -> None:
    for port in (":8080", ":8081"):  # other tests may use them at the same time
        world.replace[f'"{port}"'] = '"127.0.0.1:0"'


def set_up_clock(world: World) -> None:
    made = 'Sharding(k, "teams", "shop")'
    world.replace[made] = made.replace(")", ", clock=k.rest.clock)")


def set_up_certificate_request(world: World) -> None:
    pem = b"-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"
    text = CERTIFICATE_REQUEST.replace("REQUEST", base64.b64encode(pem).decode())
    world.k.manifests(text).apply()


def set_up_usage(world: World) -> None:
    text = definition("PodMetrics", "pods", "metrics.k8s.io", short="pm", required="none")
    approval = 'annotations: {api-approved.kubernetes.io: "unapproved in tests"}'
    text = text.replace("metadata: {name: pods", f"metadata: {{{approval}, name: pods")
    whole = "openAPIV3Schema:\n          "
    text = text.replace(whole, f"{whole}x-kubernetes-preserve-unknown-fields: true\n          ")
    world.cluster.apply_manifests(text)
    world.cluster.apply_manifests(USAGE)


def set_up_deletion_meanwhile(world: World) -> None:
    gone: list[Action] = []

    def delete_first(action: Action) -> None:
        if not gone:
            gone.append(action)
            world.k.core_v1.pods("shop").delete(action.name, grace_period_seconds=0)

    world.cluster.react("patch", "pods", delete_first)


def set_up_stuck(world: World) -> None:
    set_up_custom_resources(world)
    world.cluster.apply_manifests(STUCK)
    world.k.dynamic.resource("crontabs").delete("stuck", namespace="shop")


# By page, and by question. Both are done.
SET_UP: dict[str, Callable[[World], None]] = {
    "config-and-secrets": set_up_config,
    "connect: connect with a url and a token": set_up_tls,
    "connect: list, choose and merge contexts": set_up_kubeconfig,
    "connect: connect with a kubeconfig from a secret": set_up_secret,
    "connect: connect with tokens that a function returns": set_up_token,
    "connect: connect to amazon eks": set_up_plugin(
        "aws", "eks", "get-token", "--cluster-name", "shop", "--output", "json"
    ),
    "connect: connect to azure aks": set_up_plugin(
        *("kubelogin", "get-token", "--login", "azurecli"),
        *("--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"),
    ),
    "connect: connect to google gke": set_up_plugin("gke-gcloud-auth-plugin", has_cluster=True),
    "connect: reach the cluster through a proxy": set_up_proxy,
    "controllers: add health checks and metrics": set_up_ports,
    "controllers: divide a controller's objects among replicas": set_up_clock,
    "controllers: look at an object when another object changes": set_up_mount,
    "controllers: report a status with conditions": set_up_custom_resources,
    "custom-resources": set_up_custom_resources,
    "permissions: approve or deny a certificate request": set_up_certificate_request,
    "pods": set_up_pods,
    "testing": set_up_deploy,
    "testing: test custom resources": set_up_custom_resources,
    "troubleshooting: find out why pods do not start": set_up_failures,
    "troubleshooting: find pods that crash": set_up_crash,
    "troubleshooting: get rid of an object that stays in deletion": set_up_stuck,
    "troubleshooting: see how much cpu and memory pods use": set_up_usage,
    "wait: know what a long wait is waiting for": set_up_failures,
    "wait: wait for the end of a job, and find out why it failed": set_up_failures,
    "workloads": set_up_pods,
    "write": set_up_deploy,
    "write: apply a helm chart": set_up_chart,
    "write: apply a kustomization, like `kubectl apply -k`": set_up_kustomization,
    "write: apply manifests from a url": set_up_url,
    "write: label many objects": set_up_deletion_meanwhile,
}


@contextlib.contextmanager
def world_of(
    recipe: Recipe, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[World, None, None]:
    """The world of a recipe. Its server ends with it."""
    cluster = FakeCluster(clock=FakeClock(), seed=1)
    # Elsewhere nobody moves the clock: what a wait waits for comes from the controller's thread.
    play = cluster.play(advance=recipe.page.stem != "controllers")
    two = recipe.page.stem == "workloads"
    if recipe.page.stem != "testing":  # it makes its own clusters
        cluster.apply_manifests(OBJECTS.replace(CONTAINERS, TWO_CONTAINERS) if two else OBJECTS)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    with contextlib.ExitStack() as stack:
        world = World(folder, monkeypatch, stack, cluster, play)
        for key in (recipe.page.stem, str(recipe)):
            SET_UP.get(key, lambda _: None)(world)
        if any("from_config" in each.text for each in recipe.blocks) and not world.is_served:
            world.serve()
        yield world
    for name in [name for name in sys.modules if name.partition(".")[0] == "crons"]:
        del sys.modules[name]  # a recipe has generated it


def modules_of_recipes() -> list[str]:
    """Write the recipes as modules, with the package that one of them generates. Returns paths."""
    folder = Path(__file__).parents[2] / "build/how_to"
    paths = write_modules(folder)
    crds = folder / "crontabs.yaml"
    crds.write_text(CRONTABS)
    words = ["generate", "--crd", str(crds), "--output", str(folder), "--package", "crons"]
    result = CliRunner().invoke(program, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return paths
