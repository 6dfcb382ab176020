"""Configuration of a program that runs in a pod.

https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .cluster_config import AuthConfig, ClusterConfig, TlsConfig
from .kubeconfig_fields import unreadable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SERVICE_ACCOUNT", "in_cluster_config", "in_cluster_namespace", "is_in_cluster"]

SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def is_in_cluster(env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT) -> bool:
    """Tell whether this is a pod with a service account, as in client-go."""
    try:
        return bool(_address(env)) and Path(service_account, "token").is_file()
    except PermissionError:
        # It is there; that it cannot be read is said when it is needed.
        return True


def in_cluster_config(
    env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT
) -> ClusterConfig:
    """The API server of the pod's own cluster, as the pod's service account.

    Token and authority are files, so that they are read again when the kubelet replaces them.

    Raises:
        ConfigError: when this is not a pod, or its token cannot be read.
    """
    address = _address(env)
    if not address:
        raise ConfigError(
            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"
        )
    token = str(Path(service_account, "token"))
    trouble = unreadable(token)
    if trouble:
        raise ConfigError(
            f"in-cluster: {trouble}; is automountServiceAccountToken off for this pod?"
        )
    return ClusterConfig(
        f"https://{address}",
        namespace=in_cluster_namespace(env, service_account),
        tls=TlsConfig(ca_file=_authority(service_account), origin="in-cluster"),
        auth=AuthConfig(token_file=token, origin="in-cluster"),
    )


def in_cluster_namespace(env: Mapping[str, str], service_account: str = SERVICE_ACCOUNT) -> str:
    """The pod's namespace: POD_NAMESPACE, the mounted file, else `default`."""
    if env.get("POD_NAMESPACE"):
        return env["POD_NAMESPACE"]
    try:
        text = Path(service_account, "namespace").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "default"
    return text.strip() or "default"


def _address(env: Mapping[str, str]) -> str:
    """`host:port`, with brackets around IPv6; empty outside of a cluster."""
    host = env.get("KUBERNETES_SERVICE_HOST", "")
    port = env.get("KUBERNETES_SERVICE_PORT", "")
    if not host or not port:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _authority(service_account: str) -> str:
    """The CA file; without one client-go goes on with the system's authorities, and says so."""
    path = str(Path(service_account, "ca.crt"))
    trouble = unreadable(path)
    if not trouble:
        return path
    # Late: hardly ever needed.
    import logging

    logging.getLogger(__name__).warning(
        "in-cluster: %s; trusting the system's authorities instead", trouble
    )
    return ""
