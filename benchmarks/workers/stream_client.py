"""One client of containers, alone in its process: python -m ... KUBECONFIG ACTION [PATH [PATH]].

It prints seconds, and by how many MB its resident memory has grown at most.
"""

from __future__ import annotations

import resource
import sys
import threading
import time
from pathlib import Path

from kubeapi import Clientset

EXECS = 200


def resident() -> float:
    """The resident memory in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


class Peak:
    """Looks at the resident memory a hundred times a second."""

    def __init__(self) -> None:
        self._start = self._most = resident()
        self._over = threading.Event()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while not self._over.wait(0.01):
            self._most = max(self._most, resident())

    def growth(self) -> float:
        self._over.set()
        return self._most - self._start


def main() -> None:
    """Do it."""
    kubeconfig, action, *paths = sys.argv[1:]
    with Clientset.from_config(kubeconfig) as k:
        pods = k.core_v1.pods("shop")
        assert pods.exec("web-0", ["echo", "x"]).text == "x"
        peak, begun = Peak(), time.perf_counter()
        match action:
            case "exec":
                for _ in range(EXECS):
                    assert pods.exec("web-0", ["echo", "x"]).text == "x"
            case "to":
                pods.copy_to("web-0", paths[0], paths[1])
            case "from":
                pods.copy_from("web-0", paths[0], paths[1])
        seconds = time.perf_counter() - begun
        print(seconds / (EXECS if action == "exec" else 1), peak.growth())


if __name__ == "__main__":
    main()
