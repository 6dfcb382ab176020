"""apiextensions.k8s.io."""

from __future__ import annotations

from typing import Final

from .custom_resource_definition import CLEANUP, CustomResourceDefinitionStrategy

__all__ = ["CLEANUP", "DEFINITIONS", "STRATEGIES"]

DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"
"""The collection that holds the definitions."""

STRATEGIES = {"CustomResourceDefinition": CustomResourceDefinitionStrategy}
