"""From inputs to the text of a package, and what inputs offer: everything before the disk.

The functions are pure, except that they read the manifest of the existing package: an outage of a
cluster must not remove clients from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from clientgen._gvk import GroupVersion
from clientgen._problems import ClientgenError, Problem, Problems
from clientgen.generator import output
from clientgen.generator.configuration import PackageConfig
from clientgen.generator.format import format_tree, formatter
from clientgen.generator.header_file import with_header
from clientgen.generator.import_scope import twin_of
from clientgen.generator.inputs import Inputs, Parsed, gather
from clientgen.generator.ir import Api, OlderCopy, Resource, Skipped
from clientgen.generator.package_manifest import Manifest, digest
from clientgen.generator.plan import FilePlan, Modules, plan
from clientgen.generator.render import Renderer
from clientgen.generator.resolve import resolve
from clientgen.generator.resolve.empty_result import nothing_found
from clientgen.generator.resolve.kind_selection import is_wanted

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """The verbs and subresources that a document offers of one resource."""

    group_version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: tuple[str, ...]
    subresources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """The files of a package before they are written."""

    files: Mapping[str, str]
    manifest: Manifest
    skipped: tuple[Skipped, ...]
    unavailable: Mapping[str, str]
    older: tuple[OlderCopy, ...]
    notes: tuple[Problem, ...] = ()


def offered_resources(packages: Iterable[PackageConfig]) -> tuple[ResourceRow, ...]:
    """List the resources that the sources of packages offer, by group version and plural."""
    rows = {row for config in packages for row in _rows(_offered(config))}
    return tuple(sorted(rows, key=lambda row: (row.group_version, row.plural)))


def _offered(config: PackageConfig) -> Api:
    inputs = gather(config)
    with inputs.places():
        return _resolve(config, inputs.parse())


def _rows(api: Api) -> Iterator[ResourceRow]:
    for group_version in api.group_versions:
        for resource in group_version.resources:
            yield ResourceRow(
                str(resource.group_version),
                resource.kind,
                resource.plural,
                resource.namespaced,
                tuple(sorted(resource.verbs)),
                _subresources(resource),
            )


def _subresources(resource: Resource) -> tuple[str, ...]:
    names = {part.name for part in resource.subresources}
    names |= {method.subresource for method in resource.methods if method.subresource}
    return tuple(sorted(names.union(resource.streams)))


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would generate, file by file; the layout of the code is not black's."""

    manifest: Manifest
    _files: Mapping[str, FilePlan]
    _renderer: Renderer

    def read(self, path: str) -> bytes | None:
        """Return a file of the package; None if there would be none."""
        plan_of = self._files.get(path)
        return self._renderer.render([plan_of])[path].encode() if plan_of else None


def preview(config: PackageConfig) -> Preview:
    """Prepare what a run would generate. A file is rendered when it is read.

    Raises:
        ClientgenError: with all that is wrong with the inputs.
    """
    inputs = gather(config)
    with inputs.places():
        api = _resolve(config, inputs.parse())
        files, modules = plan(api, config.expansions, config.renames)
    by_path = {file.path: file for file in files}
    by_path |= {twin: file for file in files if (twin := twin_of(file.path))}
    manifest = Manifest(
        "",
        {},
        files=dict.fromkeys(by_path, ""),
        group_versions=_folders(api, modules),
        uses=config.uses,
        names=_other_names(api, modules),
    )
    return Preview(manifest, by_path, Renderer(modules))


def _folders(api: Api, modules: Modules) -> dict[str, str]:
    """The folder of each group version."""
    return {str(gv): modules.package(gv) for gv in (gv.group_version for gv in api.group_versions)}


def _resolve(config: PackageConfig, parsed: Parsed) -> Api:
    configured = {kind: config.marker_lines(kind) for kind in config.markers}
    # The configuration has the last word.
    api = resolve(
        parsed.specs,
        (configured, *parsed.markers),
        imported=parsed.imported,
        inlined=config.inlined,
        selection=config.selection,
        unavailable=[GroupVersion.parse(name) for name in (*parsed.unavailable, *parsed.unread)],
        views=config.views,
    )
    if not (api.kinds or any(gv.resources or gv.views for gv in api.group_versions)):
        raise ClientgenError(nothing_found(parsed.specs, api, config.where()))
    return api


def build(
    config: PackageConfig,
    inputs: Inputs,
    manifest: Manifest,
    progress: Progress,
    *,
    reuse: bool,
) -> PackageFiles:
    """Parse the inputs, decide what is generated, render it and format it.

    Args:
        config: what to generate.
        inputs: what was read for it.
        manifest: what is known of the package at the start.
        progress: told the name of each stage.
        reuse: take files that are rendered as before from the existing package.

    Raises:
        ClientgenError: with all that is wrong with the inputs.
    """
    progress("reading")
    with inputs.places():
        parsed = inputs.parse()
        _check_nothing_is_lost(config, parsed.unavailable)
        api = _resolve(config, parsed)
        progress("rendering")
        files, modules = plan(api, config.expansions, config.renames)
    rendered = Renderer(modules).render(files)
    progress("formatting")
    made_with = formatter() + parsed.header
    digests = {path: digest(made_with + text) for path, text in rendered.items()}
    reusable = output.formatted_before(config.target, digests) if reuse else {}
    new = {path: text for path, text in rendered.items() if path not in reusable}
    formatted = {path: with_header(text, parsed.header) for path, text in format_tree(new).items()}
    tree = {**reusable, **formatted, "py.typed": ""}
    manifest = replace(
        manifest,
        rendered=digests,
        group_versions=_folders(api, modules),
        uses=config.uses,
        names=_other_names(api, modules),
    )
    notes = inputs.located(api.notes)
    return PackageFiles(tree, manifest, api.skipped, parsed.unavailable, api.older, notes)


def _other_names(api: Api, modules: Modules) -> dict[str, str]:
    """The models whose classes are called otherwise."""
    models = (model.id for gv in api.group_versions for model in gv.models)
    named = ((modules.symbol(model).name, model) for model in models)
    return {f"{m.group_version}/{name}": m.name for name, m in named if name != m.name}


def _check_nothing_is_lost(config: PackageConfig, unavailable: Mapping[str, str]) -> None:
    """An outage of the cluster must not take clients out of a package that has them."""
    before = output.read_manifest(config.target)
    had = (before.group_versions if before else None) or {}
    problems = Problems()
    for name, reason in sorted(unavailable.items()):
        if name in had and is_wanted(config.selection, GroupVersion.parse(name)):
            what = f"{name} would be lost: the package has it, but the cluster cannot describe it"
            hint = f"{reason}. Try again later, or exclude `{name}`."
            problems.add(str(config.target), what, hint)
    problems.raise_if_any()
