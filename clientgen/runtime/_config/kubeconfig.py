"""Finds and reads the configuration of a cluster, as kubectl and client-go do.

The first source that applies is used:

1. The file given as `kubeconfig`. It must exist.
2. The files in the environment variable KUBECONFIG, merged. Missing files are skipped.
3. `~/.kube/config`.
4. The service account of the pod, if no configuration is found or no context is selected.

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
from .kubeconfig_files import (
    ConfigFile,
    Document,
    Entry,
    config_files,
    home_directory,
    merge_documents,
    read_files,
)

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
"""The end of the error message that no configuration was found."""

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
        kubeconfig: The file to read; `~` is the home directory. With None, the files in KUBECONFIG
            are read, or else `~/.kube/config`, or else the service account of the pod.
        context: The context to use instead of the current context.
        env: The environment variables to use instead of those of the process.
        exec_timeout: The seconds after which a credential plugin that does not answer is killed.
            With None, the client waits forever.
        service_account: The directory in which a pod's service account is mounted.

    Raises:
        ConfigError: no configuration is found, or it is not valid. The message has a line for each
            problem.
    """
    env = os.environ if env is None else env
    files = config_files(env) if kubeconfig is None else [_explicit_file(kubeconfig, env)]
    document = merge_documents(read_files(files, must_exist=kubeconfig is not None))
    pod = service_account if is_in_cluster(env, service_account) else ""
    name = context or document.current_context
    if not name:
        if pod:
            return in_cluster_config(env, pod)
        raise ConfigError(_not_found_message(document, files, env))
    if name not in document.contexts:
        raise ConfigError(_no_context_message(name, document, files))
    return _Selection(document, document.contexts[name]).config(env, pod, exec_timeout)


def _explicit_file(kubeconfig: str | os.PathLike[str], env: Mapping[str, str]) -> ConfigFile:
    path = os.fspath(kubeconfig)
    if path.startswith("~/"):
        path = home_directory(env) + path[1:]
    return ConfigFile.at(path, env)


def _file_names(files: list[ConfigFile]) -> str:
    return ", ".join(file.shown for file in files) or "KUBECONFIG or a home directory"


def _not_found_message(document: Document, files: list[ConfigFile], env: Mapping[str, str]) -> str:
    """Return the message for a missing configuration or a missing current context."""
    if document.contexts:
        names = ", ".join(document.contexts)
        return f"{_file_names(files)}: no current-context is set; pass one of the contexts: {names}"
    place = "outside of a cluster"
    if env.get("KUBERNETES_SERVICE_HOST"):
        place = "in a pod without a service account token"
    searched = f"nothing in {_file_names(files)}, and this program runs {place}"
    return f"no configuration has been provided: {searched}; {ADVICE}"


def _no_context_message(name: str, document: Document, files: list[ConfigFile]) -> str:
    hint = _candidates_hint(name, document.contexts)
    return f'{_file_names(files)}: context "{name}" does not exist; {hint}'


def _candidates_hint(name: str, candidates: Collection[str]) -> str:
    """Return a hint with the most similar name and all existing names."""
    from difflib import get_close_matches  # imported late: only messages need it

    similar = get_close_matches(name, candidates, n=1)
    did_you_mean = f'did you mean "{similar[0]}"? ' if similar else ""
    return f"{did_you_mean}existing names: {', '.join(candidates) or 'none'}"


@dataclass(slots=True)
class _Selection:
    """A selected context, and the document with its cluster and user."""

    document: Document
    context: Entry

    def config(self, env: Mapping[str, str], pod: str, exec_timeout: float | None) -> ClusterConfig:
        """Read the context, its cluster and its user.

        Args:
            env: The environment variables.
            pod: The directory of the service account; empty outside of a pod.
            exec_timeout: The timeout of a credential plugin.
        """
        problems: list[str] = []
        fields = Fields.of(self.context, problems)
        namespace = _read_namespace(fields)
        cluster_entry = _named_entry(fields, "cluster", self.document.clusters)
        user_entry = _named_entry(fields, "user", self.document.users)
        # The context names no cluster: in a pod, use the pod's own cluster.
        if not problems and cluster_entry is None and pod:
            config = in_cluster_config(env, pod)
            return replace(config, namespace=namespace or config.namespace)
        if not fields.has("cluster"):
            fields.add_problem("cluster is missing; set it to the name of a cluster")
        cluster = read_cluster(Fields.of(cluster_entry, problems)) if cluster_entry else None
        user = _read_user(user_entry, cluster, problems, exec_timeout)
        if problems or cluster is None:
            raise ConfigError("\n".join(dict.fromkeys(problems)))
        default = in_cluster_namespace(env, pod) if pod else "default"
        return _cluster_config(cluster, user, namespace or default)


def _read_namespace(fields: Fields) -> str:
    namespace = fields.text("namespace")
    if namespace and not _DNS_LABEL.fullmatch(namespace):
        fields.add_problem(
            f'namespace "{namespace}" is not a DNS label: lower-case letters, digits and "-"'
        )
    return namespace


def _named_entry(fields: Fields, key: str, entries: dict[str, Entry]) -> Entry | None:
    """Return the entry that a context names; None if the context does not have this key."""
    name = fields.text(key)
    if name and name not in entries:
        fields.add_problem(f'{key} "{name}" does not exist; {_candidates_hint(name, entries)}')
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


def _cluster_config(cluster: ClusterEntry, user: User, namespace: str) -> ClusterConfig:
    return ClusterConfig(
        server=cluster.server,
        namespace=namespace,
        tls=cluster.tls,
        auth=user.auth,
        proxy_url=cluster.proxy_url or None,
        disable_compression=cluster.disable_compression,
        impersonate=user.impersonate,
    )
