# Derived from _async/lease_candidate.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Keeps the LeaseCandidate of an elector, by which the API server chooses the leader."""

# ruff: noqa: ASYNC109 - each request has a timeout

from __future__ import annotations

from typing import TYPE_CHECKING

from .._controllers.coordination import LEASE_CANDIDATES, LeaseCandidate
from .._http.request import GET, build, build_delete, build_write
from .._http.response import read_object
from .._http.write_permit import without_permit
from ..errors import NotFound

if TYPE_CHECKING:
    from .._clock import Clock
    from .._controllers.coordination import Candidacy
    from .._http.request import HttpRequest, HttpResponse
    from .rest import Rest


class CandidateKeeper:
    """The LeaseCandidate of one elector.

    Args:
        rest: The client.
        candidacy: The rules of the candidate.
        clock: The clock of the elector.
    """

    def __init__(self, rest: Rest, candidacy: Candidacy, clock: Clock) -> None:
        self._rest = rest
        self._candidacy = candidacy
        self._clock = clock

    def keep(self, timeout: float) -> bool:
        """Create the LeaseCandidate, or renew it if it is time or the server asks for it.

        Returns False if the server does not serve LeaseCandidates.

        Raises:
            ClientError: A request failed.
        """
        candidacy, clock = self._candidacy, self._clock
        before = self._get(timeout)
        wanted = candidacy.write(before, clock.monotonic(), clock.now())
        if wanted is None:
            return True
        sent = clock.monotonic()
        try:
            self._write(wanted, timeout, is_new=before is None)
        except NotFound:
            # The name of a new object is not looked up: the resource is missing, or the namespace.
            return before is not None
        candidacy.on_written(sent)
        return True

    def withdraw(self, timeout: float) -> None:
        """Delete the LeaseCandidate, so that the server does not choose a program that has ended.

        Raises:
            ClientError: The request failed.
        """
        request = build_delete(self._path, {}, self._rest.codec)
        try:
            self._send(request, timeout)
        except NotFound:
            return

    @property
    def _path(self) -> str:
        return LEASE_CANDIDATES.object_path(self._candidacy.namespace, self._candidacy.name)

    def _get(self, timeout: float) -> LeaseCandidate | None:
        request = build("GET", self._path, {}, GET)
        try:
            response = self._send(request, timeout)
        except NotFound:
            return None
        return read_object(response, LeaseCandidate, request, self._rest.codec)

    def _write(self, candidate: LeaseCandidate, timeout: float, *, is_new: bool) -> None:
        path = LEASE_CANDIDATES.collection_path(self._candidacy.namespace)
        method, path = ("POST", path) if is_new else ("PUT", self._path)
        self._send(build_write(method, path, candidate, {}, self._rest.codec), timeout)

    def _send(self, request: HttpRequest, timeout: float) -> HttpResponse:
        deadline = self._rest.deadline({"timeout": timeout})
        with without_permit():
            return self._rest.send(request, deadline, max_retries=0)
