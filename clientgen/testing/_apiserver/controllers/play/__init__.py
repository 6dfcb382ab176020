"""Controllers, a scheduler and kubelets that are played: workloads become ready by rules.

`ControllerManager` runs them on request only. Each controller is a module with a `sync(key)` that
brings one object closer to what it asks for, by the rules of the real controller. They read and
write objects as real components do: through the strategies of the server.
"""

from __future__ import annotations

from .behaviour import Behaviour, Exit, PodRule
from .controller_manager import ControllerManager
from .settings import PlaySettings

__all__ = ["Behaviour", "ControllerManager", "Exit", "PlaySettings", "PodRule"]
