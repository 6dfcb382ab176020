"""Reads the versions of Python types, and drafts conversions between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from clientgen._problems import Problems
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.conversion_tests import round_trips
from clientgen.generator.python_types.conversions import functions, pairs_of
from clientgen.generator.python_types.declared_kinds import kinds


def drafts(types: Sequence[str], output: Path, test: Path | None) -> dict[Path, str]:
    """Return the sources of the functions and of their test, by file.

    Raises:
        ClientgenError: with everything that is wrong with the modules.
    """
    problems = Problems()
    modules = [read_module(name, Path(), problems) for name in dict.fromkeys(types)]
    found = [module for module in modules if module]
    pairs = pairs_of(kinds(found, problems), problems)
    problems.raise_if_any()
    names = _names([module.name for module in found])
    made = {output: functions(pairs, names)}
    if test:
        made[test] = round_trips(pairs, names, _module_of(output))
    return made


def _names(modules: Sequence[str]) -> dict[str, str]:
    """The names of modules in the draft: the last part, or all parts if it is not the only one."""
    last = [module.rpartition(".")[2] for module in modules]
    return {
        module: name if last.count(name) == 1 else module.replace(".", "_")
        for module, name in zip(modules, last, strict=True)
    }


def _module_of(path: Path) -> str:
    """The module of a file, from the working directory or its `src`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "src" else parts)
