"""What is made once, by however many threads."""

from __future__ import annotations

import subprocess
import sys
import threading

from clientgen.runtime._models.once import once


def test_threads_that_ask_at_once_get_the_same_thing():
    made: list[object] = []
    barrier = threading.Barrier(8)

    @once
    def make(_key: str) -> object:
        made.append(object())
        return made[-1]

    results: list[object] = []

    def ask() -> None:
        barrier.wait()
        results.append(make("x"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 1
    assert set(results) == set(made)


def test_the_first_decodes_of_many_threads_do_no_harm():
    """msgspec crashes the interpreter when two threads build a struct's first decoders at once."""
    program = """
import sys, threading
from kubeapi.core.v1 import Pod
from kubeapi.apps.v1 import Deployment
from clientgen.runtime.models import decode
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(16)
def work(number):
    barrier.wait()
    for model in (Pod, Deployment) if number % 2 else (Deployment, Pod):
        decode(b'{"metadata": {"name": "x"}}', model)
threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
