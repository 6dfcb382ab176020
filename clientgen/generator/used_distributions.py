"""Finds the distributions of modules that a published package has to require.

A package of this machine has the pyproject.toml that clientgen wrote beside it. An installed one is
in the RECORD of a distribution. Nothing is imported.
"""

from __future__ import annotations

import tomllib
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clientgen.generator.package_manifest import made_from

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["requirement_of"]


def requirement_of(package: str, paths: Sequence[Path]) -> str | None:
    """Return the requirement for what is installed, such as `clientgen-kubeapi>=1.36.0`.

    Args:
        package: the name by which the package is imported.
        paths: directories to look in before those of Python itself.

    Returns:
        None if nothing names the distribution of the package.
    """
    folder = _folder(package, paths)
    if folder is None:
        return None
    return _written_beside(package, folder) or _installed(package, folder)


def _folder(package: str, paths: Sequence[Path]) -> Path | None:
    """The folder that has the package; None if it is nowhere, or in a package."""
    if "." in package:
        return None
    spec = PathFinder.find_spec(package, [str(path) for path in paths])
    spec = spec or PathFinder.find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))).parent if places else None


def _written_beside(package: str, folder: Path) -> str | None:
    """What the pyproject.toml says that clientgen wrote for the package."""
    try:
        data = (folder / "pyproject.toml").read_bytes()
        project: dict[str, Any] = tomllib.loads(data.decode())["project"]
        requirement = f"{project['name']}>={project['version']}"
    except (OSError, ValueError, KeyError):
        return None
    return requirement if made_from(data) == f"the configuration of {package}" else None


def _installed(package: str, folder: Path) -> str | None:
    """The distribution of a folder whose RECORD has the package."""
    for each in distributions(path=[str(folder)]):
        record = f"\n{each.read_text('RECORD') or ''}"
        if f"\n{package}/__init__.py," in record:
            return f"{each.metadata['Name']}>={each.version}"
    return None
