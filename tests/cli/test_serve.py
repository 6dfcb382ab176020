"""`clientgen serve` as its users start it: a process of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from click.testing import Result
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta
from support.kubectl import KUBECTL, Kubectl
from support.local_sockets import answer_of

from clientgen.runtime import errors
from clientgen.runtime._http.shard_ranges import ShardRanges
from clientgen.runtime.conditions import condition, jsonpath

Run = Callable[..., Result]

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cups.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: cups, kind: Cup}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
MANIFESTS = """\
# What the shop needs.
---
apiVersion: v1
kind: ConfigMap
metadata: {name: colours, namespace: shop}
data: {sky: blue}
---
apiVersion: shop.example/v1
kind: Cup
metadata: {name: blue, namespace: shop}
"""


class Served:
    """A running `clientgen serve` that has said that it is ready."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.line = process.stdout.readline()
        match = re.fullmatch(r"serving (\S+)    export KUBECONFIG=(.+)\n", self.line)
        if match is None:
            process.kill()
            raise AssertionError(f"{self.line!r} {process.communicate()!r}")
        self.url = match[1]
        self.kubeconfig = shlex.split(match[2])[0]

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, json.loads(body) if body.startswith(b"{") else body.decode()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out + err


@contextmanager
def started(*arguments: str, **environment: str) -> Iterator[Served]:
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-W", "error", "-m", "clientgen", "serve", *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**os.environ, **environment},
            )
        )
        stack.callback(process.kill)
        yield Served(process)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_told_to_stop(here: Path, number: int):
    with started() as served:
        assert served.url.startswith("http://127.0.0.1:")
        with Clientset.from_config(served.kubeconfig) as k:
            assert k.core_v1.namespaces().get("default").status.phase == "Active"
            watch = k.core_v1.pods().watch(timeout_seconds=60)
            assert served.end(number) == (0, "")
            watch.close()
        assert not Path(served.kubeconfig).exists()


def test_definitions_and_objects_can_be_there_from_the_start(here: Path):
    folder = here / "definitions"
    folder.mkdir()
    (folder / "cups.yaml").write_text(CRD)
    (here / "shop.yaml").write_text(MANIFESTS)
    more = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    (here / "more.json").write_text(json.dumps(more))
    with started("--crd", "definitions", "--load", "shop.yaml", "--load", "more.json") as served:
        _, cups = served.get("/apis/shop.example/v1/cups")
        assert [each["metadata"]["name"] for each in cups["items"]] == ["blue"]
        assert served.get("/api/v1/namespaces/shop/configmaps/colours")[1]["data"] == {
            "sky": "blue"
        }
        assert served.get("/api/v1/nodes/n1")[0] == 200


def test_all_that_is_wrong_with_definitions_is_told_with_its_lines(run: Run) -> None:
    wrong = CRD.replace("scope: Namespaced", "scope: Everywhere")
    folder = Path("definitions")
    folder.mkdir()
    (folder / "a.yaml").write_text(f"{CRD}---\n{wrong.replace('cups', 'mugs')}")
    (folder / "b.yaml").write_text("a: [")
    (folder / "c.yaml").write_text(wrong.replace("cups", "jugs"))
    result = run("serve", "--crd", "definitions")
    told = result.stderr
    assert (result.exit_code, result.stdout) == (1, "")
    assert told.endswith("3 problems\n")
    lines = CRD.count("\n") + 1
    scope = CRD.split("\n").index("  scope: Namespaced") + 1
    assert f"definitions/a.yaml:{lines + scope} #/spec/scope: " in told
    assert f"definitions/c.yaml:{scope} #/spec/scope: " in told
    assert "definitions/b.yaml, document 1, line 1: " in told


def test_two_definitions_of_one_name_are_told_with_both_places(run: Run) -> None:
    folder = Path("definitions")
    folder.mkdir()
    (folder / "a.yaml").write_text(f"# cups\n---\n{CRD}")
    (folder / "b.yaml").write_text(CRD.replace("kind: Cup", "kind: Mug"))
    result = run("serve", "--crd", "definitions")
    said = "definitions/b.yaml:1: defines cups.shop.example again, after definitions/a.yaml:3\n"
    assert (result.exit_code, said in result.stderr) == (1, True), result.stderr
    assert "Leave one of them out." in result.stderr


