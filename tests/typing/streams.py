"""Commands, files, ports and logs of containers as a type checker sees them."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Service

from clientgen.runtime import CopyResult, ExecResult, LogLine, Output, ProxyResponse, aio, sync
from clientgen.testing import FakeCluster


async def with_asyncio(k: AsyncClientset, service: Service) -> None:
    pods = k.core_v1.pods("shop")
    assert_type(await pods.exec("web-0", ["ls"], check=True, stdin="x"), ExecResult)
    async with pods.exec_stream("web-0", ("sh",), stdin=True, tty=True) as process:
        assert_type(process, aio.AsyncExecStream)
        async for output in process:
            assert_type(output, Output)
        assert_type(process.exit_code, int | None)
    assert_type(await pods.copy_to("web-0", Path("a"), "/a", on_progress=print), CopyResult)
    assert_type(await pods.copy_from("web-0", "/a", "b", limit=1, timeout=3), CopyResult)
    async with pods.port_forward("web-0", 80, local_port=1) as port:
        assert_type(port, int)
    async with aio.port_forward(k, service, port="http") as port:
        assert_type(port, int)
    assert_type(await pods.proxy("web-0", 80).get("/", query={"a": 1}), ProxyResponse)
    async with k.core_v1.pods().tail(label_selector={"app": "web"}, tail_lines=3) as lines:
        assert_type(lines, aio.AsyncLogTail)
        async for line in lines:
            assert_type(line, LogLine)

    await pods.exec("web-0", ["ls"], tty=True)  # type: ignore[call-arg]
    await pods.copy_to("web-0", "a", Path("/a"))  # type: ignore[arg-type]
    pods.port_forward("web-0", "http")  # type: ignore[arg-type]
    pods.tail(since=3)  # type: ignore[call-arg]
    aio.port_forward(k, Service, "web")  # type: ignore[call-arg]


def with_threads(k: Clientset, cluster: FakeCluster) -> None:
    pods = k.core_v1.pods("shop")
    assert_type(pods.exec("web-0", ["ls"]), ExecResult)
    with pods.attach("web-0") as process:
        assert_type(process, sync.ExecStream)
        assert_type(process.wait(), int)
    assert_type(pods.copy_to("web-0", "a", "/a", container="app"), CopyResult)
    with sync.port_forward(k, Deployment, "web", port=80, namespace="shop") as port:
        assert_type(port, int)
    assert_type(k.core_v1.nodes().proxy("n1").get("/metrics"), ProxyResponse)
    with pods.tail() as lines:
        assert_type(next(lines).text, str)

    app = cluster.container("shop/web-0")
    app.files["/a"] = b""
    app.port(80, "127.0.0.1:9000")
    cluster.logs("shop/web-0").write("ready")
    app.files["/a"] = ""  # type: ignore[assignment]
