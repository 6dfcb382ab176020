"""`clientgen rbac`: roles that fit what tests have requested and what markers say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clientgen._problems import ClientgenError, Problem
from clientgen.cli.common_flags import PATH, SeveralValues, quiet_option
from clientgen.cli.report import count
from clientgen.cli.suggestions import SuggestingGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from clientgen._rbac.callers import Account
    from clientgen._rbac.derivation import Needs, Style


class _Inputs(NamedTuple):
    needs: Mapping[Account, Needs]
    style: Style


def _input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that say what is needed; `_inputs` reads them."""
    for option in reversed(
        (
            click.option(
                "--recorded",
                multiple=True,
                type=PATH,
                metavar="FILE",
                help="A file of `pytest --rbac-record FILE`. May be given several times.",
            ),
            click.option(
                "--sources",
                multiple=True,
                type=PATH,
                metavar="DIR",
                help="Python files with +kubebuilder:rbac markers. May be given several times.",
            ),
            click.option(
                "--service-account",
                metavar="NAMESPACE/NAME",
                help="The account of the markers; by default that of the recording.",
            ),
            click.option(
                "--namespaced",
                is_flag=True,
                help="Expect a Role in each namespace instead of a ClusterRole.",
            ),
            click.option(
                "--names",
                multiple=True,
                metavar="RESOURCE",
                help="Expect rules on named objects for this resource, such as secrets, too.",
            ),
        )
    ):
        command = option(command)
    return command


@click.group(cls=SuggestingGroup, short_help="Derive and check roles (RBAC).")
def rbac() -> None:
    """Derive and check the roles of ServiceAccounts.

    Tests record what a program requests: see `pytest --rbac-record`. Markers in its sources add
    what tests do not reach: # +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch
    """


@rbac.command(cls=SeveralValues)
@click.argument("role", type=PATH)
@_input_options
@quiet_option
def check(*, role: Path, quiet: bool, **inputs: Any) -> None:
    """Say what is missing in the roles of a file or folder, and what is too much.

    The exit code is 1 if there is something.
    """
    from clientgen._rbac.role_review import review
    from clientgen._rbac.roles import read_roles

    given = _inputs(**inputs)
    try:
        roles = read_roles(role)
    except ValueError as error:
        raise ClientgenError([Problem("", str(error))]) from None
    findings = review(roles, given.needs, given.style)
    for finding in findings:
        click.echo(str(finding))
    if findings:
        click.echo(count(len(findings), "difference"), err=True)
        raise click.exceptions.Exit(1)
    if not quiet:
        click.echo(f"{role}: everything is needed, and nothing is missing")


@rbac.command(cls=SeveralValues)
@click.option(
    "--output", type=PATH, metavar="FILE", help="The file to write; by default it is printed."
)
@_input_options
@quiet_option
def generate(*, output: Path | None, quiet: bool, **inputs: Any) -> None:
    """Write the least roles for recorded requests and markers, with ServiceAccounts and bindings.

    A file that clientgen did not write, or that was edited, is never changed.
    """
    from clientgen._rbac.derivation import derived_roles
    from clientgen._rbac.role_files import ForeignFile, roles_text, write_roles

    given = _inputs(**inputs)
    objects = derived_roles(given.needs, given.style)
    if output is None:
        click.echo(roles_text(objects), nl=False)
        return
    try:
        changed = write_roles(output, objects)
    except ForeignFile as error:
        raise ClientgenError([Problem("", str(error))]) from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ClientgenError([Problem(str(output), f"it cannot be written: {why}")]) from error
    if not quiet:
        click.echo(f"{output}: {'written' if changed else 'up to date'}")


def _inputs(
    *,
    recorded: tuple[Path, ...],
    sources: tuple[Path, ...],
    service_account: str | None,
    namespaced: bool,
    names: tuple[str, ...],
) -> _Inputs:
    """What is needed, and how roles are derived.

    Raises:
        ClientgenError: something cannot be read, or there is nothing.
    """
    from clientgen._rbac.derivation import Style
    from clientgen._rbac.recording import Recording
    from clientgen._rbac.sources import needs_of, read_markers, read_recording

    account = _account(service_account)
    recording = Recording()
    for path in recorded:
        recording.update(read_recording(path))
    needs = needs_of(recording, read_markers(sources), account)
    if not needs:
        what = "there is neither a recorded request nor a marker"
        hint = "give --recorded FILE (see pytest --rbac-record), or --sources DIR"
        raise ClientgenError([Problem("", what, hint)])
    return _Inputs(needs, Style(namespaced, frozenset(names)))


def _account(text: str | None) -> Account | None:
    from clientgen._rbac.callers import Account

    try:
        return None if text is None else Account.of(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--service-account") from None
