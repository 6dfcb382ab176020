"""Current credentials: reads files again and runs plugins again when needed.

Shared by both flavours. `cached` is for every request, `refresh` for when it has nothing: that one
may read files and wait for a plugin, so asyncio code calls it in a worker thread.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from .._clock import SYSTEM_CLOCK
from .authorization_header import basic, bearer
from .cluster_config import AuthConfig, ClientCertificate, Credential, TlsConfig
from .credential_files import CredentialFiles

if TYPE_CHECKING:
    from .._clock import Clock
    from .cluster_config import ClusterConfig
    from .exec_plugin import ExecAnswer, ExecPlugin

__all__ = ["ClientCertificate", "Credential", "Credentials"]

# client-go looks at token files every minute less ten seconds of leeway; the other files are
# looked at together with them.
_PERIOD = 50.0
# After a file could not be read: the old content serves, and is looked for again soon.
_RETRY_PERIOD = 5.0


class Credentials:
    """The credential of one cluster configuration; safe to share between threads.

    A credential changes when a token or certificate file, the CA file, or the plugin's answer
    does; connections whose `Credential.connection` differs must then be opened anew. Without TLS
    there is nothing to show, whatever is configured.

    The clock's monotonic side paces the re-reading of files, its time of day is compared with the
    expiry of plugins' answers.
    """

    def __init__(self, config: ClusterConfig, *, clock: Clock = SYSTEM_CLOCK) -> None:
        if not config.is_secure:
            config = replace(config, tls=TlsConfig(), auth=AuthConfig())
        self._auth = config.auth
        self._clock = clock
        self._lock = threading.Lock()
        self._files = CredentialFiles(config)
        self._plugin = _plugin_of(config)
        self._answer: ExecAnswer | None = None
        self._read_again = float("-inf") if self._files else float("inf")
        waits = self._plugin is not None or bool(self._files)
        self._current = None if waits else self._credential(None)

    def cached(self) -> Credential | None:
        """The credential, if it is still good; None asks for `refresh`. Never waits."""
        current = self._current
        if self._plugin is not None:
            answer = self._plugin.cached(self._clock)
            if answer is None or answer is not self._answer:
                return None
        return current if self._clock.monotonic() < self._read_again else None

    def refresh(self) -> Credential:
        """The credential, after reading files and running the plugin where that is due.

        One caller at a time does the work, the others wait for it and get what it got. A file
        that can no longer be read keeps its old content.

        Raises:
            ConfigError: when a file cannot be read the first time, or the plugin fails.
        """
        with self._lock:
            return self.cached() or self._renew()

    def rejected(self, credential: Credential) -> None:
        """Note that the server answered 401 to a credential.

        Where a new one could be had, `cached` is None next: files are read again, and the plugin
        is run again unless it was already, by whoever shares it. An older credential than the
        current one is no news.
        """
        # No lock: callers on an event loop must not wait for a refresh that is under way.
        if credential is not self._current:
            return
        if self._plugin is not None and self._answer is not None:
            self._plugin.reject(self._answer)
        if self._files:
            self._read_again = float("-inf")

    def _renew(self) -> Credential:
        """Do what is due; the same object comes back when nothing changed and nothing was said."""
        if self._clock.monotonic() >= self._read_again:
            complete = self._files.read()
            self._read_again = self._clock.monotonic() + (_PERIOD if complete else _RETRY_PERIOD)
        answer = self._plugin.answer(self._clock) if self._plugin else None
        renewed = self._credential(answer)
        # A new answer is a new credential even if it says the same: only then can a late 401 to
        # the old one be told from one to the new.
        if self._current is None or renewed != self._current or answer is not self._answer:
            self._current = renewed
        self._answer = answer
        return self._current

    def _credential(self, answer: ExecAnswer | None) -> Credential:
        files, auth = self._files, self._auth
        if answer is not None:
            return Credential(bearer(answer.token), answer.certificate, files.authority)
        shown = bearer(files.token or auth.token) or basic(auth.username, auth.password)
        return Credential(shown, files.certificate, files.authority)


def _plugin_of(config: ClusterConfig) -> ExecPlugin | None:
    if config.auth.plugin is None:
        return None
    from .exec_plugin import plugin_for  # late: only those who have a plugin pay for it

    return plugin_for(config)
