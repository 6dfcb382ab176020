"""A live cluster: its OpenAPI v3 documents, or its v2 document where it has no v3.

There is a document per group version. A cluster is read even if some of them are unavailable, since
an aggregated API may be down; the missing ones are reported. Only documents of group versions that
a package wants are read: others in a shared cluster are no input of it. A document is named by a
hash of what it says, so one that this machine has seen is not sent again
(https://kubernetes.io/docs/concepts/overview/kubernetes-api/).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from clientgen._json import is_object
from clientgen._problems import ClientgenError, Problem
from clientgen.generator.api_words import GROUP, VERSION
from clientgen.generator.sources import openapi
from clientgen.generator.sources.spec import Input, Spec
from clientgen.generator.user_cache import recall, remember

if TYPE_CHECKING:
    from clientgen.runtime.sync import Rest

__all__ = [
    "V2",
    "V3",
    "ClusterDocuments",
    "connected",
    "group_version",
    "parse_cluster",
    "read_cluster",
    "read_v3",
]

T = TypeVar("T")

V2, V3 = "/openapi/v2", "/openapi/v3"
# A path that can be sent in a request; a server may answer with anything.
_URL = re.compile(rf"{V3}[!-~]*")
_REQUEST_TIMEOUT_SECONDS = 60.0
_NOT_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_NO_V3 = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.NOT_ACCEPTABLE, HTTPStatus.METHOD_NOT_ALLOWED})
# Who may not read one document may not read the others: that is no outage.
_REFUSALS = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@dataclass(frozen=True, slots=True)
class ClusterDocuments:
    """The documents of a cluster about itself.

    `v3` has the documents by key (`apis/apps/v1`), and `urls` says where the server has them; `v2`
    is the one document of a cluster that has no v3. `unavailable` has the group versions that are
    served but cannot be described just now, and why; `unread` has those that the package does not
    want.
    """

    server: str
    v3: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    urls: Mapping[str, str] = field(default_factory=dict[str, str])
    v2: bytes = b""
    unavailable: Mapping[str, str] = field(default_factory=dict[str, str])
    unread: frozenset[str] = frozenset()

    def inputs(self) -> tuple[Input, ...]:
        """The documents as any other source's; their names are the same in every cluster."""
        if self.v2:
            return (Input("openapi/v2", f"{self.server}{V2}", self.v2),)
        return tuple(
            Input(f"openapi/v3/{key}", f"{self.server}{V3}/{key}", body)
            for key, body in sorted(self.v3.items())
        )


def parse_cluster(documents: ClusterDocuments) -> tuple[Spec, dict[str, str]]:
    """Understand the documents of a cluster.

    Returns:
        What they say, and the group versions that are left out, with the reason: an aggregated API
        may describe itself wrongly, which the user cannot repair.

    Raises:
        ClientgenError: a v2 document is not sound, or documents contradict each other.
    """
    inputs, left_out = documents.inputs(), dict(documents.unavailable)
    try:
        return openapi.parse(inputs), left_out
    except ClientgenError:
        if documents.v2:
            raise
    sound: list[Input] = []
    for document in inputs:
        try:
            openapi.parse([document])
        except ClientgenError as error:
            left_out[group_version(document.name.removeprefix("openapi/v3/"))] = _first(error)
        else:
            sound.append(document)
    return openapi.parse(sound), left_out


def _first(error: ClientgenError) -> str:
    problem, *rest = error.problems
    more = f" (and {len(rest)} more problems)" if rest else ""
    return f"its document is not valid: {problem.where}: {problem.what}{more}"


def connected(kubeconfig: Path | None, context: str | None, work: Callable[[Rest], T]) -> T:
    """Do some work with a connection to a cluster.

    Args:
        kubeconfig: instead of KUBECONFIG and ~/.kube/config.
        context: instead of the current one.
        work: what to do.

    Raises:
        ClientgenError: there is no such cluster, or it refuses.
    """
    from clientgen.runtime.errors import ClientError  # the runtime is not needed to generate
    from clientgen.runtime.sync import Rest

    try:
        with Rest.from_config(kubeconfig, context, timeout=_REQUEST_TIMEOUT_SECONDS) as rest:
            return work(rest)
    except ClientError as error:
        raise ClientgenError([_without_documents(str(error))]) from error


def _without_documents(why: str) -> Problem:
    """Say why there are none, and how to name a cluster on the command line."""
    from clientgen.runtime._config.kubeconfig import ADVICE

    reason = why.removesuffix(f"; {ADVICE}")
    hint = "" if reason == why else "Set KUBECONFIG, or give --kubeconfig FILE."
    return Problem("", f"cannot read the documents of the cluster: {reason}", hint)


def _all(group_versions: Collection[str]) -> Collection[str]:
    return group_versions


Choice = Callable[[Collection[str]], Collection[str]]
"""Which group versions, of all that a cluster serves, are to be read."""