def test_of_two_definitions_the_first_stays_if_the_other_is_left_out(here: Path) -> None:
    (here / "a.yaml").write_text(f"{CRD}---\n{CRD.replace('kind: Cup', 'kind: Mug')}")
    with started("--crd", "a.yaml", "--skip-invalid") as served:
        _, cups = served.get("/apis/shop.example/v1/cups")
        assert cups["kind"] == "CupList"
        assert "defines cups.shop.example again" in served.end()[1]


def test_definitions_without_a_name_are_a_problem(run: Run) -> None:
    Path("bad.yaml").write_text(CRD.replace("{name: cups.shop.example}", "cups"))
    assert run("serve", "--crd", "bad.yaml").exit_code == 1


def test_definitions_of_the_old_version_are_told_what_to_do(run: Run) -> None:
    Path("old.yaml").write_text(CRD.replace("k8s.io/v1", "k8s.io/v1beta1"))
    told = run("serve", "--crd", "old.yaml").stderr
    assert "old.yaml:1 #/apiVersion: is of apiextensions.k8s.io/v1beta1, which API servers" in told
    assert "Convert it to apiextensions.k8s.io/v1" in told


def test_what_is_invalid_can_be_left_out(here: Path) -> None:
    (here / "cups.yaml").write_text(f"kind: Nothing\napiVersion: v9\n---\n{CRD}")
    with started("--crd", "cups.yaml", "--skip-invalid") as served:
        assert served.get("/apis/shop.example/v1/cups")[0] == 200
        _, told = served.end(signal.SIGTERM)
        assert "cups.yaml, document 1, line 1: Nothing in v9 is not served" in told
        assert "note: what is wrong is left out" in told


@pytest.mark.slow
def test_versions_go_on_after_those_of_faster_servers(here: Path) -> None:
    def version(served: Served) -> int:
        _, listed = served.get("/api/v1/namespaces")
        return int(listed["metadata"]["resourceVersion"])

    with started(XDG_CACHE_HOME=str(here / "cache")) as served:
        first = version(served)
        path = "/api/v1/namespaces?resourceVersion=9999999999&resourceVersionMatch=Exact"
        status, told = served.get(path)
        assert (status, told["reason"]) == (504, "Timeout"), "a version from the future"
    kept = here / "cache" / "clientgen" / "serve-version"
    assert not kept.exists(), "the clock is enough"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(str(first + 10**7))
    with started(XDG_CACHE_HOME=str(here / "cache")) as served:
        second = version(served)
        assert second > first + 10**7
        assert served.end(signal.SIGTERM) == (0, "")
    assert int(kept.read_text()) >= second, "this one is ahead of the clock, too"


def test_a_spec_of_ones_own_is_served_instead(here: Path):
    with started("--spec", "shop.json") as served:
        assert served.get("/api/v1/pods")[0] == 404


def test_https_and_a_token_that_is_never_shown(here: Path):
    with started("--tls", "--token", "s3cret-t0ken", "--kubeconfig", "kube config") as served:
        path = here / "kube config"
        assert Path(served.kubeconfig) == path
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with Clientset.from_config(path) as k:
            k.core_v1.namespaces().get("default")
        path.write_text(path.read_text().replace("s3cret-t0ken", "wrong"))
        with Clientset.from_config(path) as k, pytest.raises(errors.Unauthorized):
            k.core_v1.namespaces().get("default")
        assert "s3cret-t0ken" not in served.line + served.end()[1]
    assert path.exists()


@pytest.mark.parametrize("way", ["environment", "file"])
def test_the_token_need_not_stand_in_the_command_line(here: Path, way: str):
    (here / "token").write_text("s3cret\n")
    given = ["--token-file", "token"] if way == "file" else []
    environment = {"CLIENTGEN_SERVE_TOKEN": "s3cret"} if way == "environment" else {}
    with started(*given, **environment) as served:
        assert served.get("/api/v1/pods")[0] == 401
        assert served.get("/api/v1/pods", Authorization="Bearer s3cret")[0] == 200
        assert "add --tls" in served.end()[1]


# ---- a server that is started again -----------------------------------------------------------


def shown(name: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name))


async def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + 60
    while not holds():
        assert monotonic() < deadline, "timed out"
        await asyncio.sleep(0.01)


