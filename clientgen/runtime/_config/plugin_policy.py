"""Decides which credential plugins may run.

Kubectl's preferences, the file `kuberc`, have the policy of the user:
https://kubernetes.io/docs/reference/kubectl/kuberc/#credential-plugin-policy
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..errors import ConfigError
from .file_content import read_file
from .kubeconfig_fields import Fields
from .kubeconfig_files import ConfigFile, home_directory, kind_of
from .yaml_reader import read_yaml

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_POLICIES = ("AllowAll", "DenyAll", "Allowlist")
_API = "kubectl.config.k8s.io/"


class PluginPolicy(Protocol):
    """Decides which plugins may run."""

    def why_refused(self, command: str) -> str:
        """Return the reason why a plugin may not run, and what to do; empty if it may run.

        Raises:
            ConfigError: the preferences of kubectl are not valid.
        """
        ...


def _is_any_of(names: Collection[str], command: str, env: Mapping[str, str]) -> bool:
    """Return whether a command is one of the programs.

    As in client-go, both are searched in PATH, and must be the same file. Equal texts need no
    search, so that a missing plugin is reported when it runs.
    """
    if command in names:
        return True
    path = env.get("PATH")
    found = shutil.which(command, path=path)
    return found is not None and any(found == shutil.which(name, path=path) for name in names)


@dataclass(frozen=True, slots=True)
class _Preference:
    """The policy in kubectl's preferences."""

    policy: str
    allowed: tuple[str, ...] = ()


class NamedPlugins:
    """Allows the plugins that the program has named. `whose` begins the message."""

    def __init__(self, env: Mapping[str, str], names: Collection[str], whose: str) -> None:
        if isinstance(names, str):
            raise ConfigError("exec_plugins is a string; pass a list of names")
        self._env = env
        self._names = tuple(names)
        self._whose = whose

    def why_refused(self, command: str) -> str:
        """Refuse plugins that are not named."""
        if _is_any_of(self._names, command, self._env):
            return ""
        return f'{self._whose} may not run the plugin "{command}"; allow it with exec_plugins='


class KubectlPolicy:
    """Allows what the user's preferences of kubectl allow. They are read if there is a plugin."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def why_refused(self, command: str) -> str:
        """Refuse plugins that the preferences do not allow."""
        file = _preferences_file(self._env)
        preference = (
            _read_preference(file, is_named=bool(self._env.get("KUBERC"))) if file else None
        )
        if file is None or preference is None or preference.policy == "AllowAll":
            return ""
        if _is_any_of(preference.allowed, command, self._env):
            return ""
        return (
            f'the plugin "{command}" is not allowed: credentialPluginPolicy is'
            f" {preference.policy} in {file.shown}"
        )


def chosen_policy(
    names: Collection[str] | None, env: Mapping[str, str], *, is_content: bool
) -> PluginPolicy:
    """Return the policy for a kubeconfig.

    Args:
        names: The plugins that the program allows; None if it did not say.
        env: The environment variables.
        is_content: Whether the kubeconfig is no file. Then no plugin is allowed by default.
    """
    if names is not None:
        return NamedPlugins(env, names, "this kubeconfig")
    if is_content:
        return NamedPlugins(env, (), "a kubeconfig that is no file")
    return KubectlPolicy(env)


def _preferences_file(env: Mapping[str, str]) -> ConfigFile | None:
    """Return the preferences that kubectl would read; None if they are switched off."""
    path = env.get("KUBERC", "")
    if path == "off" or env.get("KUBECTL_KUBERC", "").lower() in ("false", "0", "f"):
        return None
    home = home_directory(env)
    if not path and home:
        path = str(Path(home, ".kube", "kuberc"))
    return ConfigFile.at(path, env) if path else None


def _read_preference(file: ConfigFile, *, is_named: bool) -> _Preference | None:
    """Read the preferences; None if the file does not exist and no variable names it.

    Raises:
        ConfigError: they cannot be read or are not valid. Nothing is allowed then.
    """
    try:
        content = read_yaml(read_file(file.path or os.devnull), file.shown)
    except FileNotFoundError:
        if is_named:
            raise ConfigError(f"{file.shown}: KUBERC names a file that does not exist") from None
        return None
    except OSError as error:
        raise ConfigError(f"{file.shown}: cannot be read: {error.strerror}") from None
    problems: list[str] = []
    if not isinstance(content, dict):
        raise ConfigError(
            f"{file.shown}: the preferences must be a mapping, not {kind_of(content)}"
        )
    preference = _preference(Fields(file.shown, cast("dict[str, Any]", content), None, problems))
    if problems:
        raise ConfigError("\n".join(problems))
    return preference


def _preference(fields: Fields) -> _Preference:
    if fields.text("kind") != "Preference" or not fields.text("apiVersion").startswith(_API):
        fields.add_problem(f"this is not a Preference of {_API}v1beta1")
    policy = fields.text("credentialPluginPolicy") or "AllowAll"
    # Kubernetes 1.35 has `name`, later releases `command`.
    entries = fields.each("credentialPluginAllowlist")
    allowed = tuple(entry.text("command") or entry.text("name") for entry in entries)
    if policy not in _POLICIES:
        fields.add_problem(f"credentialPluginPolicy must be one of {', '.join(_POLICIES)}")
    elif (policy == "Allowlist") != bool(allowed):
        fields.add_problem(
            "credentialPluginAllowlist belongs to the credentialPluginPolicy Allowlist, which"
            " needs it"
        )
    if not all(allowed):
        fields.add_problem("credentialPluginAllowlist has an entry without command")
    return _Preference(policy, allowed)
