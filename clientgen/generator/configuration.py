"""Configuration: `[tool.clientgen]` of pyproject.toml or clientgen.toml, and the flags.

    [tool.clientgen]                      # in clientgen.toml the same keys stand at the top
    spec = ["specs/kubernetes.json"]      # relative to this file
    output = "generated"                  # the package becomes generated/kubeapi
    package = "kubeapi"

    [tool.clientgen.markers]
    "apps/v1/Deployment" = ["+genclient:skipVerbs=deleteCollection"]

    [tool.clientgen.expansions]
    "v1/Pod" = "myops.pods:PodExpansion"          # of listers too: see `expansions`

docs/reference/configuration.md has every key. Several packages have a table each,
`[tool.clientgen.packages.<name>]`, with the same keys but for `package`. A flag wins over the file.
`--package` picks a package of the file; for one that the file does not have, the flags say
everything.
"""

from __future__ import annotations

import keyword
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen._problems import Problems, did_you_mean
from clientgen.generator.config_file import Place, Table, find, read
from clientgen.generator.config_records import (
    ClusterSource,
    Distribution,
    Flags,
    PackageConfig,
    PlacedText,
    Renames,
    Selection,
    is_given,
)
from clientgen.generator.config_tables import CONTENT_KEYS, read_output, read_package
from clientgen.generator.package_order import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ClusterSource",
    "Distribution",
    "Flags",
    "PackageConfig",
    "PlacedText",
    "Renames",
    "Selection",
    "load",
    "load_sources",
]

_KEYS = ("package", *CONTENT_KEYS, "packages")
# The tool itself, and what generated code imports.
_TAKEN = frozenset({"clientgen", "msgspec"})
# The values that a flag replaces as a whole.
_OF_FLAGS = (
    "specs",
    "crds",
    "types",
    "go_types",
    "cluster",
    "uses",
    "distribution",
    "header_file",
    "max_desc_len",
)
# Flags that are not called like their keys.
_FLAGS = {"uses": "use"}
_SOURCES = "`spec`, `crd`, `types` or `cluster`"
_SOURCE_FLAGS = "--spec, --crd, --types or --cluster"


@dataclass(frozen=True, slots=True)
class _Draft:
    """A package of the file while flags may still add what it lacks."""

    package: PackageConfig
    output: Path | None
    place: Place

    def finish(self, flags: _FlagValues, problems: Problems) -> PackageConfig | None:
        package, output = flags.over(self.package), flags.output or self.output
        if output is None:
            what = "the config sets no output directory"
            problems.add(str(self.place), what, "add `output`, or give --output")
        if not package.has_source:
            hint = f"add {_SOURCES}, or give {_SOURCE_FLAGS}"
            problems.add(str(self.place), "the config names no source", hint)
        if output != self.output and package.distribution:  # its readme is in the file's output
            package = replace(package, distribution=replace(package.distribution, readme=""))
        return replace(package, output=output) if output and package.has_source else None


@dataclass(frozen=True, slots=True)
class _FlagValues:
    """The flags, read by the same rules as the tables of a file."""

    flags: Flags
    package: PackageConfig
    output: Path | None
    problems: Problems

    @classmethod
    def read(cls, flags: Flags, problems: Problems) -> _FlagValues:
        table = Table(flags.values(), Place(Path("flags")), problems)
        package = read_package(flags.package or "", table)
        return cls(flags, replace(package, place=None), read_output(table), problems)

    def over(self, package: PackageConfig) -> PackageConfig:
        """Return the package of the file, with the values of the flags in place of its own."""
        values = {name: getattr(self.package, name) for name in _OF_FLAGS}
        selection = Selection(
            self.package.selection.include or package.selection.include,
            self.package.selection.exclude or package.selection.exclude,
        )
        merged = replace(
            package,
            selection=selection,
            **{name: value for name, value in values.items() if is_given(value)},
        )
        return replace(merged, cluster=self._cluster(merged.cluster))

    def _cluster(self, cluster: ClusterSource | None) -> ClusterSource | None:
        context, kubeconfig = self.flags.context, self.flags.kubeconfig
        if cluster is None:
            for flag, value in (("--context", context), ("--kubeconfig", kubeconfig)):
                if value is not None:
                    what = f"{flag} selects a cluster, but no cluster is read"
                    self.problems.add("flags", what, "add --cluster")
            return None
        return ClusterSource(context or cluster.context, kubeconfig or cluster.kubeconfig)


