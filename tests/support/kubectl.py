"""kubectl, run as people type it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, cast

KUBECTL = os.environ.get("CLIENTGEN_TEST_KUBECTL") or shutil.which("kubectl") or ""


class Kubectl:
    """Runs commands in a namespace of their own."""

    def __init__(self, kubeconfig: str, folder: Path, namespace: str) -> None:
        self.folder = folder
        self.namespace = namespace
        self.environment = {
            **os.environ,
            "KUBECONFIG": kubeconfig,
            "HOME": str(folder),
            "KUBECACHEDIR": str(folder / "cache"),
            # Collecting garbage is a third of what a short command costs.
            "GOGC": "off",
            "GOMEMLIMIT": "256MiB",
        }

    def command(self, *arguments: str) -> list[str]:
        return [KUBECTL, "--namespace", self.namespace, *arguments]

    def run(
        self, *arguments: str, given: object = None, editor: str = "true"
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, whatever comes of it; `given` is a manifest for `-f -`, or several."""
        objects = cast("list[object]", given) if isinstance(given, list) else [given]
        for _ in range(5):
            done = self._run(*arguments, objects=objects, editor=editor)
            # Until 1.33 kubectl may lose what comes before it has made its streams.
            if "Unknown stream id" not in done.stderr:
                break
        return done

    def _run(
        self, *arguments: str, objects: list[object], editor: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            input="\n".join(map(json.dumps, objects)),
            capture_output=True,
            text=True,
            timeout=30,
            env={**self.environment, "KUBE_EDITOR": editor},
            check=False,
        )

    def __call__(
        self, *arguments: str, given: object = None, exits: int = 0, editor: str = "true"
    ) -> str:
        """What a command prints, errors included; `given` is a manifest for `-f -`."""
        done = self.run(*arguments, given=given, editor=editor)
        printed = done.stdout + done.stderr
        assert done.returncode == exits, f"{' '.join(arguments)}: {done.returncode}\n{printed}"
        return printed

    def json(self, *arguments: str) -> Any:
        return json.loads(self("get", *arguments, "-o", "json"))

    def rows(self, *arguments: str) -> list[list[str]]:
        """The cells of `get`, header first, as far as they are one word."""
        return [line.split() for line in self("get", *arguments).splitlines()]
