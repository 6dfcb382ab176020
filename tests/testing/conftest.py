"""What all tests of the test server share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def controllers_are_quiet(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """No controller that is played fails, writes something invalid, or runs in circles."""
    yield
    if "test_play" in str(request.module.__name__):
        records = caplog.get_records("call")
        assert [each.getMessage() for each in records if each.levelno >= logging.WARNING] == []
