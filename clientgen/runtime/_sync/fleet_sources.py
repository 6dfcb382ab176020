# Derived from _async/fleet_sources.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Where the clusters of a fleet come from while a manager runs: iterators and Secrets."""

# A source uses private parts of its fleet.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
from base64 import b64decode
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from .._http.resource import Resource
from ..errors import ConfigError
from ._primitives import Event, spawn
from .informer_factory import InformerFactory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._clock import Clock
    from .._config.cluster_config import ClusterConfig
    from .._http.call_options import ClientOptions
    from .._models.unstructured import Unstructured
    from ._primitives import Task
    from .clientset import ClientsetBase

SECRETS: Final = Resource("", "v1", "secrets", "Secret")
_JOIN_SECONDS: Final = 1.0
_SUFFIX: Final = "-kubeconfig"

logger = logging.getLogger("clientgen.runtime.fleet")


class Clusters(Protocol):
    """The part of a fleet that its source uses."""

    def __contains__(self, name: object) -> bool:
        """Return whether a cluster has joined."""
        ...

    def join(self, name: str, clientset: Any) -> None:
        """Add a cluster."""
        ...

    def leave(self, name: str) -> None:
        """Remove a cluster."""
        ...

    def _join(
        self, name: str, clientset: ClientsetBase, *, is_own: bool, regarding: object
    ) -> None: ...


class Refusals(Protocol):
    """The part of a manager that the source of its fleet uses."""

    def refused(self, name: str, regarding: object, error: Exception) -> None:
        """Tell that a cluster could not join."""
        ...

    def failed(self, error: Exception) -> None:
        """Stop the manager, because the source cannot go on."""
        ...


class IteratedClusters:
    """The clusters that a program's iterator names.

    Args:
        events: Pairs of a name, and the clientset of a cluster that joins, or None.
    """

    def __init__(self, events: Iterable[tuple[str, Any]]) -> None:
        self._events = events
        self._stopping = Event()
        self._task: Task | None = None

    def start(self, fleet: Clusters, listener: Refusals, _clock: Clock) -> None:
        """Read the iterator in the background."""
        self._task = spawn(partial(self._read, fleet, listener), "clusters of the fleet")

    def stop(self) -> None:
        """Stop reading. A thread that waits for the iterator is left alone."""
        self._stopping.set()
        if self._task is not None:
            self._task.cancel()
            self._task.join(_JOIN_SECONDS)

    def _read(self, fleet: Clusters, listener: Refusals) -> None:
        try:
            for name, clientset in self._events:
                if self._stopping.is_set():
                    return
                if clientset is None:
                    fleet.leave(name)
                else:
                    fleet.join(name, clientset)
        except Exception as error:  # noqa: BLE001 - the program's iterator may raise anything
            if not self._stopping.is_set():
                listener.failed(error)


