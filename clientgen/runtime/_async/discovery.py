"""Discovery: reads which resources a server has, and caches them.

Two requests, `/api` and `/apis`, return all resources; older servers need a request for each group
version. The result is valid for ten minutes, and is cached on disk for other programs; after that,
a request checks whether the resources have changed. An unknown name, or a 404 for the path of a
resource, refreshes the cache, too, but at most five times a minute. client-go: discovery/cached,
and restmapper.DeferredDiscoveryRESTMapper.
"""

from __future__ import annotations

import logging
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
    is_aggregated,
    missing_paths,
    read_documents,
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
from .._models.argument_errors import public_attributes
from ..errors import (
    ApiError,
    ClientError,
    DecodeError,
    NoResourceMatch,
    NotFound,
    RequestTimeout,
    one_line,
)
from ._primitives import Lock, run_blocking, run_with_lock
from .concurrent_calls import call_for_each

if TYPE_CHECKING:
    from typing import Unpack

    from clientgen._gvk import GroupVersionKind, GroupVersionResource

    from .._clock import Clock
    from .._discovery.discovered_resources import ApiResource, DiscoveryFailure
    from .._http.call_options import CallOptions
    from ._primitives import Function
    from .rest import AsyncRest

_log = logging.getLogger("clientgen.discovery")

_NOT_MODIFIED = 304
_TASK_NAME = "clientgen-discovery"


def discovery_of(rest: AsyncRest) -> AsyncDiscovery:
    """Return the discovery of a client, which clients of the same server share."""
    return rest.shared.get_or_create(AsyncDiscovery, partial(AsyncDiscovery, rest))


