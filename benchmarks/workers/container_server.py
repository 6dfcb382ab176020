"""An API server whose container runs this machine's `tar` below a folder: python -m ... FOLDER."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from kubeapi.core.v1 import Pod

from clientgen.testing import FakeCluster, LocalServer

PIECE = 1 << 16


class Machine:
    """Runs `tar`, and answers `echo` and `test` itself."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(self, process: Any) -> int:
        match process.command:
            case ["echo", *words]:
                process.stdout.write(" ".join(words))
                return 0
            case ["test", "-d", path]:
                return 0 if (self._root / path.lstrip("/")).is_dir() else 1
            case ["tar", flags, "-", *rest]:
                return self._tar(process, flags, rest)
        return 127

    def _tar(self, process: Any, flags: str, rest: list[str]) -> int:
        # kubectl names what it reads by its whole path, and `tar` takes the slash off.
        words = [word.lstrip("/") or "." for word in rest]
        command = ["tar", flags, "-", "-C", str(self._root), *words]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            feeding = threading.Thread(target=_feed, args=[process.stdin, run.stdin], daemon=True)
            feeding.start()
            assert run.stdout is not None
            while data := run.stdout.read1(PIECE):  # type: ignore[attr-defined]
                process.stdout.write(data)
        return run.returncode


def _feed(source: Any, target: Any) -> None:
    with suppress(OSError), target:
        while data := source.read1():
            target.write(data)


def main() -> None:
    """Serve until stdin ends."""
    spec = {"containers": [{"name": "app", "image": "i"}], "nodeName": "node-1"}
    metadata = {"name": "web-0", "namespace": "shop"}
    cluster = FakeCluster(Pod(metadata=metadata, spec=spec, status={"phase": "Running"}))
    cluster.container("shop/web-0").on_exec(Machine(Path(sys.argv[1])))
    with LocalServer(cluster) as server:
        print(server.kubeconfig, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
