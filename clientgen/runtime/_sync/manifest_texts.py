# Derived from _async/manifest_texts.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Texts of manifests that other programs and servers make: kustomize, and URLs."""

# ruff: noqa: ASYNC109 - one deadline for all steps

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from .._config.cluster_config import ClusterConfig
from .._http.request import HttpRequest, HttpResponse
from .._http.user_agent import user_agent
from .._manifests.kustomize import TIMEOUT_SECONDS, KustomizeRun
from .._manifests.manifest_text import MAX_TEXT_BYTES, ManifestError
from .._manifests.manifest_urls import MAX_REDIRECTS, ManifestUrl
from ..errors import ClientError, one_line
from ._primitives import run_blocking

if TYPE_CHECKING:
    from pathlib import Path

    from .._manifests.manifest_text import ManifestText

_ACCEPT = "application/yaml, application/json, text/plain, */*;q=0.5"


def kustomize(
    folder: Path,
    *,
    program: str | Path | None = None,
    timeout: float = TIMEOUT_SECONDS,
    allow_remote: bool = False,
) -> ManifestText:
    """Build a kustomization with kustomize or kubectl, as `kubectl kustomize`.

        deploy = k.manifests(kustomize(Path("overlays/production"), timeout=20))

    The program gets no secrets: its environment has PATH and an empty home. Files outside of the
    kustomization, plugins and Helm are not allowed. `k.manifests(folder)` does the same, with the
    defaults, and blocks until the program has ended.

    Args:
        folder: the folder with kustomization.yaml.
        program: the path or name of kustomize or kubectl; by default `kustomize` on PATH, or else
            `kubectl`.
        timeout: the seconds after which the program is killed.
        allow_remote: let the program fetch bases and files from other machines. Without it,
            kustomizations that name such are refused before the program is run.

    Returns:
        The documents that the program prints.

    Raises:
        ManifestError: the kustomization is wrong, or uses what is not allowed; there is no such
            program; or it fails, takes too long, or prints more than 64 MiB. The message has its
            version and its reason.
        TypeError: the folder is not a Path.
        ValueError: the timeout is not positive.
    """
    run = KustomizeRun(folder, program=program, timeout=timeout, allow_remote=allow_remote)
    try:
        return run_blocking(run.text)
    except BaseException:
        run.stop()
        raise


def fetch_manifests(url: str, *, allow_http: bool = False, timeout: float = 30.0) -> ManifestText:
    """Fetch manifests from a URL, as `kubectl apply -f https://...`.

        deploy = k.manifests(fetch_manifests("https://example.com/install.yaml"))

    No credentials are sent. Up to 5 redirects are followed. The proxies and CAs of the environment
    and the system are used.

    Args:
        url: the URL of YAML or JSON documents, of up to 64 MiB.
        allow_http: also fetch from http:// URLs, and follow redirects to them.
        timeout: the seconds that all requests may take.

    Raises:
        ManifestError: the server cannot be reached, or does not answer with manifests. The message
            has no query of a URL.
        ValueError: the URL is not an https URL, or has a user name; or the timeout is not positive.
    """
    if not timeout > 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {timeout!r}")
    until = monotonic() + timeout
    try:
        at = ManifestUrl.parse(url, allow_http=allow_http)
    except ValueError as error:
        raise ValueError(f"the URL of manifests cannot be used: {error}") from None
    for _ in range(MAX_REDIRECTS + 1):
        response = _get(at, until)
        target = at.redirect(response, allow_http=allow_http)
        if target is None:
            return at.text(response)
        at = target
    raise ManifestError(f"{at}: there were more than {MAX_REDIRECTS} redirects")


def _get(url: ManifestUrl, until: float) -> HttpResponse:
    from .._config.tls import ssl_context
    from .transport import HttpTransport  # imported late: the HTTP library is a big import

    headers = (("Accept", _ACCEPT), ("User-Agent", user_agent()))
    request = HttpRequest("GET", url.target, headers)
    try:
        config = ClusterConfig(server=url.server)
        context = run_blocking(partial(ssl_context, config.tls)) if config.is_secure else None
        transport = HttpTransport(config, context, max_response_bytes=MAX_TEXT_BYTES)
        try:
            return transport.send(request, max(0.001, until - monotonic()))
        finally:
            transport.close()
    except ClientError as error:
        raise ManifestError(f"{url}: cannot be fetched: {one_line(str(error))}") from error
