"""Status codes of HTTP at which a range begins."""

from __future__ import annotations

from typing import Final

FIRST_REDIRECT: Final = 300
"""Responses with a lower status are successful."""
FIRST_SERVER_ERROR: Final = 500
