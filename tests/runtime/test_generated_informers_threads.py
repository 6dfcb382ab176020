"""Generated informers in threads: test_generated_informers.py, derived."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_generated_informers.py")))