@pytest.mark.slow
async def test_informers_see_that_it_is_another_one(here: Path):
    """It begins empty, and gives out none of the versions that the watches of before know."""
    with ExitStack() as stack:
        first = stack.enter_context(started("--kubeconfig", "kubeconfig"))
        k = stack.enter_context(Clientset.from_config(first.kubeconfig))
        maps = k.core_v1.config_maps("default")
        maps.create(shown("before"))
        async with AsyncClientset.from_config(first.kubeconfig) as aio:
            with k.informers(namespace="default") as factory:
                async with aio.informers(namespace="default") as async_factory:
                    informers = factory.core_v1.config_maps(), async_factory.core_v1.config_maps()
                    factory.start()
                    async_factory.start()
                    await async_factory.wait_for_sync(timeout=30)
                    await asyncio.to_thread(factory.wait_for_sync, timeout=30)
                    assert [each.indexer.keys() for each in informers] == [["default/before"]] * 2

                    first.end()
                    port = str(urlsplit(first.url).port)
                    stack.enter_context(started("--kubeconfig", "kubeconfig", "--port", port))
                    maps.create(shown("after"))
                    await until(
                        lambda: all(each.indexer.keys() == ["default/after"] for each in informers)
                    )


# ---- what stands in the way -------------------------------------------------------------------


def refused(run: Run, *arguments: str) -> str:
    result = run("serve", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("1 problem\n")
    return result.stderr


def test_a_port_that_is_in_use_is_a_problem(run: Run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "--port: the port is in use" in refused(run, "--port", str(port))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "shop2.json: cannot be read: No such file or directory"),
        ("{", "shop2.json: is not JSON"),
        ('{"openapi": "3.0.0"}', "OpenAPI v2 is read here"),
    ],
)
def test_a_spec_that_cannot_be_served_is_a_problem(run: Run, text: str | None, why: str):
    if text is not None:
        Path("shop2.json").write_text(text)
    assert why in refused(run, "--spec", "shop2.json")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "x.yaml: the file cannot be read: No such file or directory"),
        ("a: [", "x.yaml, document 1, line 1: "),
        ("a: b", "x.yaml, document 1, line 1: the manifest has no apiVersion"),
        (MANIFESTS, "x.yaml, document 2, line 8: Cup in shop.example/v1 is not served"),
        ("- a\n", "x.yaml, document 1, line 1: the manifest is a list, not an object"),
        (
            "\napiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: 3}\n",
            "x.yaml, document 1, line 2: ",
        ),
    ],
)
def test_manifests_that_cannot_be_loaded_are_a_problem(run: Run, text: str | None, why: str):
    if text is not None:
        Path("x.yaml").write_text(text)
    assert why in refused(run, "--load", "x.yaml")


def test_features_can_be_switched_on(here: Path):
    with started("--feature-gates", "ShardedListAndWatch=true") as served:
        selector = quote(ShardRanges([(0, 1 << 63)]).text)
        listed = served.get(f"/api/v1/namespaces?shardSelector={selector}")[1]
        assert unquote(selector) == listed["metadata"]["shardInfo"]["selector"]


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        ("ShardedListAndWatch", "'ShardedListAndWatch' is not a feature gate: write NAME=true"),
        (
            "ShardedListAndWatch=maybe",
            "'ShardedListAndWatch=maybe' is not a feature gate: write NAME=true or NAME=false",
        ),
        ("ShardedList=true", "there is no feature gate 'ShardedList': did you mean `Sharded"),
    ],
)
def test_features_that_do_not_exist_are_a_problem(run: Run, gates: str, why: str):
    assert f"--feature-gates: {why}" in refused(run, "--feature-gates", gates)


def test_a_folder_without_manifests_is_a_problem(run: Run):
    Path("empty").mkdir()
    assert "empty: the folder contains no .yaml, .yml or" in refused(run, "--crd", "empty")


def test_somebody_elses_kubeconfig_is_not_overwritten(run: Run):
    Path("config").write_text("mine")
    told = refused(run, "--kubeconfig", "config")
    assert "config: the file already exists" in told
    assert Path("config").read_text() == "mine"


def test_a_kubeconfig_that_cannot_be_written_is_a_problem(run: Run):
    assert "no such file or directory" in refused(run, "--kubeconfig", "nowhere/config")


def test_an_empty_token_file_is_a_problem(run: Run):
    Path("token").write_text("\n")
    assert "token: this file contains no token" in refused(run, "--token-file", "token")


def test_starting_is_cheap_and_needs_nothing_of_the_generator(here: Path):
    code = """
import resource, sys
from clientgen.cli.program import program
import clientgen.cli.serve as serving
def waited(*_, **__):
    used = resource.getrusage(resource.RUSAGE_SELF)
    heavy = {"jinja2", "black", "openapi_spec_validator", "pytest"} & sys.modules.keys()
    seconds = used.ru_utime + used.ru_stime
    print(seconds, sorted(heavy), "clientgen.generator.pipeline" in sys.modules)
    raise SystemExit
serving._say = waited
program(["serve"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    seconds, rest = done.stdout.split(" ", 1)
    assert rest == "[] False\n"
    assert float(seconds) < 5.0  # it is a tenth of that, but machines differ


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
"""


