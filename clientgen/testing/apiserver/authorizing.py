"""Lets requests pass, or not: an administrator may do everything, whom he impersonates may not.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/: each request is a verb on a
resource, or on a path that is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import access
from .failures import Failure
from .options import first
from .selecting import field_terms

if TYPE_CHECKING:
    from .cluster import Cluster
    from .routing import Call, Target

__all__ = ["check"]

_OF_MANY: Final = ("list", "watch", "deletecollection")


def check(cluster: Cluster, call: Call, target: Target | None, verb: str) -> None:
    """Let a request pass.

    Args:
        cluster: where the roles are.
        call: the request.
        target: what it is to; None for a path that is no resource.
        verb: of `routing.verb_of`; without meaning for such a path.

    Raises:
        Failure: 403, when who sends it may not do that.
    """
    if call.caller.is_master:
        return
    if target is None:
        wanted = access.Access(call.method.lower(), path=call.path)
    else:
        is_namespace = target.resource.group_resource == "namespaces"
        wanted = access.Access(
            verb,
            target.resource.plural,
            target.resource.group,
            target.subresource,
            target.name if is_namespace else target.namespace,
            target.name or (_chosen(call) if verb in _OF_MANY else ""),
        )
    access.authorize(call.caller, wanted, cluster)


def _chosen(call: Call) -> str:
    """The one object that a list or watch is restricted to by a field selector."""
    try:
        terms = field_terms(first(call.query, "fieldSelector"))
    except Failure:
        return ""
    names = [term.value for term in terms if term.field == "metadata.name" and term.equal]
    return names[0] if len(names) == 1 else ""
