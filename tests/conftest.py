"""What every test may use."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Timing never decides a test, on whatever machine.
settings.register_profile("clientgen", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("clientgen")

# It is shared by tests, and asserts like one.
pytest.register_assert_rewrite("support.enforcement")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what is generated now as the expected output of the golden cases",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts and documents that are cached for a user are not shared with tests."""
    cache = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
