"""`interactive`: a command at a terminal; `test_interactive_threads` on threads.

The terminals are pseudo-terminals. The function of the container types, and looks at what comes.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from kubeapi.core.v1 import Namespace, Pod
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime._async._primitives import run_blocking
from clientgen.runtime._models.model_codec import from_dict
from clientgen.runtime.aio import interactive
from clientgen.runtime.errors import ClientError, ConnectionLost, NotFound
from clientgen.testing import FakeCluster, LocalServer

FLAVOUR = "AsyncClientset"
POD = {
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "main", "image": "x"}], "nodeName": "n1"},
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    cluster = FakeCluster(Namespace(metadata=ObjectMeta(name="shop")), from_dict(Pod, POD))
    with LocalServer(cluster) as running:
        yield running


class Terminal:
    """A terminal: the end of its user, and the end of the program."""

    def __init__(self) -> None:
        self.ours, self.its = pty.openpty()
        termios.tcsetwinsize(self.its, (24, 80))

    def mode(self) -> list[Any]:
        return termios.tcgetattr(self.its)

    @property
    def is_raw(self) -> bool:
        return not self.mode()[3] & (termios.ECHO | termios.ICANON | termios.ISIG)

    def shown(self) -> bytes:
        found = b""
        while select.select([self.ours], [], [], 0)[0]:
            found += os.read(self.ours, 1 << 16)
        return found


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    yield made
    os.close(made.ours)
    os.close(made.its)


def wait_for_sizes(process: Any, count: int) -> None:
    with process.changed:
        assert process.changed.wait_for(lambda: len(process.sizes) >= count, 30)


async def test_keys_sizes_and_output(server: LocalServer, terminal: Terminal) -> None:
    before, handlers = terminal.mode(), [*map(signal.getsignal, signal.Signals)]
    seen: list[object] = []

    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        wait_for_sizes(process, 1)
        seen.append(terminal.is_raw)
        os.write(terminal.ours, b"ls\x03\x04\x1a\r")
        typed = b""
        while not typed.endswith(b"\r"):
            typed += process.stdin.read1()
        termios.tcsetwinsize(terminal.its, (50, 132))
        os.kill(os.getpid(), signal.SIGWINCH)
        wait_for_sizes(process, 2)
        seen.extend((process.command, process.tty, typed, process.sizes))
        process.stdout.write(b"\x1b[1mbye\n")
        return 7

    async with AsyncClientset.from_config(server.kubeconfig) as k:
        files = {"stdin": terminal.its, "stdout": terminal.its}
        code = await interactive(k, Pod, "web", command=["sh", "-i"], namespace="shop", **files)
    assert code == 7
    assert seen == [True, ["sh", "-i"], True, b"ls\x03\x04\x1a\r", [(80, 24), (132, 50)]]
    assert terminal.shown() == b"\x1b[1mbye\n"  # no key is shown twice, no line end is changed
    assert terminal.mode() == before
    assert [*map(signal.getsignal, signal.Signals)] == handlers


async def test_attached_programs_draw_themselves_again(
    server: LocalServer, terminal: Terminal
) -> None:
    sizes: list[tuple[int, int]] = []

    @server.cluster.container("shop/web", "main").on_attach
    def talk(process: Any) -> None:
        wait_for_sizes(process, 2)
        sizes.extend(process.sizes)

    async with AsyncClientset.from_config(server.kubeconfig) as k:
        pod = await k.core_v1.pods("shop").get("web")
        files = {"stdin": terminal.its, "stdout": terminal.its}
        assert await interactive(k.rest, pod, container="main", **files) == 0
    assert sizes == [(81, 25), (80, 24)]


async def test_without_a_terminal_input_and_output_are_files(
    server: LocalServer, tmp_path: Path
) -> None:
    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        process.stdout.write(process.stdin.read().upper())
        process.stderr.write(f"tty={process.tty} sizes={process.sizes}")
        return 0

    given, out, err = (tmp_path / name for name in ("in", "out", "err"))
    given.write_bytes(b"hello" * 100_000)
    with given.open("rb") as source, out.open("wb") as first, err.open("wb") as second:
        async with AsyncClientset.from_config(server.kubeconfig) as k:
            code = await interactive(
                *(k, Pod, "web"),
                command=["cat"],
                namespace="shop",
                stdin=source.fileno(),
                stdout=first.fileno(),
                stderr=second.fileno(),
            )
    assert code == 0
    assert out.read_bytes() == b"HELLO" * 100_000
    assert err.read_bytes() == b"tty=False sizes=[]"


async def test_errors_restore_the_terminal(server: LocalServer, terminal: Terminal) -> None:
    before = terminal.mode()
    files = {"stdin": terminal.its, "stdout": terminal.its}

    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        wait_for_sizes(process, 1)
        assert terminal.is_raw
        if process.command == ["fail"]:
            raise ValueError("on purpose")
        server.close()
        return 0

    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(NotFound):
            await interactive(k, Pod, "none", command=["sh"], namespace="shop", **files)
        with pytest.raises(ClientError, match="on purpose"):
            await interactive(k, Pod, "web", command=["fail"], namespace="shop", **files)
        assert terminal.mode() == before
        with pytest.raises(ConnectionLost):
            await interactive(k, Pod, "web", command=["sh"], namespace="shop", **files)
    assert terminal.mode() == before


async def test_an_output_that_is_closed_is_an_error(
    server: LocalServer, terminal: Terminal
) -> None:
    before = terminal.mode()

    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        process.stdout.write("hello")
        process.stdin.read()
        return 0

    read_end, write_end = os.pipe()
    os.close(read_end)
    async with AsyncClientset.from_config(server.kubeconfig) as k:
        with pytest.raises(BrokenPipeError):
            await interactive(
                *(k, Pod, "web"),
                command=["sh"],
                namespace="shop",
                stdin=terminal.its,
                stdout=write_end,
            )
    os.close(write_end)
    assert terminal.mode() == before


CLOSED = """
import os, socket
from clientgen.runtime._net.terminal import LocalTerminal

