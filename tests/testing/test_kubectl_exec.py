"""kubectl runs commands in the containers of the test server."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import termios
from contextlib import suppress
from typing import Any

import pytest
from kubeapi.core.v1 import Pod

from clientgen.testing import FakeCluster, LocalServer

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")


def kubectl(
    server: LocalServer, *arguments: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    command = ["kubectl", "--kubeconfig", server.kubeconfig, "--namespace", "shop", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


def in_terminal(server: LocalServer, *arguments: str, typed: bytes) -> bytes:
    """Run kubectl in a terminal of 101 columns and 31 rows; gives what it shows."""
    command = ["kubectl", "--kubeconfig", server.kubeconfig, "--namespace", "shop", *arguments]
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, (31, 101))
    with subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, start_new_session=True
    ) as made:
        os.close(its)
        os.write(ours, typed)
        shown = b""
        with suppress(OSError):  # Linux tells the end so
            while data := os.read(ours, 1000):
                shown += data
        assert made.wait(60) == 0, shown
    os.close(ours)
    return shown


def run(process: Any) -> int:
    if process.command == ["cat"]:
        while piece := process.stdin.read1():
            process.stdout.write(piece)
        return 0
    process.stdout.write(" ".join(process.command))
    process.stderr.write("it is broken\n")
    return 42


def talk(process: Any) -> None:
    process.wait_for_size()
    process.stdout.write(f"tty={process.tty} {process.sizes[0]}\r\n")
    process.stdout.write(b"you said " + process.stdin.readline())


def greet(process: Any) -> None:
    process.stdout.write("hello " + process.stdin.readline().decode())


def test_kubectl_runs_commands_and_attaches() -> None:
    spec = {"containers": [{"name": "app", "image": "i"}]}
    cluster = FakeCluster(Pod(metadata={"name": "web-0", "namespace": "shop"}, spec=spec))
    container = cluster.container("shop/web-0")
    container.on_exec(run)
    container.on_attach(greet)
    much = b"one line of many\n" * 50_000
    with LocalServer(cluster) as server:
        failed = kubectl(server, "exec", "web-0", "--", "ls", "a b")
        assert (failed.returncode, failed.stdout) == (42, b"ls a b")
        assert failed.stderr.startswith(b"it is broken\n")
        copied = kubectl(server, "exec", "-i", "web-0", "--", "cat", stdin=much)
        assert (copied.returncode, copied.stdout) == (0, much)
        attached = kubectl(server, "attach", "-i", "web-0", stdin=b"you\n")
        assert (attached.returncode, attached.stdout) == (0, b"hello you\n")
        container.on_exec(talk)
        shown = in_terminal(server, "exec", "-it", "web-0", "--", "sh", typed=b"this\n")
        assert b"tty=True (101, 31)\r\n" in shown
        assert b"you said this" in shown
        refused = kubectl(server, "exec", "web-0", "-c", "nope", "--", "ls")
        assert refused.returncode == 1
        assert b"container nope is not valid for pod web-0" in refused.stderr


def test_kubectl_shows_that_no_test_says_what_a_command_does() -> None:
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    cluster = FakeCluster(Pod(metadata={"name": "web-0", "namespace": "shop"}, spec=spec))
    with LocalServer(cluster) as server:
        refused = kubectl(server, "exec", "web-0", "--", "ls")
    assert refused.returncode == 1
    assert b"nothing says what exec does in container app" in refused.stderr
