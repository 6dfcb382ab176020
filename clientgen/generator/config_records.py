"""Records of a configuration: frozen, validated, and with their places."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from clientgen.generator.config_file import Place
from clientgen.generator.expansions import Expansion
from clientgen.generator.genclient import MarkerLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Inlined = Literal["older", "equal", "never"]


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A string of the configuration and where it stands."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class ClusterSource:
    """A cluster to read from; what is left out is as kubectl would have it."""

    context: str | None = None
    kubeconfig: Path | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which kinds are generated: patterns `group[/version[/Kind]]`, `*` in a part, core by name.

    Without `include`, all kinds are generated, except those of `exclude`.
    """

    include: tuple[PlacedText, ...] = ()
    exclude: tuple[PlacedText, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude)


@dataclass(frozen=True, slots=True)
class Renames:
    """Names of the user's choice, each with its place."""

    # Keys are `group/version/Name`, and `version/Name` in the core group.
    classes: Mapping[str, PlacedText] = field(default_factory=dict[str, PlacedText])
    # Keys are groups as the API calls them; "" is the core group.
    groups: Mapping[str, PlacedText] = field(default_factory=dict[str, PlacedText])

    def __bool__(self) -> bool:
        return bool(self.classes or self.groups)


@dataclass(frozen=True, slots=True)
class ViewConfig:
    """A view: a class that has some fields of a kind."""

    # `group/version/Kind`, and `version/Kind` in the core group.
    of: PlacedText
    # Paths as kubectl writes them: `spec.containers.image`.
    fields: tuple[PlacedText, ...]
    where: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """The name, version and metadata under which the package is published."""

    name: str
    version: str = "0.1.0"
    description: str = ""
    license: str = ""
    # The long description: a file beside the pyproject.toml.
    readme: str = ""
    # Its dependencies beside clientgen, as `[project] dependencies` writes them.
    dependencies: tuple[str, ...] = ()
    # Modules that the package imports and that nothing names the distribution of.
    unnamed: tuple[str, ...] = ()
    where: str = field(default="flags", compare=False)


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of the command line; paths are relative to the working directory."""

    specs: tuple[Path, ...] = ()
    output: Path | None = None
    package: str | None = None
    config: Path | None = None
    crds: tuple[Path, ...] = ()
    types: tuple[str, ...] = ()
    go_types: tuple[Path, ...] = ()
    cluster: bool = False
    context: str | None = None
    kubeconfig: Path | None = None
    uses: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    distribution: str | None = None
    header_file: Path | None = None
    max_desc_len: int | None = None

    def values(self) -> dict[str, object]:
        """Return the options about the contents of one package, under the keys of the file."""
        values: dict[str, object] = {
            "spec": list(map(str, self.specs)),
            "crd": list(map(str, self.crds)),
            "types": list(self.types),
            "go-types": list(map(str, self.go_types)),
            "cluster": self.cluster,
            "uses": list(self.uses),
            "include": list(self.include),
            "exclude": list(self.exclude),
            "output": None if self.output is None else str(self.output),
            "distribution": self.distribution,
            "header-file": None if self.header_file is None else str(self.header_file),
            "max-desc-len": self.max_desc_len,
        }
        return {key: value for key, value in values.items() if is_given(value)}

    def words(self) -> Iterator[tuple[str, str | None]]:
        """The flags as they are typed, each with its value, in a fixed order."""
        for field_ in fields(self):
            value: object = getattr(self, field_.name)
            flag = _SPELLED.get(field_.name, f"--{field_.name.replace('_', '-')}")
            if isinstance(value, tuple):
                yield from ((flag, str(item)) for item in cast("tuple[object, ...]", value))
            elif is_given(value):
                yield flag, None if value is True else str(value)


_SPELLED = {"specs": "--spec", "crds": "--crd", "uses": "--use"}


def is_given(value: object) -> bool:
    """Return whether a flag was given: an empty list or text is none, but 0 is."""
    return bool(value) or (value == 0 and value is not False)


@dataclass(frozen=True, slots=True)
class PackageConfig:
    """One package to generate; paths are absolute or relative to the working directory."""

    package: str
    output: Path
    specs: tuple[Path, ...] = ()
    # Keys are `str(GroupVersionKind)`: "apps/v1/Deployment", "v1/Pod".
    markers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    expansions: Mapping[str, Expansion] = field(default_factory=dict[str, Expansion])
    # The directory of the config file, or the working directory.
    root: Path = field(default_factory=Path)
    place: Place | None = None
    crds: tuple[Path, ...] = ()
    # Modules of the user's own model classes.
    types: tuple[str, ...] = ()
    # The folder for the CustomResourceDefinitions of those types.
    crd_output: Path | None = None
    # The most characters of a description in those definitions.
    max_desc_len: int | None = None
    # A file with a header, such as a licence, for all generated files.
    header_file: Path | None = None
    # Go sources whose markers count.
    go_types: tuple[Path, ...] = ()
    cluster: ClusterSource | None = None
    # Files and folders of texts for definitions that have none.
    descriptions: tuple[Path, ...] = ()
    # Packages whose types are imported instead of generated.
    uses: tuple[str, ...] = ()
    inlined: Inlined = "older"
    selection: Selection = field(default_factory=Selection)
    renames: Renames = field(default_factory=Renames)
    # By the names of their classes.
    views: Mapping[str, ViewConfig] = field(default_factory=dict[str, ViewConfig])
    distribution: Distribution | None = None
    # The first folders to import modules from: the root, its src, the generated packages.
    paths: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def target(self) -> Path:
        """The directory of the package itself."""
        return self.output / self.package

    @property
    def has_source(self) -> bool:
        """Whether there are kinds to generate from. Go sources only add markers."""
        has_views = self.uses and self.views
        return bool(self.specs or self.crds or self.types or self.cluster or has_views)

    def where(self, *keys: str) -> str:
        """The place of a value of the config, for messages."""
        return str(Place(self.place.file, (*self.place.keys, *keys))) if self.place else "flags"

    def marker_lines(self, kind: str) -> list[MarkerLine]:
        """The markers of one kind, each with its place."""
        where, texts = self.where("markers", kind), self.markers.get(kind, ())
        return [MarkerLine(text, f"{where}[{n}]") for n, text in enumerate(texts)]

    def digest(self) -> str:
        """The sha256 of what the config says about the contents; no path is part of it.

        Values that are absent do not count, so that a new key does not change the digests of old
        packages. Nor does the distribution, which is written beside the package.
        """
        expansions = {kind: asdict(expansion) for kind, expansion in self.expansions.items()}
        contents: list[object] = [self.package, dict(self.markers), expansions]
        more = {key: value for key, value in self._contents().items() if value}
        return hashlib.sha256(
            json.dumps([*contents, more] if more else contents, sort_keys=True).encode()
        ).hexdigest()

    def _contents(self) -> dict[str, object]:
        return {
            "types": self.types,
            "uses": self.uses,
            "inlined": self.inlined if self.inlined != "older" else "",
            "include": [pattern.text for pattern in self.selection.include],
            "exclude": [pattern.text for pattern in self.selection.exclude],
            "classes": {key: new_name.text for key, new_name in self.renames.classes.items()},
            "groups": {key: new_name.text for key, new_name in self.renames.groups.items()},
            "views": {
                name: [view.of.text, *sorted(path.text for path in view.fields)]
                for name, view in self.views.items()
            },
        }
