"""Certificates of the program's own, in threads: test_self_signed.py, derived."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_self_signed.py")))
