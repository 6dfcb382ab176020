# Derived from _async/lease_client.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Reads and writes leases, one request at a time, without retries."""

# ruff: noqa: ASYNC109 - a timeout is one of the request

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .._controllers.lease_fields import LEASES, Lease, LeaseList
from .._http.request import GET, LIST, build, build_delete, build_write
from .._http.response import read_list, read_object
from .._http.write_permit import without_permit
from .._models.arguments import wrong_client
from ..errors import ClientError, Conflict, NotFound
from .rest import Rest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._clock import Clock
    from .._controllers.election import Election, LeaseRequest
    from .._http.request import HttpRequest, HttpResponse

__all__ = ["Client", "LeaseClient", "rest_of"]


class HasRest(Protocol):
    """A clientset."""

    @property
    def rest(self) -> Rest:
        """The client that all its calls go through."""
        ...


Client = Rest | HasRest
"""An object that requests can be sent with."""


def rest_of(client: Client) -> Rest:
    """Return the REST client of a clientset, or itself.

    Raises:
        TypeError: it is one of the other flavour, or no client.
    """
    rest: object = getattr(client, "rest", client)
    if not isinstance(rest, Rest):
        raise wrong_client(client)
    return rest


class LeaseClient:
    """The leases of one namespace."""

    def __init__(self, rest: Rest, namespace: str, clock: Clock) -> None:
        self._rest = rest
        self._namespace = namespace
        self._clock = clock

    def try_for(
        self,
        election: Election,
        timeout: float,
        until: float | None,
        note: Callable[[LeaseRequest, Exception], object],
    ) -> None:
        """Have a candidate do one try.

        Args:
            election: The candidate.
            timeout: How many seconds each request may take.
            until: The moment of the clock after which no other request helps.
            note: Is told of requests that failed.
        """
        clock = self._clock
        ask: LeaseRequest | None = election.attempt(clock.monotonic(), clock.now())
        while ask is not None:
            remaining = timeout if until is None else min(timeout, until - ask.sent)
            if remaining <= 0:
                return
            try:
                lease = self.send(ask, election, remaining)
            except (ClientError, OSError) as error:
                note(ask, error)
                ask = election.on_failure(ask, clock.monotonic())
            else:
                ask = election.on_response(ask, lease, clock.monotonic(), clock.now())

    def send(self, ask: LeaseRequest, election: Election, timeout: float) -> Lease | None:
        """Send a request; gives the lease, None if what is to be read is not there."""
        if ask.lease is None:
            return self.get(election.name, timeout)
        if ask.verb == "create":
            path = LEASES.collection_path(self._namespace)
            return self._write("POST", path, ask.lease, timeout)
        path = LEASES.object_path(self._namespace, election.name)
        return self._write("PUT", path, ask.lease, timeout)

    def get(self, name: str, timeout: float) -> Lease | None:
        """Read a lease, if there is one."""
        request = build("GET", LEASES.object_path(self._namespace, name), {}, GET)
        try:
            response = self._sent(request, timeout)
        except NotFound:
            return None
        return read_object(response, Lease, request, self._rest.codec)

    def list(self, label_selector: str, timeout: float) -> LeaseList:
        """Read some leases, all in the state of one moment after this was called."""
        options = {"label_selector": label_selector}
        request = build("GET", LEASES.collection_path(self._namespace), options, LIST)
        response = self._sent(request, timeout)
        return read_list(response, LeaseList, request, self._rest.codec)

    def delete(self, lease: Lease, timeout: float) -> None:
        """Remove a lease, if it is still as it was seen."""
        metadata = lease.metadata
        options = {"uid": metadata.uid, "resource_version": metadata.resource_version}
        path = LEASES.object_path(self._namespace, metadata.name)
        request = build_delete(path, options, self._rest.codec)
        self._sent(request, timeout)

    def release(self, election: Election, timeout: float) -> Lease | None:
        """Free the lease if it is the candidate's; gives it as it is then, None if it is not."""
        try:
            return self._release_once(election, timeout)
        except Conflict:  # a renewal that was cancelled has still arrived
            return self._release_once(election, timeout)

    def _release_once(self, election: Election, timeout: float) -> Lease | None:
        clock = self._clock
        lease = self.get(election.name, timeout)
        ask = election.release(lease, clock.monotonic(), clock.now())
        return self.send(ask, election, timeout) if ask else None

    def _write(self, method: str, path: str, lease: Lease, timeout: float) -> Lease:
        request = build_write(method, path, lease, {}, self._rest.codec)
        response = self._sent(request, timeout)
        return read_object(response, Lease, request, self._rest.codec)

    def _sent(self, request: HttpRequest, timeout: float) -> HttpResponse:
        deadline = self._rest.deadline({"timeout": timeout})
        with without_permit():
            return self._rest.send(request, deadline, max_retries=0)
