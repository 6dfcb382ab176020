"""Inputs of a run: reads the bytes of every source first, and parses them later.

The bytes are enough to tell that nothing changed since the last run. Whatever is wrong with one
source does not hide what is wrong with another. A kind of source is loaded when a package has one:
most runs read a few files and find that nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from clientgen._problems import ClientgenError, Problem, take_all
from clientgen.generator.configuration import PackageConfig
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.ir import Imported, Model
from clientgen.generator.package_manifest import digest
from clientgen.generator.sources.spec import Input, Spec

if TYPE_CHECKING:
    from clientgen._openapi.descriptions import Descriptions


@dataclass(frozen=True, slots=True)
class Parsed:
    """The parsed inputs, in the API's own terms.

    Markers are by `str(GroupVersionKind)`. If several sources have some, the earlier one counts.
    """

    specs: tuple[Spec, ...] = ()
    markers: tuple[Mapping[str, Sequence[MarkerLine]], ...] = ()
    imported: Imported = field(default_factory=Imported)
    # Texts for definitions that have none.
    descriptions: Descriptions | None = None
    # Group versions that a cluster serves and cannot describe just now, and why.
    unavailable: Mapping[str, str] = field(default_factory=dict[str, str])
    # Group versions of a cluster that were not read, because the package does not want them.
    unread: frozenset[str] = frozenset()
    # The shapes of the user's classes, when every imported class is known.
    shapes: tuple[Callable[[Imported], tuple[Model, ...]], ...] = ()
    # The header of all files, as comments.
    header: str = ""


@dataclass(frozen=True, slots=True)
class _Source:
    """The inputs of one kind, and how they are understood."""

    inputs: tuple[Input, ...]
    parse: Callable[[], Parsed]


_NOTHING = _Source((), Parsed)


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that was read for a package."""

    sources: tuple[_Source, ...]

    def digests(self) -> dict[str, str]:
        """The digest of every input, by names that hold on every machine."""
        digests: dict[str, str] = {}
        for file_input in chain.from_iterable(source.inputs for source in self.sources):
            digests[file_input.name] = digest(
                digests.get(file_input.name, "") + digest(file_input.data)
            )
        return digests

    def parse(self) -> Parsed:
        """Understand everything.

        Raises:
            ClientgenError: with all that is wrong with any of it.
        """
        parsed = _merged(take_all(source.parse for source in self.sources))
        specs = (*parsed.specs, *_kubernetes(parsed))
        if parsed.descriptions:
            from clientgen.generator.sources.descriptions import described  # see above

            specs = tuple(described(spec, parsed.descriptions) for spec in specs)
        return replace(parsed, specs=specs)

    @contextmanager
    def places(self) -> Generator[None, None, None]:
        """Add the lines of manifests to the problems that are found meanwhile."""
        try:
            yield
        except ClientgenError as error:
            raise ClientgenError(self.located(error.problems)) from None

    def located(self, problems: Sequence[Problem]) -> tuple[Problem, ...]:
        """The same problems with the lines of manifests."""
        if not problems:
            return ()
        from clientgen.generator.sources import crd  # see above

        read = chain.from_iterable(source.inputs for source in self.sources)
        manifests = [source for source in read if isinstance(source, crd.Manifest)]
        return crd.located(problems, manifests)


def gather(config: PackageConfig) -> Inputs:
    """Read every source of a package.

    Raises:
        ClientgenError: with all that cannot be read.
    """
    readers = [_cluster, _specs, _crds, _types, _uses, _go_types, _descriptions, _header]
    return Inputs(tuple(take_all(partial(reader, config) for reader in readers)))


def _merged(parts: Sequence[Parsed]) -> Parsed:
    """Merge all parts."""
    specs: list[Spec] = []
    markers: list[Mapping[str, Sequence[MarkerLine]]] = []
    imported = Imported()
    unavailable: dict[str, str] = {}
    unread: frozenset[str] = frozenset()
    descriptions: Descriptions | None = None
    header = ""
    for part in parts:
        header = header or part.header
        descriptions = descriptions or part.descriptions
        unavailable |= part.unavailable
        unread |= part.unread
        specs += part.specs
        markers += part.markers
        imported = Imported(
            {**imported.classes, **part.imported.classes},
            (*imported.models, *part.imported.models),
            {**imported.provided, **part.imported.provided},
            {**imported.kinds, **part.imported.kinds},
        )
    own = tuple(model for part in parts for shapes in part.shapes for model in shapes(imported))
    return Parsed(
        tuple(specs),
        tuple(markers),
        replace(imported, own=own),
        descriptions,
        unavailable,
        unread,
        header=header,
    )


