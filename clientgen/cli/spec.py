"""`clientgen spec pull`: the OpenAPI v2 document of a live cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clientgen.cli.options import PATH, quiet_option
from clientgen.generator.problems import ClientgenError, Problem

if TYPE_CHECKING:
    from clientgen.runtime.request import HttpResponse
    from clientgen.runtime.sync import Rest

__all__ = ["spec"]

# client-go and every API server: where the OpenAPI v2 document is.
_PATH = "/openapi/v2"
_TIMEOUT = 60.0
_NOT_MODIFIED = 304


@click.group()
def spec() -> None:
    """Get the OpenAPI documents that packages are generated from."""


@spec.command()
@click.option(
    "--kubeconfig", type=PATH, metavar="FILE", help="Instead of KUBECONFIG and ~/.kube/config."
)
@click.option("--context", metavar="NAME", help="Instead of the kubeconfig's current context.")
@click.option(
    "--output",
    type=PATH,
    metavar="FILE",
    default=Path("openapi-v2.json"),
    show_default=True,
    help="The file to write.",
)
@quiet_option
def pull(kubeconfig: Path | None, context: str | None, output: Path, quiet: bool) -> None:
    """Save the OpenAPI v2 document of a live cluster.

    A document that the server has not changed since the last pull is not sent again.
    """
    from clientgen.runtime.errors import ClientError  # the runtime is not needed to generate
    from clientgen.runtime.sync import Rest

    try:
        with Rest.from_config(kubeconfig, context, timeout=_TIMEOUT) as rest:
            done = _pull(rest, output)
    except ClientError as error:
        raise ClientgenError([Problem("", f"the document cannot be had: {error}")]) from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = str(error.filename or output)
        raise ClientgenError([Problem(where, f"it cannot be written: {why}")]) from error
    if not quiet:
        click.echo(f"{output}: {done}")


def _pull(rest: Rest, output: Path) -> str:
    from clientgen.generator.manifest import digest
    from clientgen.generator.remembering import recall, remember
    from clientgen.generator.replacing import replace_file

    subject = f"{rest.config.server} {output.absolute()}"
    known, _, of = (recall("etag", subject) or "").rpartition(" ")
    on_disk = digest(output.read_bytes()) if output.is_file() else ""
    response = _get(rest, known if of == on_disk else "")
    if response is None:
        return "unchanged since the last pull"
    _check(response.body, f"{rest.config.server}{_PATH}")
    fresh = digest(response.body)
    if fresh != on_disk:
        replace_file(output, response.body)
    etag = response.headers.get("etag")
    if etag:
        remember("etag", subject, f"{etag} {fresh}")
    size = f"{len(response.body) / 1e6:.1f} MB from {rest.config.server}"
    return f"{size}, {'unchanged' if fresh == on_disk else 'written'}"


def _get(rest: Rest, etag: str) -> HttpResponse | None:
    """The answer; None if the document is still the one with this tag."""
    from clientgen.runtime.errors import ApiError
    from clientgen.runtime.request import HttpRequest

    headers = (("If-None-Match", etag),) if etag else ()
    try:
        return rest.send(HttpRequest("GET", _PATH, headers), rest.deadline({}))
    except ApiError as error:
        if etag and error.code == _NOT_MODIFIED:
            return None
        raise


def _check(body: bytes, where: str) -> None:
    try:
        document: object = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "swagger" not in document:
        raise ClientgenError([Problem(where, "the answer is not an OpenAPI v2 document")])
