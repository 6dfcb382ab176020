"""The tests of `test_describe`, derived for threads."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_describe.py")))
