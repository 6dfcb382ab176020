"""The core group, whose name is empty."""

from __future__ import annotations

from .event import EventStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"Event": EventStrategy}
