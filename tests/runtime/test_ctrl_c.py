"""Ctrl-C in calls that wait: nothing stays open, and nothing is told but the interruption."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue

import pytest
from support.raw_server import Peer, RawServer

from clientgen.testing import FakeCluster, LocalServer

# Modules are imported first: Python leaves the file open when an import is interrupted.
THREADS = """
import gc, sys, time
import websockets.frames, websockets.protocol
from kubeapi import Clientset

def main():
    with Clientset.from_config(sys.argv[1]) as k:
        pods = k.core_v1.pods("default")
        if sys.argv[2] == "exec":
            pods.exec("p", ["sleep"], stdin=b"x", timeout=3600)
        with pods.port_forward("p", 80):
            print("waits", flush=True)
            time.sleep(3600)

try:
    main()
except KeyboardInterrupt:
    pass
gc.collect()
"""
ASYNCIO = """
import asyncio, gc, sys
import websockets.frames, websockets.protocol
from kubeapi import AsyncClientset

async def main():
    async with AsyncClientset.from_config(sys.argv[1]) as k:
        pods = k.core_v1.pods("default")
        if sys.argv[2] == "exec":
            await pods.exec("p", ["sleep"], stdin=b"x", timeout=3600)
        async with pods.port_forward("p", 80):
            print("waits", flush=True)
            await asyncio.sleep(3600)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
gc.collect()
"""
FLAVOURS = pytest.mark.parametrize("program", [THREADS, ASYNCIO], ids=["threads", "asyncio"])
# Python also ends so if an `exec` of text was interrupted, as in dataclasses, and this was caught.
ENDS = (0, -signal.SIGINT)
CALLS = pytest.mark.parametrize("call", ["exec", "port-forward"])


def run(program: str, kubeconfig: str, call: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", program, kubeconfig, call]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@FLAVOURS
@CALLS
def test_while_a_server_is_silent_in_the_tls_handshake(
    program: str, call: str, tmp_path: Path
) -> None:
    running: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()

    def interrupt(peer: Peer) -> None:
        peer.connection.recv(1)  # the handshake has begun
        running.get(timeout=60).send_signal(signal.SIGINT)
        peer.wait()

    with RawServer(interrupt) as server:
        kubeconfig = tmp_path / "config"
        kubeconfig.write_text(silent(server.port))
        with run(program, str(kubeconfig), call) as process:
            running.put(process)
            _, told = process.communicate(timeout=60)
    assert (told, process.returncode in ENDS) == ("", True)


# What interrupts the main thread when a connection was made, and nobody has it yet.
INTERRUPTED = {
    "in the start of the thread": """
import signal, threading
start = threading.Thread.start

def interrupted(thread):
    start(thread)
    if thread.name == "clientgen-connecting":
        thread.join()
        print("connected", flush=True)
        signal.raise_signal(signal.SIGINT)

threading.Thread.start = interrupted
""",
    "in the wait for the thread": """
import signal, socket, sys, threading
wait = threading.Event.wait

def interrupted(event, timeout=None):
    done = wait(event, timeout)
    errand = sys._getframe(1).f_locals.get("self")
    if isinstance(getattr(errand, "_result", None), socket.socket):
        print("connected", flush=True)
        signal.raise_signal(signal.SIGINT)
    return done

threading.Event.wait = interrupted
""",
}


@pytest.mark.parametrize("moment", INTERRUPTED)
def test_when_a_connection_is_made(moment: str) -> None:
    with (
        LocalServer(FakeCluster()) as server,
        run(INTERRUPTED[moment] + THREADS, server.kubeconfig, "exec") as process,
    ):
        out, told = process.communicate(timeout=60)
    assert (out, told, process.returncode in ENDS) == ("connected\n", "", True)


def silent(port: int) -> str:
    cluster = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "c", "user": {}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
        }
    )


@FLAVOURS
def test_while_a_command_runs(program: str) -> None:
    cluster = FakeCluster()
    spec = {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}
    metadata = {"name": "p", "namespace": "default"}
    cluster.add({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    running: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()

    @cluster.container("default/p").on_exec
    def sleep(_: object) -> None:
        process = running.get(timeout=60)
        process.send_signal(signal.SIGINT)
        process.wait(60)

    with (
        LocalServer(cluster, tls=True) as server,
        run(program, server.kubeconfig, "exec") as process,
    ):
        running.put(process)
        _, told = process.communicate(timeout=60)
    assert (told, process.returncode in ENDS) == ("", True)
