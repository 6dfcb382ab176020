"""`clientgen run`: an operator on this machine, against a server in memory or a cluster."""

from __future__ import annotations

import asyncio
import inspect
import logging
import shlex
import sys
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_type_hints

import click

from clientgen._problems import ClientgenError, Problem, Problems
from clientgen.cli.common_flags import PATH, SeveralValues, config_option
from clientgen.cli.served_objects import explained, load_objects
from clientgen.cli.suggestions import OneOf

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from clientgen.generator.configuration import PackageConfig
    from clientgen.runtime._http.call_options import ClientOptions
    from clientgen.testing._fake.fake_cluster import FakeCluster

_FUNCTION = "make_manager"
_EXAMPLE = "shop.controller:make_manager"


class _Connection(NamedTuple):
    """The cluster of the operator: a kubeconfig, one of its contexts, and who asks."""

    kubeconfig: Path | None
    context: str | None = None
    service_account: str | None = None

    @property
    def flags(self) -> list[str]:
        """The flags with which a run uses this cluster."""
        given = {
            "--kubeconfig": self.kubeconfig,
            "--context": self.context,
            "--service-account": self.service_account,
        }
        return [f"{flag}={value}" for flag, value in given.items() if value is not None]


@click.command(cls=SeveralValues, short_help="Run your operator on this machine.")
@click.argument("target", metavar=f"MODULE[:{_FUNCTION}]")
@click.option("--reload", is_flag=True, help="Start it again when a Python file changes.")
@click.option(
    "--crd",
    "crds",
    type=PATH,
    multiple=True,
    metavar="PATH",
    help="CustomResourceDefinitions of the server in memory, instead of the configured "
    "`crd-output`: a file or a folder; may be given several times.",
)
@click.option(
    "--load",
    "manifests",
    type=PATH,
    multiple=True,
    metavar="MANIFESTS",
    help="Initial objects of the server in memory: a YAML or JSON file or a folder; may be given "
    "several times.",
)
@click.option(
    "--play/--no-play",
    default=True,
    show_default=True,
    help="Whether workloads become ready in the server in memory.",
)
@click.option(
    "--under-rbac",
    "roles",
    type=PATH,
    metavar="FILE",
    help="Give the operator only the rights of these roles, in the server in memory.",
)
@click.option(
    "--service-account",
    metavar="NAMESPACE/NAME",
    help="Act as this ServiceAccount; by default as the one that --under-rbac binds. In a cluster, "
    "your user needs the verb `impersonate`.",
)
@click.option("--context", metavar="NAME", help="Use the cluster of this kubeconfig context.")
@click.option("--kubeconfig", type=PATH, metavar="FILE", help="Use the cluster of this kubeconfig.")
@click.option(
    "--log-format",
    type=OneOf(["text", "json"]),
    default="text",
    show_default=True,
    help="The form of log records.",
)
@config_option
def run(
    *,
    target: str,
    reload: bool,
    crds: tuple[Path, ...],
    manifests: tuple[Path, ...],
    play: bool,
    roles: Path | None,
    service_account: str | None,
    context: str | None,
    kubeconfig: Path | None,
    log_format: str,
    config: Path | None,
) -> None:
    """Run an operator on this machine, until interrupted.

    MODULE has a function that takes a clientset and returns a manager. The operator uses an API
    server in memory, whose kubeconfig is printed. With --context or --kubeconfig, it uses a
    cluster. The server in memory does not call webhooks of the operator.
    """
    target = target if ":" in target else f"{target}:{_FUNCTION}"
    if context is None and kubeconfig is None:
        account = service_account or _bound_account(roles)
        objects = (*(crds or _own_crds(config)), *manifests)
        with explained(), _served(objects, roles, account, play=play) as path:
            _run(target, _Connection(Path(path)), log_format, config, reload=reload)
        return
    for flag, value in (("--crd", crds), ("--load", manifests), ("--under-rbac", roles)):
        if value:
            what = "it is for the server in memory, but --context or --kubeconfig names a cluster"
            raise ClientgenError([Problem(flag, what, "leave out one of them")])
    connection = _Connection(kubeconfig, context, service_account)
    _run(target, connection, log_format, config, reload=reload)


