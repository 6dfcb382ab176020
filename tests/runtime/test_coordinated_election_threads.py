"""The same with threads: test_coordinated_election.py, derived."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_coordinated_election.py")))
pytestmark = pytest.mark.usefixtures("no_task_is_left")
