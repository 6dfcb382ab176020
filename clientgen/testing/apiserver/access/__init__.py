"""Who may do what: reviews, roles, tokens (fact sheets 1.9 and 1.10)."""

from .bootstrap import bootstrap_objects
from .callers import ADMIN, Caller, caller_of, service_account, sign_request
from .escalation import check_grants
from .reviews import REVIEWS, review
from .rules import Access, authorize
from .tokens import Tokens

__all__ = [
    "ADMIN",
    "REVIEWS",
    "Access",
    "Caller",
    "Tokens",
    "authorize",
    "bootstrap_objects",
    "caller_of",
    "check_grants",
    "review",
    "service_account",
    "sign_request",
]
