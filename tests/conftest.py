"""What every test may use."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.run_folders import RunFolders

# It is shared by tests, and asserts like one.
pytest.register_assert_rewrite("support.enforcement")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than cores: many tests wait, for sockets and clocks."""
    return 1 + (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Compile the tests once if nobody has: each worker would, for 13 s of CPU time."""
    compiled = f"tests/*/__pycache__/test_*.{sys.implementation.cache_tag}-pytest-*.pyc"
    if not any(config.rootpath.glob(compiled)):
        command = [sys.executable, "-m", "pytest", "-qq", "--collect-only", *config.args]
        # What cannot be imported is reported by the workers.
        subprocess.run(command, cwd=config.invocation_params.dir, capture_output=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what is generated now as the expected output of the golden cases",
    )
    parser.addoption(
        "--cpu-seconds",
        type=float,
        metavar="N",
        help="begin no test after this much CPU time, and print which files that concerns",
    )


# Before hypothesis reads which profile it shall load.
@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    keep_compiled_files()
    register_profiles()
    seconds = config.getoption("--cpu-seconds")
    if seconds is not None:
        config.pluginmanager.register(Budget(seconds))


def keep_compiled_files() -> None:
    """Have Python keep what it compiles, whatever the environment says.

    Otherwise each process of pytest compiles the tests, clientgen and hypothesis anew, for 8 s.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def register_profiles() -> None:
    """Register the profiles of hypothesis: `--hypothesis-profile quick`."""
    from hypothesis import HealthCheck, settings

    # Timing never decides a test, on whatever machine.
    suppressed = [HealthCheck.too_slow]
    settings.register_profile("ci", deadline=None, suppress_health_check=suppressed)
    # Second runs, on other Pythons, and scripts/quick.
    settings.register_profile("quick", settings.get_profile("ci"), max_examples=15)
    # Before a release, and after changes to what hypothesis tests.
    settings.register_profile("deep", settings.get_profile("ci"), max_examples=2000)
    settings.load_profile("ci")


class Budget:
    """Leaves out tests when the time is spent. scripts/quick orders them by importance.

    A busy machine has no influence on which tests run, since it is CPU time that is counted.
    """

    SHOWN = 10

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._left_out: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if sum(os.times()[:4]) < self._seconds:
            return None
        self._left_out[item.path.relative_to(item.config.rootpath).as_posix()] += 1
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._left_out:
            return
        files = list(self._left_out)
        more = f"scripts/quick --seconds {self._seconds * 10:g}"
        command = f"pytest {' '.join(files)}" if len(files) <= self.SHOWN else more
        terminalreporter.write_line(
            f"left out: {self._left_out.total()} tests in {len(files)} files, because "
            f"{self._seconds:g} s of CPU time are spent. Run: {command}"
        )


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking at all tests again, in each of its full runs."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope="session")
def run_folders(tmp_path_factory: pytest.TempPathFactory) -> RunFolders:
    from support.run_folders import RunFolders

    return RunFolders.of(tmp_path_factory)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts and documents that are cached for a user are not shared with tests."""
    cache = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
