"""Local ports that lead to Services and workloads, with threads: derived."""

from __future__ import annotations

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_forwarding.py")))
