"""One test source for both flavours: written for asyncio, derived for threads.

`derived_tests(__file__-of-the-source)` gives the names of the derived module; a test module takes
them with `globals().update(...)`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clientgen.generator.unasync import to_sync


def derived_tests(source: Path) -> dict[str, Any]:
    code = compile(to_sync(source.read_text("utf-8")), f"{source} (derived)", "exec")
    namespace: dict[str, Any] = {"__name__": source.stem, "__file__": str(source)}
    exec(code, namespace)
    return namespace
