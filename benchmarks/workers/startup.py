"""What it costs to have a test server: a process of it, or one more in a test."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING

from .meter import Meter, report
from .processes import FIXED, SERVE, started

if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = 100


def _process(*arguments: str) -> dict[str, float]:
    """Up to the line that says it is ready."""
    with started(*arguments) as process:
        return {"cpu": process.cpu(), "peak_mb": process.peak_mb()}


def _import() -> dict[str, float]:
    meter = Meter()
    importlib.import_module("clientgen.testing._fake.fake_cluster")

    return meter.read()


def _first() -> dict[str, float]:
    from clientgen.testing._apiserver.server import ApiServer

    meter = Meter()
    ApiServer()
    return meter.read()


def _another() -> dict[str, float]:
    from clientgen.testing._apiserver.server import ApiServer

    return _repeated(ApiServer)


def _fake() -> dict[str, float]:
    from kubeapi import Clientset  # the import makes models, which others do not need

    from clientgen.testing import fake_clientset

    return _repeated(lambda: fake_clientset(Clientset).core_v1.pods("default").list())


def _repeated(make: Callable[[], object]) -> dict[str, float]:
    make()
    gc.collect()
    meter = Meter()
    for _ in range(_MANY):
        make()
    return meter.read(_MANY)


_TASKS: dict[str, Callable[[], dict[str, float]]] = {
    "serve": lambda: _process(*SERVE),
    "fixed": lambda: _process(*FIXED, "1"),
    "import": _import,
    "first": _first,
    "another": _another,
    "fake": _fake,
}


if __name__ == "__main__":
    report(_TASKS[sys.argv[1]]())
