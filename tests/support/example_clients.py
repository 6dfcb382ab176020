"""The clients of the examples: one is committed, the others are generated when tests need them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["COMMITTED", "EXAMPLES", "GENERATED", "generate_client", "generated_clients"]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
# Example and folder of its client. The first shows how users commit theirs.
COMMITTED = {"crontab": "crontabs_client"}
GENERATED = {
    "conversion": "proxies_client",
    "foreign_crd": "backups_client",
    "servicelookup": "api",
    "webapp": "webapps_client",
}


@cache
def generate_client(example: str) -> Path:
    """Run the command of the example's README; return the folder of the client.

    All workers of xdist may do so: `clientgen generate` lets one of them write at a time, and the
    others find that nothing changed.
    """
    command = [sys.executable, "-m", "clientgen", "generate", "--quiet"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(ROOT / "build/cache")}
    folder = EXAMPLES / example
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / GENERATED[example]


def generated_clients() -> list[Path]:
    """Return the clients of all examples, up to date."""
    committed = [EXAMPLES / example / client for example, client in COMMITTED.items()]
    return [*committed, *map(generate_client, GENERATED)]


if __name__ == "__main__":
    generated_clients()
