"""The request to a credential plugin: the environment variable KUBERNETES_EXEC_INFO.

https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .file_content import read_file

if TYPE_CHECKING:
    from .cluster_config import ClusterConfig, ExecConfig


def exec_info(config: ClusterConfig, plugin: ExecConfig, *, interactive: bool) -> str:
    """Return the request: an ExecCredential as JSON.

    Raises:
        ConfigError: the CA file, whose content is part of the request, cannot be read.
    """
    spec: dict[str, Any] = {"interactive": interactive}
    if plugin.provide_cluster_info:
        spec["cluster"] = _cluster_info(config, plugin)
    info = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
    return json.dumps(info, separators=(",", ":"))


def _cluster_info(config: ClusterConfig, plugin: ExecConfig) -> dict[str, Any]:
    """Return the `cluster` of the request, without unset fields."""
    authority = base64.b64encode(_read_authority(config)).decode()
    optional = {
        "tls-server-name": config.tls.server_name,
        "insecure-skip-tls-verify": config.tls.insecure,
        "certificate-authority-data": authority,
        "proxy-url": config.proxy_url,
        "disable-compression": config.disable_compression,
    }
    cluster: dict[str, Any] = {"server": config.server}
    cluster |= {key: value for key, value in optional.items() if value}
    if plugin.cluster_config:
        cluster["config"] = json.loads(plugin.cluster_config)
    return cluster


def _read_authority(config: ClusterConfig) -> bytes:
    if config.tls.ca_data or not config.tls.ca_file:
        return config.tls.ca_data
    try:
        return read_file(config.tls.ca_file)
    except OSError as error:
        where = f"{config.tls.origin}: " if config.tls.origin else ""
        message = f"{where}cannot read {config.tls.ca_file}: {error.strerror}"
        raise ConfigError(message) from None
