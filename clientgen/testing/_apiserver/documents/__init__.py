"""The documents a server publishes about itself: discovery, OpenAPI, version and health."""

from __future__ import annotations

from .served import Documents

__all__ = ["Documents"]
