"""Modules that are imported, each with its source and the names its annotations are made of."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from clientgen._problems import Problems
from clientgen.generator.python_types.field_annotations import namespace_with
from clientgen.generator.python_types.module_loader import label
from clientgen.generator.python_types.module_syntax import ModuleSource, read_source
from clientgen.generator.sources.import_statements import absolute


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """A module, its source, and its names as annotations are to see them."""

    module: ModuleType
    source: ModuleSource
    names: dict[str, Any]


# Each for as long as it is the module Python has under that name.
_known: dict[str, LoadedModule] = {}
# Modules whose names are being put together: they may import each other.
_pending: set[str] = set()


def keep(module: ModuleType, source: ModuleSource) -> LoadedModule:
    """Note the source of a module that was just imported."""
    _pending.add(module.__name__)
    try:
        names = namespace_with(vars(module), source.aliases, _imported(module, source))
    finally:
        _pending.discard(module.__name__)
    loaded = _known[module.__name__] = LoadedModule(module, source, names)
    return loaded


def loaded(name: str) -> LoadedModule | None:
    """A module that Python has loaded; its source is read when it is first asked for.

    None if it has no source in Python, and while it is itself being asked for.
    """
    module = sys.modules.get(name)
    if module is None or name in _pending:
        return None
    loaded_module = _known.get(name)
    if loaded_module is not None and loaded_module.module is module:
        return loaded_module
    source = _source(module)
    return keep(module, source) if source else None


def _source(module: ModuleType) -> ModuleSource | None:
    """Return the source of any module, without problems of its markers."""
    file = getattr(module, "__file__", None)
    if not file or not file.endswith(".py") or not Path(file).is_file():
        return None
    name = module.__name__
    return read_source(name, label(name), Path(file).read_bytes(), Problems())


def _imported(module: ModuleType, source: ModuleSource) -> Mapping[str, Any]:
    """Enumerations that another module of the same package names: by themselves they are `str`."""
    names: dict[str, Any] = {}
    home = module.__name__
    top = home.partition(".")[0]
    package = home if hasattr(module, "__path__") else home.rpartition(".")[0]
    for name, (written, level, original) in source.imported.items():
        other = absolute(written, level, package)
        if other.partition(".")[0] != top:
            continue
        other_module = loaded(other)
        if other_module and original in other_module.names:
            value = other_module.names[original]
            if value is not vars(other_module.module).get(original):
                names[name] = value
    return names
