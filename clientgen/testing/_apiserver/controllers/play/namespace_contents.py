"""What every namespace has: the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`.

https://kubernetes.io/docs/concepts/security/service-accounts/#default-service-accounts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

from .control_plane import Controller
from .objects import key
from .played_kinds import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable

_ACCOUNT: Final = "default"
_AUTHORITY: Final = "kube-root-ca.crt"
_ABOUT: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters."
)


class NamespaceContents(Controller):
    """The controllers of default service accounts and of root certificates."""

    name = "namespacecontents"
    needs = (NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS)
    watches = (NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS)

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield a namespace, if it is new or has lost one of both."""
        if kind == NAMESPACES:
            if after is not None:
                yield key(after)
        elif before is not None and after is None:
            names = {SERVICE_ACCOUNTS: _ACCOUNT, CONFIG_MAPS: _AUTHORITY}
            if before["metadata"]["name"] == names[kind]:
                yield before["metadata"]["namespace"]

    def sync(self, key: str) -> None:
        """Make what is missing in a namespace, unless it is going."""
        objects = self._plane.objects
        namespace = objects.get(NAMESPACES, key)
        if namespace is None or namespace["metadata"].get("deletionTimestamp"):
            return
        if part(namespace, "status").get("phase") == "Terminating":
            return
        if objects.get(SERVICE_ACCOUNTS, f"{key}/{_ACCOUNT}") is None:
            objects.create(SERVICE_ACCOUNTS, {"metadata": {"name": _ACCOUNT, "namespace": key}})
        if objects.get(CONFIG_MAPS, f"{key}/{_AUTHORITY}") is None:
            metadata = {
                "name": _AUTHORITY,
                "namespace": key,
                "annotations": {"kubernetes.io/description": _ABOUT},
            }
            objects.create(CONFIG_MAPS, {"metadata": metadata, "data": {"ca.crt": ""}})
