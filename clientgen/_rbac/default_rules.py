"""The roles that a cluster binds to everybody who is authenticated: discovery and self reviews.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .access import Access


def _create(group: str, *resources: str) -> dict[str, Any]:
    return {"verbs": ["create"], "apiGroups": [group], "resources": [*resources]}


def _get(*paths: str) -> dict[str, Any]:
    return {"verbs": ["get"], "nonResourceURLs": [*paths]}


_DISCOVERY: Final = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*")
_HEALTH: Final = ("/healthz", "/livez", "/readyz", "/version", "/version/")
_ISSUER: Final = ("/.well-known/openid-configuration", "/openid/v1/jwks")

ROLES_OF_EVERYBODY: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "system:basic-user": (
        _create("authorization.k8s.io", "selfsubjectaccessreviews", "selfsubjectrulesreviews"),
        _create("authentication.k8s.io", "selfsubjectreviews"),
    ),
    "system:discovery": (_get(*sorted((*_DISCOVERY, *_HEALTH))),),
    "system:public-info-viewer": (_get(*_HEALTH),),
    "system:service-account-issuer-discovery": (
        _get(*(each for path in _ISSUER for each in (path, f"{path}/"))),
    ),
}
"""The rules of these roles. All but the last are bound to users; that one to service accounts."""

_RULES: Final = tuple(rule for rules in ROLES_OF_EVERYBODY.values() for rule in rules)


def is_free(access: Access) -> bool:
    """Return whether every service account may do it without a role of its own."""
    return any(access.fits(rule) for rule in _RULES)
