"""Imports a generated package under guard: run as a program, with a folder and a package's name.

Whatever the package does beside defining things ends the program with code 99.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

__all__ = ["import_guarded"]

_GUARDED = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "pty.", "webbrowser.", "ftplib.")
_HARMLESS = frozenset({"os.listdir", "os.scandir", "os.fspath"})
_CAUGHT = 99


def import_guarded(folder: Path, package: str) -> str:
    """Import every module of a package in a process of its own; gives what it said of itself."""
    done = subprocess.run(
        [sys.executable, "-B", __file__, str(folder), package],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    writes = event == "open" and any(sign in str(arguments[1]) for sign in "wax+")
    if writes or (event.startswith(_GUARDED) and event not in _HARMLESS):
        os.write(2, f"caught: {event} {arguments!r}\n".encode())
        os._exit(_CAUGHT)


def _main(folder: str, package: str) -> None:
    import msgspec

    sys.path.insert(0, folder)
    sys.addaudithook(_guard)
    root = importlib.import_module(package)
    modules = [root, *map(importlib.import_module, _names(root.__path__, package))]
    models = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct)
    }
    for model in models:
        msgspec.json.Decoder(model)
    print(len(modules), len(models))


def _names(path: list[str], package: str) -> list[str]:
    return [module.name for module in pkgutil.walk_packages(path, f"{package}.")]


if __name__ == "__main__":
    _main(*sys.argv[1:])
