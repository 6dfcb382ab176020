"""Kubeconfig, service accounts, and configurations written in code.

::

    load_config()                                           # as kubectl finds it
    load_config("~/.kube/other", "staging")                 # a file, and one of its contexts
    load_config(text="…")                                   # the kubeconfig itself
    ClusterConfig("https://…", auth=AuthConfig(token="…"))  # from code
"""

from __future__ import annotations

from ._config.cluster_config import (
    AuthConfig,
    ClientCertificate,
    ClusterConfig,
    Credential,
    ExecConfig,
    Impersonation,
    OidcConfig,
    TlsConfig,
)
from ._config.kubeconfig import load_config
from ._config.kubeconfig_writes import KubeContext, contexts, merge_kubeconfig, use_context

__all__ = [
    "AuthConfig",
    "ClientCertificate",
    "ClusterConfig",
    "Credential",
    "ExecConfig",
    "Impersonation",
    "KubeContext",
    "OidcConfig",
    "TlsConfig",
    "contexts",
    "load_config",
    "merge_kubeconfig",
    "use_context",
]
