# Derived from _async/certificates.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Decisions on CertificateSigningRequests, as `kubectl certificate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from .._cache.not_found import check_same_object
from .._http.path_segments import uid_in
from .._models.unstructured import Object, Unstructured
from .._recipes.certificate_approval import (
    APPROVED,
    CERTIFICATE_MESSAGE,
    CERTIFICATE_REQUESTS,
    DENIED,
    MAX_CONFLICTS,
    decided,
)
from .._recipes.rollouts import resource_of
from ..errors import Conflict
from .recipe_target import RecipeTarget, any_client

if TYPE_CHECKING:
    from .lease_client import Client

T = TypeVar("T", bound=Object)


def certificate_approve(
    k: Client,
    request: type[T] | T,
    name: str | None = None,
    *,
    reason: str = APPROVED,
    message: str = "",
    force: bool = False,
) -> T:
    """Approve a CertificateSigningRequest, as `kubectl certificate approve`.

    Returns the request as the server has it then. A signer issues the certificate later.

    Args:
        k: The clientset, or its `rest`.
        request: The request; or its class, followed by the name.
        name: The name, if `request` is a class.
        reason: The reason of the condition, which is a word.
        message: The message of the condition; by default it names the field manager of the client.
        force: Update the request even if it is approved already.

    Raises:
        OperationRefused: The request was denied.
        NotFound: The request does not exist, or another request has the name of the given object.
    """
    decision = _Decision("certificate_approve", k, request, name)
    return cast("T", decision.send(APPROVED, reason, message, force=force))


def certificate_deny(
    k: Client,
    request: type[T] | T,
    name: str | None = None,
    *,
    reason: str = DENIED,
    message: str = "",
    force: bool = False,
) -> T:
    """Deny a CertificateSigningRequest, as `kubectl certificate deny`.

    Returns the request as the server has it then.

    Args:
        k: The clientset, or its `rest`.
        request: The request; or its class, followed by the name.
        name: The name, if `request` is a class.
        reason: The reason of the condition, which is a word.
        message: The message of the condition; by default it names the field manager of the client.
        force: Update the request even if it is denied already.

    Raises:
        OperationRefused: The request was approved.
        NotFound: The request does not exist, or another request has the name of the given object.
    """
    decision = _Decision("certificate_deny", k, request, name)
    return cast("T", decision.send(DENIED, reason, message, force=force))


class _Decision:
    """The decision on one request."""

    def __init__(self, call: str, k: Client, request: object, name: str | None) -> None:
        resource = resource_of(request, call, CERTIFICATE_REQUESTS, CERTIFICATE_MESSAGE)
        self._target = RecipeTarget(call, k, resource, request, name, namespace=None)
        # An approval of an object is for that request, and not for a later one with its name.
        self._given = None if isinstance(request, type) or not uid_in(request) else request

    def send(self, verdict: str, reason: str, message: str, *, force: bool) -> Any:
        """Add a condition to the request. Retries on conflict.

        Raises:
            OperationRefused: The request has the other verdict.
        """
        target = self._target
        clock, manager = target.rest.clock, target.rest.field_manager
        message = message or f"This request was {verdict.lower()} by {manager}."
        for attempt in range(MAX_CONFLICTS + 1):
            request = self._read()
            body = decided(request, verdict, reason, message, clock.now(), force=force)
            if body is None:
                break
            part = target.client.subresource(target.name, "approval", Unstructured)
            try:
                part.update(Unstructured(body))
                break
            except Conflict:
                if attempt == MAX_CONFLICTS:
                    raise
        return target.client.get(target.name)

    def _read(self) -> Unstructured:
        target = self._target
        found = any_client(target.rest, target.resource, None).get(target.name)
        if self._given is not None:
            check_same_object(target.resource, found, self._given)
        return found
