"""Discovery, OpenAPI, version and health."""

from __future__ import annotations

from .served import Documents

__all__ = ["Documents"]
