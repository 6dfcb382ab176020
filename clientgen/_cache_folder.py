"""The folder of caches on disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def user_cache(env: Mapping[str, str] | None = None) -> Path:
    """Return the user's cache directory for clientgen, by the platform's convention.

    Raises:
        RuntimeError: the user has no home directory.
    """
    env = os.environ if env is None else env
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = env.get("XDG_CACHE_HOME", "")
        if not Path(base).is_absolute():  # the XDG specification ignores relative paths
            base = str(Path.home() / ".cache")
    return Path(base) / "clientgen"
