"""Attributes of modules that are imported when the attributes are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping


def lazy_attributes(
    module: str,
    package: str | None,
    where: Mapping[str, str],
    optional: Container[str] = (),
) -> Callable[[str], object]:
    """Return the `__getattr__` of a module.

    Args:
        module: the name of the module, for messages.
        package: the package of the relative module names in `where`.
        where: the module that defines each name, such as `"._cache.indexer"`.
        optional: the classes whose modules need an extra. Without the extra, such a name is a class
            whose constructor raises the ImportError, so that `help()` and `import *` work.
    """

    def attribute(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            return getattr(import_module(where[name], package), name)
        except ImportError as error:
            if name not in optional:
                raise
            return _stand_in(name, str(error))

    return attribute


def _stand_in(name: str, problem: str) -> type:
    def refuse(*_: object, **_options: object) -> None:
        raise ImportError(problem)

    return type(name, (), {"__doc__": problem, "__init__": refuse})
