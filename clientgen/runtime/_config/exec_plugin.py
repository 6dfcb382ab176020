"""Credential plugins: programs that print credentials.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

The answer of a plugin is cached until it expires or the server rejects it. All clientsets of the
process that call the plugin in the same way share the answer. Only one of them runs the plugin at
a time.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .exec_reply import ExecAnswer, parse_reply
from .exec_request import exec_info
from .plugin_calls import certificate_received, plugin_called

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Hashable

    from .._clock import Clock
    from .cluster_config import ClientCertificate, ClusterConfig, ExecConfig

__all__ = ["ExecAnswer", "ExecPlugin", "plugin_for", "run_plugin"]

_HELP_URL = "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"

# Far more than a certificate, a key and a token need.
_MAX_OUTPUT_BYTES = 1 << 20

_plugins: dict[Hashable, ExecPlugin] = {}
_plugins_lock = threading.Lock()


def stdin_is_terminal() -> bool:
    """Return whether standard input is a terminal, at which the plugin can ask the user."""
    try:
        return os.isatty(0)
    except OSError:
        return False


class ExecPlugin:
    """The plugin of a cluster configuration, and its last answer."""

    def __init__(self, config: ClusterConfig) -> None:
        self._config = config
        self._answer: ExecAnswer | None = None
        # The certificate of the last answer, which is kept for metrics when an answer is rejected.
        self._certificate: ClientCertificate | None = None
        self._run_lock = threading.Lock()
        # Held only for assignments, so that `reject` does not wait for a running plugin.
        self._answer_lock = threading.Lock()

    def cached(self, clock: Clock) -> ExecAnswer | None:
        """Return the last answer; None if it has expired. As in client-go, there is no leeway."""
        answer = self._answer
        if answer is None or (answer.expires is not None and clock.now() > answer.expires):
            return None
        return answer

    def answer(self, clock: Clock) -> ExecAnswer:
        """Return the cached answer, or run the plugin. Concurrent callers wait for the same run.

        Raises:
            ConfigError: the plugin cannot be run, fails, or prints an invalid answer.
        """
        with self._run_lock:
            answer = self.cached(clock)
            if answer is None:
                answer = run_plugin(self._config)
                certificate_received(self, self._certificate, answer.certificate, clock.now())
                plugin_called(0, "no_error")
                self._certificate = answer.certificate
                with self._answer_lock:
                    self._answer = answer
            return answer

    def reject(self, answer: object) -> None:
        """Drop an answer that the server has rejected, unless there is a newer one."""
        with self._answer_lock:
            if self._answer is answer:
                self._answer = None


def plugin_for(config: ClusterConfig) -> ExecPlugin:
    """Return the plugin of a configuration, which all clients of the process share."""
    key = _shared_key(config)
    with _plugins_lock:
        return _plugins.setdefault(key, ExecPlugin(config))


def _shared_key(config: ClusterConfig) -> Hashable:
    """Return the input of the plugin. Configurations with equal input share the plugin."""
    plugin = config.auth.plugin
    if plugin is None or not plugin.provide_cluster_info:
        return plugin
    return plugin, config.server, config.tls, config.proxy_url, config.disable_compression


def run_plugin(
    config: ClusterConfig, *, is_terminal: Callable[[], bool] = stdin_is_terminal
) -> ExecAnswer:
    """Run the plugin once.

    The plugin inherits standard error. Error messages never quote its output, which has tokens.

    Raises:
        ConfigError: the plugin cannot be run, fails, takes too long, or prints an invalid answer.
    """
    plugin = config.auth.plugin
    assert plugin is not None
    where = f"{config.auth.origin}: exec" if config.auth.origin else "exec"
    where = f'{where}: plugin "{os.path.basename(plugin.command)}"'  # noqa: PTH119 - any OS's
    interactive = _is_interactive(plugin, is_terminal(), where)
    env = {**os.environ, **dict(plugin.env)}
    env["KUBERNETES_EXEC_INFO"] = exec_info(config, plugin, interactive=interactive)
    process = _start_process(plugin, env, interactive=interactive, where=where)
    output = _wait_for_output(process, plugin.timeout, where)
    if process.returncode:
        plugin_called(process.returncode, "plugin_execution_error")
        raise ConfigError(
            f"{where} {_exit_description(process.returncode)}; see its messages on standard error"
        )
    return parse_reply(output, plugin.api_version, where)


def _is_interactive(plugin: ExecConfig, terminal: bool, where: str) -> bool:
    if plugin.interactive_mode == "Always" and not terminal:
        raise ConfigError(
            f"{where} needs a terminal (interactiveMode: Always), but standard input is not one"
        )
    return terminal and plugin.interactive_mode != "Never"


def _start_process(
    plugin: ExecConfig, env: dict[str, str], *, interactive: bool, where: str
) -> subprocess.Popen[bytes]:
    import subprocess  # imported late: most configurations have no plugin

    # As in client-go, the program is looked up in the PATH of this process, not in that of `env`.
    program = shutil.which(plugin.command)
    if program is None:
        plugin_called(1, "plugin_not_found_error")
        raise ConfigError(_not_found(plugin, where))
    try:
        return subprocess.Popen(  # noqa: S603 - the configuration asks to run it
            [program, *plugin.args],
            env=env,
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # A separate process group can be killed as a whole. An interactive plugin stays in our
            # process group, because only the foreground group may read the terminal.
            process_group=None if interactive else 0,
        )
    except OSError as error:
        plugin_called(1, "client_internal_error")
        raise ConfigError(f"{where} cannot be run: {error.strerror}") from None
    except ValueError:
        # An argument or variable contains NUL. The text of the error could quote the value.
        raise ConfigError(
            f"{where} cannot be run: its args or env contain a NUL character"
        ) from None


def _not_found(plugin: ExecConfig, where: str) -> str:
    place = "" if os.path.dirname(plugin.command) else " on PATH"  # noqa: PTH120 - any OS's
    text = f'{where} is not installed: there is no executable "{plugin.command}"{place}'
    return f"{text}\n    {plugin.install_hint or f'see {_HELP_URL}'}"


def _wait_for_output(process: subprocess.Popen[bytes], timeout: float | None, where: str) -> bytes:
    """Return the output of the plugin. On timeout, Ctrl-C or another error, kill the plugin."""
    import subprocess

    deadline = None if timeout is None else monotonic() + timeout
    try:
        output = _read_output(process, deadline, where)
        process.wait(_seconds_until(deadline))
    except subprocess.TimeoutExpired:
        _kill_process(process)
        raise ConfigError(f"{where} did not answer within {timeout:g} s and was stopped") from None
    except BaseException:
        _kill_process(process)
        raise
    finally:
        # Do not read to the end: a child process of the plugin may keep the pipe open.
        if process.stdout is not None:
            process.stdout.close()
    return output


def _read_output(process: subprocess.Popen[bytes], deadline: float | None, where: str) -> bytes:
    """Read the output of the plugin, up to a maximum size."""
    import subprocess
    from selectors import EVENT_READ, DefaultSelector

    assert process.stdout is not None
    if os.name == "nt":  # selectors on Windows support only sockets
        return process.communicate(timeout=_seconds_until(deadline))[0]
    output = b""
    with DefaultSelector() as selector:
        selector.register(process.stdout, EVENT_READ)
        while selector.select(_seconds_until(deadline)):
            piece = os.read(process.stdout.fileno(), _MAX_OUTPUT_BYTES)
            if not piece:  # the end of the output
                return output
            output += piece
            if len(output) > _MAX_OUTPUT_BYTES:
                raise ConfigError(
                    f"{where} printed more than {_MAX_OUTPUT_BYTES} bytes and was stopped"
                )
    raise subprocess.TimeoutExpired(process.args, 0)


def _seconds_until(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - monotonic())


def _kill_process(process: subprocess.Popen[bytes]) -> None:
    """Kill the plugin and, if it has its own process group, the processes that it has started."""
    with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _exit_description(code: int) -> str:
    return f"failed with exit code {code}" if code > 0 else f"was ended by signal {-code}"
