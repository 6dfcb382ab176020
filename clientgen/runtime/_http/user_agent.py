"""The User-Agent of a program, its default field manager, and a unique identity."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import clientgen

_MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}


def user_agent(argv0: str | None = None) -> str:
    """Return the default User-Agent: `program/version (os/architecture)`, as client-go builds it.

    The server takes the part before the slash as the default field manager.
    """
    program = _program(sys.argv[0] if argv0 is None else argv0)
    system = "windows" if sys.platform == "win32" else sys.platform
    return f"{program}/{clientgen.__version__} ({system}/{_machine()})"


def field_manager(agent: str) -> str:
    """Return the field manager that the server derives from a User-Agent."""
    return agent.partition("/")[0][:128] or "clientgen"


def host_name() -> str:
    """Return the name of the machine; in a pod, the name of the pod."""
    import platform  # imported late: start-up does not need it

    return platform.node()


def unique_identity() -> str:
    """Return a unique name for this process: the name of its machine, and a random part."""
    from uuid import uuid4  # imported late: few programs need it

    return f"{host_name()}_{uuid4()}"


def _program(argv0: str) -> str:
    path = Path(argv0)
    name = path.parent.name if path.name == "__main__.py" else path.name.removesuffix(".py")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "python"


def _machine() -> str:
    # `platform.machine()` is not used, because it may start another program.
    name = os.uname().machine if hasattr(os, "uname") else os.environ["PROCESSOR_ARCHITECTURE"]
    return _MACHINES.get(name, name)
