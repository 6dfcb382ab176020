"""Reads the cluster and user entries of a kubeconfig.

Fields are read and validated as in client-go:
https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .authorization_header import is_header_safe
from .cluster_config import AuthConfig, Impersonation, OidcConfig, TlsConfig
from .impersonation import impersonation_headers
from .kubeconfig_exec import read_exec
from .kubeconfig_fields import Fields, why_unreadable
from .server_url import base_url, proxy_address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .plugin_policy import PluginPolicy

_EXEC_EXTENSION = "client.authentication.k8s.io/exec"
_PROVIDER_REPLACEMENTS = {
    "gcp": "install gke-gcloud-auth-plugin and run `gcloud container clusters get-credentials`",
    "azure": "install kubelogin and run `kubelogin convert-kubeconfig`",
}


@dataclass(frozen=True, slots=True, repr=False)
class ClusterEntry:
    """A cluster entry."""

    server: str
    tls: TlsConfig
    proxy_url: str
    disable_compression: bool
    exec_config: str


@dataclass(frozen=True, slots=True, repr=False)
class User:
    """A user entry."""

    auth: AuthConfig
    impersonate: Impersonation | None


def read_cluster(fields: Fields) -> ClusterEntry:
    """Read a cluster entry. Problems are added to `fields`."""
    tls = TlsConfig(
        ca_file=fields.readable_path("certificate-authority"),
        ca_data=fields.pem("certificate-authority-data"),
        insecure=fields.flag("insecure-skip-tls-verify"),
        server_name=fields.text("tls-server-name"),
        origin=fields.where,
    )
    _check_only_one(fields, "certificate-authority")
    if tls.insecure and (fields.has("certificate-authority") or tls.ca_data):
        fields.add_problem(
            "insecure-skip-tls-verify is set together with a certificate-authority; "
            "remove one of them"
        )
    return ClusterEntry(
        server=_read_server(fields),
        tls=tls,
        proxy_url=_read_proxy_url(fields),
        disable_compression=fields.flag("disable-compression"),
        exec_config=_read_exec_extension(fields),
    )


def _check_only_one(fields: Fields, key: str) -> None:
    if fields.has(key) and fields.has(f"{key}-data"):
        fields.add_problem(f"{key} and {key}-data are both set; remove one of them")


def _read_server(fields: Fields) -> str:
    server = fields.text("server")
    if not fields.has("server"):
        fields.add_problem("server is missing; set it to the URL of the API server")
        return ""
    try:
        # This only checks the URL. `ClusterConfig` chooses the scheme by the TLS settings. `server`
        # is empty if the field is not a string, which has been reported.
        base_url(server or "https://unread", secure=True)
    except ValueError as problem:
        fields.add_problem(f"server {problem}")
    return server


def _read_proxy_url(fields: Fields) -> str:
    proxy = fields.text("proxy-url")
    try:
        return proxy_address(proxy) if proxy else ""
    except ValueError as problem:
        fields.add_problem(f"proxy-url {problem}")
        return ""


def _read_exec_extension(fields: Fields) -> str:
    """Return the extension for credential plugins, as JSON; empty if there is none."""
    for extension in fields.each("extensions"):
        if extension.text("name") == _EXEC_EXTENSION:
            return extension.json("extension")
    return ""


def read_user(
    fields: Fields,
    *,
    save: Callable[[Mapping[str, str]], None] | None = None,
    secure: bool,
    cluster_config: str,
    timeout: float | None,
    policy: PluginPolicy,
) -> User:
    """Read a user entry. Problems are added to `fields`.

    The token file must be readable if the server is `secure`. Otherwise the file is not used.
    `policy` decides whether an exec plugin may run. `save` writes new OIDC tokens into the file.
    """
    auth = AuthConfig(
        token=_read_token(fields),
        token_file=_read_token_file(fields, secure),
        username=fields.text("username"),
        password=fields.text("password"),
        certificate_file=fields.readable_path("client-certificate"),
        certificate_data=fields.pem("client-certificate-data"),
        key_file=fields.readable_path("client-key"),
        key_data=fields.pem("client-key-data"),
        exec=read_exec(fields, cluster_config, timeout, policy),
        oidc=_read_provider(fields, save),
        origin=fields.where,
    )
    _check_methods(fields)
    _check_certificate(fields)
    return User(auth, _read_impersonation(fields))


def _read_token(fields: Fields) -> str:
    token = fields.text("token").strip()
    if is_header_safe(token):
        return token
    fields.add_problem("token contains a space or a character that HTTP headers do not allow")
    return ""


def _read_token_file(fields: Fields, secure: bool) -> str:
    if fields.has("tokenFile") and not fields.has_folder:
        # The server, which this text names, would receive the content of the file.
        fields.add_problem("tokenFile needs the folder of the kubeconfig; pass it as base=")
        return ""
    path = fields.path("tokenFile")
    if path and secure and not fields.has("token"):
        problem = why_unreadable(path)
        if problem:
            fields.add_problem(f"tokenFile: {problem}")
    return path


def _check_methods(fields: Fields) -> None:
    """Check that there is not both a token and a password. A certificate is allowed with both."""
    tokens = [key for key in ("token", "tokenFile") if fields.has(key)]
    basic = [key for key in ("username", "password") if fields.has(key)]
    if tokens and basic:
        methods = ", ".join(tokens + basic)
        fields.add_problem(
            f"more than one authentication method ({methods}); "
            "keep either the token or username and password"
        )


def _check_certificate(fields: Fields) -> None:
    _check_only_one(fields, "client-certificate")
    _check_only_one(fields, "client-key")
    certificate = _has_file_or_data(fields, "client-certificate")
    key = _has_file_or_data(fields, "client-key")
    if certificate and not key:
        fields.add_problem(
            "client-certificate is set without a key; add client-key or client-key-data"
        )
    if key and not certificate:
        fields.add_problem(
            "client-key is set without a certificate; "
            "add client-certificate or client-certificate-data"
        )


def _has_file_or_data(fields: Fields, key: str) -> bool:
    return fields.has(key) or fields.has(f"{key}-data")


def _read_provider(
    fields: Fields, save: Callable[[Mapping[str, str]], None] | None
) -> OidcConfig | None:
    """Read an auth-provider, which preceded exec plugins. As in client-go, only `oidc` works."""
    provider = fields.nested("auth-provider")
    if provider is None:
        return None
    name = provider.text("name")
    if fields.has("exec"):
        fields.add_problem("auth-provider and exec are both set; remove auth-provider")
        return None
    if name == "oidc":
        return _read_oidc(provider.nested("config") or provider, save)
    how = _PROVIDER_REPLACEMENTS.get(
        name, "ask the administrator of the cluster for an exec plugin"
    )
    fields.add_problem(
        f'auth-provider "{name}" is the legacy mechanism and is not supported; '
        f"use exec, a credential plugin: {how}"
    )
    return None


def _read_oidc(
    fields: Fields, save: Callable[[Mapping[str, str]], None] | None
) -> OidcConfig | None:
    for key in ("idp-issuer-url", "client-id"):
        if not fields.has(key):
            fields.add_problem(f"{key} is missing")
    return OidcConfig(
        issuer_url=fields.text("idp-issuer-url"),
        client_id=fields.text("client-id"),
        client_secret=fields.text("client-secret"),
        id_token=fields.text("id-token"),
        refresh_token=fields.text("refresh-token"),
        ca_file=fields.readable_path("idp-certificate-authority"),
        ca_data=fields.pem("idp-certificate-authority-data"),
        write=save,
        origin=fields.where,
    )


def _read_impersonation(fields: Fields) -> Impersonation | None:
    user = fields.text("as")
    uid = fields.text("as-uid")
    groups = fields.texts("as-groups")
    extra = fields.text_lists("as-user-extra")
    if user:
        return _checked_impersonation(Impersonation(user, uid, groups, extra), fields)
    for key, value in (("as-uid", uid), ("as-groups", groups), ("as-user-extra", extra)):
        if value:
            fields.add_problem(f"{key} is set without as; add the user to impersonate")
    return None


def _checked_impersonation(impersonation: Impersonation, fields: Fields) -> Impersonation:
    try:
        impersonation_headers(impersonation)
    except ConfigError as problem:
        fields.add_problem(str(problem))
    return impersonation
