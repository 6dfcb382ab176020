"""The order of the stages.

All stages before the last are pure functions. `verify` runs the same stages, and compares. Most
runs find that nothing changed, so the modules that only a build needs are loaded late.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen import __version__
from clientgen.generator import distribution, output
from clientgen.generator.configuration import PackageConfig
from clientgen.generator.drift import Move, drift, moves
from clientgen.generator.format import formatter
from clientgen.generator.inputs import Inputs, gather
from clientgen.generator.package_manifest import Manifest, digest
from clientgen.generator.seen_packages import generator_digest, has_seen, record_seen

if TYPE_CHECKING:
    from clientgen._problems import Problem
    from clientgen.generator.ir import OlderCopy, Skipped
    from clientgen.generator.package_builder import PackageFiles, Progress, ResourceRow


@dataclass(frozen=True, slots=True)
class Result:
    """The changes of a run, and what it generated nothing for."""

    changes: output.Changes
    skipped: tuple[Skipped, ...] = ()
    unchanged: bool = False
    unavailable: Mapping[str, str] = field(default_factory=dict[str, str])
    """Group versions that the cluster serves and could not describe, and why."""
    older: tuple[OlderCopy, ...] = ()
    """Types described in place that were taken for known ones which have more."""
    moved: tuple[Move, ...] = ()
    """Groups whose package has another name than before."""
    notes: tuple[Problem, ...] = ()
    """Notes for the authors of sources."""
    api: tuple[str, ...] = ()
    """The changes for users of the package that was there before, a line each."""


def generate(config: PackageConfig, progress: Progress, *, force: bool = False) -> Result:
    """Write a package, unless this generator wrote it before, from the same input.

    Args:
        config: what to read and where to write.
        progress: told the name of each stage.
        force: do everything again.

    Raises:
        ClientgenError: with all that is wrong with the input; nothing was written.
    """
    inputs = gather(config)
    manifest = Manifest(__version__, _digests(config, inputs))
    project_file = distribution.change(config)
    if not (force or project_file) and _is_current(manifest, config.target):
        return Result(output.Changes(), unchanged=True)
    from clientgen.generator.package_builder import build  # see above

    tree = build(config, inputs, manifest, progress, reuse=not force)
    progress("writing")
    moved = moves(output.read_manifest(config.target), tree.manifest)
    api = _drift(tree, config.target)
    changes = output.write(tree.files, config.target, tree.manifest)
    if project_file:
        project_file.make()
        changes = changes.and_distribution(
            project_file.shown, written=project_file.wanted is not None
        )
    # As written: another run may have replaced it by now.
    written = digest(tree.manifest.covering(tree.files).text())
    record_seen(config.target, generator_digest(formatter()), written)
    return Result(
        changes,
        tree.skipped,
        unavailable=tree.unavailable,
        older=tree.older,
        moved=moved,
        notes=tree.notes,
        api=api,
    )


def verify(config: PackageConfig, progress: Progress) -> output.Differences:
    """Compare what would be written with what is there; see `generate`."""
    inputs = gather(config)
    manifest = Manifest(__version__, _digests(config, inputs))
    # Nothing is taken over from the files that are to be checked.
    from clientgen.generator.package_builder import build  # see above

    tree = build(config, inputs, manifest, progress, reuse=False)
    progress("comparing")
    differences = output.verify(tree.files, config.target, tree.manifest)
    if differences:
        compared = output.read_manifest(config.target) is not None
        api = _drift(tree, config.target)
        differences = replace(differences, api=api, compared=compared)
    project_file = distribution.change(config)
    return (
        differences.and_distribution(project_file.shown, project_file.on_disk, project_file.wanted)
        if project_file
        else differences
    )


def _drift(tree: PackageFiles, target: Path) -> tuple[str, ...]:
    """List the changes for users of the package; none if its manifest cannot be read."""
    old = output.read_manifest(target)
    if old is None:
        return ()
    # Compare with the files on the disk, not with those that the manifest recorded.
    old = replace(old, files={path: digest(output.text_of(target, path)) for path in old.files})
    new = tree.manifest.covering(tree.files)
    return drift(old, partial(output.text_of, target), new, tree.files.get)


def _is_current(manifest: Manifest, target: Path) -> bool:
    return has_seen(target, generator_digest(formatter())) and output.unchanged(manifest, target)


def resources(packages: Iterable[PackageConfig]) -> tuple[ResourceRow, ...]:
    """List the resources of the packages' sources by group version and plural; see `generate`."""
    from clientgen.generator.package_builder import offered_resources  # see above

    return offered_resources(packages)


def _digests(config: PackageConfig, inputs: Inputs) -> dict[str, str]:
    """The digest of everything the files are made of, by names that hold on every machine."""
    return {**inputs.digests(), "configuration": config.digest()}
