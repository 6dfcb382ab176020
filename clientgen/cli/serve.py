"""`clientgen serve`: an API server in memory, for any client."""

from __future__ import annotations

import gc
import shlex
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clientgen._cache_folder import user_cache
from clientgen._problems import ClientgenError, Problem
from clientgen._shipped import KUBERNETES
from clientgen.cli.common_flags import PATH, SeveralValues
from clientgen.cli.loaded import called, loaded
from clientgen.cli.served_objects import explained, load_objects
from clientgen.cli.stop_signal import stop_event

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from clientgen.testing._fake.data_folder import DataFolder
    from clientgen.testing._fake.fake_cluster import FakeCluster
    from clientgen.testing._fake.local_server import LocalServer

_MAX_PORT = 65535
_MAX_NODES = 1000
_POD_STOP_SECONDS = 1.0
_REACTION_SECONDS = 0.02
_YEAR_2026 = 1767225600
_MAX_UNSEEN_WRITES = 100_000
"""More writes than a server can do before its version is looked at again."""


@click.command(cls=SeveralValues, short_help="Serve the Kubernetes API from memory.")
@click.option(
    "--spec",
    type=PATH,
    metavar="FILE",
    help=f"An OpenAPI v2 document, instead of Kubernetes {KUBERNETES}.",
)
@click.option(
    "--crd",
    "crds",
    type=PATH,
    multiple=True,
    metavar="PATH",
    help="CustomResourceDefinitions to serve: a file or a folder; may be given several times.",
)
@click.option(
    "--load",
    "manifests",
    type=PATH,
    multiple=True,
    metavar="MANIFESTS",
    help="Initial objects: a YAML or JSON file or a folder; may be given several times.",
)
@click.option(
    "--skip-invalid",
    is_flag=True,
    help="Leave out definitions and objects that cannot be used, and tell which, instead of "
    "stopping.",
)
@click.option(
    "--setup",
    default="",
    metavar="MODULE:FUNCTION",
    help="A function that is called with the FakeCluster, for example to say what containers do.",
)
@click.option(
    "--port",
    type=click.IntRange(0, _MAX_PORT),
    default=0,
    metavar="N",
    help="The port to listen on, instead of any free one.",
)
@click.option(
    "--kubeconfig",
    type=PATH,
    metavar="FILE",
    help="Where to write the kubeconfig, instead of a temporary file.",
)
@click.option("--tls", is_flag=True, help="Serve HTTPS, with a certificate made for this run.")
@click.option(
    "--token",
    envvar="CLIENTGEN_SERVE_TOKEN",
    metavar="T",
    help="Reject requests without this bearer token. Prefer CLIENTGEN_SERVE_TOKEN: other users of "
    "the machine can read command lines.",
)
@click.option("--token-file", type=PATH, metavar="FILE", help="A file that contains the token.")
@click.option(
    "--controller-delay",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="The delay before namespaces are emptied and garbage is collected.",
)
@click.option(
    "--play",
    is_flag=True,
    help="Play controllers, a scheduler and kubelets: workloads become ready, Jobs complete.",
)
@click.option(
    "--nodes",
    type=click.IntRange(0, _MAX_NODES),
    metavar="N",
    help="How many nodes --play adds; by default one, if there are none.",
)
@click.option(
    "--pod-start",
    type=click.FloatRange(min=0),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a pod takes to become ready with --play.",
)
@click.option(
    "--job-run",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the pod of a Job runs with --play.",
)
@click.option(
    "--data",
    type=PATH,
    metavar="DIR",
    help="A folder that keeps all objects, definitions and tokens for the next run. --crd, --load "
    "and --setup are for a new folder.",
)
@click.option(
    "--feature-gates",
    default="",
    metavar="NAME=BOOL,...",
    help="Features to switch on or off, as for kube-apiserver: ShardedListAndWatch=true.",
)
def serve(
    *,
    spec: Path | None,
    crds: tuple[Path, ...],
    manifests: tuple[Path, ...],
    skip_invalid: bool,
    setup: str,
    port: int,
    kubeconfig: Path | None,
    tls: bool,
    token: str | None,
    token_file: Path | None,
    controller_delay: float,
    play: bool,
    nodes: int | None,
    pod_start: float,
    job_run: float,
    data: Path | None,
    feature_gates: str,
) -> None:
    """Serve the Kubernetes API from memory, on 127.0.0.1, until interrupted.

    It writes a kubeconfig that any Kubernetes client can use. Without --data, nothing is kept after
    it ends.
    """
    with explained(), _opened(data, skip_damaged=skip_invalid) as folder:
        secret = _token(token, token_file)
        cluster = _cluster(spec, controller_delay, _gates(feature_gates))
        if folder is None or folder.is_new:
            cluster.server.skip_to(_first_version())
            load_objects(cluster, (*crds, *manifests), skip_invalid=skip_invalid)
        elif crds or manifests or setup:
            note = f"note: {data} has objects, so --crd, --load and --setup are left out"
            click.echo(note, err=True)
            setup = ""
        if folder is not None:
            folder.attach(cluster.server)
        with cluster.dispatcher.postponed_work():  # the function may say what pods do
            if play:
                cluster.play(
                    nodes=nodes,
                    pod_start=pod_start,
                    pod_stop=_POD_STOP_SECONDS,
                    job_run=job_run,
                    delay=_REACTION_SECONDS,
                )
                cluster.compact()
            if setup:
                _set_up(cluster, setup)
        server = _server(cluster, port, kubeconfig, secret, tls=tls)
        stop = stop_event()
        with server:
            _collect_cycles()
            _say(server, plain_token=bool(secret) and not tls)
            store = cluster.server.cluster.store
            while not stop.wait(1.0):
                _remember(store.version)
                if folder is not None:
                    _keep(folder, cluster)
            _remember(store.version)


