"""The chain of plugins that writes pass: policies, webhooks.

The order is the real server's: everything that may change an object first, then the validation by
the kind's own rules, then everything that may only refuse. `chain` has the order, `plugin` the
interface of a step, `attributes` what a step is told of a request.
"""

from .attributes import CONNECT, CREATE, DELETE, UPDATE, Attributes, options_of
from .chain import Chain, chain_of
from .plugin import Plugin

__all__ = [
    "CONNECT",
    "CREATE",
    "DELETE",
    "UPDATE",
    "Attributes",
    "Chain",
    "Plugin",
    "chain_of",
    "options_of",
]
