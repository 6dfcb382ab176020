"""Reads the `exec` entry of a kubeconfig user: how to call a credential plugin.

https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/#ExecConfig
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from .cluster_config import ExecConfig, InteractiveMode

if TYPE_CHECKING:
    from .kubeconfig_fields import Fields
    from .plugin_policy import PluginPolicy

_EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_MODES: dict[str, InteractiveMode] = {
    "Never": "Never",
    "IfAvailable": "IfAvailable",
    "Always": "Always",
}
_CONTROL_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def read_exec(
    user: Fields, cluster_config: str, timeout: float | None, policy: PluginPolicy
) -> ExecConfig | None:
    """Read a user's plugin; None if there is none. Problems are added to `user`."""
    fields = user.nested("exec")
    if fields is None:
        return None
    command = fields.text("command")
    if not fields.has("command"):
        fields.add_problem("command is missing; set it to the program to run")
    # As in client-go, a command without a slash is looked up in PATH when the plugin runs.
    if os.sep in command:
        command = fields.absolute_path("command", command)
    refusal = policy.why_refused(command) if command else ""
    if refusal:
        fields.add_problem(refusal)
    version = _read_version(fields)
    return ExecConfig(
        command=command,
        args=fields.texts("args"),
        env=_read_env(fields),
        api_version=version,
        interactive_mode=_read_mode(fields, version),
        install_hint=_CONTROL_SEQUENCES.sub("", fields.text("installHint")).strip(),
        provide_cluster_info=fields.flag("provideClusterInfo"),
        cluster_config=cluster_config,
        timeout=timeout,
    )


def _read_version(fields: Fields) -> str:
    version = fields.text("apiVersion")
    if not fields.has("apiVersion"):
        fields.add_problem(f"apiVersion is missing; set it to {_EXEC_VERSIONS[0]}")
    elif version and version not in _EXEC_VERSIONS:
        fields.add_problem(
            f'apiVersion "{version}" is not supported; update the plugin and use '
            f"{' or '.join(_EXEC_VERSIONS)}"
        )
    return version


def _read_mode(fields: Fields, version: str) -> InteractiveMode:
    mode = fields.text("interactiveMode")
    if mode in _MODES:
        return _MODES[mode]
    if mode:
        fields.add_problem(f'interactiveMode is "{mode}"; it must be Never, IfAvailable or Always')
    elif version == _EXEC_VERSIONS[0] and not fields.has("interactiveMode"):  # optional in v1beta1
        fields.add_problem("interactiveMode is missing; set it to Never, IfAvailable or Always")
    return "IfAvailable"


def _read_env(fields: Fields) -> tuple[tuple[str, str], ...]:
    pairs: list[tuple[str, str]] = []
    for variable in fields.each("env"):
        name = variable.text("name")
        if not variable.has("name"):
            variable.add_problem("name is missing; set it to the name of the environment variable")
        elif name:
            pairs.append((name, variable.text("value")))
    return tuple(pairs)
