"""`clientgen spec pull`: the OpenAPI documents of a live cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.common_flags import PATH, quiet_option
from clientgen.cli.report import show_unavailable, tell_recovered
from clientgen.cli.suggestions import OneOf, SuggestingGroup

if TYPE_CHECKING:
    from collections.abc import Callable

    from clientgen.generator.sources.live_cluster import ClusterDocuments
    from clientgen.runtime._http.request import HttpResponse
    from clientgen.runtime.sync import Rest

_NOT_MODIFIED = 304
_OUTPUTS = {"v2": Path("openapi-v2.json"), "v3": Path("openapi-v3")}


@click.group(cls=SuggestingGroup)
def spec() -> None:
    """Get the OpenAPI documents that packages are generated from."""


@spec.command()
@click.option(
    "--kubeconfig", type=PATH, metavar="FILE", help="Instead of KUBECONFIG and ~/.kube/config."
)
@click.option("--context", metavar="NAME", help="Instead of the kubeconfig's current context.")
@click.option(
    "--openapi",
    type=OneOf(list(_OUTPUTS)),
    default="v2",
    show_default=True,
    help="v2 is one file; v3 is a directory with a file per group version, and says more.",
)
@click.option(
    "--output",
    type=PATH,
    metavar="PATH",
    help="The file (v2) or directory (v3) to write: openapi-v2.json or openapi-v3 if not given.",
)
@quiet_option
def pull(
    kubeconfig: Path | None, context: str | None, openapi: str, output: Path | None, quiet: bool
) -> None:
    """Save the OpenAPI documents of a live cluster.

    Documents that have not changed since the last pull are not downloaded again. If the API server
    of some group versions is down, these group versions are reported. With v3, their documents from
    the last pull are kept.
    """
    from clientgen.generator.sources.live_cluster import connected

    target = output or _OUTPUTS[openapi]
    save: Callable[[Rest, Path], str] = _save_v3 if openapi == "v3" else _save_v2
    try:
        done = connected(kubeconfig, context, lambda rest: save(rest, target))
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = str(error.filename or target)
        raise ClientgenError([Problem(where, f"it cannot be written: {why}")]) from error
    if not quiet:
        click.echo(f"{target}: {done}")


def _save_v2(rest: Rest, output: Path) -> str:
    from clientgen.generator.atomic_write import replace_file
    from clientgen.generator.package_manifest import digest
    from clientgen.generator.sources.live_cluster import V2, may_remember
    from clientgen.generator.user_cache import recall, remember

    subject = f"{rest.config.server} {output.absolute()}"
    is_kept = may_remember(rest)
    kept = recall("etag", subject) if is_kept else None
    old_etag, _, of = (kept or "").rpartition(" ")
    on_disk = digest(output.read_bytes()) if output.is_file() else ""
    response = _get(rest, V2, old_etag if of == on_disk else "")
    if response is None:
        return "unchanged since the last pull"
    _check(response.body, f"{rest.config.server}{V2}")
    fresh = digest(response.body)
    if fresh != on_disk:
        replace_file(output, response.body)
    etag = response.headers.get("etag")
    if etag and is_kept:
        remember("etag", subject, f"{etag} {fresh}")
    size = _size(len(response.body), rest.config.server)
    return f"{size}, {'unchanged' if fresh == on_disk else 'written'}"


def _get(rest: Rest, path: str, etag: str) -> HttpResponse | None:
    """The answer; None if the document is still the one with this tag."""
    from clientgen.runtime._http.request import HttpRequest
    from clientgen.runtime.errors import ApiError

    headers = (("If-None-Match", etag),) if etag else ()
    try:
        return rest.send(HttpRequest("GET", path, headers), rest.deadline({}))
    except ApiError as error:
        if etag and error.code == _NOT_MODIFIED:
            return None
        raise


def _check(body: bytes, where: str) -> None:
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or "swagger" not in document:
        raise ClientgenError([Problem(where, "the answer is not an OpenAPI v2 document")])


def _size(octets: int, server: str) -> str:
    return f"{octets / 1e6:.1f} MB from {server}"


def _save_v3(rest: Rest, output: Path) -> str:
    from clientgen.generator.sources.live_cluster import V3, read_v3

    documents = read_v3(rest)
    if documents is None:
        hint = "Leave out `--openapi v3`: an older server describes itself in v2."
        what = "the server has no OpenAPI v3 documents"
        raise ClientgenError([Problem(f"{rest.config.server}{V3}", what, hint)])
    show_unavailable(documents.unavailable)
    size = _size(sum(map(len, documents.v3.values())), rest.config.server)
    return f"{size}, {_replace(documents, output)}"


def _replace(documents: ClusterDocuments, output: Path) -> str:
    from clientgen.generator.atomic_write import Replacement, is_interrupted, replace_files
    from clientgen.generator.directory_lock import exclusive
    from clientgen.generator.sources.cluster_download import update_of

    with exclusive(output):
        update = update_of(output, documents)
        interrupted = is_interrupted(output)
        if update or interrupted:
            replace_files(output, Replacement(update.new, update.stale, b""))
    if interrupted:
        tell_recovered(str(output))
    if not update:
        return "unchanged"
    removed = f", {len(update.stale)} removed" if update.stale else ""
    return f"{len(update.new)} written{removed}"
