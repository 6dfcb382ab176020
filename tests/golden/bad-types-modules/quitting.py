"""A program."""

import sys

sys.exit(3)
