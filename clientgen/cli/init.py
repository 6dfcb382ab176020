"""`clientgen init`: an operator to start from, which runs at once."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.common_flags import PATH, quiet_option
from clientgen.cli.extra import has_generator
from clientgen.cli.output_files import write_all
from clientgen.cli.suggestions import OneOf

if TYPE_CHECKING:
    from clientgen.cli.init_files import StarterProject

# Folders of version control, which may be in an otherwise empty folder.
_NO_CONTENT = {".git", ".hg"}


@click.command(short_help="Create an operator: its kind, controller, webhooks, manifests.")
@click.argument("directory", type=PATH, metavar="[DIR]", default=Path())
@click.option("--name", help="The name of the project; by default the name of DIR.")
@click.option(
    "--group",
    default="example.com",
    show_default=True,
    help="The API group, a domain that you own.",
)
@click.option("--kind", default="Widget", show_default=True, help="The kind of your objects.")
@click.option(
    "--watch",
    metavar="VERSION/KIND",
    help="A kind of Kubernetes to watch, instead of a kind of your own: v1/ConfigMap or "
    "apps/v1/Deployment.",
)
@click.option(
    "--namespaced/--cluster-scoped",
    default=True,
    show_default=True,
    help="Whether objects are in a namespace.",
)
@click.option(
    "--flavour",
    type=OneOf(["sync", "asyncio"]),
    default="asyncio",
    show_default=True,
    help="Whether the operator uses threads or asyncio.",
)
@quiet_option
@click.pass_context
def init(
    ctx: click.Context,
    *,
    directory: Path,
    name: str | None,
    group: str,
    kind: str,
    watch: str | None,
    namespaced: bool,
    flavour: str,
    quiet: bool,
) -> None:
    """Create an operator: a typed custom resource, its controller and webhooks, tests of both.

    It has a Dockerfile, manifests for kustomize, a Helm chart, a dashboard, alerts and a CI file,
    too. With --watch, it has no custom resource, and no webhooks.

    DIR must be empty; it is created if it does not exist.
    """
    from clientgen.cli.init_files import starter, watching_starter  # no other command needs it

    project = name or directory.absolute().name
    if watch is None:
        chosen = starter(project, group, kind, namespaced=namespaced, flavour=flavour)
    else:
        _check_no_kind(ctx)
        chosen = watching_starter(project, group, watch, flavour=flavour)
    _check_is_empty(directory)
    _write(directory, chosen)
    generates = watch is not None or has_generator()
    if watch is None and generates:
        _generate(ctx, directory)
    if not quiet:
        _say(directory, chosen, generated=generates)


def _check_no_kind(ctx: click.Context) -> None:
    """Refuse options of a kind of one's own."""
    given = click.core.ParameterSource.COMMANDLINE
    for parameter, flag in (("kind", "--kind"), ("namespaced", "--cluster-scoped")):
        if ctx.get_parameter_source(parameter) is given:
            what = "it is for a kind of your own, but --watch names a kind of Kubernetes"
            raise ClientgenError([Problem(flag, what, "leave out one of them")])


def _check_is_empty(directory: Path) -> None:
    if directory.is_dir():
        entries = sorted(path.name for path in directory.iterdir() if path.name not in _NO_CONTENT)
        if not entries:
            return
        what = f"is not empty: it contains `{entries[0]}`"
    elif directory.exists() or directory.is_symlink():
        what = "exists and is not a directory"
    else:
        return
    hint = "Name a new directory; existing files are never overwritten."
    raise ClientgenError([Problem(str(directory), what, hint)])


def _write(directory: Path, chosen: StarterProject) -> None:
    texts = dict(chosen.files())
    if has_generator():  # long names take more lines
        texts |= _formatted({name: text for name, text in texts.items() if name.endswith(".py")})
    write_all(directory, texts)


def _formatted(texts: dict[str, str]) -> dict[str, str]:
    from clientgen.generator.format import format_tree

    return format_tree(texts)


def _generate(ctx: click.Context, directory: Path) -> None:
    """Do what the README says is to be done after each change of the types."""
    from clientgen.cli.crd import crd  # both need the generator
    from clientgen.cli.generate import generate

    config = directory / "pyproject.toml"
    ctx.invoke(crd, config=config, quiet=True)
    ctx.invoke(crd, config=config, output=directory / "chart/crds", quiet=True)
    ctx.invoke(generate, config=config, quiet=True)


def _say(directory: Path, chosen: StarterProject, *, generated: bool) -> None:
    about = f"for {chosen.kind} of {chosen.group}"
    if chosen.watched is not None:
        about = f"that watches each {chosen.kind}"
    click.echo(f"{directory}: an operator {about}; see README.md")
    steps = [
        *([f"cd {shlex.quote(str(directory))}"] if directory != Path() else []),
        *_installing(),
        *(
            []
            if generated
            else ["clientgen crd", "clientgen crd --output chart/crds", "clientgen generate"]
        ),
        "pytest --under-rbac deploy/base/role.yaml",
    ]
    for step in steps:
        click.echo(f"    {step}")


def _installing() -> list[str]:
    """The commands that install the project: with wheels of what is not from a package index."""
    source = _source()
    if source is None:
        return ['pip install -e ".[dev]"']
    folders = shlex.join([source, f"{source}/generated"])
    return [
        f"pip wheel --no-deps --wheel-dir wheels {folders}",
        'pip install --find-links wheels -e ".[dev]"',
    ]


def _source() -> str | None:
    """Return the folder that clientgen was installed from; None for a package index.

    `CLIENTGEN` stands for a folder that nobody knows. (PEP 610: direct_url.json)
    """
    text = distribution("clientgen").read_text("direct_url.json")
    if text is None:
        return None
    origin = json.loads(text)
    url = urlsplit(str(origin.get("url", "")))
    is_folder = "dir_info" in origin and url.scheme == "file"
    return url2pathname(url.path) if is_folder else "CLIENTGEN"
