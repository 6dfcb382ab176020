"""Delete: at once, after a grace period, or when the finalizers are gone.

Facts: docs/internals/kubernetes-semantics.md, 1.6.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.decoding import normalise, parse
from clientgen._apimachinery.failures import bad_request, conflict, status_success

from ..admission import DELETE, Attributes, chain_of
from ..requests.request_options import DeleteOptions, delete_options
from .list import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..requests.api_request import Request
    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Record
    from ..storage.versioned_view import VersionedView

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"
_TIME: Final = "%Y-%m-%dT%H:%M:%SZ"
_OPTIONS: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_MARKS: Final = (
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generation",
)
_POLICY_FINALIZERS: Final = {"Foreground": FOREGROUND, "Orphan": ORPHAN}


def options_of(request: Request, cluster: ClusterState) -> DeleteOptions:
    """The options of a delete, from its body or its query.

    Raises:
        Failure: 400 or 422.
    """
    body: Any = None
    if request.body:
        # A body that is not an object has been refused there.
        given: dict[str, Any] = parse(request.body, request.content_type).value
        body = normalise(given, cluster.spec.schemas.named(_OPTIONS), refuse=bad_request).value
    return delete_options(request.query, body)


def delete(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """DELETE of one object."""
    deletion = _deleting(cluster, info, rendering)
    answer = deletion.delete(cluster.existing(info.resource, info.namespace, info.name))
    return rendering.value(answer)


def _deleting(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Deletion:
    request = info.request
    options = options_of(request, cluster)
    warning = rendering.view.strategy.deletion_warning
    if warning and not options.policy and options.orphan is None:
        request.warnings.append(warning)
    return Deletion(cluster, rendering.view, options, info)


def delete_collection(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """DELETE of the objects that a list would show. Return the list of the deleted objects."""
    deletion = _deleting(cluster, info, rendering)

    def delete_page(records: Sequence[Record], metadata: dict[str, Any]) -> Answer:
        kept = cluster.attempt.kept if cluster.attempt is not None else {}
        # An attempt that had to wait for a webhook has deleted the first ones already.
        records, metadata, done = kept.setdefault("page", (records, metadata, set[str]()))
        for record in records:
            current = deletion.collection.records.get(record.key)
            if current is not None and record.key not in done:
                deletion.delete(current)
            done.add(record.key)
        return rendering.records(records, metadata)

    return page(cluster, info, rendering.view, delete_page)


class Deletion:
    """Deletes objects of one kind in one way.

    Args:
        cluster: the server's state.
        view: the view of the kind.
        options: how to delete.
        info: the request that asks for it, which admission may refuse; None for work behind
            requests.
    """

    def __init__(
        self,
        cluster: ClusterState,
        view: VersionedView,
        options: DeleteOptions,
        info: RequestInfo | None = None,
    ) -> None:
        self.cluster = cluster
        self.view = view
        self.resource = view.resource
        self.strategy = view.strategy
        self.options = options
        self._info = info
        self.collection = cluster.store.collection(view.strategy.collection)

    def delete(self, record: Record) -> dict[str, Any]:
        """Delete an object. Return the answer: a Status or the object.

        Raises:
            Failure: 403 for protected namespaces, 409 for preconditions.
        """
        self.strategy.check_delete(record.name)
        self.check_preconditions(record)
        value = self.view.value(record)
        if self._info is not None and chain_of(self.cluster).is_active:
            self._check_admission(self._info, self.view.value(record))
        metadata = value["metadata"]
        was_deleting = bool(metadata.get("deletionTimestamp"))
        if self.strategy.begin_deletion(value, self.cluster.now()):
            return value if self.options.dry_run else self._stored(value, record.form)
        finalizers = self._finalizers(metadata)
        grace = self.strategy.grace_period(value, self.options.grace) or 0
        if was_deleting:
            grace = min(grace, metadata.get("deletionGracePeriodSeconds") or 0)
        stays = bool(finalizers) or grace > 0 or self.strategy.is_emptied_first(value)
        if not stays:
            return self._remove(record, value, was_deleting=was_deleting)
        before = self.view.value(record)
        _set_finalizers(metadata, finalizers)
        self._mark(value, grace, was_deleting=was_deleting)
        if value != before and not self.options.dry_run:
            self._put_marked(record, value)
        return value

    def _put_marked(self, record: Record, value: dict[str, Any]) -> None:
        """Store an object that is going; a deletion changes nothing but its metadata."""
        if not self.strategy.is_converted_by_webhook(record.form):
            self.collection.put(value, self.view.form)
            return
        stored = record.value()
        for name in _MARKS:
            stored["metadata"].pop(name, None)
            if name in value["metadata"]:
                stored["metadata"][name] = value["metadata"][name]
        self.collection.put(stored, record.form)
        value["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"]

    def _stored(self, value: dict[str, Any], form: str) -> dict[str, Any]:
        return self.view.value(self.collection.put(value, form))

    # -------------------------------------------------------------------------- checks

    def check_preconditions(self, record: Record) -> None:
        """Refuse an object that is not the one meant.

        Raises:
            Failure: 409.
        """
        wanted = self.options.preconditions
        pairs = (
            ("uid", "UID", record.uid, "deleted and then recreated"),
            ("resourceVersion", "ResourceVersion", str(record.version), "modified"),
        )
        for name, word, actual, fate in pairs:
            given = wanted.get(name)
            if given is not None and given != actual:
                why = (
                    f"the {word} in the precondition ({given}) does not match the {word} in record "
                    f"({actual}). The object might have been {fate}"
                )
                resource = self.resource
                plain = self.strategy.conflict_names_resource
                kind = resource.plural if plain else resource.kind
                raise conflict(resource.group, kind, record.name, why)

    def _check_admission(self, info: RequestInfo, value: dict[str, Any]) -> None:
        attributes = Attributes(
            cluster=self.cluster,
            request=info.request,
            strategy=self.strategy,
            operation=DELETE,
            resource=self.resource,
            kind=self.resource.gvk,
            subresource="",
            namespace=info.namespace,
            name=info.name,
            object=None,
            old_object=value,
            options=_as_object(self.options),
            dry_run=self.options.dry_run,
        )
        chain_of(self.cluster).check(attributes)

    # ------------------------------------------------------------------------ decisions

    def _finalizers(self, metadata: dict[str, Any]) -> list[str]:
        """The finalizers the object has once the propagation policy is in them."""
        present: list[str] = list(metadata.get("finalizers") or ())
        wanted = _POLICY_FINALIZERS.get(self.options.policy)
        if self.options.orphan is not None:
            wanted = ORPHAN if self.options.orphan else None
        elif not self.options.policy:
            if not self.strategy.orphan_by_default or FOREGROUND in present:
                return present
            wanted = ORPHAN
        kept = [name for name in present if name not in (FOREGROUND, ORPHAN)]
        return [*kept, wanted] if wanted else kept

    # -------------------------------------------------------------------------- effects

    def _mark(self, value: dict[str, Any], grace: int, *, was_deleting: bool) -> None:
        """Mark the object as being deleted."""
        metadata = value["metadata"]
        if not was_deleting or grace < metadata.get("deletionGracePeriodSeconds", 0):
            moment = self.cluster.now() + timedelta(seconds=grace)
            metadata["deletionTimestamp"] = moment.strftime(_TIME)
        if not self.strategy.is_emptied_first(value):
            left = metadata.get("deletionGracePeriodSeconds", grace)
            metadata["deletionGracePeriodSeconds"] = min(grace, left)
        if not was_deleting and metadata.get("generation"):
            metadata["generation"] += 1
        if self.strategy.is_emptied_first(value):
            value["status"] = {**(value.get("status") or {}), "phase": "Terminating"}

    def _remove(
        self, record: Record, value: dict[str, Any], *, was_deleting: bool
    ) -> dict[str, Any]:
        metadata = value["metadata"]
        resource = self.resource
        if self.strategy.grace_period(value, self.options.grace) is not None:
            self._mark(value, 0, was_deleting=was_deleting)
        if not self.options.dry_run:
            self.collection.remove(record.key)
        if self.strategy.delete_returns_object:
            return value
        details = {
            "name": metadata["name"],
            "group": resource.group,
            "kind": resource.plural,
            "uid": metadata["uid"],
        }
        return status_success(details={name: text for name, text in details.items() if text})


def _as_object(options: DeleteOptions) -> dict[str, Any]:
    given: dict[str, Any] = {
        "dryRun": ["All"] if options.dry_run else None,
        "gracePeriodSeconds": options.grace,
        "propagationPolicy": options.policy or None,
        "orphanDependents": options.orphan,
        "preconditions": {k: v for k, v in options.preconditions.items() if v is not None} or None,
    }
    rest = {name: value for name, value in given.items() if value is not None}
    return {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", **rest}


def _set_finalizers(metadata: dict[str, Any], finalizers: list[str]) -> None:
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
