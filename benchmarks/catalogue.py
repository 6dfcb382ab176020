"""The benchmarks: what is compared with what."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.crds import crds_benchmark
from benchmarks.envs import DATA, SNAPSHOT, python, script
from benchmarks.informer_benchmarks import caching_benchmarks
from benchmarks.runner import Benchmark, Contender, Values, files_in
from benchmarks.server_benchmarks import serving_benchmarks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["all_benchmarks"]

OURS = "clientgen"
BARE = "bare msgspec"
_SPEC = SNAPSHOT / "specs" / "kubernetes" / "swagger.json"
_OUT = DATA / "generated"


def all_benchmarks() -> list[Benchmark]:
    """In the order in which they run."""
    clients = [*_codec(), *_requests(), *_lists(), *_watches(), *_generic(), _discovery()]
    return [
        _generate(),
        crds_benchmark(),
        _import(),
        *clients,
        *caching_benchmarks(),
        *serving_benchmarks(),
    ]


# ---- the generator ------------------------------------------------------------------------------


def _generate() -> Benchmark:
    return Benchmark(
        name="generate",
        title="Generate the whole Kubernetes 1.36 spec",
        unit="s",
        baseline="datamodel-codegen, msgspec",
        whole=True,
        note=(
            "Whole processes, children included; the peak is that of the largest process."
            " datamodel-codegen emits models only, and gets the definitions as OpenAPI 3, which it"
            " wants; clientgen emits models and both clients of every group version."
        ),
        contenders=(
            Contender(
                OURS,
                (script("ours", "clientgen"), *_arguments("ours")),
                before=lambda: _clear("ours"),
                after=lambda: _look("ours"),
            ),
            Contender("clientgen, unchanged", (script("ours", "clientgen"), *_arguments("ours"))),
            *_with_texts(),
            _codegen("msgspec", "msgspec.Struct", heavy=False),
            _codegen("pydantic", "pydantic_v2.BaseModel", heavy=True),
        ),
    )


def _with_texts() -> Iterator[Contender]:
    """The spec with its descriptions, which is not part of the repository, if there is one."""
    if spec := os.environ.get("CLIENTGEN_SPEC_WITH_TEXTS"):
        yield Contender(
            "clientgen, with texts",
            (script("ours", "clientgen"), *_arguments("texts", Path(spec))),
            before=lambda: _clear("texts"),
            after=lambda: _look("texts"),
        )


def _arguments(folder: str, spec: Path = _SPEC) -> tuple[str, ...]:
    output = str(_OUT / folder)
    return ("generate", "--spec", str(spec), "--output", output, "--package", "kubeapi")


def _clear(folder: str) -> None:
    shutil.rmtree(DATA / "cache", ignore_errors=True)
    shutil.rmtree(_OUT / folder, ignore_errors=True)
    (_OUT / folder).mkdir(parents=True)


def _look(folder: str) -> Values:
    return files_in(_OUT / folder)


def _codegen(name: str, kind: str, *, heavy: bool) -> Contender:
    schema = DATA / "openapi3.json"

    def prepare() -> None:
        _clear(name)
        _write_openapi3(schema)

    return Contender(
        f"datamodel-codegen, {name}",
        (
            *(script("codegen", "datamodel-codegen"), "--input", str(schema)),
            *("--input-file-type", "openapi", "--output", str(_OUT / name)),
            *("--output-model-type", kind, "--formatters", "black", "isort"),
        ),
        heavy=heavy,
        before=prepare,
        after=lambda: _look(name),
    )


def _write_openapi3(target: Path) -> None:
    """Say the definitions in the version that datamodel-codegen reads."""
    if not target.exists():
        spec = json.loads(_SPEC.read_text())
        schemas = {"schemas": spec["definitions"]}
        document = {"openapi": "3.0.0", "info": spec["info"], "paths": {}, "components": schemas}
        text = json.dumps(document).replace("#/definitions/", "#/components/schemas/")
        target.write_text(text)


# ---- imports ------------------------------------------------------------------------------------

_PEER_IMPORTS = {
    "lightkube": (
        "from lightkube import Client; from lightkube.resources.core_v1 import Pod;"
        " from lightkube.resources.apps_v1 import Deployment"
    ),
    "kubex": (
        "from kubex.api import Api; from kubex.client import create_client;"
        " from kubex.k8s.v1_36.core.v1.pod import Pod;"
        " from kubex.k8s.v1_36.apps.v1.deployment import Deployment"
    ),
    "kubesdk": (
        "import kubesdk; from kube_models.api_v1.io.k8s.api.core.v1 import Pod;"
        " from kube_models.apis_apps_v1.io.k8s.api.apps.v1 import Deployment"
    ),
    "kubernetes (official)": (
        "from kubernetes import client, config; client.V1Pod; client.V1Deployment"
    ),
}
_MODELS = "from kubeapi.core.v1 import Pod; from kubeapi.apps.v1 import Deployment"


def _import() -> Benchmark:
    def imports(name: str, env: str, statement: str, *, heavy: bool = False) -> Contender:
        return Contender(name, (python(env), "-c", statement), heavy=heavy)

    return Benchmark(
        name="import",
        title="Import a client, core/v1 Pod and apps/v1 Deployment",
        unit="s",
        baseline="Python, and nothing imported",
        whole=True,
        factor=4,
        hidden=("peak_mb", "ratio"),
        note=(
            "Whole processes, of which Python itself is the first row. clientgen imports aiohttp"
            " or urllib3 with the first request, the others at once: the rows `ready to send`"
            " have imported it."
        ),
        contenders=(
            imports("Python, and nothing imported", "ours", "pass"),
            imports("clientgen", "ours", f"from kubeapi import Clientset; {_MODELS}"),
            imports("clientgen, asyncio", "ours", f"from kubeapi import AsyncClientset; {_MODELS}"),
            imports(
                "clientgen, ready to send",
                "ours",
                f"from kubeapi import Clientset; {_MODELS}; import kubeapi.core.v1.clients;"
                " import clientgen.runtime._config.kubeconfig, clientgen.runtime._sync.transport",
            ),
            imports(
                "clientgen, asyncio, ready to send",
                "ours",
                f"from kubeapi import AsyncClientset; {_MODELS};"
                " import kubeapi.core.v1.async_clients;"
                " import clientgen.runtime._config.kubeconfig, clientgen.runtime._async.transport",
            ),
            *(imports(name, "peers", text) for name, text in _PEER_IMPORTS.items()),
            imports(
                "cloudcoil",
                "cloudcoil",
                "from cloudcoil.client import Config;"
                " from cloudcoil.models.kubernetes.core.v1 import Pod;"
                " from cloudcoil.models.kubernetes.apps.v1 import Deployment",
                heavy=True,
            ),
        ),
    )


# ---- workers ------------------------------------------------------------------------------------

_WORKERS = {
    OURS: ("ours", "ours"),
    "lightkube": ("peers", "lightkube"),
    "kubex": ("peers", "kubex"),
    "kubesdk": ("peers", "kubesdk"),
    "cloudcoil": ("cloudcoil", "cloudcoil"),
    "kubernetes (official)": ("peers", "official"),
}
_SLOW = {"cloudcoil", "kubernetes (official)"}


def _worker(name: str, task: str) -> Contender:
    env, module = _WORKERS[name]
    command = (python(env), "-m", f"benchmarks.workers.{module}", task)
    return Contender(name, command, heavy=name in _SLOW)


def _bare(name: str, task: str, *options: str) -> Contender:
    return Contender(name, (python("ours"), "-m", "benchmarks.workers.bare", task, *options))


def _codec() -> list[Benchmark]:
    newer = (python("ours"), "-m", "benchmarks.workers.ours", "decode-newer")
    return [
        Benchmark(
            name="decode",
            title="Decode a list of 5,000 pods (49 MB)",
            unit="s",
            baseline=BARE,
            factor=2,
            note=(
                "From the bytes to pods of which name, phase and image were read. Kept is the"
                " resident memory that decoding added, after the body was dropped, the garbage"
                " collected and free memory trimmed. Bare msgspec decodes to the same structs"
                " with the garbage collector paused, and keeps the body alive by its views. An"
                " unknown field in every pod makes clientgen read each pod leniently, once for"
                " the pod and strictly for what is inside."
            ),
            contenders=(
                _bare(BARE, "decode"),
                _worker(OURS, "decode"),
                Contender(f"{OURS}, an unknown field in every pod", newer),
                *(_worker(name, "decode") for name in _WORKERS if name != OURS),
            ),
        ),
        *(
            Benchmark(
                name=task,
                title=f"{title}, one pod at a time",
                unit="us",
                baseline=bare,
                factor=2,
                contenders=(
                    _bare(bare, task),
                    *(_worker(name, task) for name in _WORKERS if name != "kubesdk"),
                ),
            )
            for task, title, bare in (
                ("encode", "Encode", BARE),
                ("copy", "Copy deeply", "bare msgspec, encode and decode"),
            )
        ),
    ]


def _requests() -> list[Benchmark]:
    return [
        _sent("async-get", "GET one pod, asyncio, one after the other", "ms", "aiohttp"),
        _sent("async-get-64", "GET one pod, asyncio, 64 at once", "ms", "aiohttp"),
        _sent("sync-get", "GET one pod, one after the other", "ms", "urllib3"),
        _sent("sync-get-16", "GET one pod, 16 threads", "ms", "urllib3"),
    ]


_ASYNC_PEERS = ("lightkube", "kubex", "kubesdk", "cloudcoil")
_SYNC_PEERS = ("lightkube", "cloudcoil", "kubernetes (official)")


def _sent(task: str, title: str, unit: str, library: str) -> Benchmark:
    peers = _ASYNC_PEERS if task.startswith("async") else _SYNC_PEERS
    return Benchmark(
        name=task,
        title=title,
        unit=unit,
        baseline=f"bare {library}",
        factor=3,
        note=f"Bare {library} reads the bytes; the next row decodes them too.",
        contenders=(
            _bare(f"bare {library}", task, "--bytes"),
            _bare(f"bare {library} + msgspec", task),
            *(_worker(name, task) for name in (OURS, *peers)),
        ),
    )


def _lists() -> list[Benchmark]:
    note = (
        "clientgen and the bare row read pages of 500, and so do cloudcoil and nobody else: the"
        " others get the whole list at once, as they do by default. Kept as above."
    )
    return [
        _typed("async-list", "LIST 5,000 pods over TLS, asyncio", "s", "aiohttp", note),
        _typed("sync-list", "LIST 5,000 pods over TLS", "s", "urllib3", note),
    ]


def _watches() -> list[Benchmark]:
    note = "For each event of 9.8 kB, typed; a chunk of its own as an API server sends it."
    return [
        _typed("async-watch", "WATCH 5,000 events over TLS, asyncio", "us", "aiohttp", note),
        _typed("sync-watch", "WATCH 5,000 events over TLS", "us", "urllib3", note),
    ]


def _typed(task: str, title: str, unit: str, library: str, note: str) -> Benchmark:
    peers = _ASYNC_PEERS if task.startswith("async") else _SYNC_PEERS
    bare = f"bare {library} + msgspec"
    return Benchmark(
        name=task,
        title=title,
        unit=unit,
        baseline=bare,
        factor=3,
        note=note,
        contenders=(_bare(bare, task), *(_worker(name, task) for name in (OURS, *peers))),
    )


GENERATED, GENERIC = "clientgen, a generated client", "clientgen, for any kind"


def _generic() -> list[Benchmark]:
    def calls(name: str, task: str, way: str) -> Contender:
        return Contender(name, (python("ours"), "-m", "benchmarks.workers.generic", task, way))

    return [
        Benchmark(
            name=f"generic-{task}",
            title=f"{task.upper()} one pod in memory: {generated} and {generic}",
            unit="us",
            baseline=GENERATED,
            factor=3,
            note="The transport answers with the same bytes at once.",
            contenders=(calls(GENERATED, task, "generated"), calls(GENERIC, task, "generic")),
        )
        for task, generated, generic in (
            ("get", "`k.core_v1.pods(...).get(name)`", "`k.get(Pod, name)`"),
            ("create", "`k.core_v1.pods(...).create(pod)`", "`k.create(pod)`"),
        )
    ]


def _discovery() -> Benchmark:
    def found(name: str, *arguments: str) -> Contender:
        return Contender(name, (python("ours"), "-m", "benchmarks.workers.discovery", *arguments))

    return Benchmark(
        name="discovery",
        title="Find the first resource by name (`deployments.apps`) of a 1.36 server",
        unit="ms",
        baseline="clientgen, from the server",
        factor=2,
        note=(
            "In a process that has sent a request before. It includes the import of what discovery"
            " takes. From the disk no request is made."
        ),
        contenders=(
            found("clientgen, from the server", "sync", "cold"),
            found("clientgen, from the disk", "sync", "warm"),
            found("clientgen, asyncio, from the server", "async", "cold"),
            found("clientgen, asyncio, from the disk", "async", "warm"),
        ),
    )
