"""The synchronous twins of test modules, which are written for asyncio only."""

from __future__ import annotations

import linecache
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from clientgen.generator.unasync import to_sync

__all__ = ["twin_of"]


@cache
def twin_of(path: Path) -> ModuleType:
    """Make the module that the asyncio source derives to; failures show its lines."""
    source = to_sync(path.read_text("utf-8"))
    name, shown = f"{path.stem}_sync", f"{path} (derived)"
    linecache.cache[shown] = (len(source), None, source.splitlines(keepends=True), shown)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    exec(compile(source, shown, "exec"), vars(module))
    return module
