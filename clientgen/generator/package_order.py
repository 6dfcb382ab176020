"""The order of the packages of one configuration, and what each knows of the others."""

from __future__ import annotations

from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen.generator.config_records import Distribution, PackageConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clientgen._problems import Problems


def in_order(
    chosen: Iterable[PackageConfig], all_packages: Sequence[PackageConfig], problems: Problems
) -> tuple[PackageConfig, ...]:
    """The chosen packages, each after those it uses, and otherwise by name.

    Args:
        chosen: What is to be generated.
        all_packages: All packages of the configuration: modules may be where they are written.
        problems: gets a problem for packages that use each other.
    """
    by_name = {package.package: package for package in all_packages}
    names = [package.package for package in chosen]
    _check_distributions(by_name, names, problems)
    for circle in [] if problems else _circles(by_name):
        package = by_name[circle[0]]
        what = f"packages use each other in a cycle: {' -> '.join(circle)}"
        problems.add(package.where("uses"), what, "remove one of them from `uses`")
    if problems:
        return ()
    return tuple(_knowing(by_name[name], by_name) for name in _sorted(by_name) if name in names)


def _uses(by_name: dict[str, PackageConfig]) -> dict[str, list[str]]:
    """Return the packages of the same configuration that each package uses."""
    return {
        name: sorted(_of_file(use, by_name) for use in package.uses if _of_file(use, by_name))
        for name, package in sorted(by_name.items())
    }


def _of_file(use: str, by_name: dict[str, PackageConfig]) -> str:
    return use if use in by_name else ""


def _circles(by_name: dict[str, PackageConfig]) -> list[list[str]]:
    """A circle of uses, from the name that comes first in the alphabet, if there is one."""
    try:
        TopologicalSorter(_uses(by_name)).prepare()
    except CycleError as error:
        # The sorter tells a circle against the direction of use, its start at both ends.
        circle = list(reversed(error.args[1]))[:-1]
        start = circle.index(min(circle))
        return [[*circle[start:], *circle[: start + 1]]]
    return []


def _sorted(by_name: dict[str, PackageConfig]) -> list[str]:
    sorter = TopologicalSorter(_uses(by_name))
    sorter.prepare()
    ordered: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered += ready
        sorter.done(*ready)
    return ordered


def _knowing(package: PackageConfig, by_name: dict[str, PackageConfig]) -> PackageConfig:
    """The package with where to look for modules, and with the distributions of what it uses."""
    outputs = [package.output, *(by_name[name].output for name in sorted(by_name))]
    paths = tuple(dict.fromkeys((package.root, package.root / "src", *outputs)))
    if package.distribution:
        distribution = _complete(package.distribution, package, by_name)
        package = replace(package, distribution=distribution)
    return replace(package, paths=paths)


def _complete(
    distribution: Distribution, package: PackageConfig, by_name: dict[str, PackageConfig]
) -> Distribution:
    """The distribution with what it needs of this configuration, and what nothing is known of."""
    published = {name: other.distribution for name, other in by_name.items() if other.distribution}
    used = [published[use] for use in package.uses if use in published]
    needed = tuple(f"{other.name}>={other.version}" for other in used)
    mixed_in = (mixin for expansion in package.expansions.values() for mixin in expansion.classes())
    mixins = [mixin.partition(":")[0] for mixin in mixed_in]
    unpublished = [use for use in package.uses if use not in published]
    unnamed = tuple(sorted({*package.types, *mixins, *unpublished}))
    return replace(
        distribution, dependencies=(*distribution.dependencies, *needed), unnamed=unnamed
    )


def _check_distributions(
    by_name: dict[str, PackageConfig], names: Iterable[str], problems: Problems
) -> None:
    """There is one pyproject.toml in a folder, so the packages of one folder share none."""
    writers: dict[Path, tuple[str, Distribution]] = {}
    for name, package in sorted(by_name.items()):
        if package.distribution is None:
            continue
        other, _ = writers.setdefault(package.output, (name, package.distribution))
        if other != name and {other, name} & set(names):
            what = f"`{other}` already has a pyproject.toml in {package.output}"
            problems.add(package.distribution.where, what, "give one of them another `output`")
