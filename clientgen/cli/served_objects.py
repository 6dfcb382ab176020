"""What an API server in memory holds at first, and what may stand in its way."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.report import show_problems

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from clientgen.testing._fake.fake_cluster import FakeCluster
    from clientgen.testing._fake.object_files import Manifest

_DEFINITION = "CustomResourceDefinition"


def load_objects(
    cluster: FakeCluster, paths: tuple[Path, ...], *, skip_invalid: bool = False
) -> None:
    """Store what the files say.

    Args:
        cluster: where to.
        paths: files and folders, in their order.
        skip_invalid: whether to tell what is wrong and go on with the rest.

    Raises:
        ClientgenError: with all that is wrong.
    """
    seen: dict[str, str] = {}
    wrong = ClientgenError(problem for path in paths for problem in _problems(cluster, path, seen))
    if wrong.problems and not skip_invalid:
        raise wrong
    if wrong.problems:
        show_problems(wrong)
        click.echo("note: what is wrong is left out", err=True)
    cluster.compact()


def _problems(cluster: FakeCluster, path: Path, seen: dict[str, str]) -> Iterator[Problem]:
    """Store the objects of a file or a folder, and yield the problems of those that cannot be.

    `seen` holds the places of definitions by their names: a second one is a problem, as for
    `generate`. It would silently replace the first.
    """
    from clientgen.testing._fake.object_files import ManifestError, files, manifests, put_manifest

    for file in files(path):
        try:
            for manifest in manifests(file):
                if repeated := _repeated(manifest, seen):
                    yield repeated
                    continue
                try:
                    put_manifest(cluster.server, manifest)
                except ManifestError as error:
                    yield from _of_definition(manifest) or [Problem("", str(error))]
        except ManifestError as error:
            yield Problem("", str(error))


def _repeated(manifest: Manifest, seen: dict[str, str]) -> Problem | None:
    """Note the place of a definition; return a problem if there was one of its name before."""
    from clientgen._json import is_object

    value = manifest.value
    if value["kind"] != _DEFINITION:
        return None
    metadata = value.get("metadata")
    name = metadata.get("name") if is_object(metadata) else None
    if not isinstance(name, str):
        return None  # and the server says so
    place = f"{manifest.source}:{manifest.line}"
    first = seen.setdefault(name, place)
    if first is place:
        return None
    from clientgen.generator.sources.crd.crd_rules import repeated_definition  # seldom needed

    return repeated_definition(name, place, first)


def _of_definition(manifest: Manifest) -> list[Problem]:
    """List what is wrong with a definition, with the lines; nothing for any other object."""
    from clientgen.generator.sources.crd.crd_rules import (
        API_VERSION,
        check_definition,
        wrong_version,
    )

    value = manifest.value
    if value["kind"] != _DEFINITION:
        return []
    problems = check_definition(value, "")
    if value["apiVersion"] != API_VERSION:
        problems = [wrong_version(value["apiVersion"], "")]
    found: list[Problem] = []
    for problem in problems:
        pointer = problem.where.removeprefix("#")
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        place = f"{manifest.source}:{manifest.line_of(tuple(steps))}"
        found.append(replace(problem, where=f"{place} {problem.where}".rstrip()))
    return found


@contextmanager
def explained() -> Generator[None]:
    """Say what stood in the way as a problem."""
    from clientgen.testing._apiserver.served_spec import SpecError
    from clientgen.testing._fake.certificates import TlsUnavailable
    from clientgen.testing._fake.data_folder import DataError
    from clientgen.testing._fake.object_files import ManifestError
    from clientgen.testing._fake.server_kubeconfig import ForeignFile

    try:
        yield
    except (SpecError, ManifestError, TlsUnavailable) as error:
        raise ClientgenError([Problem("", str(error))]) from error
    except DataError as error:
        raise ClientgenError([Problem(str(error.path), error.reason, error.hint)]) from error
    except ForeignFile as error:
        what = "the file already exists, and clientgen serve did not write it"
        hint = "Name another file with --kubeconfig, or remove this one."
        raise ClientgenError([Problem(str(error), what, hint)]) from error
    except OSError as error:
        raise ClientgenError([_os_problem(error)]) from error


def _os_problem(error: OSError) -> Problem:
    why = os.strerror(error.errno) if error.errno else str(error)
    if error.errno == errno.EADDRINUSE:
        return Problem("--port", "the port is in use", "Leave it out to use a free port.")
    if error.filename is None:
        return Problem("--port", f"cannot listen on it: {why}")
    return Problem(str(error.filename), f"{why[:1].lower()}{why[1:]}")
