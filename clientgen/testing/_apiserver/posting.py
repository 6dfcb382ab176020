"""Bodies that are posted to be acted on and not to be stored (fact sheet 1.10).

Evictions and bindings of pods, requests for tokens, reviews; and the logs of pods, which are no
object either.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import parse
from clientgen._apimachinery.failures import bad_request, not_found, status_success
from clientgen._apimachinery.optional_parts import part

from . import access, apply
from .answers import Response
from .bodies import body_resource, complain, object_of, place
from .deleting import Deleting
from .eviction import check_name, evict
from .logs import log, log_options
from .options import delete_options, write_options
from .pods import bind, check_target
from .rendering import value_answer
from .views import View

if TYPE_CHECKING:
    from .answers import Answer
    from .cluster import Cluster
    from .options import WriteOptions
    from .rendering import Rendering
    from .resources import Resource
    from .routing import Call, Target
    from .store import Record

__all__ = ["answer_review", "bind_pod", "evict_pod", "issue_token", "read_log"]

_OLD_EVICTION: Final = "policy/v1beta1"


class _Posted:
    """A request with the object it brought and the one it is about."""

    def __init__(self, cluster: Cluster, call: Call, target: Target, resource: Resource) -> None:
        self.cluster = cluster
        self.target = target
        self.options: WriteOptions = write_options(call.query, "CreateOptions", call.user_agent)
        body = object_of(call, resource, cluster.spec.schemas)
        complain(call, body.problems, self.options.validation, resource)
        self.value = body.value
        self._resource = resource
        place(self.value["metadata"], resource, target.namespace)
        self.view = View(target.resource, cluster.registry)
        self.collection = cluster.store.collection(cluster.registry.storage_of(target.resource))

    def own(self) -> None:
        """Note who set which fields, as for what is stored."""
        writer = apply.Writer(
            manager=self.options.manager,
            api_version=self._resource.api_version,
            subresource=self.target.subresource,
            now=self.cluster.now(),
        )
        apply.updated(None, self.value, writer, lambda _: self._resource.schema, ())

    def check_namespace(self) -> None:
        self.cluster.check_namespace(self.target.resource, self.target.namespace, {})

    def record(self, name: str) -> Record:
        return self.cluster.found(self.target.resource, self.target.namespace, name)

    def answer(self, shown: Rendering, value: dict[str, Any]) -> Response:
        return value_answer(201, value, shown.encoding)


# ---------------------------------------------------------------------------------- pods


def _api_version(call: Call) -> str:
    given: dict[str, Any] | None = parse(call.body, call.headers.get("content-type", "")).value
    return str((given or {}).get("apiVersion")) if isinstance(given, dict) else ""


def evict_pod(cluster: Cluster, call: Call, target: Target, shown: Rendering) -> Answer:
    """POST to `pods/eviction`."""
    resource = body_resource(cluster, target)
    if _api_version(call) == _OLD_EVICTION:
        resource = replace(resource, version="v1beta1")
    posted = _Posted(cluster, call, target, resource)
    posted.check_namespace()
    check_name(target.name, posted.value, "Eviction")
    options = delete_options({}, part(posted.value, "deleteOptions"))
    options = replace(options, dry_run=options.dry_run or posted.options.dry_run)
    record = posted.record(target.name)
    budgets = cluster.list("policy", "poddisruptionbudgets", target.namespace)
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
        view = View(resource, cluster.registry)
        cluster.store.collection(cluster.registry.storage_of(resource)).put(value, view.form)


def bind_pod(cluster: Cluster, call: Call, target: Target, shown: Rendering) -> Answer:
    """POST to `pods/binding`, or to the older `bindings`, which name the pod themselves."""
    if target.subresource:
        posted = _Posted(cluster, call, target, body_resource(cluster, target))
        check_name(target.name, posted.value, "Binding")
    else:
        pods = cluster.registry.any_version("", "pods")
        assert pods is not None  # or nothing could be bound
        posted = _Posted(cluster, call, replace(target, resource=pods), target.resource)
    posted.check_namespace()
    check_target(posted.value)
    name: str = posted.value["metadata"].get("name") or ""
    if not name:
        raise bad_request("Name parameter required.")
    bound = bind(posted.view.value(posted.record(name)), posted.value, cluster.now())
    if not posted.options.dry_run:
        posted.collection.put(bound, posted.view.form)
    return posted.answer(shown, status_success(201))


def read_log(cluster: Cluster, call: Call, target: Target) -> Answer:
    """GET of `pods/log`."""
    record = cluster.record("", "pods", target.namespace, target.name)
    if record is None:
        raise not_found("", "pods", target.name)
    text = log(record.value(), log_options(target.name, call.query), cluster.log_text)
    if text is None:
        return Response(204, b"", [])
    return Response(200, text.encode(), [("content-type", "text/plain")])


# -------------------------------------------------------------------------------- access


def issue_token(cluster: Cluster, call: Call, target: Target, shown: Rendering) -> Answer:
    """POST to `serviceaccounts/token`."""
    posted = _Posted(cluster, call, target, body_resource(cluster, target))
    posted.check_namespace()
    posted.own()
    value = cluster.tokens.issue(target.namespace, target.name, posted.value, cluster)
    return posted.answer(shown, value)


def answer_review(cluster: Cluster, call: Call, target: Target, shown: Rendering) -> Answer:
    """POST of one of `access.REVIEWS`."""
    posted = _Posted(cluster, call, target, target.resource)
    posted.own()
    asked = posted.view.titled(posted.value)
    value = access.review(target.resource, asked, call.caller, cluster, cluster.tokens)
    return posted.answer(shown, value)
