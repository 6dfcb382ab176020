"""The auth-provider `oidc` of a kubeconfig: an id token, which a refresh token renews.

The steps are those of client-go's plugin `oidc`. New tokens are written into the kubeconfig.
https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens
"""

from __future__ import annotations

import base64
import json
import ssl
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote_plus, urlencode, urlsplit

from ..errors import ConfigError
from .authorization_header import is_header_safe
from .token_function import TokenAnswer, usable_until

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._clock import Clock
    from .cluster_config import OidcConfig

_MAX_BYTES = 1 << 20
_TIMEOUT_SECONDS = 30.0
_REFUSED_LOGIN = (400, 401)

_shared: dict[OidcConfig, OidcTokens] = {}
_shared_lock = threading.Lock()


def oidc_tokens(config: OidcConfig) -> OidcTokens:
    """Return the tokens of a user, which all clients of the process share."""
    with _shared_lock:
        return _shared.setdefault(config, OidcTokens(config))


@dataclass(slots=True, repr=False)
class _Tokens:
    id_token: str
    refresh_token: str


class OidcTokens:
    """The tokens of a user. One caller at a time renews them."""

    def __init__(self, config: OidcConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._tokens = _Tokens(config.id_token, config.refresh_token)
        self._rejected: object = None
        self._answer = _answer(config.id_token)

    def cached(self, clock: Clock) -> TokenAnswer | None:
        """Return the last answer; None if it has expired or was rejected."""
        answer = self._answer
        if answer is None or answer is self._rejected:
            return None
        # As in client-go, an id token without a time of expiry is renewed at once.
        return answer if answer.expires is not None and clock.now() <= answer.expires else None

    def reject(self, answer: object) -> None:
        """Note that the server has rejected an answer. A newer answer stays in use."""
        self._rejected = answer

    def answer(self, clock: Clock) -> TokenAnswer:
        """Return the cached id token, or renew it.

        Raises:
            ConfigError: there is no refresh token, or the provider refuses it or cannot be reached.
        """
        with self._lock:
            answer = self.cached(clock)
            if answer is None:
                answer = self._renewed()
                self._answer = answer
            return answer

    def _renewed(self) -> TokenAnswer:
        where = f"{self._config.origin}: auth-provider oidc"
        if not self._tokens.refresh_token:
            raise ConfigError(f"{where}: the id-token has expired, and there is no refresh-token")
        provider = _Provider(self._config, where)
        reply = provider.renewed(self._tokens.refresh_token)
        token, refresh = reply.get("id_token"), reply.get("refresh_token")
        answer = _answer(token) if isinstance(token, str) else None
        if answer is None:
            raise ConfigError(
                f"{where}: the provider returned no id_token; log in with the scope openid"
            )
        new = refresh if isinstance(refresh, str) and refresh else self._tokens.refresh_token
        self._tokens = _Tokens(answer.token, new)
        self._write(where)
        return answer

    def _write(self, where: str) -> None:
        """Write the tokens into the kubeconfig. They stay in use if that fails."""
        if self._config.write is None:
            return
        new = {"id-token": self._tokens.id_token, "refresh-token": self._tokens.refresh_token}
        try:
            self._config.write(new)
        except ConfigError as problem:
            import logging  # imported late: rarely needed

            message = "%s: the new tokens were not saved: %s"
            logging.getLogger(__name__).warning(message, where, problem)


def _answer(token: str) -> TokenAnswer | None:
    token = token.strip()
    return TokenAnswer(token, usable_until(token)) if token and is_header_safe(token) else None


class _Provider:
    """The requests to an identity provider. Errors never quote what it answers."""

    def __init__(self, config: OidcConfig, where: str) -> None:
        self._config = config
        self._where = where
        context = self._context()
        self._opener = urllib.request.OpenerDirector()
        # No handler of redirects and of other schemes: secrets go to the addresses of the provider.
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPSHandler(context=context),
            urllib.request.HTTPErrorProcessor(),
            urllib.request.HTTPDefaultErrorHandler(),
        ):
            self._opener.add_handler(handler)

    def _context(self) -> ssl.SSLContext:
        config = self._config
        try:
            return ssl.create_default_context(
                cafile=config.ca_file or None, cadata=config.ca_data.decode() or None
            )
        except (OSError, ValueError):
            raise ConfigError(f"{self._where}: idp-certificate-authority is not usable") from None

    def renewed(self, refresh_token: str) -> Mapping[str, Any]:
        """Exchange a refresh token for new tokens."""
        issuer = self._config.issuer_url.rstrip("/")
        document = self._read(f"{issuer}/.well-known/openid-configuration", {}, None)
        endpoint = document.get("token_endpoint")
        if not isinstance(endpoint, str):
            raise ConfigError(f"{self._where}: the provider names no token_endpoint")
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        client, secret = self._config.client_id, self._config.client_secret
        pair = f"{quote_plus(client)}:{quote_plus(secret)}".encode()
        basic = {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
        try:
            return self._read(endpoint, basic, form)
        except _RefusedError:
            # Some providers read the client's name from the body only. Go's oauth2 tries both.
            form |= {"client_id": client} | ({"client_secret": secret} if secret else {})
            return self._read(endpoint, {}, form)

    def _read(
        self, url: str, headers: dict[str, str], form: dict[str, str] | None
    ) -> Mapping[str, Any]:
        if urlsplit(url).scheme != "https":
            raise ConfigError(f"{self._where}: the address of the provider is not https")
        data = None if form is None else urlencode(form).encode()
        request = urllib.request.Request(url, data, headers)  # noqa: S310 - checked above
        try:
            with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                content = response.read(_MAX_BYTES + 1)
            reply: object = json.loads(content) if len(content) <= _MAX_BYTES else None
        except urllib.error.HTTPError as error:
            error.close()
            refusal = _RefusedError if error.code in _REFUSED_LOGIN else ConfigError
            raise refusal(f"{self._where}: the provider answered {error.code}") from None
        except OSError as error:
            reason = type(getattr(error, "reason", error)).__name__
            raise ConfigError(f"{self._where}: the provider cannot be reached: {reason}") from None
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise ConfigError(f"{self._where}: the provider did not answer with a JSON object")
        return cast("dict[str, Any]", reply)


class _RefusedError(ConfigError):
    """The provider refuses the client or its refresh token."""