def read_cluster(
    kubeconfig: Path | None, context: str | None, wanted: Choice = _all
) -> ClusterDocuments:
    """Read documents of a cluster: v3, or the whole v2 document where there is no v3.

    Raises:
        ClientgenError: see `connected`.
    """

    def work(rest: Rest) -> ClusterDocuments:
        documents = read_v3(rest, wanted)
        return documents or ClusterDocuments(rest.config.server, v2=_get(rest, V2))

    return connected(kubeconfig, context, work)


def read_v3(rest: Rest, wanted: Choice = _all) -> ClusterDocuments | None:
    """Read the v3 documents of group versions; None if the cluster has none.

    Raises:
        ClientError: the cluster cannot be reached or refuses.
        ClientgenError: its index is not one.
    """
    from clientgen.runtime.errors import ApiError

    server = rest.config.server
    try:
        urls = _urls(_get(rest, V3), f"{server}{V3}")
    except ApiError as error:
        if error.code in _NO_V3:
            return None
        raise
    described = {group_version(key) for key in urls}
    undescribed = {served for served in _served(rest) if served not in described}
    chosen = wanted(described | undescribed)
    documents: dict[str, bytes] = {}
    missing = dict.fromkeys(undescribed.intersection(chosen), "the server has no document for it")
    for key, url in sorted(urls.items()):
        if group_version(key) not in chosen:
            continue
        document = _document(rest, url)
        if isinstance(document, str):
            missing[group_version(key)] = document
        else:
            documents[key] = document
    unread = frozenset((described | undescribed).difference(chosen))
    return ClusterDocuments(server, documents, urls, unavailable=missing, unread=unread)


def _urls(index: bytes, shown: str) -> dict[str, str]:
    """Return the URLs of the documents of group versions, by key, without discovery documents."""
    try:
        contents: object = msgspec.json.decode(index)
    except _NOT_JSON:
        contents = None
    paths = contents.get("paths") if is_object(contents) else None
    if not is_object(paths):
        raise ClientgenError([Problem(shown, "the answer is not an index of OpenAPI v3 documents")])
    return {
        key: entry["serverRelativeURL"]
        for key, entry in paths.items()
        if group_version(key)
        and is_object(entry)
        and _URL.fullmatch(str(entry.get("serverRelativeURL")))
    }


def group_version(key: str) -> str:
    """`apps/v1` of `apis/apps/v1`, `v1` of `api/v1`; nothing of any other key."""
    match key.split("/"):
        case ["api", version] if VERSION.fits(version):
            return version
        case ["apis", group, version] if GROUP.fits(group) and VERSION.fits(version):
            return f"{group}/{version}"
        case _:
            return ""


def may_remember(rest: Rest) -> bool:
    """Return whether what this server says may be kept, and what was kept be used.

    Without TLS, or with an unverified certificate, anybody may answer.
    """
    return rest.config.is_secure and not rest.config.is_unverified


def _document(rest: Rest, url: str) -> bytes | str:
    """A document, or why it cannot be had."""
    from clientgen.runtime.errors import ApiError, TransportError

    path, _, query = url.partition("?")
    subject = f"{rest.config.server}{path}"
    is_kept = bool(query) and may_remember(rest)
    kept = recall("openapi", subject) if is_kept else None
    etag, _, text = (kept or "").partition("\n")
    if query and query == etag:
        return text.encode()
    try:
        body = _current(rest, path, query)
        msgspec.json.decode(body, type=dict)
    except ApiError as error:
        if error.code in _REFUSALS:
            raise
        return f"its server answered {error.code}: {error}"
    except TransportError as error:
        return f"its server does not answer: {error}"
    except _NOT_JSON:
        return "the response of its server is not JSON"
    if is_kept:
        remember("openapi", subject, f"{query}\n{body.decode()}")
    return body


def _current(rest: Rest, path: str, query: str) -> bytes:
    """The document with this hash, or the one that took its place meanwhile."""
    from clientgen.runtime.errors import ApiError

    try:
        return _get(rest, f"{path}?{query}" if query else path)
    except ApiError as error:
        if query and error.code == HTTPStatus.MOVED_PERMANENTLY:
            return _get(rest, path)
        raise


class _Version(msgspec.Struct):
    groupVersion: str  # noqa: N815 - as on the wire


class _Group(msgspec.Struct):
    versions: list[_Version] = []


class _Groups(msgspec.Struct):
    """The groups of discovery (APIGroupList), as far as they are needed here."""

    groups: list[_Group] = []


def _served(rest: Rest) -> Iterator[str]:
    """The group versions that discovery knows; groups without documents are found by them."""
    try:
        groups = msgspec.json.decode(_get(rest, "/apis"), type=_Groups)
    except _NOT_JSON:
        return
    for group in groups.groups:
        yield from (
            version.groupVersion
            for version in group.versions
            if group_version(f"apis/{version.groupVersion}")
        )


def _get(rest: Rest, target: str) -> bytes:
    from clientgen.runtime._http.request import HttpRequest

    return rest.send(HttpRequest("GET", target), rest.deadline({})).body
