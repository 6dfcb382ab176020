"""Authorizes requests. An administrator may do everything; an impersonated user may not.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/: each request is a verb on a
resource, or on a path that is none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Failure

from .. import access
from ..server_selectors import field_terms
from .request_info import resource_of_path
from .request_options import first

if TYPE_CHECKING:
    from clientgen.runtime._http.request import Headers

    from ..access import Caller
    from ..storage.cluster_state import ClusterState
    from .api_request import Request
    from .request_info import RequestInfo

_OF_MANY: Final = ("list", "watch", "deletecollection")
_CONNECTED: Final = (("", "pods/attach"), ("", "pods/exec"), ("", "pods/portforward"))
"""A GET of these is a WebSocket, and also needs the verb of a POST: pkg/registry/core/pod/rest."""
_EVENTS: Final = ("", "events.k8s.io")

_IMPERSONATED: Final = {
    "impersonate-uid": ("uids", "authentication.k8s.io"),
    "impersonate-group": ("groups", ""),
}


def sender_of(cluster: ClusterState, headers: Headers) -> Caller:
    """Return the sender of a request, or the user that it impersonates.

    Everybody is an administrator who does not show the token of a service account.

    Raises:
        Failure: 400, something else than a user is impersonated; 403, he may not do that.
    """
    sender = access.ADMIN
    for name, value in headers:
        if name.lower() == "authorization" and value.startswith("Bearer "):
            sender = cluster.tokens.caller(value[7:], cluster) or sender
    sender = _witnessed(cluster, sender)
    meant = access.caller_of(headers, sender)
    if meant is sender:
        return sender
    if not sender.is_master:
        _check_impersonation(cluster, sender, meant, headers)
    return _witnessed(cluster, meant)


def _witnessed(cluster: ClusterState, caller: Caller) -> Caller:
    witness = cluster.witnesses.get(caller.user)
    return caller if witness is None else replace(caller, witness=witness)


def _check_impersonation(
    cluster: ClusterState, sender: Caller, meant: Caller, headers: Headers
) -> None:
    account = access.service_account(meant.user)
    namespace, name = account or ("", meant.user)
    plural = "serviceaccounts" if account else "users"
    wanted = [access.Access("impersonate", plural, "", "", namespace, name)]
    for header, value in headers:
        if target := _IMPERSONATED.get(header.lower()):
            wanted.append(access.Access("impersonate", *target, "", "", value))
    for key, values in meant.extra.items():
        group = "authentication.k8s.io"
        wanted += [access.Access("impersonate", "userextras", group, key, "", v) for v in values]
    for each in wanted:
        access.authorize(sender, each, cluster)


def check(cluster: ClusterState, request: Request, info: RequestInfo | None) -> None:
    """Let a request pass.

    Args:
        cluster: where the roles are.
        request: the request.
        info: what it asks for; None for a path that is no resource.

    Raises:
        Failure: 403, when the sender may not do that.
    """
    if request.caller.is_master:
        return
    if info is None:
        wanted = access.Access(request.method.lower(), path=request.path)
    else:
        is_namespace = info.resource.group_resource == "namespaces"
        wanted = access.Access(
            info.verb,
            info.resource.plural,
            info.resource.group,
            info.subresource,
            info.name if is_namespace else info.namespace,
            info.name or (_chosen(request) if info.verb in _OF_MANY else ""),
        )
    access.authorize(request.caller, wanted, cluster)
    if request.caller.witness:
        _check_program(cluster, request, wanted)
    if wanted.verb == "get" and (wanted.group, wanted.whole_resource) in _CONNECTED:
        access.authorize(request.caller, replace(wanted, verb="create"), cluster)


def _check_program(cluster: ClusterState, request: Request, wanted: access.Access) -> None:
    """Ask for what a program also needs that makes this request, though this server does not.

    Raises:
        Failure: 403, an informer may watch and not list: it lists where a server does not send
            the list as a part of the watch.
    """
    if wanted.verb == "watch" and _begins_with_all(request):
        access.authorize(request.caller, replace(wanted, verb="list"), cluster)
    if wanted.verb == "create" and wanted.resource == "events" and wanted.group in _EVENTS:
        # The second of two equal events is a patch of the first.
        access.ask(request.caller, replace(wanted, verb="patch", name=""), cluster)


def check_unserved(cluster: ClusterState, request: Request) -> None:
    """Authorize a request for a resource that is not served: without the right, it gets no 404.

    Raises:
        Failure: 403, when the sender may not do that.
    """
    if request.caller.is_master:
        return
    named = resource_of_path(request)
    if named is None:
        check(cluster, request, None)
    elif not request.caller.witness:  # what is not served needs no rule in a derived role
        access.authorize(request.caller, access.Access(*named), cluster)


def _begins_with_all(request: Request) -> bool:
    return first(request.query, "sendInitialEvents").lower() in ("true", "1")


def _chosen(request: Request) -> str:
    """The one object that a list or watch is restricted to by a field selector."""
    try:
        terms = field_terms(first(request.query, "fieldSelector"))
    except Failure:
        return ""
    names = [term.value for term in terms if term.field == "metadata.name" and term.equal]
    return names[0] if len(names) == 1 else ""