def _run(
    target: str, connection: _Connection, log_format: str, config: Path | None, *, reload: bool
) -> None:
    if not reload:
        _run_manager(target, connection, log_format, config)
        return
    from clientgen.cli.reload import run_and_reload  # needs watchfiles

    flags = [*connection.flags, f"--log-format={log_format}"]
    if config is not None:
        flags.append(f"--config={config}")
    run_and_reload([sys.executable, "-m", "clientgen", "run", target, *flags], Path())


# ---- the server in memory ---------------------------------------------------------------------


@contextmanager
def _served(
    objects: tuple[Path, ...], roles: Path | None, account: str | None, *, play: bool
) -> Generator[str]:
    """Serve a cluster from memory; yields the path of the operator's kubeconfig."""
    from clientgen.testing._fake.fake_cluster import FakeCluster
    from clientgen.testing._fake.local_server import LocalServer

    cluster = FakeCluster(record=False, control_plane=True, rbac=roles)
    load_objects(cluster, objects)
    if play:
        cluster.play()
    with LocalServer(cluster) as server:
        click.echo(f"serving {server.url}    export KUBECONFIG={shlex.quote(server.kubeconfig)}")
        if account is None:
            yield server.kubeconfig
            return
        with _acting_as(cluster, account) as path:
            yield path


@contextmanager
def _acting_as(cluster: FakeCluster, account: str) -> Generator[str]:
    """Serve a cluster to a ServiceAccount."""
    from clientgen.testing._fake.local_server import LocalServer

    try:
        server = LocalServer(cluster, service_account=account)
    except ValueError as error:
        raise ClientgenError([Problem("--service-account", str(error))]) from error
    click.echo(f"the operator acts as the ServiceAccount {account}")
    with server:
        yield server.kubeconfig


def _own_crds(config: Path | None) -> list[Path]:
    """Return the folders for the definitions of the configured types, if there are some."""
    folders = dict.fromkeys(each.crd_output for each in _packages(config))
    return [folder for folder in folders if folder is not None and folder.is_dir()]


def _packages(config: Path | None) -> tuple[PackageConfig, ...]:
    """Return the packages of the configuration; none without a configuration."""
    from clientgen.generator.config_file import find
    from clientgen.generator.configuration import Flags, load

    problems = Problems()
    is_configured = config is not None or find(Path(), problems) is not None
    problems.raise_if_any()
    return load(Flags(config=config)) if is_configured else ()


def _bound_account(roles: Path | None) -> str | None:
    """Return the ServiceAccount that roles are bound to.

    Raises:
        ClientgenError: There are several, or none.
    """
    if roles is None:
        return None
    from clientgen._rbac.roles import read_roles
    from clientgen.runtime._manifests.manifest_documents import ManifestError

    try:
        objects: list[dict[str, Any]] = [*cast("Any", read_roles(roles)).objects]
    except ManifestError as error:
        raise ClientgenError([Problem("", str(error))]) from error
    found = {
        f"{subject.get('namespace', '')}/{subject['name']}"
        for each in objects
        for subject in each.get("subjects") or ()
        if subject["kind"] == "ServiceAccount"
    }
    if len(found) != 1:
        names = ", ".join(sorted(found)) or "none"
        what = f"it must bind one ServiceAccount, but it binds {names}"
        hint = "name the operator's: --service-account NAMESPACE/NAME"
        raise ClientgenError([Problem(str(roles), what, hint)])
    return found.pop()


# ---- the operator -----------------------------------------------------------------------------