class SecretClusters:
    """The clusters whose kubeconfigs are in Secrets.

    Args:
        hub: The clientset of the cluster with the Secrets.
        label_selector: Which Secrets.
        namespace: The namespace of the Secrets; None for all.
        key: The key of the kubeconfig.
        options: The options of the clientsets.
        name_label: The label with the name of the cluster, of a Secret `NAME-kubeconfig`; empty if
            the Secret has the name of the cluster.
    """

    def __init__(
        self,
        hub: ClientsetBase,
        label_selector: str,
        namespace: str | None,
        key: str,
        options: ClientOptions,
        *,
        name_label: str = "",
    ) -> None:
        self._hub = hub
        self._selector = label_selector
        self._namespace = namespace
        self._key = key
        self._options = options
        self._name_label = name_label
        self._factory: InformerFactory | None = None
        self._known: dict[str, _Kubeconfig] = {}
        self._fleet: Clusters
        self._listener: Refusals

    def start(self, fleet: Clusters, listener: Refusals, clock: Clock) -> None:
        """Watch the Secrets."""
        self._fleet, self._listener = fleet, listener
        self._factory = InformerFactory(
            self._hub.rest,
            namespace=self._namespace,
            label_selector=self._selector,
            strip_managed_fields=True,
            clock=clock,
        )
        secrets = self._factory.unstructured(SECRETS)
        secrets.add_handler(
            lambda secret, _: self._changed(secret),
            lambda _, secret: self._changed(secret),
            self._deleted,
        )
        self._factory.start()

    def stop(self) -> None:
        """Stop watching."""
        if self._factory is not None:
            self._factory.shutdown()

    # ---- Secrets ------------------------------------------------------------------------------

    def _changed(self, secret: Unstructured) -> None:
        name = self._cluster_of(secret)
        if name is None:
            return
        try:
            self._take(name, secret)
        except (ConfigError, ValueError, TypeError) as error:
            self._listener.refused(name, _reference(secret), error)

    def _take(self, name: str, secret: Unstructured) -> None:
        config = self._config_in(secret)
        known = self._known.get(name)
        if known is not None and name in self._fleet and known.accepts(config):
            return
        found = _Kubeconfig(config)
        made = type(self._hub)(_rest_for(self._hub, found, self._options))
        self._fleet._join(name, made, is_own=True, regarding=_reference(secret))
        self._known[name] = found

    def _config_in(self, secret: Unstructured) -> ClusterConfig:
        from .._config.kubeconfig import load_config  # imported late: only this source needs it

        data: object = secret.get("data")
        entries = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        encoded = entries.get(self._key)
        if not isinstance(encoded, str):
            raise ConfigError(f"the Secret has no key {self._key!r} with a kubeconfig")
        config = load_config(text=b64decode(encoded, validate=True), exec_plugins=())
        auth, tls = config.auth, config.tls
        oidc = auth.oidc
        paths = (auth.token_file, auth.certificate_file, auth.key_file, tls.ca_file)
        if any(paths) or (oidc is not None and oidc.ca_file):
            raise ConfigError(
                "the kubeconfig names files: put their contents into the fields that end in -data"
            )
        return config

    def _deleted(self, secret: Unstructured) -> None:
        name = self._cluster_of(secret)
        if name is not None:
            self._known.pop(name, None)
            self._fleet.leave(name)

    def _cluster_of(self, secret: Unstructured) -> str | None:
        """Return the name of the cluster; None if the Secret is not that of a cluster."""
        metadata = secret.metadata
        name = metadata.name
        if self._name_label:
            name = metadata.labels.get(self._name_label, "")
            if not name or metadata.name != name + _SUFFIX:
                return None
        return name if self._namespace is not None else f"{metadata.namespace}/{name}"


class _Kubeconfig:
    """A kubeconfig in use. Its token may change while its clientset runs."""

    def __init__(self, config: ClusterConfig) -> None:
        self._config = config
        self._token = config.auth.fixed_token

    @property
    def config(self) -> ClusterConfig:
        """The configuration of the clientset: it asks for the newest token."""
        if not _has_only_a_token(self._config):
            return self._config
        return replace(self._config, auth=replace(self._config.auth, token=lambda: self._token))

    def accepts(self, config: ClusterConfig) -> bool:
        """Return whether the clientset can go on with a new configuration, and use its token."""
        if config == self._config:
            return True
        is_same = _without_token(config) == _without_token(self._config)
        if not is_same or not all(map(_has_only_a_token, (config, self._config))):
            return False
        self._config, self._token = config, config.auth.fixed_token
        return True


def _has_only_a_token(config: ClusterConfig) -> bool:
    auth = config.auth
    return bool(auth.fixed_token) and not (auth.token_file or auth.has_certificate or auth.username)


def _without_token(config: ClusterConfig) -> ClusterConfig:
    return replace(config, auth=replace(config.auth, token=""))


def _rest_for(hub: ClientsetBase, found: _Kubeconfig, options: ClientOptions) -> Any:
    """Return a REST client of the flavour of the hub."""
    return type(hub.rest)(found.config, **options)


def _reference(secret: Unstructured) -> dict[str, object]:
    metadata = secret.metadata
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": metadata.name,
            "namespace": metadata.namespace,
            "uid": metadata.uid,
        },
    }
