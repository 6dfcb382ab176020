"""kubectl against the server that `clientgen serve` is: what people type, and what they expect."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from clientgen.testing import LocalServer

__all__ = ["run"]

_SECONDS = 120
_SHOWN = 300
_FILES = {
    "web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
""",
    "pod.yaml": """\
apiVersion: v1
kind: Pod
metadata: {name: single, labels: {app: single}}
spec: {containers: [{name: main, image: busybox}]}
""",
    "wrong.yaml": """\
apiVersion: v1
kind: Pod
metadata: {name: wrong}
spec: {containers: [{name: main, image: busybox, imagePolicy: Always}]}
""",
    "crd.yaml": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.fleet.example.com}
spec:
  group: fleet.example.com
  scope: Namespaced
  names: {kind: Ship, plural: ships, singular: ship, shortNames: [sh]}
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{name: Crew, type: integer, jsonPath: .spec.crew}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              description: What the ship is like.
              type: object
              properties: {crew: {type: integer, minimum: 1, default: 3}}
""",
    "ship.yaml": """\
apiVersion: fleet.example.com/v1
kind: Ship
metadata: {name: beagle}
spec: {}
""",
    "sunk.yaml": """\
apiVersion: fleet.example.com/v1
kind: Ship
metadata: {name: sunk}
spec: {crew: 0}
""",
    "kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: my-\n",
}


@dataclass(frozen=True)
class _Step:
    """A command, and what is in its output; `fails` if it is to be refused."""

    command: str
    says: str = ""
    fails: bool = False


_STEPS = (
    _Step("version", "Server Version: v1."),
    _Step("cluster-info", "is running at"),
    _Step("api-versions", "apps/v1"),
    _Step("api-resources --namespaced=false", "namespaces"),
    _Step("auth can-i create pods", "yes"),
    _Step("get namespaces", "kube-system"),
    _Step("create namespace shop", "namespace/shop created"),
    _Step("config set-context --current --namespace shop", "modified"),
    _Step("apply -f web.yaml --dry-run=server", "deployment.apps/web created (server dry run)"),
    _Step("get deployments", "No resources found"),
    _Step("apply -f web.yaml", "service/web created"),
    _Step("apply -f web.yaml", "deployment.apps/web unchanged"),
    _Step("get deployment web -o jsonpath={.spec.replicas}", "2"),
    _Step("get deploy,svc -l app=web -o wide", "nginx:1"),
    _Step("get all", "deployment.apps/web"),
    _Step("get deployment web -o yaml", "kind: Deployment"),
    _Step("get deployment nothing", "NotFound", fails=True),
    _Step("describe deployment web", "Selector:"),
    _Step("explain deployment.spec.replicas", "FIELD: replicas <integer>"),
    _Step("scale deployment web --replicas 5", "scaled"),
    _Step("set image deployment/web web=nginx:2", "image updated"),
    _Step("set env deployment/web COLOUR=blue", "env updated"),
    _Step("set resources deployment/web --limits cpu=200m", "resource requirements updated"),
    _Step("get deployment web -o jsonpath={..image}/{..env[0].value}", "nginx:2/blue"),
    _Step("rollout history deployment/web", "deployment.apps/web"),
    _Step("rollout restart deployment/web", "restarted"),
    _Step("rollout pause deployment/web", "paused"),
    _Step("rollout resume deployment/web", "resumed"),
    _Step("label deployment web tier=front", "labeled"),
    _Step("annotate deployment web note=x", "annotated"),
    _Step("get deployments -l tier=front -o name", "deployment.apps/web"),
    _Step('patch deployment web -p {"spec":{"minReadySeconds":3}}', "patched"),
    _Step('patch deployment web --type=merge -p {"spec":{"paused":true}}', "patched"),
    _Step(
        'patch deployment web --type=json -p [{"op":"remove","path":"/spec/paused"}]',
        "patched",
    ),
    _Step("autoscale deployment web --min 1 --max 3", "autoscaled"),
    _Step("diff -f web.yaml", "nginx", fails=True),
    _Step("edit deployment web", "edited"),
    _Step("get deployment web -o jsonpath={.metadata.labels.edited}", "yes"),
    _Step("apply --server-side -f web.yaml", "conflict", fails=True),
    _Step("apply --server-side --force-conflicts -f web.yaml", "serverside-applied"),
    _Step("create -f pod.yaml", "pod/single created"),
    _Step("create -f pod.yaml", "AlreadyExists", fails=True),
    _Step("create -f wrong.yaml", 'unknown field "spec.containers[0].imagePolicy"', fails=True),
    _Step("get pods --field-selector metadata.name=single", "single"),
    _Step("get pod single --watch --request-timeout 1s", "single"),
    _Step("logs single"),
    _Step("run other --image busybox", "pod/other created"),
    _Step("expose pod single --port 80", "service/single exposed"),
    _Step("wait pod/single --for=jsonpath={.spec.containers[0].name}=main --timeout 5s", "met"),
    _Step("replace -f pod.yaml", "replaced"),
    _Step("apply -k .", "pod/my-single created"),
    _Step("create configmap settings --from-literal a=b", "created"),
    _Step("create secret generic key --from-literal a=b", "created"),
    _Step("get secret key -o jsonpath={.data.a}", "Yg=="),
    _Step("create serviceaccount robot", "created"),
    _Step("create token robot", "."),
    _Step("create role reader --verb get --resource pods", "created"),
    _Step("create rolebinding read --role reader --serviceaccount shop:robot", "created"),
    _Step("auth can-i get pods --as system:serviceaccount:shop:robot", "yes"),
    _Step("auth can-i delete pods --as system:serviceaccount:shop:robot", "no", fails=True),
    _Step("auth whoami", "ATTRIBUTE"),
    _Step("create job once --image busybox", "created"),
    _Step("create cronjob often --image busybox --schedule 0/5*", "Invalid value", fails=True),
    _Step("create ingress way --rule example.com/=web:80", "created"),
    _Step("create quota few --hard pods=9", "created"),
    _Step("create poddisruptionbudget calm --selector app=web --min-available 1", "created"),
    _Step("apply -f crd.yaml", "created"),
    _Step("wait crd/ships.fleet.example.com --for=condition=Established --timeout 9s", "met"),
    _Step("apply -f ship.yaml", "ship.fleet.example.com/beagle created"),
    _Step("apply -f sunk.yaml", "should be greater than or equal to 1", fails=True),
    _Step("get sh", "CREW"),
    _Step("get ship beagle -o jsonpath={.spec.crew}", "3"),
    _Step("explain ship.spec", "What the ship is like."),
    _Step("events", ""),
    _Step("delete pod single --wait=true", "deleted"),
    _Step("delete -f web.yaml", 'service "web" deleted'),
    _Step("delete namespace shop", "deleted"),
    _Step("get ships --all-namespaces", "No resources found"),
)


def run(binary: str) -> int:
    """Type every command; the answer is whether one did not do as expected."""
    program = shutil.which(binary)
    if program is None:
        raise SystemExit(f"there is no program {binary!r}: name kubectl, or install it")
    with tempfile.TemporaryDirectory() as name, LocalServer() as server:
        failures = list(_failures(program, Path(name), server))
    print(f"kubectl: {len(_STEPS)} commands, {len(failures)} failed")
    for failure in failures:
        print(f"    {failure}")
    return int(bool(failures))


def _failures(binary: str, folder: Path, server: LocalServer) -> Iterator[str]:
    for file, text in _FILES.items():
        (folder / file).write_text(text)
    editor = folder / "editor"
    editor.write_text('#!/bin/sh\nsed -i \'s/^  labels:/  labels:\\n    edited: "yes"/\' "$1"\n')
    editor.chmod(0o700)
    environment = {**os.environ, "KUBECONFIG": server.kubeconfig, "HOME": str(folder)}
    environment |= {"KUBE_EDITOR": str(editor)}
    for step in _STEPS:
        done = subprocess.run(
            [binary, *step.command.split()],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        output = done.stdout + done.stderr
        if step.says not in output or bool(done.returncode) != step.fails:
            yield f"{step.command}: {done.returncode}: {' '.join(output.split())[:_SHOWN]}"
