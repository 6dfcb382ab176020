"""The configuration of a program that runs in a pod.

https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .cluster_config import AuthConfig, ClusterConfig, TlsConfig
from .kubeconfig_fields import why_unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def is_in_cluster(env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT) -> bool:
    """Return whether the program runs in a pod with a service account, by client-go's rules."""
    try:
        return bool(_server_address(env)) and Path(service_account, "token").is_file()
    except PermissionError:
        # The token exists. `in_cluster_config` reports that it cannot be read.
        return True


def in_cluster_config(
    env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT
) -> ClusterConfig:
    """Return the configuration of the pod's cluster, with the pod's service account.

    The token and the CA are configured as files, so that clients read them again after the kubelet
    has replaced them.

    Raises:
        ConfigError: the program does not run in a pod, or the token cannot be read.
    """
    address = _server_address(env)
    if not address:
        raise ConfigError(
            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"
        )
    token = str(Path(service_account, "token"))
    problem = why_unreadable(token)
    if problem:
        raise ConfigError(
            f"in-cluster: {problem}; is automountServiceAccountToken off for this pod?"
        )
    return ClusterConfig(
        f"https://{address}",
        namespace=in_cluster_namespace(env, service_account),
        tls=TlsConfig(ca_file=_authority_file(service_account), origin="in-cluster"),
        auth=AuthConfig(token_file=token, origin="in-cluster"),
    )


def in_cluster_namespace(env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT) -> str:
    """Return the pod's namespace: from POD_NAMESPACE or the mounted file, else `default`."""
    if env.get("POD_NAMESPACE"):
        return env["POD_NAMESPACE"]
    try:
        text = Path(service_account, "namespace").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "default"
    return text.strip() or "default"


def _server_address(env: Mapping[str, str]) -> str:
    """Return `host:port`, with brackets around an IPv6 address; empty outside of a cluster."""
    host = env.get("KUBERNETES_SERVICE_HOST", "")
    port = env.get("KUBERNETES_SERVICE_PORT", "")
    if not host or not port:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _authority_file(service_account: str) -> str:
    """Return the CA file. Without it, log a warning and use the system's CAs, as in client-go."""
    path = str(Path(service_account, "ca.crt"))
    problem = why_unreadable(path)
    if not problem:
        return path
    import logging  # imported late: rarely needed

    logging.getLogger(__name__).warning(
        "in-cluster: %s; the certificate authorities of the system are trusted instead", problem
    )
    return ""
