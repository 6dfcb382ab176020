"""docs/streams.md: every snippet is run, in order, against containers that the test plays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from kubeapi.core.v1 import Pod

from clientgen.testing import FakeCluster, LocalServer

PAGE = Path(__file__).resolve().parents[1] / "docs/streams.md"


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


def test_every_snippet_does_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    spec = {"containers": [{"name": "app", "image": "shop"}]}
    pod = Pod(metadata={"name": "web-0", "namespace": "shop"}, spec=spec)
    cluster = FakeCluster(pod)
    cluster.container("shop/web-0").on_exec(run)
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        names: dict[str, Any] = {"k": k, "Clientset": Clientset, "pod": pod}
        for number, code in enumerate(found):
            exec(compile(code, f"snippet {number}", "exec"), names)
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == ["a.txt", "", "0 b''"]
    assert told[3] == "2"
    assert told[4].startswith("1 GET /api/v1/namespaces/shop/pods/web-0/exec: the command ended")
    assert told[5:] == ["stdout b'hello\\n'", "0", "web-0"]
