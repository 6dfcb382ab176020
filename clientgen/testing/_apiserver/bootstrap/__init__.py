"""The objects that a new server has."""

from __future__ import annotations

from .initial_objects import control_plane_settings, initial_objects

__all__ = ["control_plane_settings", "initial_objects"]
