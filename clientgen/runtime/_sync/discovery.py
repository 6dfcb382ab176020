# Derived from _async/discovery.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Asks a server which resources it has, and remembers the answer.

A server is asked by one pair of requests: `/api` and `/apis`, with everything in the answers. An
older one is asked for each group version. The answer counts for ten minutes, and is kept on disk
for other programs; after that the server is asked whether anything has changed. A name that is not
there makes the client ask again, too, but not more than five times a minute. So does a 404 for the
path of a resource: what was known may be no longer true. client-go:
discovery/cached, and restmapper.DeferredDiscoveryRESTMapper.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Raw

from .._clock import SYSTEM_CLOCK
from .._discovery.discovered_resources import Discovered
from .._discovery.discovery_documents import (
    ACCEPT,
    PLAIN,
    ROOTS,
    Document,
    discovered,
    is_aggregated,
    missing_paths,
)
from .._discovery.mapper import ResourceMapper
from .._discovery.snapshots import (
    MAX_SNAPSHOT_BYTES,
    RefreshLimit,
    Snapshot,
    file_name,
    read_snapshot,
)
from .._http.request import HttpRequest
from ..errors import (
    ApiError,
    ClientError,
    DecodeError,
    NoResourceMatch,
    NotFound,
    RequestTimeout,
    one_line,
)
from ._primitives import Lock, holding, run_blocking, spawn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from clientgen._gvk import GroupVersionKind, GroupVersionResource

    from .._clock import Clock
    from .._discovery.discovered_resources import ApiResource, DiscoveryFailure
    from .._http.call_options import CallOptions
    from ._primitives import Function
    from .rest import Rest

__all__ = ["Discovery", "discovery_of"]

_log = logging.getLogger("clientgen.discovery")

_NOT_MODIFIED = 304
# The most documents to ask for at the same time.
_AT_ONCE = 8


def discovery_of(rest: Rest) -> Discovery:
    """Return the discovery that all clients of a server share."""
    return rest.shared.get_or_create(Discovery, partial(Discovery, rest))


