"""Empty environments: what was built is installed as users install it, and used."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from .commands import ReleaseError, run

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Environment", "pythons"]

_RUNTIME: Final = """
import asyncio, importlib.util, sys
from importlib.metadata import distributions
from kubeapi import AsyncClientset, Clientset
from kubeapi.core.v1 import ConfigMap, Pod
from kubeapi.meta.v1 import ObjectMeta
from clientgen.testing import FakeCluster, LocalServer

pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "default"},
       "spec": {"containers": [{"name": "a", "image": "a"}]}}
cluster = FakeCluster(pod)
cluster.container("default/a").on_exec(lambda process: process.stdout.write("hello") and 0)

async def read(config):
    async with AsyncClientset.from_config(config) as k:
        run = await k.core_v1.pods("default").exec("a", ["hello"])
        return (await k.core_v1.config_maps("default").get("a")).data, run.stdout

with LocalServer(cluster, tls=False) as server:
    with Clientset.from_config(server.kubeconfig) as k:
        maps = k.core_v1.config_maps("default")
        maps.create(ConfigMap(metadata=ObjectMeta(name="a"), data={"sky": "blue"}))
        maps.edit("a", lambda m: m.data.update(sky="grey"))
        assert k.core_v1.pods("default").exec("a", ["hello"]).stdout == b"hello"
    assert asyncio.run(read(server.kubeconfig)) == ({"sky": "grey"}, b"hello")
assert not {"jinja2", "black"} & sys.modules.keys()
assert "site-packages" in importlib.util.find_spec("clientgen").origin
print(*sorted(f"{d.name.lower()}={d.version}" for d in distributions() if d.name != "pip"))
"""
"""Uses both flavours against a server on this machine, and prints what is installed."""


def pythons(root: Path) -> dict[str, str]:
    """Return the supported Pythons of this machine: their paths, by version."""
    listed = run("bash", "scripts/matrix", "--list", folder=root).splitlines()
    found = (line.split(maxsplit=1) for line in listed if line.strip())
    return {version: path for version, path in found if path.startswith("/")}


class Environment:
    """A new environment, and a user who has nothing but it."""

    def __init__(self, python: str, scratch: Path) -> None:
        self._bin = scratch / "venv" / "bin"
        self._home = scratch / "home"
        self._home.mkdir(parents=True)
        # The pip of this environment serves all others: setting one up takes longer than the rest.
        run(python, "-m", "venv", "--without-pip", scratch / "venv", folder=scratch)

    def install(self, *what: Path | str) -> None:
        """Install files, with what they need from where pip finds it."""
        self._pip("install", "--quiet", "--no-compile", *what)
        self._pip("check")

    def try_runtime(self) -> list[str]:
        """Use a generated package and the runtime, and return which distributions are here.

        Raises:
            ReleaseError: something is missing, or does not work.
        """
        return self.run("python", "-W", "error", "-c", _RUNTIME).split()

    def try_generator(self, wheel: Path, demo: Path) -> None:
        """Generate the package of Kubernetes and use it, as soon as the extras are installed.

        Raises:
            ReleaseError: something is missing, or does not work.
        """
        version = wheel.name.split("-")[1]
        if (told := self.run("clientgen", "--version").strip()) != f"clientgen {version}":
            raise ReleaseError(f"{wheel.name}: `clientgen --version` says {told}")
        generate = ["clientgen", "generate", "--output", "out", "--package", "kubeapi", "--spec"]
        try:
            self.run(*generate, "none.json")
        except ReleaseError as error:
            if "extra 'generator'" not in str(error):
                raise
        else:
            raise ReleaseError(f"{wheel.name}: the generator runs without its extra")
        self.install(f"{wheel}[generator,testing]")
        shipped = "from clientgen._shipped import kubernetes_spec as spec; print(spec())"
        self.run(*generate, self.run("python", "-c", shipped).strip())
        self.run("python", str(demo), path="out")

    def run(self, program: str, *arguments: str, path: str = "") -> str:
        """Run a program of the environment."""
        environment = {
            "HOME": str(self._home),
            "PATH": os.pathsep.join([str(self._bin), "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
            **({"PYTHONPATH": str(self._home / path)} if path else {}),
        }
        return run(self._bin / program, *arguments, folder=self._home, environment=environment)

    def _pip(self, *arguments: Path | str) -> None:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        run(*pip, "--python", self._bin / "python", *arguments, folder=self._home)
