"""Questions to the API server about the clients of an endpoint, and a cache of its answers."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from clientgen._json import is_object

from .._http.resource import Resource
from .._models.unstructured import Unstructured

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

T = TypeVar("T")

# controller-runtime: pkg/metrics/filters.
TOKEN_SECONDS: Final = 60.0
ALLOWED_SECONDS: Final = 300.0
DENIED_SECONDS: Final = 30.0
_MAX_ENTRIES: Final = 1024

TOKEN_REVIEWS: Final = Resource(
    "authentication.k8s.io", "v1", "tokenreviews", "TokenReview", namespaced=False
)
ACCESS_REVIEWS: Final = Resource(
    "authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", namespaced=False
)


class ReviewCache(Generic[T]):
    """Answers of the API server by key, each for some time. The oldest make room for new ones."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()

    def get(self, key: Hashable, now: float) -> T | None:
        """Return an answer that is still valid; None if there is none."""
        until, value = self._entries.get(key, (now, None))
        return value if now < until else None

    def put(self, key: Hashable, value: T, until: float) -> None:
        """Store an answer until a time."""
        self._entries.pop(key, None)
        self._entries[key] = (until, value)
        while len(self._entries) > _MAX_ENTRIES:
            self._entries.popitem(last=False)


def bearer_token(headers: Mapping[str, str]) -> str:
    """Return the bearer token of a request; empty if it has none."""
    scheme, _, token = headers.get("Authorization", "").strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def token_key(token: str) -> bytes:
    """Return a key for caches, which does not tell the token."""
    return sha256(token.encode("utf-8", "surrogateescape")).digest()


def token_review(token: str) -> Unstructured:
    """Return the question whose token this is."""
    return _review(TOKEN_REVIEWS, {"token": token})


def user_of(review: Unstructured) -> dict[str, Any] | None:
    """Return the user of a token; None if the token is not valid."""
    status = review.get("status")
    user = status.get("user") if is_object(status) and status.get("authenticated") is True else None
    return user if is_object(user) and isinstance(user.get("username"), str) else None


def access_review(user: Mapping[str, Any], verb: str, path: str) -> Unstructured:
    """Return the question whether a user may request a path."""
    about = {"user": user["username"], "groups": user.get("groups"), "uid": user.get("uid")}
    attributes = {"verb": verb, "path": path}
    spec = {**about, "extra": user.get("extra"), "nonResourceAttributes": attributes}
    return _review(ACCESS_REVIEWS, {name: value for name, value in spec.items() if value})


def is_allowed(review: Unstructured) -> bool:
    """Return whether the API server has allowed the request."""
    status = review.get("status")
    return is_object(status) and status.get("allowed") is True and not status.get("denied")


def _review(resource: Resource, spec: dict[str, Any]) -> Unstructured:
    return Unstructured(apiVersion=resource.api_version, kind=resource.kind, metadata={}, spec=spec)
