"""Finds and reads the configuration of a cluster, as kubectl and client-go do.

The first source that applies is used:

1. The file or dict given as `kubeconfig`, or the kubeconfig given as `text`. A file must exist.
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
from .kubeconfig_source import Source, read_source
from .plugin_policy import chosen_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from .kubeconfig_files import Document, Entry
    from .kubeconfig_source import Kubeconfig
    from .plugin_policy import PluginPolicy
    from .token_function import TokenFunction

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

_REPLACED_BY_TOKEN = ("token", "tokenFile", "username", "password", "exec", "auth-provider")

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


def load_config(
    kubeconfig: Kubeconfig | None = None,
    context: str | None = None,
    *,
    text: str | bytes | None = None,
    base: str | os.PathLike[str] | None = None,
    token: str | TokenFunction | None = None,
    exec_plugins: Collection[str] | None = None,
    env: Mapping[str, str] | None = None,
    exec_timeout: float | None = 300.0,
    service_account: str = SERVICE_ACCOUNT,
) -> ClusterConfig:
    """Read the configuration of one cluster.

    Args:
        kubeconfig: The file to read, where `~` is the home directory; or the content of a
            kubeconfig as a dict. With None, the files in KUBECONFIG are read, or else
            `~/.kube/config`, or else the service account of the pod.
        context: The context to use instead of the current context.
        text: The kubeconfig itself, as YAML or JSON, for example out of a Secret.
        base: The folder of relative paths in `text` or in a dict. Without it, relative paths and
            token files are refused.
        token: The bearer token to use instead of the user's credentials: a string, or a function
            that returns it. A client certificate of the user stays in use. See `AuthConfig`.
        exec_plugins: The credential plugins that may run: names of programs in PATH, or paths. With
            None, the kubectl preferences decide for files (credentialPluginPolicy in KUBERC or
            `~/.kube/kuberc`), and no plugin may run for `text` and dicts. An allowed plugin gets
            the arguments and environment variables of the kubeconfig.
        env: The environment variables to use instead of those of the process.
        exec_timeout: The seconds after which a credential plugin that does not answer is killed.
            With None, the client waits forever.
        service_account: The directory in which a pod's service account is mounted.

    Raises:
        ConfigError: no configuration is found, or it is not valid. The message has a line for each
            problem.
    """
    env = os.environ if env is None else env
    source = read_source(kubeconfig, env, text=text, base=base)
    document = source.document
    in_pod = not source.is_content and is_in_cluster(env, service_account)
    pod = service_account if in_pod else ""
    name = context or document.current_context
    if name and name not in document.contexts:
        raise ConfigError(_no_context_message(name, source))
    if name:
        policy = chosen_policy(exec_plugins, env, is_content=source.is_content)
        selection = _Selection(document, document.contexts[name], policy, token is not None)
        config = selection.config(env, pod, exec_timeout)
    elif pod:
        config = in_cluster_config(env, pod)
    else:
        raise ConfigError(_not_found_message(source, env))
    return config if token is None else _with_token(config, token)


def _with_token(config: ClusterConfig, token: str | TokenFunction) -> ClusterConfig:
    """Return the configuration with another token, and without other credentials of that kind."""
    if not token:
        raise ConfigError("token is empty; pass a token, or a function that returns it")
    auth = replace(
        config.auth, token=token, token_file="", username="", password="", exec=None, origin="token"
    )
    return replace(config, auth=auth)


def _not_found_message(source: Source, env: Mapping[str, str]) -> str:
    """Return the message for a missing configuration or a missing current context."""
    if source.document.contexts:
        names = ", ".join(source.document.contexts)
        return f"{source.shown}: no current-context is set; pass one of the contexts: {names}"
    if source.is_content:
        return f"{source.shown}: there are no contexts"
    place = "outside of a cluster"
    if env.get("KUBERNETES_SERVICE_HOST"):
        place = "in a pod without a service account token"
    searched = f"nothing in {source.shown}, and this program runs {place}"
    return f"no configuration has been provided: {searched}; {ADVICE}"


def _no_context_message(name: str, source: Source) -> str:
    hint = _candidates_hint(name, source.document.contexts)
    return f'{source.shown}: context "{name}" does not exist; {hint}'


def _candidates_hint(name: str, candidates: Collection[str]) -> str:
    """Return a hint with the most similar name and all existing names."""
    from difflib import get_close_matches  # imported late: only messages need it

    similar = get_close_matches(name, candidates, n=1)
    did_you_mean = f'did you mean "{similar[0]}"? ' if similar else ""
    return f"{did_you_mean}existing names: {', '.join(candidates) or 'none'}"


@dataclass(slots=True)
class _Selection:
    """A selected context, and the document with its cluster and user.

    `policy` decides which exec plugins may run. With `has_token`, the program has a token of its
    own, and the user's credentials of that kind are not read.
    """

    document: Document
    context: Entry
    policy: PluginPolicy
    has_token: bool

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
        user = self._read_user(user_entry, cluster, problems, exec_timeout)
        if problems or cluster is None:
            raise ConfigError("\n".join(dict.fromkeys(problems)))
        default = in_cluster_namespace(env, pod) if pod else "default"
        return _cluster_config(cluster, user, namespace or default)

    def _read_user(
        self,
        entry: Entry | None,
        cluster: ClusterEntry | None,
        problems: list[str],
        timeout: float | None,
    ) -> User:
        if entry is None:
            return User(AuthConfig(), None)
        if self.has_token:
            kept = {key: entry.value[key] for key in entry.value if key not in _REPLACED_BY_TOKEN}
            entry = replace(entry, value=kept)
        return read_user(
            Fields.of(entry, problems),
            secure=cluster is not None and not cluster.server.startswith("http://"),
            cluster_config=cluster.exec_config if cluster else "",
            timeout=timeout,
            policy=self.policy,
            save=_saver(entry),
        )


def _saver(entry: Entry) -> Callable[[Mapping[str, str]], None] | None:
    """Return the function that writes OIDC tokens into the file of a user; None if it has none."""
    if entry.file.path is None:
        return None

    def save(tokens: Mapping[str, str]) -> None:
        from .kubeconfig_writes import save_tokens  # imported late: rarely needed

        save_tokens(entry, tokens)

    return save


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
