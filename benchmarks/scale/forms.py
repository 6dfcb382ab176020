"""The forms in which an informer keeps pods. A form is one entry of `FORMS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubeapi.core.v1 import Pod
from kubeapi.core.v1.resources import PODS

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS: Final[dict[str, Callable[[Any], Any]]] = {
    "full": lambda factory: factory.core_v1.pods(),
    "metadata": lambda factory: factory.metadata(PODS),
}
"""For each form: a function of a factory, which returns the informer."""

GO_FORMS: Final = {"full": "full", "transform": "view", "metadata": "metadata"}
"""The forms of Go's client, and ours to which each is compared."""


def read(obj: Any) -> object:
    """Read two fields, as a program does that looks for a pod."""
    return obj.metadata.name, obj.status.phase if isinstance(obj, Pod) else obj.metadata.uid
