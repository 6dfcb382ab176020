"""The forms in which an informer keeps pods. A form is one entry of `FORMS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubeapi.core.v1 import Container, Pod, PodSpec, PodStatus
from kubeapi.core.v1.resources import PODS

from clientgen.runtime.models import Time  # noqa: TC001 - the class of the view reads it
from clientgen.runtime.views import PartOf, View

if TYPE_CHECKING:
    from collections.abc import Callable


class PlaceContainer(PartOf[Container]):
    """What runs."""

    name: str
    image: str | None


class PlaceSpec(PartOf[PodSpec]):
    """Where it runs."""

    node_name: str | None
    restart_policy: str | None
    containers: list[PlaceContainer]


class PlaceStatus(PartOf[PodStatus]):
    """How it runs."""

    phase: str | None
    pod_ip: str | None
    host_ip: str | None
    start_time: Time | None


class PodPlace(View[Pod]):
    """Eight fields, and the labels: what the function `place` of `go/main.go` keeps of a pod."""

    spec: PlaceSpec
    status: PlaceStatus


FORMS: Final[dict[str, Callable[[Any], Any]]] = {
    "full": lambda factory: factory.core_v1.pods(),
    "frozen": lambda factory: factory.core_v1.pods(),
    "stripped": lambda factory: factory.core_v1.pods(),
    "view": lambda factory: factory.view(PodPlace),
    "compressed": lambda factory: factory.core_v1.pods(storage="compressed"),
    "metadata": lambda factory: factory.metadata(PODS),
}
"""For each form: a function of a factory, which returns the informer.

`frozen` is `full` without garbage collection until the cache is full, and `gc.freeze()` then, as in
docs/guides/caches.md.
"""

FACTORY_OPTIONS: Final[dict[str, dict[str, Any]]] = {"stripped": {"strip_managed_fields": True}}
"""The options that a form needs of the factory."""

GO_FORMS: Final = {"full": "full", "transform": "view", "metadata": "metadata"}
"""The forms of Go's client, and ours to which each is compared."""


def read(obj: Any) -> object:
    """Read two fields, as a program does that looks for a pod."""
    metadata = obj.metadata
    return metadata.name, obj.status.phase if isinstance(obj, (Pod, PodPlace)) else metadata.uid
