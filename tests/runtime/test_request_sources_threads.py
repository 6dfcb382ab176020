"""Timers, polls, messages, daemons and memos with threads: test_request_sources.py, derived."""

from __future__ import annotations

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_request_sources.py")))
