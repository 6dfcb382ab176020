"""The examples of the pages: each is Python, and the in-memory server accepts what they send."""

from __future__ import annotations

import ast
import contextlib
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest
from kubeapi import Clientset

from clientgen.reference.package_reader import Api
from clientgen.reference.records import Client
from clientgen.reference.site.examples import Examples, caches, selecting
from clientgen.testing import fake_clientset

# They need what is not there: a pod to bind, or a real request for a certificate.
REFUSED = {"Binding", "CertificateSigningRequest"}
# mypy and pyright read this file with those beside it.
CHECKED = Path(__file__).resolve().parents[1] / "typing" / "reference_examples.py"
CHECKED_KINDS = {("core_v1", "Pod"), ("core_v1", "Node"), ("apps_v1", "Deployment")}
CHECKED_HEAD = '''\
# ruff: noqa: I001
# fmt: off
"""Examples of `clientgen docs`; `pytest tests/reference --update-golden` writes them."""

from kubeapi import AsyncClientset, Clientset'''
READS = ("list", "each", "get", "update", "patch", "edit", "update_status", "status", "scale")
STREAMS = {
    *("watch", "tail", "logs", "follow_logs", "exec", "exec_stream", "attach"),
    *("copy_to", "copy_from", "port_forward", "proxy"),
}


def clients(api: Api) -> Iterator[Client]:
    for home in api.packages[0].homes:
        yield from api.clients_of(home)


def run(k: Clientset, source: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, "example", "exec"), {"k": k})


@pytest.mark.slow
def test_each_example_of_kubeapi_is_python(kubeapi: Api):
    examples = Examples(kubeapi)
    number = 0
    for client in clients(kubeapi):
        sources = [source for each in client.methods for source in examples.of(client, each)]
        sources += caches(client)
        if client.selectable:
            sources.append(selecting(client, "kubeapi"))
        for source in sources:
            compile(source, "example", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            assert "..." not in source
            assert max(map(len, source.split("\n"))) <= 130, source
        number += len(sources)
    assert number > 2000


@pytest.mark.slow
def test_the_server_accepts_the_examples_of_kubeapi(kubeapi: Api):
    examples = Examples(kubeapi)
    clusters: list[tuple[Clientset, Clientset]] = []
    seen: Counter[str] = Counter()
    ran = 0
    for client in clients(kubeapi):
        # The versions of a kind share objects, so that each has clusters of its own.
        number = seen[client.resource.kind]
        seen[client.resource.kind] += 1
        if number == len(clusters):
            clusters.append((fake_clientset(Clientset), fake_clientset(Clientset)))
        k, other = clusters[number]
        sources = {each.name: examples.of(client, each)[0] for each in client.methods}
        if "create" not in sources or client.resource.kind in REFUSED:
            continue
        run(k, sources["create"])
        for name in READS:
            if name in sources:
                run(k, sources[name])
                ran += 1
        if "apply" in sources:
            run(other, sources["apply"])
        for name in ("delete", "delete_collection"):
            if name in sources:
                run(k, sources[name])
    assert ran > 300


def test_the_examples_that_the_checkers_read_are_those_of_the_pages(
    kubeapi: Api, update_golden: bool
):
    text = "\n\n".join([CHECKED_HEAD, *checked_functions(kubeapi)]) + "\n"
    if update_golden:
        CHECKED.write_text(text)
    assert CHECKED.read_text() == text


def checked_functions(api: Api) -> Iterator[str]:
    """The examples of a few kinds as functions, in both flavours."""
    examples = Examples(api)
    for client in clients(api):
        if (client.version_accessor, client.resource.kind) not in CHECKED_KINDS:
            continue
        named = {each.name: examples.of(client, each) for each in client.methods}
        named["caches"] = caches(client)
        for name, (sync, twin) in named.items():
            function = f"{client.accessor}_{name}"
            yield f"def {function}(k: Clientset) -> None:\n{indent(sync, '    ')}"
            yield f"async def async_{function}(k: AsyncClientset) -> None:\n{indent(twin, '    ')}"


def test_an_example_is_whole_in_both_flavours(kubeapi: Api):
    (pods,) = (each for each in clients(kubeapi) if each.resource.kind == "Pod")
    examples = Examples(kubeapi)
    methods = {each.name: examples.of(pods, each) for each in pods.methods}

    assert methods["create"][1] == (
        "from kubeapi.core.v1 import Container, Pod, PodSpec\n"
        "from kubeapi.meta.v1 import ObjectMeta\n"
        "pod = Pod(\n"
        '    metadata=ObjectMeta(name="example"),\n'
        '    spec=PodSpec(containers=[Container(name="web", image="nginx")]),\n'
        ")\n"
        'pod = await k.core_v1.pods("default").create(pod)\n'
        "print(pod.metadata.name)"
    )
    assert methods["watch"][1] == (
        'async for event in k.core_v1.pods("default").watch():\n'
        "    print(event.type, event.object.metadata.name)"
    )
    assert methods["evict"][0] == 'k.core_v1.pods("default").evict("example")'
    assert methods.keys() >= STREAMS
    assert methods["port_forward"][1].startswith("async with k.core_v1.pods(")
