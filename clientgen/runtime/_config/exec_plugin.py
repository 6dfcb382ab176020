"""Credential plugins: programs that print who the caller is.

https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

What a plugin said is kept for the whole process, by how it was called, until it expires or the
server rejects it: several clientsets share one answer and one run at a time.
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

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Hashable

    from .._clock import Clock
    from .cluster_config import ClusterConfig, ExecConfig

__all__ = ["ExecAnswer", "ExecPlugin", "plugin_for", "run_plugin"]

_HELP = "https://kubernetes.io/docs/reference/access-authn-authz/authentication/"

# Far more than any certificate, key and token.
_MOST_OUTPUT = 1 << 20

_plugins: dict[Hashable, ExecPlugin] = {}
_plugins_lock = threading.Lock()


def stdin_is_terminal() -> bool:
    """Tell whether somebody can answer a plugin's questions."""
    try:
        return os.isatty(0)
    except OSError:
        return False


class ExecPlugin:
    """A plugin as one cluster configuration calls it, and its latest answer."""

    def __init__(self, config: ClusterConfig) -> None:
        self._config = config
        self._answer: ExecAnswer | None = None
        self._running = threading.Lock()
        # Held for an instant only: nobody who rejects an answer waits for a run.
        self._changing = threading.Lock()

    def cached(self, clock: Clock) -> ExecAnswer | None:
        """The answer, if there is one that has not expired. Like client-go, without a margin."""
        answer = self._answer
        if answer is None or (answer.expires is not None and clock.now() > answer.expires):
            return None
        return answer

    def answer(self, clock: Clock) -> ExecAnswer:
        """The cached answer, else that of a new run; others wait for the run and share it.

        Raises:
            ConfigError: when the plugin cannot be run, fails, or answers wrongly.
        """
        with self._running:
            answer = self.cached(clock)
            if answer is None:
                answer = run_plugin(self._config)
                with self._changing:
                    self._answer = answer
            return answer

    def reject(self, answer: ExecAnswer) -> None:
        """Forget an answer the server rejected, unless a newer one has taken its place."""
        with self._changing:
            if self._answer is answer:
                self._answer = None


def plugin_for(config: ClusterConfig) -> ExecPlugin:
    """The process's own plugin for a configuration, which must have one."""
    key = _key(config)
    with _plugins_lock:
        return _plugins.setdefault(key, ExecPlugin(config))


def _key(config: ClusterConfig) -> Hashable:
    """Return the input of the plugin, by which clusters share its answer."""
    plugin = config.auth.plugin
    if plugin is None or not plugin.provide_cluster_info:
        return plugin
    return plugin, config.server, config.tls, config.proxy_url, config.disable_compression


def run_plugin(
    config: ClusterConfig, *, is_terminal: Callable[[], bool] = stdin_is_terminal
) -> ExecAnswer:
    """Run the plugin once.

    Its standard error goes where the process's own goes; what it printed is never in an error,
    for that is where the tokens are.

    Raises:
        ConfigError: when it cannot be run, fails, takes too long, or answers wrongly.
    """
    plugin = config.auth.plugin
    assert plugin is not None
    where = f"{config.auth.origin}: exec" if config.auth.origin else "exec"
    where = f'{where}: plugin "{os.path.basename(plugin.command)}"'  # noqa: PTH119 - any OS's
    interactive = _interactive(plugin, is_terminal(), where)
    env = {**os.environ, **dict(plugin.env)}
    env["KUBERNETES_EXEC_INFO"] = exec_info(config, plugin, interactive=interactive)
    process = _start(plugin, env, interactive=interactive, where=where)
    output = _wait(process, plugin.timeout, where)
    if process.returncode:
        raise ConfigError(f"{where} {_ending(process.returncode)}; its standard error says why")
    return parse_reply(output, plugin.api_version, where)


def _interactive(plugin: ExecConfig, terminal: bool, where: str) -> bool:
    if plugin.interactive_mode == "Always" and not terminal:
        raise ConfigError(
            f"{where} needs a terminal (interactiveMode: Always), but standard input is not one"
        )
    return terminal and plugin.interactive_mode != "Never"


def _start(
    plugin: ExecConfig, env: dict[str, str], *, interactive: bool, where: str
) -> subprocess.Popen[bytes]:
    # Late: only those who have a plugin pay for it.
    import subprocess

    # The plugin is looked for on our own PATH, whatever PATH it is itself given.
    program = shutil.which(plugin.command)
    if program is None:
        raise ConfigError(_not_found(plugin, where))
    try:
        return subprocess.Popen(  # noqa: S603 - to run it is what the configuration asks for
            [program, *plugin.args],
            env=env,
            stdin=None if interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # A group of its own can be ended as a whole; but only ours may read the terminal.
            process_group=None if interactive else 0,
        )
    except OSError as error:
        raise ConfigError(f"{where} cannot be run: {error.strerror}") from None
    except ValueError:
        # An argument or a variable with a NUL; the error's text could quote it.
        raise ConfigError(
            f"{where} cannot be run: its args or env contain a NUL character"
        ) from None


def _not_found(plugin: ExecConfig, where: str) -> str:
    place = "" if os.path.dirname(plugin.command) else " on PATH"  # noqa: PTH120 - any OS's
    text = f'{where} is not installed: there is no executable "{plugin.command}"{place}'
    return f"{text}\n    {plugin.install_hint or f'see {_HELP}'}"


def _wait(process: subprocess.Popen[bytes], timeout: float | None, where: str) -> bytes:
    """Return the output of the plugin; no process outlives an exception (a timeout, Ctrl-C)."""
    import subprocess

    until = None if timeout is None else monotonic() + timeout
    try:
        output = _output(process, until, where)
        process.wait(_left(until))
    except subprocess.TimeoutExpired:
        _end(process)
        raise ConfigError(f"{where} did not answer within {timeout:g} s and was stopped") from None
    except BaseException:
        _end(process)
        raise
    finally:
        # Not drained: what the plugin itself started may hold the other end open.
        if process.stdout is not None:
            process.stdout.close()
    return output


def _output(process: subprocess.Popen[bytes], until: float | None, where: str) -> bytes:
    """Read what it prints, as far as that can be an answer."""
    import subprocess
    from selectors import EVENT_READ, DefaultSelector

    assert process.stdout is not None
    if os.name == "nt":  # where only sockets can be waited for
        return process.communicate(timeout=_left(until))[0]
    output = b""
    with DefaultSelector() as selector:
        selector.register(process.stdout, EVENT_READ)
        while selector.select(_left(until)):
            piece = os.read(process.stdout.fileno(), _MOST_OUTPUT)
            if not piece:
                return output
            output += piece
            if len(output) > _MOST_OUTPUT:
                raise ConfigError(f"{where} printed more than {_MOST_OUTPUT} bytes and was stopped")
    raise subprocess.TimeoutExpired(process.args, 0)


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - monotonic())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it, and what it has started where that can be told from what others started."""
    with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _ending(code: int) -> str:
    return f"failed with exit code {code}" if code > 0 else f"was ended by signal {-code}"
