# Derived from _async/fleet.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Fleet`: the clusters of a manager, which join and leave while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from .._controllers.fleet_names import check_cluster_name, requests_in
from .._models.arguments import check_clientset, type_of
from ._primitives import short_lock
from .clientset import ClientsetBase
from .fleet_sources import IteratedClusters, SecretClusters
from .lease_client import rest_of

if TYPE_CHECKING:
    from collections.abc import Collection
    from os import PathLike
    from typing import Self, Unpack

    from .._config.kubeconfig_source import Kubeconfig
    from .._controllers.reconcile_loop import Request
    from .._http.call_options import ClientOptions

K = TypeVar("K", bound=ClientsetBase)

CLUSTER_API_LABEL = "cluster.x-k8s.io/cluster-name"


class FleetListener(Protocol):
    """The manager of a fleet."""

    def joined(self, joined: Joined) -> None:
        """Note that a cluster has joined."""
        ...

    def left(self, joined: Joined) -> None:
        """Note that a cluster has left."""
        ...

    def refused(self, name: str, regarding: object, error: Exception) -> None:
        """Tell that a cluster could not join."""
        ...


class Joined:
    """A cluster of a fleet.

    Args:
        name: The name of the cluster.
        clientset: The clientset.
        is_own: Whether the fleet has made the clientset, and closes it.
        regarding: The object that events about the cluster are about; None if there is none.
    """

    def __init__(
        self, name: str, clientset: ClientsetBase, *, is_own: bool, regarding: object
    ) -> None:
        self.name = name
        self.clientset = clientset
        self.is_own = is_own
        self.regarding = regarding