@contextmanager
def _opened(path: Path | None, *, skip_damaged: bool) -> Generator[DataFolder | None]:
    """Open the folder that keeps the objects, if there is one."""
    if path is None:
        yield None
        return
    from clientgen.testing._fake.data_folder import DataFolder

    folder = DataFolder(path, skip_damaged=skip_damaged)
    try:
        for damage in folder.damages:
            note = f"note: line {damage.number} of {folder.kept} is left out: {damage.reason}"
            click.echo(note, err=True)
        yield folder
        folder.sync()
    finally:
        folder.close()


def _keep(folder: DataFolder, cluster: FakeCluster) -> None:
    """Bring the folder to the disk, and write its file anew if most of it is outdated."""
    folder.sync()
    if folder.is_outdated:
        with cluster.dispatcher.lock:
            folder.rewrite()


def _collect_cycles() -> None:
    """A program that stays has to, after all; but what is there by now will stay as well."""
    gc.freeze()
    gc.enable()


def _token(token: str | None, path: Path | None) -> str:
    if path is None:
        return token or ""
    text = path.read_text("utf-8").strip()
    if not text:
        raise ClientgenError([Problem(str(path), "this file contains no token")])
    return text


def _cluster(spec: Path | None, delay: float, gates: Mapping[str, bool]) -> FakeCluster:
    from clientgen.testing._fake.fake_cluster import FakeCluster  # other commands do not need it

    return FakeCluster(
        spec=spec, controller_delay=delay, record=False, control_plane=True, feature_gates=gates
    )


def _gates(text: str) -> dict[str, bool]:
    """Read feature gates as kube-apiserver does (component-base: featuregate.Set).

    Raises:
        ClientgenError: A value is not true or false, or a gate does not exist.
    """
    from clientgen.testing._apiserver.feature_gates import checked_gates

    gates: dict[str, bool] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, value = part.partition("=")
        if value.strip().lower() not in {"true", "false"}:
            what = f"{part!r} is not a feature gate: write NAME=true or NAME=false"
            raise ClientgenError([Problem("--feature-gates", what)])
        gates[name.strip()] = value.strip().lower() == "true"
    try:
        return checked_gates(gates)
    except ValueError as error:
        raise ClientgenError([Problem("--feature-gates", str(error))]) from error


def _first_version() -> int:
    """Return a version later than those of all servers that ran here before.

    It is smaller than the numbers that tests of clients take for versions from the future. It
    grows by ten each second; what a faster server came to is remembered.
    """
    try:
        remembered = int(_versions().read_text("ascii"))
    except (OSError, RuntimeError, ValueError):
        remembered = -_MAX_UNSEEN_WRITES
    return max(_version_now(), remembered + _MAX_UNSEEN_WRITES)


def _version_now() -> int:
    return int((time.time() - _YEAR_2026) * 10)


def _versions() -> Path:
    return user_cache() / "serve-version"


def _remember(version: int) -> None:
    """Keep the version of a server that is faster than the clock."""
    if version > _version_now():
        with suppress(OSError, RuntimeError):  # a home that cannot be written
            _versions().parent.mkdir(parents=True, exist_ok=True)
            _versions().write_text(str(version), "ascii")


def _set_up(cluster: FakeCluster, target: str) -> None:
    """Have a function of the user prepare the cluster.

    Raises:
        ClientgenError: There is no such function, or it raises something.
    """
    function = loaded(target, "tests.shop:set_up")
    if not callable(function):
        what = f"it is no function, but of type {type(function).__name__}"
        raise ClientgenError([Problem(target, what)])
    called(target, function, cluster, hint="it is called with the FakeCluster")


def _server(
    cluster: FakeCluster, port: int, kubeconfig: Path | None, token: str, *, tls: bool
) -> LocalServer:
    from clientgen.testing._fake.local_server import LocalServer  # other commands do not need it

    return LocalServer(cluster, port=port, tls=tls, token=token, kubeconfig=kubeconfig)


def _say(server: LocalServer, *, plain_token: bool) -> None:
    if plain_token:
        note = "note: many clients send a token only over TLS; add --tls for them"
        click.echo(note, err=True)
    path = shlex.quote(str(Path(server.kubeconfig).absolute()))
    click.echo(f"serving {server.url}    export KUBECONFIG={path}")
