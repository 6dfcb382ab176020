"""Access control: reviews, roles, tokens.

Facts: docs/internals/kubernetes-semantics.md, 1.9 and 1.10.
"""

from .bootstrap import bootstrap_objects
from .callers import ADMIN, Caller, caller_of, service_account, sign_request
from .escalation import check_grants
from .reviews import REVIEWS, review
from .rules import Access, authorize, selects
from .tokens import ISSUER, Tokens

__all__ = [
    "ADMIN",
    "ISSUER",
    "REVIEWS",
    "Access",
    "Caller",
    "Tokens",
    "authorize",
    "bootstrap_objects",
    "caller_of",
    "check_grants",
    "review",
    "selects",
    "service_account",
    "sign_request",
]
