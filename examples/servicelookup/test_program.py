"""The controller as a program, and what is generated for it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from kubeapi import Clientset

from clientgen.testing import FakeCluster, LocalServer

from .demo import ACCOUNT, CRD, PATIENCE, SHOP, endpoints, pod, records

EXAMPLES = Path(__file__).parents[1]


@pytest.mark.parametrize("flags", [[], ["--threads"]])
def test_the_demonstration(flags: list[str]) -> None:
    command = [sys.executable, "-W", "error", "-m", "servicelookup", *flags]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "two pods back a service         web-1: web at 10.0.0.1, web-2: web at 10.0.0.2",
        "one goes, one is not there yet  web-2: web at 10.0.0.2",
        "here it is                      web-2: web at 10.0.0.2, web-3: web at 10.0.0.3",
        "the service has a new name      web-2: shop at 10.0.0.2",
        "the service goes                nothing",
    ]


@contextmanager
def program(server: LocalServer, *flags: str) -> Generator[None]:
    """The controller as a program; in the end it is told to stop, and has not complained."""
    command = [sys.executable, "-W", "error", "-m", "servicelookup", *flags, "--workers", "1"]
    command += ["--kubeconfig", str(server.kubeconfig), "--namespace", SHOP]
    running = subprocess.Popen(command, cwd=EXAMPLES, stderr=subprocess.PIPE, text=True)
    try:
        yield
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        running.communicate()
    assert (running.returncode, errors) == (0, "")


def until(holds: Callable[[], object]) -> None:
    deadline = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < deadline
        sleep(0.01)


@pytest.mark.parametrize("flags", [[], ["--threads"]])
def test_it_works_in_a_cluster_until_it_is_told_to_stop(flags: list[str]) -> None:
    cluster = FakeCluster(pod("a"), endpoints("web", {"a": "10.0.0.1"}), crds=[CRD])
    with LocalServer(cluster, service_account=ACCOUNT) as server, program(server, *flags):
        user = cluster.clientset(Clientset)
        until(lambda: records(user) == {"a": "web at 10.0.0.1"})


@pytest.mark.parametrize("flags", [[], ["--threads"]])
def test_one_of_two_replicas_works_and_the_other_takes_over(flags: list[str]) -> None:
    cluster = FakeCluster(pod("a"), endpoints("web", {"a": "10.0.0.1"}), crds=[CRD])
    user = cluster.clientset(Clientset)
    with LocalServer(cluster, service_account=ACCOUNT) as server:

        def leader() -> str:
            leases = user.coordination_v1.leases(SHOP).list().items
            return (leases[0].spec.holder_identity or "") if leases else ""

        with ExitStack() as second:
            with program(server, "--elect", *flags):
                until(lambda: records(user) == {"a": "web at 10.0.0.1"})
                first = leader()
                second.enter_context(program(server, "--elect", *flags))
            until(lambda: leader() not in ("", first))
            user.core_v1.endpoints(SHOP).delete("web")
            until(lambda: records(user) == {})
        assert (bool(first), leader()) == (True, "")


# ---- what is generated ------------------------------------------------------------------------


def test_the_clients_are_what_the_generator_writes() -> None:
    command, here = [sys.executable, "-m", "clientgen", "verify"], Path(__file__).parent
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
