"""OpenID discovery documents: the issuer of service account tokens, and its keys.

https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery.
Tokens here are signed with a secret: there are no keys that others could check them by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json

from clientgen._apimachinery.failures import Failure, method_not_allowed

from ..access import ISSUER
from ..responses.answers import Response
from .document_answer import media_types

if TYPE_CHECKING:
    from .document_answer import Asked

_KEY_SET: Final = "application/jwk-set+json"
_CONFIGURATION: Final = {
    "issuer": ISSUER,
    "jwks_uri": f"{ISSUER}/openid/v1/jwks",
    "response_types_supported": ["id_token"],
    "subject_types_supported": ["public"],
    "id_token_signing_alg_values_supported": ["HS256"],
}


def configuration(asked: Asked) -> Response:
    """Answer `/.well-known/openid-configuration`."""
    return _answer(asked, _CONFIGURATION, "application/json")


def keys(asked: Asked) -> Response:
    """Answer `/openid/v1/jwks`: an empty set."""
    return _answer(asked, {"keys": []}, _KEY_SET)


def _answer(asked: Asked, value: dict[str, Any], media: str) -> Response:
    """The document.

    Raises:
        Failure: 405 for another method than GET, 406 for a client that cannot read it.
    """
    if asked.method != "GET":
        raise method_not_allowed()
    if asked.accept.strip() and {media, "application/*", "*/*"}.isdisjoint(
        media_types(asked.accept)
    ):
        message = f"406: Not Acceptable\n\nAvailable representations: {media}"
        raise Failure(406, "NotAcceptable", message)
    cached = ("cache-control", "public, max-age=3600")
    return Response(200, json.encode(value), [("content-type", media), cached])
