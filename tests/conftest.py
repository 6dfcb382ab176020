"""What every test may use."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# Timing never decides a test, on whatever machine.
settings.register_profile("clientgen", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For second runs, on other Pythons: `--hypothesis-profile quick`.
settings.register_profile("quick", settings.get_profile("clientgen"), max_examples=15)
settings.load_profile("clientgen")

# It is shared by tests, and asserts like one.
pytest.register_assert_rewrite("support.enforcement")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than cores: many tests wait, for sockets and clocks."""
    return 1 + (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what is generated now as the expected output of the golden cases",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run coroutine functions, each on a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts and documents that are cached for a user are not shared with tests."""
    cache = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
