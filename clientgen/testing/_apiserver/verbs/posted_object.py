"""Posted objects that are acted on and not stored.

Facts: docs/internals/kubernetes-semantics.md, 1.10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.failures import bad_request
from clientgen._json import part

from .. import apply
from ..admission import CREATE, Attributes, chain_of
from ..admission import options_of as admission_options
from ..kinds.kind_codecs import Codec
from ..requests.request_bodies import complain, object_of, place
from ..requests.request_options import write_options
from ..responses.rendering import value_answer
from ..storage.versioned_view import VersionedView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..requests.request_info import RequestInfo
    from ..requests.request_options import WriteOptions
    from ..responses.answers import Response
    from ..responses.rendering import Rendering
    from ..served_resources import Resource
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Record


class PostedObject:
    """A request with the object it brought and the one it is about."""

    def __init__(self, cluster: ClusterState, info: RequestInfo, resource: Resource) -> None:
        self.cluster = cluster
        self.info = info
        self.options: WriteOptions = write_options(info.request, "CreateOptions")
        body = object_of(info.request, Codec(resource), cluster.spec.schemas)
        complain(info.request, body.problems, self.options.validation, resource)
        self.value = body.value
        self._resource = resource
        place(self.value["metadata"], resource, info.namespace)
        self.view = VersionedView(info.strategy, cluster.registry)
        self.collection = cluster.store.collection(info.strategy.collection)

    def admit(self) -> None:
        """Let admission change or refuse the object.

        Raises:
            Failure: it is refused.
        """
        chain = chain_of(self.cluster)
        if not chain.is_active:
            return
        if "managedFields" not in self.value["metadata"]:
            self.own()
        info, registry = self.info, self.cluster.registry
        strategy = registry.strategy_of(self._resource)
        attributes = Attributes(
            cluster=self.cluster,
            request=info.request,
            strategy=strategy,
            operation=CREATE,
            resource=info.resource if info.subresource else self._resource,
            kind=self._resource.gvk,
            subresource=info.subresource,
            namespace=info.namespace,
            name=info.name or part(self.value, "metadata").get("name") or "",
            object=VersionedView(strategy, registry).titled(self.value),
            old_object=None,
            options=admission_options("CreateOptions", info.request.query),
            dry_run=self.options.dry_run,
        )
        chain.check(attributes)
        self.value = attributes.object or self.value

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
        return self.cluster.existing(self.info.resource, self.info.namespace, name)

    def answer(self, shown: Rendering, value: dict[str, Any]) -> Response:
        return value_answer(201, value, shown.encoding)


def check_name(name: str, body: Mapping[str, Any], kind: str) -> None:
    """Refuse an Eviction or Binding of another pod; it is the first thing that is checked.

    Raises:
        Failure: 400.
    """
    if part(body, "metadata").get("name") != name:
        raise bad_request(f"name in URL does not match name in {kind} object")