class AsyncDiscovery:
    """The resources of a server.

    The first call of a method sends requests. The methods accept `timeout`, in seconds.

    Args:
        rest: the client of the server.
        clock: the clock for the age of the cache.
    """

    def __init__(self, rest: AsyncRest, *, clock: Clock = SYSTEM_CLOCK) -> None:
        self._rest = rest
        self._clock = clock
        self._server = _server_identity(rest)
        self._cache_file = _cache_file(rest, self._server)
        self._lock = Lock()
        self._limit = RefreshLimit()
        self._snapshot: Snapshot | None = None
        self._is_invalid = False
        self._is_from_disk = False
        self._known = Discovered()
        self._mapper = ResourceMapper(self._known)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._rest!r})"

    def __dir__(self) -> list[str]:
        """List the public attributes."""
        return public_attributes(self, "find", "has_changed", "confirm")

    @property
    def failures(self) -> tuple[DiscoveryFailure, ...]:
        """The group versions that the last discovery could not read, and why.

        Usually, the server behind an APIService, such as a metrics server, is not available.
        """
        return self._known.failures

    def invalidate(self) -> None:
        """Make the next call refresh the cache, because the resources have changed."""
        self._is_invalid = True

    async def api_resources(
        self, *, all_versions: bool = False, **options: Unpack[CallOptions]
    ) -> list[ApiResource]:
        """List the resources of the server, in its order, as `kubectl api-resources` does.

        Resources of groups that are not available are missing; see `failures`.

        Args:
            all_versions: list a resource once for each version, not only in its preferred version.
            options: see `GetOptions`.

        Raises:
            ApiError, TransportError: the server responded with an error, or not at all.
            DecodeError: the response is not a discovery document.
        """
        await self._load(self._rest.deadline(options))
        return list(self._known.resources) if all_versions else self._mapper.preferred()

    async def resource(
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
            NoResourceMatch: the server has no such resource.
            DiscoveryFailed: the group of the resource is not available now.
            AmbiguousResource: the name matches several resources, such as the name of a category.
            ApiError, TransportError, DecodeError: as `api_resources`.
            ValueError, TypeError: the name is not valid.
        """
        return await self.find(name, self._rest.deadline(options))

    async def resources(self, names: str, **options: Unpack[CallOptions]) -> list[ApiResource]:
        """Find the resources of a category such as `all`, or of several names: `deploy,sts`.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource: as `resource`.
            ApiError, TransportError, DecodeError, ValueError, TypeError: as `resource`.
        """
        deadline = self._rest.deadline(options)
        is_new = await self._load(deadline)
        try:
            return self._mapper.resources(names)
        except NoResourceMatch:
            if is_new or not await self._reload(deadline):
                raise
        return self._mapper.resources(names)

    async def find(
        self, name: str | GroupVersionKind | GroupVersionResource, deadline: float | None
    ) -> ApiResource:
        """Find a resource like `resource`, with a deadline."""
        is_new = await self._load(deadline)
        try:
            return self._mapper.resource(name)
        except NoResourceMatch:
            if is_new or not await self._reload(deadline):
                raise
        return self._mapper.resource(name)

    async def has_changed(self, path: str, deadline: float | None) -> bool:
        """Return whether a path, which got a 404, no longer belongs to a resource.

        This refreshes the cache, at most five times a minute. Returns False if there was no
        discovery yet.

        Raises:
            ApiError, TransportError, DecodeError: as `api_resources`.
        """
        if self._snapshot is None:
            return False
        if not self._known.has_path(path):  # another call has refreshed the cache meanwhile
            return True
        return await self._reload(deadline) and not self._known.has_path(path)

    async def confirm(self, deadline: float | None) -> None:
        """Ensure that the resources come from the server, not from the cache on disk.

        Raises:
            ApiError, TransportError, DecodeError: as `api_resources`.
        """
        await self._load(deadline)
        if self._is_from_disk:
            self.invalidate()
            await self._load(deadline)

    # ---- the cache ----------------------------------------------------------------------------

    async def _load(self, deadline: float | None) -> bool:
        """Refresh the cache if it is empty or too old. Returns whether requests were sent."""
        if self._is_current():
            return False
        return await self._with_lock(partial(self._load_locked, deadline), deadline)

    async def _reload(self, deadline: float | None) -> bool:
        """Refresh the cache because of an unknown name. Returns whether it was refreshed."""
        before = self._snapshot
        return await self._with_lock(partial(self._reload_locked, before, deadline), deadline)

    async def _with_lock(self, work: Function[[], bool], deadline: float | None) -> bool:
        try:
            return await run_with_lock(self._lock, work, self._rest.real_deadline(deadline))
        except RequestTimeout:
            raise
        except TimeoutError:
            raise RequestTimeout("the deadline passed during discovery") from None

    def _is_current(self) -> bool:
        snapshot = self._snapshot
        return snapshot is not None and not self._is_invalid and snapshot.is_fresh(self._now())

    def _now(self) -> float:
        return self._clock.now().timestamp()

    async def _load_locked(self, deadline: float | None) -> bool:
        if self._is_current():
            return False
        if self._snapshot is None and self._cache_file is not None:
            await self._read_file(self._cache_file)
            if self._is_current():
                return False
        await self._discover(deadline)
        return True

    async def _reload_locked(self, before: Snapshot | None, deadline: float | None) -> bool:
        if self._snapshot is not before:
            return True  # another call has refreshed the cache meanwhile
        if not self._limit.allows(self._clock.monotonic()):
            return False
        await self._discover(deadline)
        return True

    # ---- requests -----------------------------------------------------------------------------

    async def _discover(self, deadline: float | None) -> None:
        old = self._snapshot
        time = self._now()
        self._is_invalid = False
        try:
            documents: dict[str, Document] = await call_for_each(
                ROOTS, partial(self._request_root, old, deadline), _TASK_NAME
            )
            more = missing_paths(documents)
            documents |= await call_for_each(
                more, partial(self._request_group_version, deadline), _TASK_NAME
            )
            known = read_documents(documents)
        except BaseException:
            self._is_invalid = True
            raise
        self._is_from_disk = False
        for failure in known.failures:
            _log.warning("discovery of %s", failure)
        self._adopt(Snapshot(self._server, time, list(documents.values())), known)
        if self._cache_file is not None:
            await run_blocking(
                partial(_write_cache_file, self._cache_file, cast("Snapshot", self._snapshot))
            )

    def _adopt(self, snapshot: Snapshot, known: Discovered) -> None:
        self._known = known
        self._mapper = ResourceMapper(known)
        self._snapshot = snapshot

    async def _request_root(
        self, old: Snapshot | None, deadline: float | None, path: str
    ) -> Document:
        """Request all resources at once; an ETag avoids sending unchanged documents."""
        etag = old.etag(path) if old else ""
        headers = (("Accept", ACCEPT), *((("If-None-Match", etag),) if etag else ()))
        try:
            response = await self._rest.send(HttpRequest("GET", path, headers), deadline)
        except NotFound:
            if path != ROOTS[0]:
                raise
            return Document(path, failure="not found")  # some servers have no core group
        except ApiError as error:
            if error.code != _NOT_MODIFIED or not etag or old is None:
                raise
            return old.by_path()[path]
        return Document(
            path,
            _checked_json(path, response.body),
            response.headers.get("etag", ""),
            is_aggregated(response.headers.get("content-type", "")),
        )

    async def _request_group_version(self, deadline: float | None, path: str) -> Document:
        """Request one group version. An error is recorded in the document."""
        request = HttpRequest("GET", path, (("Accept", PLAIN),))
        try:
            response = await self._rest.send(request, deadline)
            return Document(path, _checked_json(path, response.body))
        except RequestTimeout:
            raise
        except ClientError as error:
            return Document(path, failure=one_line(str(error)))

    # ---- on disk ------------------------------------------------------------------------------

    async def _read_file(self, path: Path) -> None:
        snapshot = await run_blocking(partial(_read_cache_file, path, self._server))
        if snapshot is None:
            return
        try:
            documents = snapshot.by_path()
            if missing_paths(documents) or not all(root in documents for root in ROOTS):
                return
            self._adopt(snapshot, read_documents(documents))
            self._is_from_disk = True
        except DecodeError as error:
            _log.debug("%s is ignored: %s", path, error)


def _checked_json(path: str, body: bytes) -> Raw:
    """Check that a body is JSON, so that it can be embedded in the cache file.

    Raises:
        DecodeError: the body is not a JSON object.
    """
    try:
        _object_decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DecodeError(f"{path} is not a discovery document: {one_line(str(error))}") from None
    return Raw(body)


# Created at import, because threads that create the first decoder of a type at once may crash.
_object_decoder = msgspec.json.Decoder(dict[str, Raw])


def _server_identity(rest: AsyncRest) -> str:
    """Return the identity of a server: its address and its certificate authority."""
    from hashlib import sha256

    tls = rest.config.tls
    authority = sha256(tls.ca_data).hexdigest() if tls.ca_data else tls.ca_file
    return f"{rest.config.server} {tls.server_name} {authority}"


def _cache_file(rest: AsyncRest, server: str) -> Path | None:
    """Return the cache file of a server; None for no cache on disk.

    Without TLS verification, an attacker may respond. So the cache on disk is neither written nor
    read, and forged responses do not reach other programs.
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


def _read_cache_file(path: Path, server: str) -> Snapshot | None:
    from .._config.private_files import read_private

    content = read_private(path, MAX_SNAPSHOT_BYTES)
    return None if content is None else read_snapshot(content, server)


def _write_cache_file(path: Path, snapshot: Snapshot) -> None:
    from .._config.private_files import write_private

    content = snapshot.encode()
    if len(content) > MAX_SNAPSHOT_BYTES or not write_private(path, content):
        _log.debug("%s cannot be written", path)
