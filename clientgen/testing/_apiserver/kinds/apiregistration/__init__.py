"""The group apiregistration.k8s.io."""

from __future__ import annotations

from .api_service import APIServiceStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "APIService": APIServiceStrategy,
}