class Fleet(Generic[K]):
    """The clusters of a manager, by name: `Manager(Fleet({"eu": k1}), home=hub)`.

    Clusters may join and leave at any time, also while the manager runs. A fleet belongs to one
    manager.

    Args:
        clusters: The clientsets by name; or an asynchronous iterator of pairs: a name and its
            clientset for a cluster that joins, a name and None for a cluster that leaves. The
            manager reads the iterator while it runs. If the iterator raises, the manager stops. The
            fleet does not close these clientsets.

    Raises:
        TypeError: A value is not a clientset of this flavour.
        ValueError: A name is not valid, or two names have the same clientset.
    """

    def __init__(
        self,
        clusters: Mapping[str, K] | Iterable[tuple[str, K | None]] | None = None,
    ) -> None:
        self._lock = short_lock()
        self._joined: dict[str, Joined] = {}
        self._has_manager = False
        self._listener: FleetListener | None = None
        self._source: IteratedClusters | SecretClusters | None = None
        if isinstance(clusters, Mapping):
            named: Mapping[str, K] = cast("Any", clusters)
            for name, clientset in named.items():
                self.join(name, clientset)
        elif isinstance(clusters, Iterable):
            self._source = IteratedClusters(clusters)
        elif clusters is not None:
            raise TypeError(
                "a fleet takes a dict of clientsets by name, or an iterator of names and"
                f" clientsets, not {type_of(clusters)}"
            )

    @classmethod
    def from_kubeconfig(
        cls,
        clientset: type[K],
        contexts: Collection[str],
        kubeconfig: Kubeconfig | None = None,
        *,
        text: str | bytes | None = None,
        base: str | PathLike[str] | None = None,
        exec_plugins: Collection[str] | None = None,
        **options: Unpack[ClientOptions],
    ) -> Self:
        """Return a fleet of contexts of a kubeconfig; the names of the clusters are the contexts'.

            Fleet.from_kubeconfig(kubeapi.Clientset, ["eu", "us"])

        The fleet closes its clientsets when they leave, and when the manager has stopped.

        Args:
            clientset: The class of the clientsets.
            contexts: The contexts.
            kubeconfig: As for `from_config`; so are `text`, `base` and `exec_plugins`.
            text: The kubeconfig itself.
            base: The folder of relative paths in `text` or in a dict.
            exec_plugins: The credential plugins that may run.
            options: The options of each clientset; see `ClientOptions`.

        Raises:
            ConfigError: The configuration is missing or invalid, or a context is not in it.
            TypeError: `contexts` is a string.
        """
        if isinstance(contexts, str):
            raise TypeError("contexts must be a list of names, not a string")
        fleet = cls()
        for name in contexts:
            made = clientset.from_config(
                kubeconfig, name, text=text, base=base, exec_plugins=exec_plugins, **options
            )
            fleet._join(name, made, is_own=True)
        return fleet

    @classmethod
    def from_secrets(
        cls,
        hub: K,
        *,
        label_selector: str,
        namespace: str | None = None,
        key: str = "kubeconfig",
        **options: Unpack[ClientOptions],
    ) -> Self:
        """Return a fleet of the clusters whose kubeconfigs are in Secrets.

        The manager watches the Secrets while it runs. The name of a cluster is the name of its
        Secret, and `NAMESPACE/NAME` if the Secrets are in all namespaces. A new Secret joins, a
        deleted Secret leaves. If only the token in a Secret changes, the running clientset uses the
        new token. After any other change, the cluster leaves and joins again.

        A kubeconfig in a Secret may come from other people: it may run no credential plugin and
        read no file of this machine. A kubeconfig that is refused is logged, and an event about its
        Secret says why; a cluster that has joined before stays as it is.

        Args:
            hub: The clientset of the cluster with the Secrets. The clientsets of the fleet are of
                the same class.
            label_selector: Which Secrets.
            namespace: The namespace of the Secrets; None for all.
            key: The key of the kubeconfig in the Secret.
            options: The options of each clientset; see `ClientOptions`.

        Raises:
            ValueError: The selector is empty: the kubeconfigs would be looked for in all Secrets.
        """
        if not label_selector:
            raise ValueError("from_secrets() needs a label selector of the Secrets")
        fleet = cls()
        fleet._source = SecretClusters(hub, label_selector, namespace, key, options)
        return fleet

    @classmethod
    def from_cluster_api(
        cls, hub: K, *, namespace: str | None = None, **options: Unpack[ClientOptions]
    ) -> Self:
        """Return a fleet of the clusters of Cluster API.

        Their kubeconfigs are in the Secrets `NAME-kubeconfig` of the Cluster objects. The name of a
        cluster is that of its Cluster, and `NAMESPACE/NAME` if they are in all namespaces. See
        `from_secrets` for the rules.

        Args:
            hub: The clientset of the management cluster.
            namespace: The namespace of the Cluster objects; None for all.
            options: The options of each clientset; see `ClientOptions`.
        """
        fleet = cls()
        fleet._source = SecretClusters(
            hub, CLUSTER_API_LABEL, namespace, "value", options, name_label=CLUSTER_API_LABEL
        )
        return fleet

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.names) or 'no clusters'}>"

    # ---- members ------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of the clusters that have joined, sorted."""
        with self._lock:
            return sorted(self._joined)

    def __contains__(self, name: object) -> bool:
        """Return whether a cluster has joined."""
        return name in self._joined

    def clientset(self, name: str) -> K:
        """Return the clientset of a cluster.

        Raises:
            LookupError: No cluster with this name has joined.
        """
        joined = self._joined.get(name)
        if joined is None:
            known = ", ".join(self.names) or "none"
            raise LookupError(f"the fleet has no cluster {name!r}; it has: {known}")
        return cast("K", joined.clientset)

    def requests(self, obj: Any, clusters: Collection[str] | None = None) -> list[Request]:
        """Return a request for the object of the same namespace and name in each cluster.

            controller.watches(Template, fleet.requests, where=hub)

        Args:
            obj: The object, for example one of the cluster `home`.
            clusters: The names of the clusters; None for all that have joined. Requests for other
                names are dropped.
        """
        return requests_in(obj, self.names if clusters is None else clusters)

    def join(self, name: str, clientset: K) -> None:
        """Add a cluster. This works while the manager runs, too, and does not wait for it.

        If a cluster with this name and another clientset has joined, it leaves first.

        Raises:
            TypeError: The value is not a clientset of this flavour.
            ValueError: The name is not valid, or the clientset has joined with another name.
        """
        self._join(name, clientset, is_own=False)

    def leave(self, name: str) -> None:
        """Remove a cluster. This works while the manager runs, too, and does not wait for it.

        Requests for its objects leave the queues. Running reconciliations of its objects see
        `context.is_stopping`, and are cancelled after the grace of the manager. Handlers get no
        deletions for its objects, which still exist. Does nothing if no cluster has this name.
        """
        with self._lock:
            joined = self._joined.pop(name, None)
            if joined is not None and self._listener is not None:
                self._listener.left(joined)

    def _join(
        self, name: str, clientset: ClientsetBase, *, is_own: bool, regarding: object = None
    ) -> None:
        check_cluster_name(name)
        rest = rest_of(clientset)
        check_clientset(clientset)
        with self._lock:
            before = self._joined.get(name)
            if before is not None and before.clientset is clientset:
                return
            for each in self._joined.values():
                if each.name != name and each.clientset.rest is rest:
                    raise ValueError(
                        f"the clientset of {name!r} has joined the fleet as {each.name!r}"
                    )
            self.leave(name)
            joined = Joined(name, clientset, is_own=is_own, regarding=regarding)
            self._joined[name] = joined
            if self._listener is not None:
                self._listener.joined(joined)

    # ---- for the manager ----------------------------------------------------------------------

    def _claim(self) -> None:
        """Note that the fleet has a manager now.

        Raises:
            RuntimeError: It has one already.
        """
        if self._has_manager:
            raise RuntimeError(f"{self!r} belongs to another manager: a fleet has one manager")
        self._has_manager = True

    def _begin(self, listener: FleetListener) -> None:
        """Tell the manager about clusters from now on, beginning with those that have joined."""
        with self._lock:
            self._listener = listener
            for joined in [*self._joined.values()]:
                listener.joined(joined)

    def _aclose_own(self, joined: Joined) -> None:
        if joined.is_own:
            joined.clientset.close()
