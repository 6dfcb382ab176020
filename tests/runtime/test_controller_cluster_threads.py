"""Controllers in threads on a cluster in the process: test_controller_cluster.py, derived."""

from pathlib import Path

from support.flavours import derived_tests

globals().update(derived_tests(Path(__file__).with_name("test_controller_cluster.py")))
