"""Finds the manifests that a run writes, and their folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from clientgen._problems import Problems, take_all
from clientgen.generator.config_file import find
from clientgen.generator.configuration import Flags, PackageConfig, load
from clientgen.generator.crds.crd_manifest import Manifest, manifests
from clientgen.generator.crds.manifest_files import Folder
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.declared_kinds import kinds
from clientgen.generator.python_types.referenced_classes import check_reached


@dataclass(frozen=True, slots=True)
class _Modules:
    """Modules whose kinds go to one folder."""

    names: tuple[str, ...]
    root: Path
    paths: tuple[Path, ...]
    where: str


def folders(flags: Flags, output: Path | None) -> tuple[Folder, ...]:
    """The folders of manifests, each with what is to be in it; nothing is written.

    Args:
        flags: the modules, or else the config (and the package of it) that names them.
        output: the folder of all manifests, instead of the config's `crd-output`.

    Raises:
        ClientgenError: with everything that is wrong with the config, with the modules, or with
            what is in the way.
    """
    # A run for some modules does not know the kinds of the others.
    complete = not flags.types and flags.package is None

    def folder(path: Path, groups: list[_Modules]) -> Folder:
        names = None if complete else frozenset(name for group in groups for name in group.names)
        return Folder(path, _manifests(groups), names)

    by_folder = _by_folder(flags, output)
    return tuple(
        take_all(partial(folder, *folder_and_groups) for folder_and_groups in by_folder.items())
    )


def _by_folder(flags: Flags, output: Path | None) -> dict[Path, list[_Modules]]:
    problems = Problems()
    folders: dict[Path, list[_Modules]] = {}
    if flags.types:
        if output is None:
            what = "--types needs an output directory for the manifests"
            problems.add("flags", what, "give --output, or leave --types to the config")
            problems.raise_if_any()
        assert output is not None
        return {output: [_Modules(tuple(dict.fromkeys(flags.types)), Path(), (), "flags")]}
    if flags.config is None and find(Path(), problems) is None:
        what = "there is nothing to generate: no config file was found"
        problems.add("", what, "give --types and --output, or write a clientgen.toml")
    problems.raise_if_any()
    packages = [package for package in load(flags) if package.types]
    for package in packages:
        path = output or package.crd_output
        if path is None:
            what = "the config sets no output directory for the manifests of its types"
            hint = 'add `crd-output = "crds"`, or give --output'
            problems.add(package.where(), what, hint)
        else:
            folders.setdefault(path, []).append(_of(package))
    if not packages:
        what = "there are no Python types to write manifests for"
        problems.add("", what, "give --types, or add `types` to the config")
    problems.raise_if_any()
    return folders


def _of(package: PackageConfig) -> _Modules:
    return _Modules(package.types, package.root, package.paths, package.where("types"))


def _manifests(groups: Iterable[_Modules]) -> tuple[Manifest, ...]:
    problems = Problems()
    wanted = {(name, group.root): group for group in groups for name in group.names}
    read = [
        read_module(name, root, problems, each.paths, each.where)
        for (name, root), each in wanted.items()
    ]
    modules = [module for module in read if module]
    api_kinds = kinds(modules, problems)
    check_reached(api_kinds, modules, problems)
    if not api_kinds and not problems:
        for module in read:
            if module:
                problems.add(
                    module.file, "it defines no API kind", "see docs/guides/python-types.md"
                )
    problems.raise_if_any()
    made = manifests(api_kinds, problems)
    problems.raise_if_any()
    return made
