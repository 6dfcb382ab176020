"""docs/guides/streams.md: every snippet is run, in order, against containers of the test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Pod, Service

from clientgen.testing import FakeCluster, LocalServer

PAGE = Path(__file__).resolve().parents[1] / "docs/guides/streams.md"


def run(process: Any) -> int:
    match process.command:
        case ["ls", _]:
            process.stdout.write("a.txt\n")
        case ["wc", "-l"]:
            process.stdout.write(str(process.stdin.read().count(b"\n")))
        case ["cat"]:
            while piece := process.stdin.read1():
                process.stdout.write(piece)
        case _:
            process.stderr.write("No such file or directory")
            return 1
    return 0


def serve(connection: Any) -> None:
    path = connection.readline().split()[1]
    connection.write(b"HTTP/1.0 200 OK\r\n\r\nhello from " + path)


def objects() -> tuple[Pod, Service]:
    spec = {"containers": [{"name": "app", "image": "shop"}], "nodeName": "node-1"}
    metadata = {"name": "web-0", "namespace": "shop", "labels": {"app": "web"}}
    ports = [{"name": "http", "port": 80, "targetPort": 8080}]
    service = Service(
        metadata={"name": "web", "namespace": "shop"},
        spec={"selector": {"app": "web"}, "ports": ports},
    )
    return Pod(metadata=metadata, spec=spec, status={"phase": "Running"}), service


def test_every_snippet_does_what_the_page_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("a page")
    pod, service = objects()
    cluster = FakeCluster(pod, service)
    app = cluster.container("shop/web-0")
    app.on_exec(run)
    app.port(8080, serve)
    cluster.logs("shop/web-0").write("begun\nready")
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        names: dict[str, Any] = {"k": k, "Clientset": Clientset, "pod": pod, "urlopen": urlopen}
        for number, code in enumerate(found):
            if "copy_to" in code:
                app.files.clear()  # from here on, `tar` works
            exec(compile(code, f"snippet {number}", "exec"), names)
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == ["a.txt", "", "0 b''"]
    assert told[3] == "2"
    assert told[4].startswith("1 GET /api/v1/namespaces/shop/pods/web-0/exec: the command ended")
    assert told[5:] == [
        *("stdout b'hello\\n'", "0", "too late", "1 6", "a page"),
        *(
            "hello from /",
            "hello from /",
            "HTTP/1.0 200 OK",
            "200 hello from /metrics",
            "hello from /",
        ),
        *("[web-0/app] begun", "[web-0/app] ready", "web-0"),
    ]
