"""Configuration of a cluster: its address, its verification, and the credentials.

`load_config` makes these from kubeconfig files; they can as well be made by hand::

    ClusterConfig(
        "https://10.0.0.1:6443",
        tls=TlsConfig(ca_file="/etc/ca.crt"),
        auth=AuthConfig(token="..."),
    )

Everything here is immutable, compares by value, and shows no secret in its repr.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal, Self

from .._redaction import Unpicklable
from ..errors import ConfigError
from .authorization_header import check_sendable, is_header_safe
from .server_url import base_url, proxy_address, without_password

__all__ = [
    "AuthConfig",
    "ClientCertificate",
    "ClusterConfig",
    "Credential",
    "ExecConfig",
    "Impersonation",
    "InteractiveMode",
    "TlsConfig",
]

InteractiveMode = Literal["Never", "IfAvailable", "Always"]


def _size(data: bytes) -> str:
    return f"<{len(data)} bytes>"


_SECRET: Mapping[str, Callable[[Any], str]] = {"shown": lambda _: "***"}
_SIZE: Mapping[str, Callable[[Any], str]] = {"shown": _size}
_URL: Mapping[str, Callable[[Any], str]] = {"shown": lambda url: repr(without_password(url))}
_ENV: Mapping[str, Callable[[Any], str]] = {
    "shown": lambda env: "(" + ", ".join(f"{name}=***" for name, _ in env) + ")"
}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class _RedactedRepr(Unpicklable):
    """Equality and a repr that name what is set and never say a secret; nobody pickles it.

    Both are written here and not left to dataclass: test tools print the fields of dataclasses
    whose equality is the generated one.
    """

    def __repr__(self) -> str:
        shown = (_shown(each, getattr(self, each.name)) for each in fields(self))
        return f"{type(self).__name__}({', '.join(filter(None, shown))})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _RedactedRepr) or type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __copy__(self) -> Self:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _values(value: _RedactedRepr) -> tuple[object, ...]:
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)


def _shown(of: Field[Any], value: Any) -> str:
    default = of.default if of.default_factory is MISSING else of.default_factory()
    if not value or value == default:
        return ""
    shown: Callable[[Any], str] = of.metadata.get("shown", repr)
    return f"{of.name}={shown(value)}"


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TlsConfig(_RedactedRepr):
    """The settings by which clients verify the server.

    Without an authority the system's are trusted. `ca_data` is PEM. `server_name` is the name that
    is asked for and verified instead of the host of the URL. `origin` opens error messages.
    """

    ca_file: str = ""
    ca_data: bytes = field(default=b"", metadata=_SIZE)
    insecure: bool = False
    server_name: str = ""
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExecConfig(_RedactedRepr):
    """A credential plugin: a program that prints an ExecCredential.

    `cluster_config` is JSON for the plugin, handed over with the cluster's address when
    `provide_cluster_info` is set. A plugin that has not answered after `timeout` seconds is ended;
    None waits forever, as kubectl does.
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
class AuthConfig(_RedactedRepr):
    """The credentials of the caller: a token, a name and password, a certificate, or a plugin.

    Files win over what is given beside them for the token (`token` serves until the file was
    read), and lose for certificates and keys, as in client-go. The `..._data` are PEM. A plugin
    is asked only when nothing else is given. `origin` opens error messages. White space around a
    token is dropped, as it ends most files.

    Raises:
        ConfigError: when no HTTP header could carry the token, the name or the password.
    """

    token: str = field(default="", metadata=_SECRET)
    token_file: str = ""
    username: str = ""
    password: str = field(default="", metadata=_SECRET)
    certificate_file: str = ""
    certificate_data: bytes = field(default=b"", metadata=_SECRET)
    key_file: str = ""
    key_data: bytes = field(default=b"", metadata=_SECRET)
    exec: ExecConfig | None = None
    origin: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("token", "username", "password"):
            check_sendable(name, getattr(self, name), self.origin)
        token = self.token.strip()
        if not is_header_safe(token):
            what = "token contains a space or a character that HTTP headers do not allow"
            raise ConfigError(f"{self.origin}: {what}" if self.origin else what)
        object.__setattr__(self, "token", token)

    @property
    def has_certificate(self) -> bool:
        """Whether a client certificate is configured."""
        return bool(self.certificate_file or self.certificate_data)

    @property
    def plugin(self) -> ExecConfig | None:
        """The plugin to ask, None where another way to authenticate is configured."""
        other = self.token or self.token_file or self.username or self.password
        return None if other or self.has_certificate else self.exec


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Impersonation(_RedactedRepr):
    """Act as somebody else; needs the `impersonate` verb.

    Raises:
        ConfigError: when a uid, groups or extra are given without a user.
    """

    user: str
    uid: str = ""
    groups: Sequence[str] = ()
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def __post_init__(self) -> None:
        if not self.user:
            raise ConfigError("impersonation needs a user when it has a uid, groups or extra")
        extra = {key: tuple(values) for key, values in self.extra.items()}
        object.__setattr__(self, "groups", tuple(self.groups))
        object.__setattr__(self, "extra", MappingProxyType(extra))

    def __hash__(self) -> int:
        return hash((self.user, self.uid, self.groups))


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ClusterConfig(_RedactedRepr):
    """A cluster, a namespace in it, and who calls.

    `server` may be a URL with a path prefix, or a bare `host:port`: that means https if anything
    about TLS is configured. Credentials are sent to https servers only. `namespace` is the default
    one of the context. `proxy_url` wins over the proxies of the environment (`proxy_for`).

    Raises:
        ConfigError: when the server's or the proxy's URL is none.
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
        """Whether the server is spoken to over TLS, so that credentials may be sent."""
        return self.server.startswith("https://")

    @property
    def is_unverified(self) -> bool:
        """Whether anybody may answer over TLS: nothing that is kept must come from there."""
        return self.is_secure and self.tls.insecure


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ClientCertificate(_RedactedRepr):
    """A certificate and its key, both PEM; `origin` opens error messages."""

    certificate: bytes = field(metadata=_SECRET)
    key: bytes = field(metadata=_SECRET)
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Credential(_RedactedRepr):
    """The credential of a request, and the one its connection must have been opened with.

    `authorization` is the whole header. `authority` is what the configured CA *file* holds now
    (PEM); None when the authority is not a file.
    """

    authorization: str | None = field(default=None, metadata=_SECRET)
    certificate: ClientCertificate | None = None
    authority: bytes | None = field(default=None, metadata=_SIZE)

    @property
    def connection(self) -> tuple[ClientCertificate | None, bytes | None]:
        """Connections opened under another value of this must not be used again."""
        return self.certificate, self.authority
