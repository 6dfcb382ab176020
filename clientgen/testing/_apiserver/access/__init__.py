"""Access control: reviews, roles, tokens.

Facts: docs/internals/kubernetes-semantics.md, 1.9 and 1.10.
"""

from clientgen._rbac.access import Access
from clientgen._rbac.authorizer import aggregated_rules, ask, authorize
from clientgen._rbac.callers import Caller, service_account

from .access_reviews import REVIEWS, review
from .bootstrap import bootstrap_objects
from .escalation import check_grants
from .request_caller import ADMIN, caller_of, sign_request
from .tokens import ISSUER, Tokens

__all__ = [
    "ADMIN",
    "ISSUER",
    "REVIEWS",
    "Access",
    "Caller",
    "Tokens",
    "aggregated_rules",
    "ask",
    "authorize",
    "bootstrap_objects",
    "caller_of",
    "check_grants",
    "review",
    "service_account",
    "sign_request",
]