ours, its = socket.socketpair()  # they have the free descriptors, as a connection would
assert {ours.fileno(), its.fileno()} == {0, 1}
[its, ours][ours.fileno()].send(b"from the server")
with LocalTerminal(0, 1, 2) as terminal:
    assert not terminal.is_terminal
    assert terminal.next() == b""
    try:
        terminal.write("stdout", b"from the command")
    except OSError as error:
        os.write(2, error.strerror.encode())
"""


async def test_files_with_the_numbers_of_closed_ones_are_not_used() -> None:
    closing = ["/bin/sh", "-c", 'exec "$0" -c "$1" <&- >&-', sys.executable, CLOSED]
    ended = await run_blocking(
        lambda: subprocess.run(closing, stderr=subprocess.PIPE, timeout=50, check=False)
    )
    assert ended.stderr == b"Bad file descriptor"


PROGRAM = """
import asyncio, fcntl, inspect, sys, termios
import kubeapi
from kubeapi.core.v1 import Pod
from clientgen.runtime import aio, sync

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
kubeconfig, flavour = sys.argv[1:]
module = aio if flavour.startswith("Async") else sync

def call():
    k = getattr(kubeapi, flavour).from_config(kubeconfig)
    return module.interactive(k, Pod, "web", command=["sh"], namespace="shop")

async def main():
    return await call()

sys.exit(asyncio.run(main()) if module is aio else call())
"""


@pytest.mark.slow
async def test_signals_restore_the_terminal(server: LocalServer, terminal: Terminal) -> None:
    """The program is another process, whose terminal it is."""
    before = terminal.mode()
    seen: list[bool] = []
    made: list[subprocess.Popen[bytes]] = []

    @server.cluster.container("shop/web").on_exec
    def run(process: Any) -> int:
        wait_for_sizes(process, 1)
        seen.append(terminal.is_raw)
        termios.tcsetwinsize(terminal.ours, (50, 132))  # the kernel sends SIGWINCH
        wait_for_sizes(process, 2)
        program = made[0].pid
        os.kill(program, signal.SIGSTOP)
        termios.tcsetattr(terminal.its, termios.TCSANOW, before)  # as the user's shell does
        os.kill(program, signal.SIGCONT)
        for _ in range(3000):
            if terminal.is_raw:
                break
            time.sleep(0.01)
        seen.append(terminal.is_raw)
        os.kill(program, signal.SIGTERM)
        process.stdin.read()
        return 0

    def start_and_wait() -> int:
        command = [sys.executable, "-c", PROGRAM, server.kubeconfig, FLAVOUR]
        end = terminal.its
        with subprocess.Popen(
            command, stdin=end, stdout=end, stderr=end, start_new_session=True
        ) as program:
            made.append(program)
            return program.wait(20)

    ended = await run_blocking(start_and_wait)
    assert (ended, seen) == (-signal.SIGTERM, [True, True]), terminal.shown()
    assert terminal.mode() == before
