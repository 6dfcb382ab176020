"""Calls with a shard selector in threads: test_shard_calls.py, derived."""

from __future__ import annotations

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_shard_calls.py")))
