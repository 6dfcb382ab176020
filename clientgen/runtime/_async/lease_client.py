"""Reads and writes leases, one request at a time, without retries."""

# ruff: noqa: ASYNC109 - each request has a timeout

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .._controllers.lease_fields import LEASES, Lease, LeaseList
from .._http.request import GET, LIST, build, build_delete, build_write
from .._http.response import read_list, read_object
from .._http.write_permit import without_permit
from .._models.arguments import wrong_client
from ..errors import ClientError, Conflict, NotFound
from .rest import AsyncRest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock
    from .._controllers.election import Election, LeaseRequest
    from .._http.request import HttpRequest, HttpResponse


class AsyncHasRest(Protocol):
    """A clientset."""

    @property
    def rest(self) -> AsyncRest:
        """The REST client of all calls of the clientset."""
        ...


AsyncClient = AsyncRest | AsyncHasRest
"""A REST client, or a clientset."""


def rest_of(client: AsyncClient) -> AsyncRest:
    """Return the REST client of a clientset; a REST client is returned as it is.

    Raises:
        TypeError: the argument is not a client, or is a client of the other flavour.
    """
    rest: object = getattr(client, "rest", client)
    if not isinstance(rest, AsyncRest):
        raise wrong_client(client)
    return rest


class AsyncLeaseClient:
    """The leases of one namespace.

    Raises:
        ValueError: writes of the client are dry runs, so that no candidate would hold a lease.
    """

    def __init__(self, rest: AsyncRest, namespace: str, clock: Clock) -> None:
        if rest.write_defaults.get("dry_run"):
            raise ValueError("leases need a client that writes: not one of with_(dry_run=True)")
        self._rest = rest
        self._namespace = namespace
        self._clock = clock

    async def attempt(
        self,
        election: Election,
        timeout: float,
        until: float | None,
        note: Callable[[LeaseRequest, Exception], object],
    ) -> None:
        """Make one attempt of a candidate: send requests until the election needs no more.

        Args:
            election: The candidate.
            timeout: The seconds that each request may take.
            until: The time of the clock at which the attempt ends; None for no limit.
            note: Called with each failed request and its error.
        """
        clock = self._clock
        request: LeaseRequest | None = election.attempt(clock.monotonic(), clock.now())
        while request is not None:
            remaining = timeout if until is None else min(timeout, until - request.sent)
            if remaining <= 0:
                return
            try:
                lease = await self.send(request, election, remaining)
            except (ClientError, OSError) as error:
                note(request, error)
                request = election.on_failure(request, clock.monotonic())
            else:
                request = election.on_response(request, lease, clock.monotonic(), clock.now())

    async def send(self, request: LeaseRequest, election: Election, timeout: float) -> Lease | None:
        """Send a request, and return the lease; None if the lease to read does not exist."""
        if request.lease is None:
            return await self.get(election.name, timeout)
        if request.verb == "create":
            path = LEASES.collection_path(self._namespace)
            return await self._write("POST", path, request.lease, timeout)
        path = LEASES.object_path(self._namespace, election.name)
        return await self._write("PUT", path, request.lease, timeout)

    async def get(self, name: str, timeout: float) -> Lease | None:
        """Read a lease; None if it does not exist."""
        request = build("GET", LEASES.object_path(self._namespace, name), {}, GET)
        try:
            response = await self._send_without_retries(request, timeout)
        except NotFound:
            return None
        return read_object(response, Lease, request, self._rest.codec)

    async def list(self, label_selector: str, timeout: float) -> LeaseList:
        """List leases in a consistent state that is not older than this call."""
        options = {"label_selector": label_selector}
        request = build("GET", LEASES.collection_path(self._namespace), options, LIST)
        response = await self._send_without_retries(request, timeout)
        return read_list(response, LeaseList, request, self._rest.codec)

    async def delete(self, lease: Lease, timeout: float) -> None:
        """Delete a lease, unless it was changed since it was read."""
        metadata = lease.metadata
        options = {"uid": metadata.uid, "resource_version": metadata.resource_version}
        path = LEASES.object_path(self._namespace, metadata.name)
        request = build_delete(path, options, self._rest.codec)
        await self._send_without_retries(request, timeout)

    async def release(self, election: Election, timeout: float) -> Lease | None:
        """Release the lease if the candidate holds it. Returns the released lease, or None."""
        try:
            return await self._release_once(election, timeout)
        except Conflict:  # a cancelled renewal may have reached the server
            return await self._release_once(election, timeout)

    async def _release_once(self, election: Election, timeout: float) -> Lease | None:
        clock = self._clock
        lease = await self.get(election.name, timeout)
        request = election.release(lease, clock.monotonic(), clock.now())
        return await self.send(request, election, timeout) if request else None

    async def _write(self, method: str, path: str, lease: Lease, timeout: float) -> Lease:
        request = build_write(method, path, lease, {}, self._rest.codec)
        response = await self._send_without_retries(request, timeout)
        return read_object(response, Lease, request, self._rest.codec)

    async def _send_without_retries(self, request: HttpRequest, timeout: float) -> HttpResponse:
        deadline = self._rest.deadline({"timeout": timeout})
        with without_permit():
            return await self._rest.send(request, deadline, max_retries=0)