def _run_manager(
    target: str, connection: _Connection, log_format: str, config: Path | None
) -> None:
    """Run the manager that a function returns, in this process.

    Raises:
        ClientgenError: There is no such function, it returns something else, the cluster cannot be
            used, or the manager ends with an error of this package.
        Exception: The function, or a part of the manager, raised it.
    """
    from clientgen.runtime.errors import ClientError

    _log(log_format)
    sys.path[:0] = [str(folder.resolve()) for folder in (Path(), Path("src"))]
    function = _found(target)
    clientset = _clientset_of(target, function, config)
    account = connection.service_account
    options: ClientOptions = {} if account is None else {"impersonate_user": _user(account)}
    try:
        k = clientset.from_config(connection.kubeconfig, connection.context, **options)
        if hasattr(k, "__aenter__"):
            asyncio.run(_run_async(target, function, k))
        else:
            with k:
                _manager(target, function, k).run()
    except ClientError as error:
        raise ClientgenError([Problem(target, str(error))]) from error


async def _run_async(target: str, function: Callable[..., Any], k: Any) -> None:
    async with k:
        await _manager(target, function, k).run()


def _found(target: str) -> Any:
    """Import a module, and return its attribute. Errors of the module are raised as they are.

    Raises:
        ClientgenError: There is no such module, or it has no such attribute.
    """
    name, _, attribute = target.partition(":")
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module imports something that is missing
        what = f"there is no module {error.name!r} here, in `src`, or on Python's path"
        raise ClientgenError([Problem(target, what)]) from error
    found = getattr(module, attribute, None)
    if found is None:
        what = f"the module has no attribute {attribute!r}"
        raise ClientgenError([Problem(target, what, f"name one, as in `{_EXAMPLE}`")])
    return found


def _manager(target: str, function: Callable[..., Any], k: Any) -> Any:
    """Call a function with a clientset, and return its manager."""
    from clientgen.runtime.aio import AsyncManager
    from clientgen.runtime.sync import Manager

    manager = function(k)
    if not isinstance(manager, AsyncManager | Manager):
        what = f"it returns {type(manager).__name__}, not a manager"
        raise ClientgenError([Problem(target, what, "return the manager; `clientgen run` runs it")])
    return manager


def _clientset_of(target: str, function: Any, config: Path | None) -> Any:
    """Return the class of the clientset that a function takes.

    The type hint of the first argument names it. A base class stands for the clientset of the
    configured package.

    Raises:
        ClientgenError: There is no such hint, or not one configured package.
    """
    from clientgen.runtime.aio import AsyncClientsetBase
    from clientgen.runtime.sync import ClientsetBase

    hint = f"write its type, as in `def {_FUNCTION}(k: kubeapi.AsyncClientset) -> AsyncManager`"
    try:
        name = next(iter(inspect.signature(function).parameters))
        found = get_type_hints(function).get(name)
    except (TypeError, ValueError, NameError, StopIteration) as error:
        what = f"it takes no clientset, or the type of the clientset cannot be found: {error}"
        raise ClientgenError([Problem(target, what, hint)]) from error
    if not isinstance(found, type) or not issubclass(found, AsyncClientsetBase | ClientsetBase):
        what = "its first argument has no type of a clientset"
        raise ClientgenError([Problem(target, what, hint)])
    if found not in {AsyncClientsetBase, ClientsetBase}:
        return found
    packages = _packages(config)
    if len(packages) != 1:
        what = f"{found.__name__} names no package, and {len(packages)} packages are configured"
        raise ClientgenError([Problem(target, what, hint)])
    clientset = "AsyncClientset" if found is AsyncClientsetBase else "Clientset"
    return _found(f"{packages[0].package}:{clientset}")


def _user(account: str) -> str:
    from clientgen._rbac.callers import Account

    try:
        return Account.of(account).user
    except ValueError as error:
        raise ClientgenError([Problem("--service-account", str(error))]) from error


def _log(log_format: str) -> None:
    from clientgen.runtime.controllers import JsonFormatter

    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if log_format == "json" else text)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
