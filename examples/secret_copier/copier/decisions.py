"""Which Secrets are copied, where to, and how a copy looks: no request, no waiting.

A Secret is a source if it has the label `copier.example.com/copy-to`. Its annotation of the same
name selects namespaces by their labels, such as `team=shop`; without one, there are no copies.
"""

from __future__ import annotations

from typing import Any

from kubeapi.core.v1 import Namespace, Secret
from kubeapi.meta.v1 import ObjectMeta

from clientgen.runtime.controllers import Event, Request

NAME = "secret-copier"
"""Of the controller, of its lease, and of who owns the fields of copies."""
FINALIZER = "copier.example.com/copies"
SOURCE = "copier.example.com/copy-to"
"""The label of sources, and the annotation with the selector of namespaces."""
COPY = "copier.example.com/copy"
"""The label of copies, and the annotation that names the source."""


def is_source(secret: Secret) -> bool:
    """Whether a Secret is to be copied. A copy is no source."""
    labels = secret.metadata.labels
    return SOURCE in labels and COPY not in labels


def is_relevant(event: Event[Any]) -> bool:
    """Whether an event is about a Secret that is a source, or was one."""
    secret: Secret = event.object
    return is_source(secret) or FINALIZER in secret.metadata.finalizers


def without_data(secret: Secret) -> None:
    """Keep the data of sources only: the cache has no use for any other."""
    if not is_source(secret):
        secret.data = {}


def source_of(secret: Secret) -> str:
    """The source of a copy, as `namespace/name`; empty if it is no copy."""
    metadata = secret.metadata
    return metadata.annotations.get(COPY, "") if COPY in metadata.labels else ""


def sources_of(secret: Secret) -> list[Request]:
    """What to look at when a copy has changed."""
    namespace, _, name = source_of(secret).partition("/")
    return [Request(namespace, name)] if namespace and name else []


def key_of(secret: Secret) -> str:
    """How copies name their source."""
    return f"{secret.metadata.namespace}/{secret.metadata.name}"


def is_open(namespace: Namespace) -> bool:
    """Whether objects can be created in a namespace."""
    return namespace.metadata.deletion_timestamp is None


def copy_for(source: Secret, namespace: str) -> Secret:
    """The copy of a Secret. It can be changed, even if the source cannot."""
    metadata = ObjectMeta(
        name=source.metadata.name,
        namespace=namespace,
        labels={COPY: "true"},
        annotations={COPY: key_of(source)},
    )
    return Secret(metadata=metadata, data=source.data, type=source.type)
