"""Measures commands and copies beside kubectl, and counts what cut connections lose.

::

    python -m benchmarks.streams [MiB]

The server is the test server, in a process of its own; its container runs this machine's `tar`. The
exit code is 1 if a bar is missed. kubectl's figures are of whole processes: it is nothing else.
"""

from __future__ import annotations

import asyncio
import filecmp
import logging
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import Pod

from benchmarks.workers.stream_client import EXECS
from clientgen.testing import FakeCluster, LocalServer

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE_OF_KUBECTL = 0.9
MOST_MB = 64.0
CUTS = 1000
PODS, LINES = 500, 20
ROUNDS = 5


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run the server; gives its kubeconfig."""
    program = [sys.executable, "-m", "benchmarks.workers.container_server", str(folder)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def ours(kubeconfig: str, *words: str) -> tuple[float, float]:
    """Seconds and the growth of memory."""
    program = [sys.executable, "-m", "benchmarks.workers.stream_client", kubeconfig, *words]
    # As for users: Python compiles modules once.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    seconds, growth = map(float, done.stdout.split())
    return seconds, growth


def kubectl(kubeconfig: str, *words: str) -> float:
    """Seconds of a command."""
    begun = time.perf_counter()
    command = ["kubectl", "--kubeconfig", kubeconfig, "--namespace", "shop", *words]
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - begun


def measure_exec(kubeconfig: str) -> bool:
    """Time a command."""
    own = statistics.median(ours(kubeconfig, "exec")[0] for _ in range(ROUNDS))
    other = statistics.median(
        kubectl(kubeconfig, "exec", "web-0", "--", "echo", "x") for _ in range(10)
    )
    print(f"exec: {own * 1000:.1f} ms of {EXECS}; kubectl, a process each: {other * 1000:.0f} ms")
    return own <= other / SHARE_OF_KUBECTL


def measure_copies(kubeconfig: str, folder: Path, root: Path, mebibytes: int) -> bool:
    """Copy a large file both ways."""
    source = folder / "source"
    block = os.urandom(1 << 20)
    with source.open("wb") as file:
        for _ in range(mebibytes):
            file.write(block)
    good = True
    for way in ("to", "from"):
        figures: dict[str, list[float]] = {"clientgen": [], "kubectl": []}
        growth = 0.0
        for _ in range(ROUNDS):
            here = folder / "copy"
            inside = root / "copy"
            for path in (here, inside):
                path.unlink(missing_ok=True)
            if way == "from":
                os.link(source, inside)
            words = (str(source), "/copy") if way == "to" else ("/copy", str(here))
            seconds, grown = ours(kubeconfig, way, *words)
            growth = max(growth, grown)
            figures["clientgen"].append(seconds)
            assert filecmp.cmp(source, inside if way == "to" else here, shallow=False)
            (inside if way == "to" else here).unlink()
            words = (str(source), "web-0:/copy") if way == "to" else ("web-0:/copy", str(here))
            figures["kubectl"].append(kubectl(kubeconfig, "cp", *words))
            assert filecmp.cmp(source, inside if way == "to" else here, shallow=False)
        rates = {who: mebibytes / statistics.median(times) for who, times in figures.items()}
        # Each pair of copies follows one another: what else the machine does hits both.
        pairs = zip(figures["clientgen"], figures["kubectl"], strict=True)
        share = statistics.median(other / own for own, other in pairs)
        told = ", ".join(f"{who} {rate:.0f} MiB/s" for who, rate in rates.items())
        print(f"cp {way}, {mebibytes} MiB: {told}: {share:.0%}; memory +{growth:.0f} MB")
        good = good and share >= SHARE_OF_KUBECTL and growth <= MOST_MB
    return good


def running_pod(name: str, restarts: int = 0) -> Any:
    """A pod with a container that runs."""
    state = {"name": "app", "image": "i", "imageID": "", "ready": True, "restartCount": restarts}
    statuses = [{**state, "state": {"running": {}}}]
    return Pod(
        metadata={"name": name, "namespace": "shop", "uid": f"uid-{name}"},
        spec={"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"},
        status={"phase": "Running", "containerStatuses": statuses},
    )


def count_cuts() -> bool:
    """Break connections of a forwarded port off, and see whether the next ones work."""

    def answer(connection: Any) -> None:
        connection.write(connection.readline())
        raise ConnectionResetError("cut")

    cluster = FakeCluster(running_pod("web-0"))
    cluster.container("shop/web-0").port(80, answer)
    failed = 0
    with (
        LocalServer(cluster) as server,
        Clientset.from_config(server.kubeconfig) as k,
        k.core_v1.pods("shop").port_forward("web-0", 80) as port,
    ):
        for number in range(CUTS):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(b"%d\n" % number)
                failed += connection.recv(100) != b"%d\n" % number
    print(f"port-forward: {CUTS} connections were cut, {failed} of those after them failed")
    return not failed


async def count_lines(kubeconfig: str, cluster: FakeCluster) -> bool:
    """Follow many logs, while connections are cut and containers restart."""
    chance = Random(1)
    written: Counter[str] = Counter()
    read: Counter[str] = Counter()
    restarts: Counter[int] = Counter()
    total = PODS * LINES

    def write(number: int) -> None:
        line = f"line {sum(written.values())}"
        cluster.logs(f"shop/web-{number}").write(line)
        written[f"[web-{number}/app] {line}"] += 1

    for number in range(PODS):
        write(number)
    cluster.cut("get", "pods/log", after=Random(2), times=PODS)
    begun = time.perf_counter()
    async with (
        AsyncClientset.from_config(kubeconfig) as k,
        k.core_v1.pods("shop").tail() as lines,
    ):
        async for line in lines:
            read[str(line)] += 1
            while written.total() < min(total, read.total() + PODS):
                number = chance.randrange(PODS)
                if chance.random() < 0.02 and not restarts[number]:
                    restarts[number] += 1
                    cluster.add(running_pod(f"web-{number}", 1))
                write(number)
            if read.total() >= total:
                break
    seconds = time.perf_counter() - begun
    lost, doubled = (written - read).total(), (read - written).total()
    print(
        f"logs of {PODS} pods, {restarts.total()} restarts: {total} lines in {seconds:.1f} s,"
        f" {lost} lost, {doubled} doubled"
    )
    return not lost and not doubled


def main() -> int:
    """Measure all of it."""
    logging.disable(logging.CRITICAL)  # every cut would be told
    mebibytes = int(sys.argv[1]) if sys.argv[1:] else 1024
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), Path(name, "root")
        root.mkdir()
        with serving(root) as kubeconfig:
            good = [measure_exec(kubeconfig), measure_copies(kubeconfig, folder, root, mebibytes)]
    good.append(count_cuts())
    cluster = FakeCluster(*(running_pod(f"web-{number}") for number in range(PODS)))
    with LocalServer(cluster) as server:
        good.append(asyncio.run(count_lines(server.kubeconfig, cluster)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