def load(flags: Flags, directory: Path | None = None) -> tuple[PackageConfig, ...]:
    """Every package the file and the flags ask for, sorted by name, users after what they use.

    Args:
        flags: What the command line says.
        directory: Where the search for the file starts, if not in the working directory.

    Raises:
        ClientgenError: with everything that is wrong with file and flags.
    """
    problems = Problems()
    root = read(flags.config, problems) if flags.config else find(directory or Path(), problems)
    problems.raise_if_any()
    drafts = _drafts(root, flags.package) if root else []
    flagged = _FlagValues.read(flags, problems)
    problems.raise_if_any()
    packages = _chosen(drafts, flagged, problems)
    for package in packages:
        _check_name(package, problems)
    problems.raise_if_any()
    everything = [*packages, *_others(drafts, packages)]
    ordered = in_order(packages, everything, problems)
    problems.raise_if_any()
    return ordered


def load_sources(flags: Flags) -> tuple[PackageConfig, ...]:
    """Packages of which only the sources count: what the flags name, else those of the file.

    Raises:
        ClientgenError: see `load`.
    """
    problems = Problems()
    flagged = _FlagValues.read(flags, problems)
    package = flagged.over(PackageConfig("resources", Path()))
    problems.raise_if_any()
    return in_order([package], [package], problems) if package.has_source else load(flags)


def _others(drafts: Iterable[_Draft], chosen: Iterable[PackageConfig]) -> list[PackageConfig]:
    """The packages of the file that are not requested. Those that are may use them."""
    names = {package.package for package in chosen}
    return [
        replace(draft.package, output=draft.output)
        for draft in drafts
        if draft.output and draft.package.package not in names
    ]


def _drafts(root: Table, name: str | None) -> list[_Draft]:
    """The packages of the file; a table that has no name takes the one of the flag."""
    root.allow_only(_KEYS)
    if "packages" not in root:
        name = root.text("package") or name
        if name is not None:
            return [_draft(name, root)]
        if "package" not in root:
            root.problems.add(
                str(root.place), "the config names no package", 'add `package = "..."`'
            )
        return []
    for key in (key for key in root.values if key in _KEYS and key != "packages"):
        what = "it cannot be combined with `packages`"
        root.problems.add(str(root.place / key), what, "set it in the table of each package")
    tables = root.tables("packages")
    for table in tables.values():
        table.allow_only(CONTENT_KEYS)
    return [_draft(name, table) for name, table in sorted(tables.items())]


def _draft(name: str, table: Table) -> _Draft:
    return _Draft(read_package(name, table), read_output(table), table.place)


def _chosen(drafts: list[_Draft], flagged: _FlagValues, problems: Problems) -> list[PackageConfig]:
    names, wanted = [draft.package.package for draft in drafts], flagged.flags.package
    if wanted not in (None, *names):
        chosen = [_from_flags(flagged, names, problems)]
    elif not drafts:
        what = "there is nothing to generate: no config file was found"
        problems.add("", what, f"give {_lacking(flagged)}, or write a clientgen.toml")
        return []
    else:
        picked = [draft for draft in drafts if wanted in (None, draft.package.package)]
        given_flags = [f"--{_FLAGS.get(key, key)}" for key in flagged.flags.values()]
        if len(picked) > 1 and given_flags:
            mean = f"{' and '.join(given_flags)} {'mean' if len(given_flags) > 1 else 'means'}"
            what = f"{mean} one package, but the config has {', '.join(names)}"
            problems.add("flags", what, "select one with --package")
        chosen = [draft.finish(flagged, problems) for draft in picked]
    return [package for package in chosen if package]


def _lacking(flagged: _FlagValues) -> str:
    """The flags that are still needed to describe a package."""
    given = {
        "--spec (or another source)": flagged.over(flagged.package).has_source,
        "--output": flagged.output,
        "--package": flagged.flags.package,
    }
    *some, last = [flag for flag, value in given.items() if not value]
    return f"{', '.join(some)} and {last}" if some else last


def _from_flags(flagged: _FlagValues, names: list[str], problems: Problems) -> PackageConfig | None:
    package = flagged.over(PackageConfig(flagged.package.package, Path()))
    if flagged.output is not None and package.has_source:
        return replace(package, output=flagged.output)
    needed = ((f"a source ({_SOURCE_FLAGS})", package.has_source), ("--output", flagged.output))
    missing = " and ".join(flag for flag, is_given in needed if not is_given)
    what = f"--package {package.package} needs {missing} too"
    has = f"the config has {', '.join(names)}" if names else ""
    problems.add("flags", what, did_you_mean(package.package, names[1:] and names, has))
    return None


def _check_name(package: PackageConfig, problems: Problems) -> None:
    name = package.package
    wrong = None
    if not name.isidentifier() or not name.isascii():
        wrong = "a package is imported by its name: letters, digits and `_`, no digit first"
    elif keyword.iskeyword(name):
        wrong = "it is a Python keyword"
    elif name.startswith("__") and name.endswith("__"):
        wrong = "names that begin and end with `__` are reserved for Python"
    elif name in sys.stdlib_module_names or name in _TAKEN:
        wrong = "a package of this name exists and would be hidden"
    if wrong:
        problems.add(package.where(), f"`{name}` cannot be the name of a package", wrong)
