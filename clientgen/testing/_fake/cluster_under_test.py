"""The cluster of a test that runs in memory and, with `pytest --real`, on a real API server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast

from clientgen._rbac.callers import Account
from clientgen.runtime.conditions import condition
from clientgen.runtime.config import Impersonation, load_config

if TYPE_CHECKING:
    import os

    from .fake_cluster import FakeCluster

C = TypeVar("C")

_FIELD_MANAGER: Final = "clientgen-tests"
_ESTABLISH_SECONDS: Final = 30.0


class ClusterUnderTest(Protocol):
    """The cluster of one test: in memory, or real.

    Attributes:
        namespace: A namespace that is new for this test, and the default of its clientsets.
        is_real: Whether the API server is a real one.
    """

    namespace: str
    is_real: bool

    def clientset(self, kind: type[C], /, *, service_account: str | None = None) -> C:
        """Create a clientset of a generated class, synchronous or asyncio.

        Args:
            kind: The generated class.
            service_account: `namespace/name` of the ServiceAccount that makes the requests. With
                `pytest --under-rbac FILE`, it has the rights of these roles only.

        Raises:
            ValueError: `service_account` is not `namespace/name`.
        """
        ...

    def apply_manifests(self, source: os.PathLike[str] | str, /) -> None:
        """Apply manifests, and wait until the CustomResourceDefinitions among them are served.

        Args:
            source: A file or a folder of YAML or JSON.

        Raises:
            ManifestError: The manifests cannot be read.
            ApiError: The server refuses an object.
        """
        ...


class FakeClusterUnderTest:
    """A cluster in memory."""

    is_real = False

    def __init__(self, cluster: FakeCluster, namespace: str) -> None:
        self._cluster = cluster
        self.namespace = namespace
        cluster.server.make_namespace(namespace)

    def clientset(self, kind: type[C], /, *, service_account: str | None = None) -> C:
        """Create a clientset; see `ClusterUnderTest`."""
        made: Any = self._cluster.clientset(cast("Any", kind), service_account=service_account)
        return cast("C", made if service_account else made.with_(namespace=self.namespace))

    def apply_manifests(self, source: os.PathLike[str] | str, /) -> None:
        """Apply manifests; see `ClusterUnderTest`."""
        self._cluster.apply_manifests(Path(source))


class RealCluster:
    """A real API server, for the tests of one run.

    Args:
        kubeconfig: The kubeconfig of an administrator.
        roles: The manifests of the roles of service accounts. Without roles, service accounts may
            do everything, as in memory.
    """

    def __init__(self, kubeconfig: str, roles: Path | None = None) -> None:
        from clientgen.runtime.sync import ClientsetBase  # most runs are in memory

        self._config = load_config(kubeconfig)
        self._has_roles = roles is not None
        self._admin = ClientsetBase.from_config(kubeconfig)
        if roles is not None:
            self.apply_manifests(roles)

    def close(self) -> None:
        """Close the connections."""
        self._admin.close()

    def clientset(self, kind: type[C], namespace: str, service_account: str | None) -> C:
        """Create a clientset of a generated class.

        Raises:
            ValueError: `service_account` is not `namespace/name`.
        """
        user: Impersonation | None = None
        if service_account is not None:
            account = Account.of(service_account)
            namespace = account.namespace
            self.add_namespace(namespace)
            user = Impersonation(account.user) if self._has_roles else None
        config = replace(self._config, namespace=namespace, impersonate=user)
        return cast("C", cast("Any", kind)(_rest_class(kind)(config)))

    def apply_manifests(self, source: os.PathLike[str] | str) -> None:
        """Apply manifests, and wait until the definitions among them are served."""
        objects = self._admin.manifests(Path(source))
        objects.apply(field_manager=_FIELD_MANAGER, force=True)
        objects.wait(_is_served, timeout=_ESTABLISH_SECONDS)

    def add_namespace(self, name: str) -> None:
        """Create a namespace, unless it exists."""
        self._admin.apply(_namespace(name), field_manager=_FIELD_MANAGER)

    def remove_namespace(self, name: str) -> None:
        """Delete a namespace. Its content stays if no controllers run."""
        self._admin.manifests([_namespace(name)]).delete()


class RealClusterUnderTest:
    """The part of a real cluster that one test uses."""

    is_real = True

    def __init__(self, cluster: RealCluster, namespace: str) -> None:
        self._cluster = cluster
        self.namespace = namespace
        cluster.add_namespace(namespace)

    def clientset(self, kind: type[C], /, *, service_account: str | None = None) -> C:
        """Create a clientset, which has to be closed; see `ClusterUnderTest`."""
        return self._cluster.clientset(kind, self.namespace, service_account)

    def apply_manifests(self, source: os.PathLike[str] | str, /) -> None:
        """Apply manifests; see `ClusterUnderTest`."""
        self._cluster.apply_manifests(source)


def _rest_class(kind: type[Any]) -> type[Any]:
    if hasattr(kind, "__aenter__"):
        from clientgen.runtime.aio import AsyncRest  # a test imports only the flavours it uses

        return AsyncRest
    from clientgen.runtime.sync import Rest

    return Rest


def _namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _is_served(obj: Any) -> bool:
    """Return whether an object is no definition, or the server serves its kind."""
    return obj.kind != "CustomResourceDefinition" or condition("Established")(obj)
