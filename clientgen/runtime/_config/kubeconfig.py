"""Find and read the configuration of a cluster, the way kubectl and client-go do.

The first of these that applies:

1. the file given as `kubeconfig`; it must exist;
2. the files that the environment variable KUBECONFIG lists, merged; those that are missing are
   skipped;
3. `~/.kube/config`;
4. the service account of the pod, when no configuration was found or no context is chosen.

https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .cluster_config import (
    AuthConfig,
    ClusterConfig,
    ExecConfig,
    Impersonation,
    TlsConfig,
)
from .incluster import SERVICE_ACCOUNT, in_cluster_config, in_cluster_namespace, is_in_cluster
from .kubeconfig_entries import ClusterEntry, User, read_cluster, read_user
from .kubeconfig_fields import Fields
from .kubeconfig_files import ConfigFile, Document, Entry, config_files, home_of, merge, read_files

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "ADVICE",
    "AuthConfig",
    "ClusterConfig",
    "ExecConfig",
    "Impersonation",
    "TlsConfig",
    "load_config",
]

ADVICE = "set KUBECONFIG or pass kubeconfig="
"""The end of the message that there is no configuration."""

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def load_config(
    kubeconfig: str | os.PathLike[str] | None = None,
    context: str | None = None,
    *,
    env: Mapping[str, str] | None = None,
    exec_timeout: float | None = 300.0,
    service_account: str = SERVICE_ACCOUNT,
) -> ClusterConfig:
    """Read the configuration of one cluster.

    Args:
        kubeconfig: The file to read; `~` is the home directory. None searches.
        context: The context to use instead of the current one.
        env: The environment instead of the process's own.
        exec_timeout: Seconds after which a credential plugin that does not answer is ended; None
            waits forever.
        service_account: The directory that a pod's service account is mounted in.

    Raises:
        ConfigError: when there is no configuration, or it is broken: the message says everything
            that is wrong with it, a line each.
    """
    env = os.environ if env is None else env
    files = config_files(env) if kubeconfig is None else [_explicit(kubeconfig, env)]
    document = merge(read_files(files, must_exist=kubeconfig is not None))
    pod = service_account if is_in_cluster(env, service_account) else ""
    name = context or document.current_context
    if not name:
        if pod:
            return in_cluster_config(env, pod)
        raise ConfigError(_nothing(document, files, env))
    if name not in document.contexts:
        raise ConfigError(_no_context(name, document, files))
    return _Selection(document, document.contexts[name]).config(env, pod, exec_timeout)


def _explicit(kubeconfig: str | os.PathLike[str], env: Mapping[str, str]) -> ConfigFile:
    path = os.fspath(kubeconfig)
    if path.startswith("~/"):
        path = home_of(env) + path[1:]
    return ConfigFile.at(path, env)


def _names(files: list[ConfigFile]) -> str:
    return ", ".join(file.shown for file in files) or "KUBECONFIG or a home directory"


def _nothing(document: Document, files: list[ConfigFile], env: Mapping[str, str]) -> str:
    """Return the reason why there is no configuration."""
    if document.contexts:
        names = ", ".join(document.contexts)
        return f"{_names(files)}: no current-context is set; choose a context: {names}"
    place = "outside of a cluster"
    if env.get("KUBERNETES_SERVICE_HOST"):
        place = "in a pod without a service account token"
    searched = f"nothing in {_names(files)}, and this runs {place}"
    return f"no configuration has been provided: {searched}; {ADVICE}"


def _no_context(name: str, document: Document, files: list[ConfigFile]) -> str:
    return f'{_names(files)}: context "{name}" does not exist; {_beside(name, document.contexts)}'


def _beside(name: str, candidates: Collection[str]) -> str:
    """Return a hint with the names that exist, and first the one that is probably meant."""
    from difflib import get_close_matches  # only where something is wrong

    near = get_close_matches(name, candidates, n=1)
    meant = f'did you mean "{near[0]}"? ' if near else ""
    return f"{meant}there are: {', '.join(candidates) or 'none'}"


@dataclass(slots=True)
class _Selection:
    """A context and what it points to."""

    document: Document
    context: Entry

    def config(self, env: Mapping[str, str], pod: str, exec_timeout: float | None) -> ClusterConfig:
        """Read the context; `pod` is the service account's directory when this is a pod."""
        problems: list[str] = []
        fields = Fields.of(self.context, problems)
        namespace = _namespace(fields)
        cluster_entry = _named(fields, "cluster", self.document.clusters)
        user_entry = _named(fields, "user", self.document.users)
        if not problems and cluster_entry is None and pod:
            config = in_cluster_config(env, pod)
            return replace(config, namespace=namespace or config.namespace)
        if not fields.has("cluster"):
            fields.problem("cluster is missing; name one of the clusters")
        cluster = read_cluster(Fields.of(cluster_entry, problems)) if cluster_entry else None
        user = _read_user(user_entry, cluster, problems, exec_timeout)
        if problems or cluster is None:
            raise ConfigError("\n".join(dict.fromkeys(problems)))
        default = in_cluster_namespace(env, pod) if pod else "default"
        return _built(cluster, user, namespace or default)


def _namespace(fields: Fields) -> str:
    namespace = fields.text("namespace")
    if namespace and not _DNS_LABEL.fullmatch(namespace):
        fields.problem(
            f'namespace "{namespace}" is not a DNS label: lower-case letters, digits and "-"'
        )
    return namespace


def _named(fields: Fields, key: str, entries: dict[str, Entry]) -> Entry | None:
    """The entry a context names; a context may do without a user."""
    name = fields.text(key)
    if name and name not in entries:
        fields.problem(f'{key} "{name}" does not exist; {_beside(name, entries)}')
    return entries.get(name) if name else None


def _read_user(
    entry: Entry | None, cluster: ClusterEntry | None, problems: list[str], timeout: float | None
) -> User:
    if entry is None:
        return User(AuthConfig(), None)
    secure = cluster is not None and not cluster.server.startswith("http://")
    info = cluster.exec_config if cluster else ""
    return read_user(
        Fields.of(entry, problems), secure=secure, cluster_config=info, timeout=timeout
    )


def _built(cluster: ClusterEntry, user: User, namespace: str) -> ClusterConfig:
    return ClusterConfig(
        server=cluster.server,
        namespace=namespace,
        tls=cluster.tls,
        auth=user.auth,
        proxy_url=cluster.proxy_url or None,
        disable_compression=cluster.disable_compression,
        impersonate=user.impersonate,
    )
