"""Metrics over TLS, in threads: test_secure_endpoints.py, derived."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_secure_endpoints.py")))
