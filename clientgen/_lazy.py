"""Attributes of a module that are imported when they are first used (PEP 562)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["lazy_attributes"]


def lazy_attributes(
    module: str, package: str | None, where: Mapping[str, str]
) -> Callable[[str], object]:
    """Make the `__getattr__` of a module.

    Args:
        module: the name of the module, for messages.
        package: the package that relative module names in `where` start from.
        where: the module that defines each name, such as `"._cache.indexer"`.
    """

    def attribute(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(where[name], package), name)

    return attribute
