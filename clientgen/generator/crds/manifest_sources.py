"""Finds the manifests that a run writes, and their folders."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from clientgen._problems import ClientgenError, Problem, Problems, take_all
from clientgen.generator import header_file
from clientgen.generator.config_file import find
from clientgen.generator.configuration import Flags, PackageConfig, load
from clientgen.generator.crds.crd_manifest import Manifest, manifests
from clientgen.generator.crds.description_limit import shortened
from clientgen.generator.crds.manifest_files import Folder
from clientgen.generator.crds.rule_places import PlacedRule, placed, rules_of
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
    max_desc_len: int | None = None
    header_file: Path | None = None


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
        made = _made(groups)
        return Folder(path, made.manifests, names, _header(groups), rules=made.rules)

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
        names = tuple(dict.fromkeys(flags.types))
        modules = _Modules(names, Path(), (), "flags", flags.max_desc_len, flags.header_file)
        return {output: [modules]}
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
    where = package.where("types")
    more = package.max_desc_len, package.header_file
    return _Modules(package.types, package.root, package.paths, where, *more)


def _header(groups: Iterable[_Modules]) -> str:
    """The header of the files of one folder."""
    by_file = {group.header_file: group for group in groups}
    if len(by_file) > 1:
        what = "packages that write into one folder have different values of `header-file`"
        where = [*by_file.values()][1].where
        raise ClientgenError([Problem(where, what, "give both the same header")])
    ((file, group),) = by_file.items()
    return header_file.parse(header_file.gather(file, group.root)) if file else ""


@dataclass(frozen=True, slots=True)
class PolicyRules:
    """The rules of a run, and the plurals of the kinds that it defines, by group and kind."""

    modules: tuple[str, ...]
    rules: tuple[PlacedRule, ...]
    plurals: Mapping[tuple[str, str], str]


def policy_rules(flags: Flags) -> PolicyRules:
    """Return the rules of all modules, each with its place.

    Args:
        flags: what `folders` takes.

    Raises:
        ClientgenError: with everything that is wrong with the config or with the modules.
    """
    groups = [group for found in _by_folder(flags, Path()).values() for group in found]
    made = _made(groups, needs_kinds=False)
    plurals = {
        (manifest.definition["spec"]["group"], manifest.definition["spec"]["names"]["kind"]): str(
            manifest.definition["spec"]["names"]["plural"]
        )
        for manifest in made.manifests
    }
    modules = tuple(name for group in groups for name in group.names)
    return PolicyRules(modules, made.rules, plurals)


@dataclass(frozen=True, slots=True)
class _Made:
    manifests: tuple[Manifest, ...]
    rules: tuple[PlacedRule, ...]


def _made(groups: Iterable[_Modules], *, needs_kinds: bool = True) -> _Made:
    problems = Problems()
    wanted = {(name, group.root): group for group in groups for name in group.names}
    read = [
        read_module(name, root, problems, each.paths, each.where)
        for (name, root), each in wanted.items()
    ]
    modules = [module for module in read if module]
    api_kinds = kinds(modules, problems)
    check_reached(api_kinds, modules, problems)
    if not api_kinds and not problems and needs_kinds:
        for module in read:
            if module:
                problems.add(
                    module.file, "it defines no API kind", "see docs/guides/python-types.md"
                )
    problems.raise_if_any()
    rules = rules_of(sys.modules[module.name] for module in modules)
    made = manifests(api_kinds, problems, rules)
    problems.raise_if_any()
    limits = {name: group.max_desc_len for (name, _), group in wanted.items()}
    own = {kind.type.cls for kind in api_kinds}
    others = [placed(rule, None) for rule in rules if rule.model not in own]
    return _Made(
        tuple(_limited(manifest, limits) for manifest in made),
        (*(each for manifest in made for each in manifest.rules), *others),
    )


def _limited(manifest: Manifest, limits: Mapping[str, int | None]) -> Manifest:
    """Shorten the descriptions, by the shortest limit of the modules of a manifest."""
    given = [limit for name in manifest.modules if (limit := limits.get(name)) is not None]
    if not given:
        return manifest
    return replace(manifest, definition=shortened(manifest.definition, min(given)))
