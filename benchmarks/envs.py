"""The virtual environments: one for clientgen, others for the peers, so that nothing clashes.

Every version is pinned: a table says little about versions nobody knows.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

__all__ = ["DATA", "HERE", "SNAPSHOT", "install", "python", "script", "versions"]

HERE = Path(__file__).parent.resolve()
DATA = HERE / ".data"
SNAPSHOT = DATA / "snapshot"
"""The checkout as it was when the benchmarks were started: somebody may be working in it."""

_ROOT = HERE.parent
_HOME = HERE / ".envs"
_NOT_COPIED = (".*", "__pycache__", "build", "dist", "tests", "*.egg-info")

_REQUIREMENTS = {
    "ours": ["-e", f"{SNAPSHOT}[generator,testing]", "-e", str(SNAPSHOT / "generated")],
    "server": ["trustme==1.2.1"],
    "peers": [
        "lightkube==1.0.1",
        "lightkube-models==1.36.3.8",
        "kubernetes==37.0.2",
        "kubex[aiohttp]==0.1.0b3",
        "kubex-k8s-1-36==0.1.0b3",
        "kubesdk==0.3.4",
        "kube-models==0.6.0",
    ],
    # It pins what others need newer; 0.6 is the last for Python below 3.14.
    "cloudcoil": ["cloudcoil==0.6.0", "cloudcoil-models-kubernetes==1.32.1.3"],
    "codegen": ["datamodel-code-generator==0.89.0", "black==26.10.1", "isort==8.0.1"],
}
_SHOWN = {
    "ours": ("aiohttp", "urllib3", "msgspec", "black"),
    "peers": ("lightkube", "lightkube-models", "kubernetes", "kubex", "kubesdk", "kube-models"),
    "cloudcoil": ("cloudcoil", "cloudcoil-models-kubernetes"),
    "codegen": ("datamodel-code-generator",),
}


def install() -> None:
    """Make the environments that are not there yet, or not as they are described above."""
    shutil.rmtree(SNAPSHOT, ignore_errors=True)
    shutil.copytree(_ROOT, SNAPSHOT, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    for name, requirements in _REQUIREMENTS.items():
        described = json.dumps([sys.version, requirements])
        stamp = _HOME / name / "installed.json"
        if stamp.exists() and stamp.read_text() == described:
            continue
        print(f"installing {name}", flush=True)
        venv.create(_HOME / name, clear=True, with_pip=True)
        _pip(name, "install", "-qq", *requirements)
        stamp.write_text(described)
    compiled = [python("ours"), "-m", "compileall", "-q", str(SNAPSHOT)]
    subprocess.run(compiled, check=True)


def python(env: str) -> str:
    """The interpreter of an environment."""
    return script(env, "python")


def script(env: str, name: str) -> str:
    """A command of an environment."""
    return str(_HOME / env / ("Scripts" if os.name == "nt" else "bin") / name)


def versions() -> dict[str, str]:
    """What is installed, of what matters."""
    installed_versions: dict[str, str] = {}
    for env, names in _SHOWN.items():
        listed = json.loads(_pip(env, "list", "--format=json"))
        installed = {each["name"].lower().replace(".", "-"): each["version"] for each in listed}
        installed_versions |= {name: installed[name] for name in names if name in installed}
    return installed_versions


def _pip(env: str, *arguments: str) -> str:
    command = [python(env), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
