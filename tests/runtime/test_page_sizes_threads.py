"""The tests of `test_page_sizes`, derived for threads."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_page_sizes.py")))
