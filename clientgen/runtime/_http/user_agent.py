"""The User-Agent of a program, and the field manager that follows from it.

The machine's name, which in a pod is the pod's, tells one process of a program from the others.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import clientgen

__all__ = ["field_manager", "host_name", "unique_identity", "user_agent"]

_MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}


def user_agent(argv0: str | None = None) -> str:
    """The default User-Agent: `program/version (os/architecture)`, as client-go builds it.

    The server takes what stands before the slash as the name of the field manager.
    """
    program = _program(sys.argv[0] if argv0 is None else argv0)
    system = "windows" if sys.platform == "win32" else sys.platform
    return f"{program}/{clientgen.__version__} ({system}/{_machine()})"


def field_manager(agent: str) -> str:
    """The name under which the server books writes that name no field manager."""
    return agent.partition("/")[0][:128] or "clientgen"


def host_name() -> str:
    """The name of the machine."""
    import platform  # clients that are only imported do not need it

    return platform.node()


def unique_identity() -> str:
    """A name for this process that no other has: that of its machine, and random letters."""
    from uuid import uuid4  # hardly ever needed

    return f"{host_name()}_{uuid4()}"


def _program(argv0: str) -> str:
    path = Path(argv0)
    name = path.parent.name if path.name == "__main__.py" else path.name.removesuffix(".py")
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "python"


def _machine() -> str:
    # The platform module would run programs to find out.
    name = os.uname().machine if hasattr(os, "uname") else os.environ["PROCESSOR_ARCHITECTURE"]
    return _MACHINES.get(name, name)