class Discovery:
    """Which resources a server has.

    No request is made until something is asked for. The methods take `timeout`, in seconds.

    Args:
        rest: the client of the server.
        clock: tells how old an answer is.
    """

    def __init__(self, rest: Rest, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._rest = rest
        self._clock = clock
        self._server = _identity(rest)
        self._file = _file(rest, self._server)
        self._lock = Lock()
        self._limit = RefreshLimit()
        self._snapshot: Snapshot | None = None
        self._must_ask = False
        self._is_hearsay = False
        self._known = Discovered()
        self._mapper = ResourceMapper(self._known)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._rest!r})"

    @property
    def failures(self) -> tuple[DiscoveryFailure, ...]:
        """The group versions that could not be read when the server was asked last, and why.

        Their API servers are not available: those behind an APIService, such as a metrics server.
        """
        return self._known.failures

    def invalidate(self) -> None:
        """Ask the server before the next answer, because something has changed."""
        self._must_ask = True

    def api_resources(
        self, *, all_versions: bool = False, **options: Unpack[CallOptions]
    ) -> list[ApiResource]:
        """List the resources that the server has, in its order, as `kubectl api-resources` does.

        Resources of groups that are not available are missing; see `failures`.

        Args:
            all_versions: list a resource once for each version, not only in its preferred one.
            options: see `GetOptions`.

        Raises:
            ApiError, TransportError: the server did not answer.
            DecodeError: the answer is not what a server answers.
        """
        self._load(self._rest.deadline(options))
        return list(self._known.resources) if all_versions else self._mapper.preferred()

    def resource(
        self,
        name: str | GroupVersionKind | GroupVersionResource,
        **options: Unpack[CallOptions],
    ) -> ApiResource:
        """Find a resource by name, by kubectl's rules.

        Args:
            name: a plural, a singular, a short name or a kind: `deployments`, `deploy`,
                `Deployment`, `deployments.apps`, `deployments.v1.apps`, `apps/v1/Deployment`; or
                the group, version and kind.
            options: see `GetOptions`.

        Raises:
            NoResourceMatch: the server has none.
            DiscoveryFailed: it would be in a group that is not available now.
            AmbiguousResource: there are several, such as for a category.
            ApiError, TransportError, DecodeError: as `api_resources`.
            ValueError, TypeError: it is no name.
        """
        return self.find(name, self._rest.deadline(options))

    def resources(self, names: str, **options: Unpack[CallOptions]) -> list[ApiResource]:
        """Find the resources of a category such as `all`, or of several names: `deploy,sts`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource, ApiError, TransportError,
                DecodeError, ValueError, TypeError: as `resource`.
        """
        deadline = self._rest.deadline(options)
        is_new = self._load(deadline)
        try:
            return self._mapper.resources(names)
        except NoResourceMatch:
            if is_new or not self._reload(deadline):
                raise
        return self._mapper.resources(names)

    def find(
        self, name: str | GroupVersionKind | GroupVersionResource, deadline: float | None
    ) -> ApiResource:
        """The same as `resource`, with a moment by which to be done."""
        is_new = self._load(deadline)
        try:
            return self._mapper.resource(name)
        except NoResourceMatch:
            if is_new or not self._reload(deadline):
                raise
        return self._mapper.resource(name)

    def has_changed(self, path: str, deadline: float | None) -> bool:
        """Tell whether a path is that of no resource any more, after a 404 for it.

        The server is asked again, but not more than five times a minute. Nothing has changed if it
        was never asked.

        Raises:
            ApiError, TransportError, DecodeError: as `api_resources`.
        """
        if self._snapshot is None:
            return False
        if not self._known.has(path):  # another call has asked meanwhile
            return True
        return self._reload(deadline) and not self._known.has(path)

    def confirm(self, deadline: float | None) -> None:
        """See to it that the server itself was asked: what others left on disk may be untrue.

        Raises:
            ApiError, TransportError, DecodeError: as `api_resources`.
        """
        self._load(deadline)
        if self._is_hearsay:
            self.invalidate()
            self._load(deadline)

    # ---- when to ask --------------------------------------------------------------------------

    def _load(self, deadline: float | None) -> bool:
        """Make sure that something is known and not too old; gives whether a server was asked."""
        if self._is_current():
            return False
        return self._locked(partial(self._load_locked, deadline), deadline)

    def _reload(self, deadline: float | None) -> bool:
        """Ask again because a name is not there; gives whether the server was asked."""
        before = self._snapshot
        return self._locked(partial(self._reload_locked, before, deadline), deadline)

    def _locked(self, work: Function[[], bool], deadline: float | None) -> bool:
        try:
            return holding(self._lock, work, self._rest.real_deadline(deadline))
        except RequestTimeout:
            raise
        except TimeoutError:
            raise RequestTimeout("the deadline passed during discovery") from None

    def _is_current(self) -> bool:
        snapshot = self._snapshot
        return snapshot is not None and not self._must_ask and snapshot.is_fresh(self._now())

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _load_locked(self, deadline: float | None) -> bool:
        if self._is_current():
            return False
        if self._snapshot is None and self._file is not None:
            self._read_file(self._file)
            if self._is_current():
                return False
        self._ask(deadline)
        return True

    def _reload_locked(self, before: Snapshot | None, deadline: float | None) -> bool:
        if self._snapshot is not before:
            return True  # another call has asked meanwhile
        if not self._limit.allows(self._clock.monotonic()):
            return False
        self._ask(deadline)
        return True

    # ---- asking -------------------------------------------------------------------------------

    def _ask(self, deadline: float | None) -> None:
        old = self._snapshot
        time = self._now()
        self._must_ask = False
        try:
            documents = self._each(ROOTS, partial(self._root, old, deadline))
            more = missing_paths(documents)
            documents |= self._each(more, partial(self._group_version, deadline))
            known = discovered(documents)
        except BaseException:
            self._must_ask = True
            raise
        self._is_hearsay = False
        for failure in known.failures:
            _log.warning("discovery of %s", failure)
        self._adopt(Snapshot(self._server, time, list(documents.values())), known)
        if self._file is not None:
            run_blocking(partial(_write, self._file, cast("Snapshot", self._snapshot)))

    def _adopt(self, snapshot: Snapshot, known: Discovered) -> None:
        self._known = known
        self._mapper = ResourceMapper(known)
        self._snapshot = snapshot

    def _root(self, old: Snapshot | None, deadline: float | None, path: str) -> Document:
        """Ask for everything at once, unless it is what is known already."""
        etag = old.etag(path) if old else ""
        headers = (("Accept", ACCEPT), *((("If-None-Match", etag),) if etag else ()))
        try:
            response = self._rest.send(HttpRequest("GET", path, headers), deadline)
        except NotFound:
            if path != ROOTS[0]:
                raise
            return Document(path, failure="not found")  # as of servers that have no core group
        except ApiError as error:
            if error.code != _NOT_MODIFIED or not etag or old is None:
                raise
            return old.by_path()[path]
        return Document(
            path,
            _json(path, response.body),
            response.headers.get("etag", ""),
            is_aggregated(response.headers.get("content-type", "")),
        )

    def _group_version(self, deadline: float | None, path: str) -> Document:
        """Ask for one group version. That it is not available is no error of the others."""
        request = HttpRequest("GET", path, (("Accept", PLAIN),))
        try:
            response = self._rest.send(request, deadline)
            return Document(path, _json(path, response.body))
        except RequestTimeout:
            raise
        except ClientError as error:
            return Document(path, failure=one_line(str(error)))

    def _each(self, paths: Iterable[str], ask: Function[[str], Document]) -> dict[str, Document]:
        """Ask for several documents, some of them at the same time."""
        waiting = list(paths)[::-1]
        order = waiting[::-1]
        answers: dict[str, Document] = {}
        errors: list[BaseException] = []

        def work() -> None:
            while waiting and not errors:
                with suppress(IndexError):  # another one may have taken the last
                    path = waiting.pop()
                    try:
                        answers[path] = ask(path)
                    except BaseException as error:  # noqa: BLE001 - raised by who waits for it
                        errors.append(error)

        tasks = [spawn(work, "clientgen-discovery") for _ in order[:_AT_ONCE]]
        try:
            for task in tasks:
                task.join()
        finally:
            for task in tasks:
                if not task.done:
                    task.cancel()
                    task.join()
        if errors:
            raise errors[0]
        return {path: answers[path] for path in order}

    # ---- on disk ------------------------------------------------------------------------------

    def _read_file(self, path: Path) -> None:
        snapshot = run_blocking(partial(_read, path, self._server))
        if snapshot is None:
            return
        try:
            documents = snapshot.by_path()
            if missing_paths(documents) or not all(root in documents for root in ROOTS):
                return
            self._adopt(snapshot, discovered(documents))
            self._is_hearsay = True
        except DecodeError as error:
            _log.debug("%s is ignored: %s", path, error)


