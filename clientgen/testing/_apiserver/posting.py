"""Bodies that are posted to be acted on and not to be stored.

Evictions and bindings of pods, requests for tokens, reviews; and the logs of pods, which are no
object either.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import parse
from clientgen._apimachinery.failures import bad_request, not_found, status_success
from clientgen._apimachinery.optional_parts import part

from . import access, apply
from .deleting import Deleting
from .eviction import check_name, evict
from .kinds.codec import Codec
from .logs import log, log_options
from .pods import bind, check_target
from .requests.bodies import body_resource, complain, object_of, place
from .requests.options import delete_options, write_options
from .responses.answers import Response
from .responses.rendering import value_answer
from .storage.versioned_view import VersionedView

if TYPE_CHECKING:
    from .requests.options import WriteOptions
    from .requests.request import Request
    from .requests.request_info import RequestInfo
    from .resources import Resource
    from .responses.answers import Answer
    from .responses.rendering import Rendering
    from .storage.cluster import Cluster
    from .storage.store import Record

__all__ = ["answer_review", "bind_pod", "evict_pod", "issue_token", "read_log"]

_OLD_EVICTION: Final = "policy/v1beta1"


class _Posted:
    """A request with the object it brought and the one it is about."""

    def __init__(self, cluster: Cluster, info: RequestInfo, resource: Resource) -> None:
        self.cluster = cluster
        self.info = info
        self.options: WriteOptions = write_options(info.request, "CreateOptions")
        body = object_of(info.request, Codec(resource), cluster.spec.schemas)
        complain(info.request, body.problems, self.options.validation, resource)
        self.value = body.value
        self._resource = resource
        place(self.value["metadata"], resource, info.namespace)
        self.view = VersionedView(info.resource, cluster.registry)
        self.collection = cluster.store.collection(info.strategy.collection)

    def own(self) -> None:
        """Note who set which fields, as for what is stored."""
        writer = apply.Writer(
            manager=self.options.manager,
            api_version=self._resource.api_version,
            subresource=self.info.subresource,
            now=self.cluster.now(),
        )
        apply.updated(None, self.value, writer, lambda _: self._resource.schema, ())

    def check_namespace(self) -> None:
        self.cluster.check_namespace(self.info.resource, self.info.namespace, {})

    def record(self, name: str) -> Record:
        return self.cluster.found(self.info.resource, self.info.namespace, name)

    def answer(self, shown: Rendering, value: dict[str, Any]) -> Response:
        return value_answer(201, value, shown.encoding)


# ---------------------------------------------------------------------------------- pods


def _api_version(request: Request) -> str:
    given: dict[str, Any] | None = parse(request.body, request.content_type).value
    return str((given or {}).get("apiVersion")) if isinstance(given, dict) else ""


def evict_pod(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `pods/eviction`."""
    resource = body_resource(cluster, info)
    if _api_version(info.request) == _OLD_EVICTION:
        resource = replace(resource, version="v1beta1")
    posted = _Posted(cluster, info, resource)
    posted.check_namespace()
    check_name(info.name, posted.value, "Eviction")
    options = delete_options({}, part(posted.value, "deleteOptions"))
    options = replace(options, dry_run=options.dry_run or posted.options.dry_run)
    record = posted.record(info.name)
    budgets = cluster.list("policy", "poddisruptionbudgets", info.namespace)
    plan = evict(posted.view.value(record), budgets, cluster.now())
    if plan.budget is not None and not options.dry_run:
        _store(cluster, "policy", "poddisruptionbudgets", plan.budget)
    deleting = Deleting(cluster, posted.view, options)
    deleting.check_preconditions(record)
    if not options.dry_run:
        # Why it goes is written first; the delete is of that version.
        record = posted.collection.put(plan.pod, posted.view.form)
        deleting = Deleting(cluster, posted.view, replace(options, preconditions={}))
    deleting.delete(record)
    return posted.answer(shown, status_success(201))


def _store(cluster: Cluster, group: str, plural: str, value: dict[str, Any]) -> None:
    resource = cluster.registry.any_version(group, plural)
    if resource is not None:
        view = VersionedView(resource, cluster.registry)
        cluster.store.collection(cluster.registry.storage_of(resource)).put(value, view.form)


def bind_pod(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `pods/binding`, or to the older `bindings`, which name the pod themselves."""
    if info.subresource:
        posted = _Posted(cluster, info, body_resource(cluster, info))
        check_name(info.name, posted.value, "Binding")
    else:
        pods = cluster.registry.any_version("", "pods")
        assert pods is not None  # or nothing could be bound
        of_pods = info.of_resource(pods, cluster.registry.strategy_of(pods))
        posted = _Posted(cluster, of_pods, info.resource)
    posted.check_namespace()
    check_target(posted.value)
    name: str = posted.value["metadata"].get("name") or ""
    if not name:
        raise bad_request("Name parameter required.")
    bound = bind(posted.view.value(posted.record(name)), posted.value, cluster.now())
    if not posted.options.dry_run:
        posted.collection.put(bound, posted.view.form)
    return posted.answer(shown, status_success(201))


def read_log(cluster: Cluster, info: RequestInfo) -> Answer:
    """GET of `pods/log`."""
    record = cluster.record("", "pods", info.namespace, info.name)
    if record is None:
        raise not_found("", "pods", info.name)
    text = log(record.value(), log_options(info.name, info.request.query), cluster.log_text)
    if text is None:
        return Response(204, b"", [])
    return Response(200, text.encode(), [("content-type", "text/plain")])


# -------------------------------------------------------------------------------- access


def issue_token(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    """POST to `serviceaccounts/token`."""
    posted = _Posted(cluster, info, body_resource(cluster, info))
    posted.check_namespace()
    posted.own()
    value = cluster.tokens.issue(info.namespace, info.name, posted.value, cluster)
    return posted.answer(shown, value)


def answer_review(cluster: Cluster, info: RequestInfo, shown: Rendering) -> Answer:
    """POST of one of `access.REVIEWS`."""
    posted = _Posted(cluster, info, info.resource)
    posted.own()
    asked = posted.view.titled(posted.value)
    value = access.review(info.resource, asked, info.request.caller, cluster, cluster.tokens)
    return posted.answer(shown, value)
