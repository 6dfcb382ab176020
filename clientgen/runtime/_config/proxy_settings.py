"""Which proxy stands before a cluster."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .._redaction import Hidden
from ..errors import ConfigError
from .authorization_header import basic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from ipaddress import IPv4Address, IPv6Address

    from .cluster_config import ClusterConfig

__all__ = ["proxy_and_login", "proxy_for"]


def proxy_for(config: ClusterConfig, env: Mapping[str, str] | None = None) -> str | None:
    """The URL of the proxy to use, None for a direct connection.

    The `proxy-url` of the cluster wins; then HTTPS_PROXY or HTTP_PROXY by the server's scheme,
    unless NO_PROXY names the server, read as Go's net/http reads them: upper case before lower,
    names match their subdomains, addresses may be CIDR blocks, loopback is never proxied.

    Raises:
        ConfigError: when the variable does not hold the URL of an http, https or socks5 proxy.
    """
    if config.proxy_url:
        return config.proxy_url
    env = os.environ if env is None else env
    name = "HTTPS_PROXY" if config.is_secure else "HTTP_PROXY"
    # A CGI program gets the client's "Proxy" header as HTTP_PROXY: https://httpoxy.org
    proxy = "" if not config.is_secure and env.get("REQUEST_METHOD") else _either(env, name)
    if not proxy or _is_direct(config.server, _either(env, "NO_PROXY")):
        return None
    return _checked(proxy, name)


def proxy_and_login(config: ClusterConfig) -> tuple[str | None, str]:
    """The URL of the proxy without its name and password, and the header that says them.

    A SOCKS proxy is told them in another way: its URL keeps them.

    Raises:
        ConfigError: as `proxy_for`.
    """
    proxy = proxy_for(config)
    if proxy is None or proxy.startswith("socks"):
        return (Hidden(proxy), "") if proxy else (None, "")
    parts = urlsplit(proxy)
    if parts.username is None and parts.password is None:
        return proxy, ""
    place = parts.netloc.rpartition("@")[2]
    login = basic(unquote(parts.username or ""), unquote(parts.password or "")) or ""
    return parts._replace(netloc=place).geturl(), Hidden(login)


def _either(env: Mapping[str, str], name: str) -> str:
    return env.get(name) or env.get(name.lower()) or ""


def _checked(proxy: str, name: str) -> str:
    url = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(url)
        usable = parts.hostname is not None and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or parts.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConfigError(
            f"environment: {name} is not the URL of a proxy; "
            "it must begin with http://, https:// or socks5://"
        )
    return url


def _is_direct(server: str, no_proxy: str) -> bool:
    parts = urlsplit(server)
    host = (parts.hostname or "").lower()
    port = str(parts.port or (443 if parts.scheme == "https" else 80))
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    entries = [entry.strip().lower() for entry in no_proxy.split(",")]
    return any(entry and _matches(entry, host, port, address) for entry in entries)


def _matches(entry: str, host: str, port: str, address: IPv4Address | IPv6Address | None) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        return address is not None and _in_block(address, entry)
    name, wanted_port = _split_port(entry)
    if wanted_port not in ("", port) or not name:
        return False
    named_address = _address(name)
    if named_address is not None:
        return named_address == address
    domain = name[1:] if name.startswith("*.") else name
    return host.endswith(domain) if domain.startswith(".") else _is_within(host, domain)


def _is_within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _split_port(entry: str) -> tuple[str, str]:
    """`host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address."""
    if entry.startswith("["):
        name, _, port = entry[1:].partition("]")
        return name, port.removeprefix(":")
    name, _, port = entry.partition(":")
    return (entry, "") if ":" in port else (name, port)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    # Late, because most servers and most lists of exceptions are names.
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address
    return address


def _in_block(address: IPv4Address | IPv6Address, block: str) -> bool:
    from ipaddress import ip_network

    try:
        network = ip_network(block, strict=False)
    except ValueError:
        return False
    return address.version == network.version and address in network
