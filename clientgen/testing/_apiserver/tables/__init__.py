"""Table answers: the rows and columns that `kubectl get` shows."""

from __future__ import annotations

from .table import table

__all__ = ["table"]
