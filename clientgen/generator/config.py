"""What to generate: `[tool.clientgen]` of pyproject.toml or clientgen.toml, and the flags.

    [tool.clientgen]                      # in clientgen.toml the same keys stand at the top
    spec = ["specs/kubernetes.json"]      # relative to this file
    output = "generated"                  # the package becomes generated/kubeapi
    package = "kubeapi"

    [tool.clientgen.markers]
    "apps/v1/Deployment" = ["+genclient:skipVerbs=deleteCollection"]

    [tool.clientgen.expansions]
    "v1/Pod" = "myops.pods:PodExpansion"          # of listers too: see `expansions`

Several packages have a table each, `[tool.clientgen.packages.<name>]`, with the same keys but for
`package`. A flag wins over the file. `--package` picks a package of the file; for one that the file
does not have, the flags say everything.
"""

from __future__ import annotations

import hashlib
import json
import keyword
import re
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from clientgen.generator.config_file import Place, Table, find, read
from clientgen.generator.expansions import Expansion, read_expansion
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Flags", "PackageConfig", "load"]

_CONTENT_KEYS = ("spec", "output", "markers", "expansions")
_KEYS = ("package", *_CONTENT_KEYS, "packages")
_KIND = re.compile(r"(?:([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)/)?([a-z][a-z0-9]*)/([A-Z][A-Za-z0-9]*)")
# The tool itself, and what generated code imports.
_TAKEN = frozenset({"clientgen", "msgspec"})


@dataclass(frozen=True, slots=True)
class Flags:
    """What the command line says; paths are relative to the working directory."""

    specs: tuple[Path, ...] = ()
    output: Path | None = None
    package: str | None = None
    config: Path | None = None


@dataclass(frozen=True, slots=True)
class PackageConfig:
    """One package to generate; paths are absolute or relative to the working directory."""

    package: str
    output: Path
    specs: tuple[Path, ...]
    # Keys are `str(GroupVersionKind)`: "apps/v1/Deployment", "v1/Pod".
    markers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    expansions: Mapping[str, Expansion] = field(default_factory=dict[str, Expansion])
    # The directory of the config file, or the working directory.
    root: Path = field(default_factory=Path)
    place: Place | None = None

    @property
    def target(self) -> Path:
        """The directory of the package itself."""
        return self.output / self.package

    def where(self, *keys: str) -> str:
        """The place of a value of the config, for messages."""
        return str(Place(self.place.file, (*self.place.keys, *keys))) if self.place else "flags"

    def marker_lines(self, kind: str) -> list[MarkerLine]:
        """The markers of one kind, each with its place."""
        where, texts = self.where("markers", kind), self.markers.get(kind, ())
        return [MarkerLine(text, f"{where}[{n}]") for n, text in enumerate(texts)]

    def digest(self) -> str:
        """The sha256 of what the config says about the contents; no path is part of it."""
        expansions = {kind: asdict(said) for kind, said in self.expansions.items()}
        said = [self.package, dict(self.markers), expansions]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A package of the file while flags may still add what it lacks."""

    name: str
    table: Table
    output: Path | None
    specs: tuple[Path, ...]
    markers: Mapping[str, tuple[str, ...]]
    expansions: Mapping[str, Expansion]

    def finish(self, flags: Flags, problems: Problems) -> PackageConfig | None:
        place = self.table.place
        output, specs = flags.output or self.output, flags.specs or self.specs
        if output is None:
            what = "it does not say where to write"
            problems.add(str(place), what, "add `output`, or give --output")
        if not specs:
            problems.add(str(place), "it names no spec", "add `spec`, or give --spec")
        if output is None or not specs:
            return None
        root = place.file.parent
        return PackageConfig(self.name, output, specs, self.markers, self.expansions, root, place)


def load(flags: Flags, directory: Path | None = None) -> tuple[PackageConfig, ...]:
    """Every package the file and the flags ask for, sorted by name.

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
    problems.raise_if_any()
    packages = _chosen(drafts, flags, problems)
    for package in packages:
        _check_name(package, problems)
    problems.raise_if_any()
    return tuple(packages)