def _json(path: str, body: bytes) -> Raw:
    """Return a body that is JSON, so that it can be kept as a part of JSON.

    Raises:
        DecodeError: it is none.
    """
    try:
        _anything.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"{path} is not a discovery document: {one_line(str(error))}") from None
    return Raw(body)


# Made once: threads that make the first decoder of a type at the same time may crash.
_anything = msgspec.json.Decoder(dict[str, Raw])


def _identity(rest: Rest) -> str:
    """Return what tells a server from another one, also from a later one at the same address."""
    from hashlib import sha256

    tls = rest.config.tls
    authority = sha256(tls.ca_data).hexdigest() if tls.ca_data else tls.ca_file
    return f"{rest.config.server} {tls.server_name} {authority}"


def _file(rest: Rest, server: str) -> Path | None:
    """Return where the documents of a server are kept; None for nowhere.

    Who answers over a connection that is not verified may be anybody. What he says is not kept for
    the connections of other programs, which may be verified. He is not compared with what is kept
    either.
    """
    option: Any = rest.discovery_cache
    config = rest.config
    if option is False or (option is True and not config.is_secure):
        return None
    if config.is_unverified:
        return None
    if option is not True:
        return Path(option) / file_name(server)
    from clientgen._cache_folder import user_cache

    try:
        return user_cache() / "discovery" / file_name(server)
    except RuntimeError:
        return None


def _read(path: Path, server: str) -> Snapshot | None:
    from .._config.private_files import read_private

    content = read_private(path, MAX_SNAPSHOT_BYTES)
    return None if content is None else read_snapshot(content, server)


def _write(path: Path, snapshot: Snapshot) -> None:
    from .._config.private_files import write_private

    content = snapshot.encode()
    if len(content) > MAX_SNAPSHOT_BYTES or not write_private(path, content):
        _log.debug("%s cannot be written", path)
