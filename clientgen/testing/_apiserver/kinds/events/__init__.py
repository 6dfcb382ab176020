"""events.k8s.io: the Events of the core group under other names."""

from __future__ import annotations

from .event import EventStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {"Event": EventStrategy}