def _drafts(root: Table, name: str | None) -> list[_Draft]:
    """The packages of the file; a table that has no name takes the one of the flag."""
    root.allow_only(_KEYS)
    if "packages" not in root:
        name = root.text("package") or name
        if name is not None:
            return [_draft(name, root)]
        if "package" not in root:
            root.problems.add(str(root.place), "it names no package", 'add `package = "..."`')
        return []
    for key in (key for key in root.values if key in _KEYS and key != "packages"):
        what = "it stands beside `packages`"
        root.problems.add(str(root.place / key), what, "say it in the table of each package")
    tables = root.tables("packages")
    for table in tables.values():
        table.allow_only(_CONTENT_KEYS)
    return [_draft(name, table) for name, table in sorted(tables.items())]


def _draft(name: str, table: Table) -> _Draft:
    root, output = table.place.file.parent, table.text("output")
    specs = tuple(root / spec for spec in table.texts("spec"))
    return _Draft(name, table, None if output is None else root / output, specs, *_contents(table))


def _chosen(drafts: list[_Draft], flags: Flags, problems: Problems) -> list[PackageConfig]:
    names = [draft.name for draft in drafts]
    if flags.package not in (None, *names):
        chosen = [_from_flags(flags, names, problems)]
    elif not drafts:
        what = "nothing says what to generate: no config file was found"
        problems.add("", what, "give --spec, --output and --package, or write a clientgen.toml")
        return []
    else:
        picked = [draft for draft in drafts if flags.package in (None, draft.name)]
        if len(picked) > 1 and (flags.specs or flags.output):
            what = f"--spec and --output mean one package, and there are {', '.join(names)}"
            problems.add("flags", what, "pick one by --package")
        chosen = [draft.finish(flags, problems) for draft in picked]
    return [package for package in chosen if package]


def _from_flags(flags: Flags, names: list[str], problems: Problems) -> PackageConfig | None:
    assert flags.package is not None
    if flags.output is not None and flags.specs:
        return PackageConfig(flags.package, flags.output, flags.specs)
    missing = [
        flag for flag, given in (("--spec", flags.specs), ("--output", flags.output)) if not given
    ]
    what = f"--package {flags.package} needs {' and '.join(missing)} too"
    problems.add("flags", what, f"the config has {', '.join(names)}" if names else "")
    return None


def _contents(table: Table) -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, Expansion]]:
    markers, expansions = table.table("markers"), table.table("expansions")
    return (
        MappingProxyType({kind: markers.texts(key) for kind, key in _kinds(markers).items()}),
        MappingProxyType(
            {kind: read_expansion(expansions, key) for kind, key in _kinds(expansions).items()}
        ),
    )


def _kinds(table: Table) -> dict[str, str]:
    """The keys by the kind they name: `core/v1/Pod` is another spelling of `v1/Pod`."""
    keys: dict[str, str] = {}
    for key in table.values:
        match = _KIND.fullmatch(key)
        if not match:
            hint = "write `group/version/Kind`, or `version/Kind` for the core group"
            table.problems.add(str(table.place / key), "it does not name a kind", hint)
            continue
        kind = key.removeprefix("core/")
        if keys.setdefault(kind, key) != key:
            what = f"it names the same kind as `{keys[kind]}`"
            table.problems.add(str(table.place / key), what, "keep one of the two")
    return keys


def _check_name(package: PackageConfig, problems: Problems) -> None:
    name = package.package
    wrong = None
    if not name.isidentifier() or not name.isascii():
        wrong = "a package is imported by its name: letters, digits and `_`, no digit first"
    elif keyword.iskeyword(name):
        wrong = "it is a keyword of Python"
    elif name in sys.stdlib_module_names or name in _TAKEN:
        wrong = "a package of this name exists and would be hidden"
    if wrong:
        problems.add(package.where(), f"`{name}` cannot be the name of a package", wrong)
