"""Credential plugins as tests need them: programs that do what their body says."""

from __future__ import annotations

import json
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from clientgen.runtime._config.cluster_config import AuthConfig, ClusterConfig, ExecConfig

V1 = "client.authentication.k8s.io/v1"


class Plugin:
    """A program that notes each run and then does as its body says."""

    def __init__(self, directory: Path) -> None:
        self.script = directory / "plugin.py"
        self.log = directory / "runs"
        self.log.touch()

    def does(self, body: str) -> Plugin:
        head = f"import json, os, sys\nlog = open({str(self.log)!r}, 'a')\nlog.write('run\\n')\n"
        head += "info = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\nlog.close()\n"
        self.script.write_text(head + textwrap.dedent(body))
        return self

    def says(self, status: dict[str, Any], version: str = V1) -> Plugin:
        reply = {"kind": "ExecCredential", "apiVersion": version, "status": status}
        return self.does(f"print({json.dumps(json.dumps(reply))})")

    @property
    def runs(self) -> int:
        return len(self.log.read_text().splitlines())

    def config(self, **options: Any) -> ClusterConfig:
        # -I -S: without site-packages Python starts quicker.
        args = ("-I", "-S", str(self.script), *options.pop("args", ()))
        plugin = ExecConfig(sys.executable, args=args, interactive_mode="Never")
        return with_plugin(replace(plugin, **options))


def with_plugin(plugin: ExecConfig, **options: Any) -> ClusterConfig:
    auth = AuthConfig(exec=plugin, origin='~/config: user "dev"')
    return ClusterConfig("https://x:6443", auth=auth, **options)
