"""The configuration of a cluster: its address, its TLS settings, and the credentials.

`load_config` creates these objects from kubeconfig files. You can also create them yourself::

    ClusterConfig(
        "https://10.0.0.1:6443",
        tls=TlsConfig(ca_file="/etc/ca.crt"),
        auth=AuthConfig(token="..."),
    )

All classes are immutable, compare by value, and show no secrets in their repr.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

from .._redaction import Unpicklable
from ..errors import ConfigError
from .authorization_header import check_sendable, is_header_safe
from .server_url import base_url, proxy_address, without_password

if TYPE_CHECKING:
    from .token_function import TokenFunction, TokenSource

InteractiveMode = Literal["Never", "IfAvailable", "Always"]


def _size(data: bytes) -> str:
    return f"<{len(data)} bytes>"


# Metadata of dataclass fields: the function that shows the value in the repr.
_SECRET: Mapping[str, Callable[[Any], str]] = {"show": lambda _: "***"}
_SIZE: Mapping[str, Callable[[Any], str]] = {"show": _size}
_URL: Mapping[str, Callable[[Any], str]] = {"show": lambda url: repr(without_password(url))}
_ENV: Mapping[str, Callable[[Any], str]] = {
    "show": lambda env: "(" + ", ".join(f"{name}=***" for name, _ in env) + ")"
}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class _RedactedRepr(Unpicklable):
    """A base class with equality and a repr without secrets. Its objects cannot be pickled.

    The class has its own `__eq__`, because pytest prints the fields of unequal objects whose
    `__eq__` dataclass has generated.
    """

    def __repr__(self) -> str:
        shown = (_show_field(each, getattr(self, each.name)) for each in fields(self))
        return f"{type(self).__name__}({', '.join(filter(None, shown))})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _RedactedRepr) or type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __copy__(self) -> Self:
        return self  # immutable objects need no copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _values(value: _RedactedRepr) -> tuple[object, ...]:
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)


def _show_field(dataclass_field: Field[Any], value: Any) -> str:
    default = (
        dataclass_field.default
        if dataclass_field.default_factory is MISSING
        else dataclass_field.default_factory()
    )
    if not value or value == default:
        return ""
    show: Callable[[Any], str] = dataclass_field.metadata.get("show", repr)
    return f"{dataclass_field.name}={show(value)}"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TlsConfig(_RedactedRepr):
    """The settings with which clients verify the server.

    `ca_file` or `ca_data` (PEM) are the certificate authorities. Without them, the certificate
    authorities of the system are trusted. `server_name` replaces the host of the URL in SNI and in
    verification. `origin` is the beginning of error messages.
    """

    ca_file: str = ""
    ca_data: bytes = field(default=b"", metadata=_SIZE)
    insecure: bool = False
    server_name: str = ""
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExecConfig(_RedactedRepr):
    """A credential plugin: a program that prints an ExecCredential.

    With `provide_cluster_info`, the plugin gets the address of the cluster and the JSON in
    `cluster_config`. A plugin that does not answer within `timeout` seconds is killed. With None,
    the client waits forever, as kubectl does.
    """

    command: str
    args: tuple[str, ...] = field(default=(), metadata=_SECRET)
    env: tuple[tuple[str, str], ...] = field(default=(), metadata=_ENV)
    api_version: str = "client.authentication.k8s.io/v1"
    interactive_mode: InteractiveMode = "IfAvailable"
    install_hint: str = field(default="", compare=False)
    provide_cluster_info: bool = False
    cluster_config: str = field(default="", metadata=_SECRET)
    timeout: float | None = field(default=300.0, compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OidcConfig(_RedactedRepr):
    """The auth-provider `oidc` of a kubeconfig. `write` saves new tokens in the kubeconfig."""

    issuer_url: str
    client_id: str
    client_secret: str = field(default="", metadata=_SECRET)
    id_token: str = field(default="", metadata=_SECRET)
    refresh_token: str = field(default="", metadata=_SECRET)
    ca_file: str = ""
    ca_data: bytes = field(default=b"", metadata=_SIZE)
    write: Callable[[Mapping[str, str]], None] | None = field(
        default=None, compare=False, metadata=_SECRET
    )
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class AuthConfig(_RedactedRepr):
    """The credentials of a client: a token, a user name and password, a certificate, or a plugin.

    `token` is a string, or a function without arguments that returns one. The function is called
    for the first request, 10 seconds before the token expires (its `exp`, if it is a JWT), and
    after a response 401. All clients with this object share the token, and the function is never
    called twice at once. Asyncio clients take coroutine functions, too, and call other functions
    in a thread. A request waits for the function until its deadline, or else for 300 seconds.

    As in client-go, `token_file` takes precedence over `token`. `token` is used until the file has
    been read. `certificate_data` and `key_data` (PEM) take precedence over the files. A plugin is
    used only if there are no other credentials. `origin` is the beginning of error messages. White
    space around the token is removed.

    Raises:
        ConfigError: the token, the user name or the password cannot be sent in an HTTP header, or
            there is a `token_file` beside a function.
    """

    token: str | TokenFunction = field(default="", metadata=_SECRET)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", metadata=_SECRET)
    certificate_file: str = ""
    certificate_data: bytes = field(default=b"", metadata=_SECRET)
    key_file: str = ""
    key_data: bytes = field(default=b"", metadata=_SECRET)
    exec: ExecConfig | None = None
    oidc: OidcConfig | None = None
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_sendable("username", self.username, self.origin)
        check_sendable("password", self.password, self.origin)
        token = self._checked_function() if callable(self.token) else self._checked_token()
        object.__setattr__(self, "token", token)  # the dataclass is frozen

    def _checked_token(self) -> str:
        check_sendable("token", self.token, self.origin)
        token = self.fixed_token.strip()
        if not is_header_safe(token):
            raise self._error(
                "token contains a space or a character that HTTP headers do not allow"
            )
        return token

    def _checked_function(self) -> TokenSource:
        from .token_function import TokenSource  # imported late: few programs need it

        if self.token_file:
            raise self._error("token is a function and token_file is set; remove one of them")
        # An object that `replace` has copied shares the answers of the function.
        return self.token_source or TokenSource(self.token)  # type: ignore[arg-type]

    def _error(self, message: str) -> ConfigError:
        return ConfigError(f"{self.origin}: {message}" if self.origin else message)

    @property
    def fixed_token(self) -> str:
        """The token; empty if a function returns it."""
        return self.token if isinstance(self.token, str) else ""

    @property
    def token_source(self) -> TokenSource | None:
        """The function that returns tokens, with its last answer."""
        from .token_function import TokenSource

        return self.token if isinstance(self.token, TokenSource) else None

    @property
    def has_certificate(self) -> bool:
        """Whether a client certificate is configured."""
        return bool(self.certificate_file or self.certificate_data)

    @property
    def plugin(self) -> ExecConfig | None:
        """The plugin to run; None if there is none, or if there are other credentials."""
        return None if self._has_other else self.exec

    @property
    def provider(self) -> OidcConfig | None:
        """The identity provider to ask; None without one, or with other credentials."""
        return None if self._has_other else self.oidc

    @property
    def is_empty(self) -> bool:
        """Whether there are no credentials."""
        return not (self._has_other or self.exec or self.oidc)

    @property
    def _has_other(self) -> bool:
        other = self.token or self.token_file or self.username or self.password
        return bool(other) or self.has_certificate


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Impersonation(_RedactedRepr):
    """The user that the server takes as the sender of the requests of a client.

    The client needs the permission to `impersonate`.

    Raises:
        ConfigError: the user is empty.
    """

    user: str
    uid: str = ""
    groups: Sequence[str] = ()
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def __post_init__(self) -> None:
        if not self.user:
            raise ConfigError("impersonation needs a user; a uid, groups or extra are not enough")
        extra = {key: tuple(values) for key, values in self.extra.items()}
        object.__setattr__(self, "groups", tuple(self.groups))
        object.__setattr__(self, "extra", MappingProxyType(extra))

    def __hash__(self) -> int:
        return hash((self.user, self.uid, self.groups))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ClusterConfig(_RedactedRepr):
    """The configuration of a client: a cluster, the default namespace, and the credentials.

    `server` is a URL, which may have a path, or `host:port`. With `host:port`, the scheme is https
    if any TLS setting or a client certificate is configured, else http. Credentials are sent over
    https only. `namespace` is the namespace of calls without the argument `namespace`. `proxy_url`
    takes precedence over the proxies in environment variables (`proxy_for`).

    Raises:
        ConfigError: the URL of the server or of the proxy is not valid.
    """

    server: str
    namespace: str = "default"
    tls: TlsConfig = field(default_factory=TlsConfig)
    auth: AuthConfig = field(default_factory=AuthConfig)
    proxy_url: str | None = field(default=None, metadata=_URL)
    disable_compression: bool = False
    impersonate: Impersonation | None = None

    def __post_init__(self) -> None:
        try:
            server = base_url(
                self.server, secure=self.tls != TlsConfig() or self.auth.has_certificate
            )
        except ValueError as problem:
            raise ConfigError(f"server: {problem}") from None
        object.__setattr__(self, "server", server)
        try:
            proxy = proxy_address(self.proxy_url) if self.proxy_url else None
        except ValueError as problem:
            raise ConfigError(f"proxy_url: {problem}") from None
        object.__setattr__(self, "proxy_url", proxy)

    @property
    def is_secure(self) -> bool:
        """Whether connections use TLS, so that credentials may be sent."""
        return self.server.startswith("https://")

    @property
    def is_unverified(self) -> bool:
        """Whether TLS is used without verification. Responses may be forged: do not store them."""
        return self.is_secure and self.tls.insecure


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ClientCertificate(_RedactedRepr):
    """A client certificate and its key, both PEM. `origin` is the beginning of error messages."""

    certificate: bytes = field(metadata=_SECRET)
    key: bytes = field(metadata=_SECRET)
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Credential(_RedactedRepr):
    """The credential of a request, and the TLS credentials of its connection.

    `authorization` is the value of the Authorization header. `certificate` is the client
    certificate. `authority` is the current content of the configured CA file (PEM); None if no CA
    file is configured.
    """

    authorization: str | None = field(default=None, metadata=_SECRET)
    certificate: ClientCertificate | None = None
    authority: bytes | None = field(default=None, metadata=_SIZE)

    @property
    def connection(self) -> tuple[ClientCertificate | None, bytes | None]:
        """The TLS credentials. Connections with other TLS credentials must not be reused."""
        return self.certificate, self.authority