def test_workloads_are_played(here: Path):
    (here / "web.yaml").write_text(DEPLOYMENT)
    arguments = ("--load", "web.yaml", "--play", "--nodes", "2", "--pod-start", "0")
    with started(*arguments) as served, Clientset.from_config(served.kubeconfig) as k:
        with k.apps_v1.deployments("shop").watch(
            field_selector="metadata.name=web", timeout_seconds=30
        ) as watch:
            for event in watch:
                if event.object.status.available_replicas == 2:
                    break
        pods = k.core_v1.pods("shop").list().items
        assert sorted(pod.spec.node_name or "" for pod in pods) == ["node-1", "node-2"]
        assert served.end() == (0, "")


FAILING = """\
apiVersion: batch/v1
kind: Job
metadata: {name: fails, namespace: shop}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox, command: [sh, -c, exit 3]}]
---
apiVersion: v1
kind: Pod
metadata: {name: unpulled, namespace: shop}
spec: {containers: [{name: main, image: "web:broken"}]}
"""


def test_played_workloads_fail_as_manifests_and_programs_say(here: Path):
    (here / "shopsetup.py").write_text(SETUP)
    (here / "failing.yaml").write_text(FAILING)
    arguments = ("--load", "failing.yaml", "--play", "--pod-start", "0")
    with (
        started(*arguments, "--setup", "shopsetup:failures") as served,
        Clientset.from_config(served.kubeconfig) as k,
    ):
        k.batch_v1.jobs("shop").wait("fails", until=condition("Failed"), timeout=60)
        (pod,) = k.core_v1.pods("shop").list(label_selector="job-name=fails").items
        assert pod.status.container_statuses[0].state.terminated.exit_code == 3
        waits = jsonpath(".status.containerStatuses[0].state.waiting.reason", "ImagePullBackOff")
        k.core_v1.pods("shop").wait("unpulled", until=waits, timeout=60)


SETUP = """\
import time


def set_up(cluster):
    app = cluster.container("shop/web-0")
    app.on_exec(lambda process: process.stdout.write(" ".join(process.command)))
    app.on_attach(lambda process: process.stdout.write(b"attached"))
    app.files["/etc/motd"] = b"hello"
    app.port(80, lambda connection: connection.write(b"from port 80"))
    cluster.logs("shop/web-0").write("a line")


def failures(cluster):
    time.sleep(0.5)
    cluster.played.pods(image="*:broken").fail_to_pull()


def broken(cluster):
    raise ValueError("not today")


number = 7
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop}
spec: {nodeName: n1, containers: [{name: app, image: i}]}
status: {phase: Running}
"""


@pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")
def test_a_function_says_what_containers_do(here: Path):
    (here / "shopsetup.py").write_text(SETUP)
    (here / "pod.yaml").write_text(POD)
    with started("--load", "pod.yaml", "--setup", "shopsetup:set_up") as served:
        kubectl = Kubectl(served.kubeconfig, here, "shop")
        assert kubectl("exec", "web-0", "--", "ls", "-l") == "ls -l"
        assert "attached" in kubectl("attach", "web-0")
        assert kubectl("logs", "web-0") == "a line\n"
        kubectl("cp", "web-0:/etc/motd", str(here / "motd"))
        assert (here / "motd").read_text() == "hello"
        with (
            Clientset.from_config(served.kubeconfig) as k,
            k.core_v1.pods("shop").port_forward("web-0", 80) as port,
        ):
            assert answer_of(port, b"") == b"from port 80"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("shopsetup:broken", "shopsetup:broken: calling it raises ValueError: not today"),
        ("shopsetup:number", "shopsetup:number: it is no function, but of type int"),
        ("shopsetup:none", "the module has no attribute 'none'"),
        ("nothing:x", "nothing"),
        ("shopsetup", "this is not MODULE:ATTRIBUTE"),
    ],
)
def test_a_function_that_cannot_be_used(here: Path, run: Run, target: str, words: str):
    (here / "shopsetup.py").write_text(SETUP)

    done = run("serve", "--setup", target)

    assert done.exit_code == 1
    assert words in done.output
