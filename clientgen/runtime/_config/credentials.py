"""The current credentials: re-reads files and re-runs plugins when needed.

Both flavours use this module. Every request calls `cached`, and calls `refresh` if `cached` returns
None. `refresh` may read files and wait for a plugin, so asyncio code calls it in a worker thread.
"""

from __future__ import annotations

import logging
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
    from .exec_plugin import ExecPlugin
    from .exec_reply import ExecAnswer
    from .oidc_tokens import OidcTokens
    from .token_function import TokenAnswer, TokenSource

__all__ = ["ClientCertificate", "Credential", "Credentials"]

# client-go re-reads token files every minute, less ten seconds of leeway. Here, the other files are
# read at the same time.
logger = logging.getLogger("clientgen.runtime.config")

_REREAD_INTERVAL_SECONDS = 50.0
# The interval while a file cannot be read. Its old content is used meanwhile.
_RETRY_INTERVAL_SECONDS = 5.0


class Credentials:
    """The credential of a cluster configuration. Threads may share an instance.

    The credential changes when a token or certificate file, the CA file, or the plugin's answer
    changes. If `Credential.connection` has changed, older connections must not be used any more.
    Without TLS, the credential is empty, because credentials are sent over TLS only.

    If there is a `token_source`, the caller of `refresh` has let it keep a token before.

    The monotonic time of the clock decides when files are read again. Its wall-clock time is
    compared with the expiry of plugins' answers.
    """

    def __init__(self, config: ClusterConfig, *, clock: Clock = SYSTEM_CLOCK) -> None:
        if not config.is_secure:
            if not config.auth.is_empty:
                logger.warning(
                    "the credentials for %s are not sent: http:// is not encrypted", config.server
                )
            config = replace(config, tls=TlsConfig(), auth=AuthConfig())
        self._auth = config.auth
        self.clock = clock
        self._lock = threading.Lock()
        self._files = CredentialFiles(config)
        self.token_source = _source_of(config)
        self._plugin = self.token_source or _plugin_of(config)
        self._answer: ExecAnswer | TokenAnswer | None = None
        self._next_read = float("-inf") if self._files else float("inf")
        needs_refresh = self._plugin is not None or bool(self._files)
        self._current = None if needs_refresh else self._new_credential(None)

    def cached(self) -> Credential | None:
        """Return the credential if it is still valid; None if `refresh` is needed. Never waits."""
        current = self._current
        if self._plugin is not None:
            answer = self._plugin.cached(self.clock)
            if answer is None or answer is not self._answer:
                return None
        return current if self.clock.monotonic() < self._next_read else None

    def refresh(self) -> Credential:
        """Return the credential. Reads files and runs the plugin if necessary.

        One caller at a time refreshes the credential. Concurrent callers wait, and get the same
        credential. If a file cannot be read any more, its old content is used.

        Raises:
            ConfigError: a file cannot be read the first time, or the plugin fails.
        """
        with self._lock:
            return self.cached() or self._refresh_if_due()

    def rejected(self, credential: Credential) -> None:
        """Note that the server answered 401 to a credential.

        If the credential is current, and comes from files or a plugin, `cached` returns None until
        `refresh` has read the files and run the plugin again. `refresh` does not run the plugin if
        another client with the same plugin has run it since.
        """
        # This takes no lock: callers on an event loop must not wait for a running refresh.
        if credential is not self._current:
            return
        if self._plugin is not None and self._answer is not None:
            self._plugin.reject(self._answer)
        if self._files:
            self._next_read = float("-inf")

    def _refresh_if_due(self) -> Credential:
        """Read files and run the plugin if due. Returns the same object if nothing has changed."""
        if self.clock.monotonic() >= self._next_read:
            is_complete = self._files.read()
            self._next_read = self.clock.monotonic() + (
                _REREAD_INTERVAL_SECONDS if is_complete else _RETRY_INTERVAL_SECONDS
            )
        answer = self._plugin.answer(self.clock) if self._plugin else None
        credential = self._new_credential(answer)
        # A new answer of the plugin makes a new credential, even if it equals the old answer.
        # Otherwise a late 401 to the old credential would reject the new answer, too.
        if self._current is None or credential != self._current or answer is not self._answer:
            self._current = credential
        self._answer = answer
        return self._current

    def _new_credential(self, answer: ExecAnswer | TokenAnswer | None) -> Credential:
        files, auth = self._files, self._auth
        if answer is not None:
            return Credential(bearer(answer.token), answer.certificate, files.authority)
        authorization = bearer(files.token or auth.fixed_token) or basic(
            auth.username, auth.password
        )
        return Credential(authorization, files.certificate, files.authority)


def _source_of(config: ClusterConfig) -> TokenSource | None:
    """Return the token function. It is not imported for a configuration without one."""
    return None if isinstance(config.auth.token, str) else config.auth.token_source


def _plugin_of(config: ClusterConfig) -> ExecPlugin | OidcTokens | None:
    if config.auth.provider is not None:
        from .oidc_tokens import oidc_tokens  # imported late: rarely needed

        return oidc_tokens(config.auth.provider)
    if config.auth.plugin is None:
        return None
    from .exec_plugin import plugin_for  # imported late: most configurations have no plugin

    return plugin_for(config)