def _kubernetes(parsed: Parsed) -> tuple[Spec, ...]:
    from clientgen.generator.sources.kubernetes import stand_ins  # see above

    return stand_ins(parsed.specs, parsed.imported.classes.keys(), is_partial=bool(parsed.unread))


def _cluster(config: PackageConfig) -> _Source:
    if config.cluster is None:
        return _NOTHING
    from clientgen.generator.resolve.kind_selection import wanted_of  # see above
    from clientgen.generator.sources.live_cluster import parse_cluster, read_cluster

    wanted = partial(wanted_of, config.selection)
    documents = read_cluster(config.cluster.kubeconfig, config.cluster.context, wanted)

    def parse() -> Parsed:
        spec, unavailable = parse_cluster(documents)
        return Parsed((spec,), unavailable=unavailable, unread=documents.unread)

    return _Source(documents.inputs(), parse)


def _specs(config: PackageConfig) -> _Source:
    if not config.specs:
        return _NOTHING
    from clientgen.generator.sources import openapi  # see above

    gathered = take_all(partial(openapi.gather, path, path.name) for path in config.specs)

    def parse() -> Parsed:
        return Parsed(tuple(take_all(partial(openapi.parse, inputs) for inputs in gathered)))

    return _Source(tuple(chain.from_iterable(gathered)), parse)


def _crds(config: PackageConfig) -> _Source:
    if not config.crds:
        return _NOTHING
    from clientgen.generator.sources import crd  # see above

    inputs = crd.gather(config.crds, config.root)
    return _Source(inputs, lambda: Parsed((crd.parse(inputs),) if inputs else ()))


def _types(config: PackageConfig) -> _Source:
    if not config.types:
        return _NOTHING
    from clientgen.generator.python_types import source  # see above

    def parse() -> Parsed:
        _check_apart(config)
        parsed = source.parse(config.types, config.root, config.paths, config.where("types"))
        return Parsed((parsed.spec,), (parsed.markers,), parsed.imported, shapes=(parsed.shapes,))

    return _Source(source.gather(config.types, config.root, config.paths), parse)


def _check_apart(config: PackageConfig) -> None:
    """A package cannot be imported beside another of its name, which its types are in."""
    for module in config.types:
        if f"{module}.".startswith(f"{config.package}."):
            what = f"`{config.package}` is the package that contains `{module}`"
            hint = "give the generated package another name"
            raise ClientgenError([Problem(config.where("package"), what, hint)])


def _uses(config: PackageConfig) -> _Source:
    if not config.uses:
        return _NOTHING
    from clientgen.generator.sources import used_packages  # see above

    arguments = (config.uses, config.paths, config.where("uses"))
    return _Source(
        used_packages.gather(*arguments), lambda: Parsed(imported=used_packages.parse(*arguments))
    )


def _go_types(config: PackageConfig) -> _Source:
    if not config.go_types:
        return _NOTHING
    from clientgen.generator import go_types  # see above

    inputs = go_types.gather(config.go_types, config.root)
    return _Source(inputs, lambda: Parsed(markers=(go_types.parse(inputs),)))


def _descriptions(config: PackageConfig) -> _Source:
    if not config.descriptions:
        return _NOTHING
    from clientgen.generator.sources import descriptions  # see above

    inputs = descriptions.gather(config.descriptions, config.root)
    return _Source(inputs, lambda: Parsed(descriptions=descriptions.parse(inputs)))


def _header(config: PackageConfig) -> _Source:
    if not config.header_file:
        return _NOTHING
    from clientgen.generator import header_file  # see above

    read = header_file.gather(config.header_file, config.root)
    return _Source((read,), lambda: Parsed(header=header_file.parse(read)))
