"""Says how much memory a manager takes that has nothing to do.

::

    python -m benchmarks.idle

The manager (`workers/idle_manager.py`) is a process of its own, with one controller, an election,
metrics and health. The server is an empty cluster over HTTP in this one. The exit code is 1 if
one of them takes more than the bar.
"""

from __future__ import annotations

import subprocess
import sys

from clientgen.testing import LocalServer

BAR_MB = 45.0


def main() -> int:
    """Measure both flavours."""
    figures: dict[str, float] = {}
    with LocalServer() as server:
        for flavour in ("asyncio", "threads"):
            program = [sys.executable, "-m", "benchmarks.workers.idle_manager"]
            done = subprocess.run(
                [*program, server.url, flavour], capture_output=True, text=True, check=True
            )
            figures[flavour] = float(done.stdout)
            print(f"{flavour}: {figures[flavour]:.1f} MB")
    return 0 if max(figures.values()) <= BAR_MB else 1


if __name__ == "__main__":
    sys.exit(main())
