"""Finds the proxy for connections to a cluster."""

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


def proxy_for(config: ClusterConfig, env: Mapping[str, str] | None = None) -> str | None:
    """Return the URL of the proxy; None for a direct connection.

    The proxy is `proxy-url` of the cluster or, depending on the scheme of the server, HTTPS_PROXY
    or HTTP_PROXY, unless NO_PROXY contains the server. The variables are read as in Go's net/http:
    upper-case names take precedence, host names include their subdomains, addresses may be CIDR
    blocks, and connections to loopback addresses never use a proxy.

    Raises:
        ConfigError: an environment variable is not the URL of an http, https or socks5 proxy.
    """
    if config.proxy_url:
        return config.proxy_url
    env = os.environ if env is None else env
    name = "HTTPS_PROXY" if config.is_secure else "HTTP_PROXY"
    # In a CGI program, HTTP_PROXY is the "Proxy" header of a client: https://httpoxy.org
    proxy = "" if not config.is_secure and env.get("REQUEST_METHOD") else _variable(env, name)
    if not proxy or _is_direct(config.server, _variable(env, "NO_PROXY")):
        return None
    return _check_proxy(proxy, name)


def proxy_and_login(config: ClusterConfig) -> tuple[str | None, str]:
    """Return the URL of the proxy without credentials, and the Proxy-Authorization header.

    The URL of a SOCKS proxy keeps its credentials, because SOCKS has no headers.

    Raises:
        ConfigError: as `proxy_for`.
    """
    proxy = proxy_for(config)
    if proxy is None or proxy.startswith("socks"):
        return (Hidden(proxy), "") if proxy else (None, "")
    parts = urlsplit(proxy)
    if parts.username is None and parts.password is None:
        return proxy, ""
    host_and_port = parts.netloc.rpartition("@")[2]
    login = basic(unquote(parts.username or ""), unquote(parts.password or "")) or ""
    return parts._replace(netloc=host_and_port).geturl(), Hidden(login)


def _variable(env: Mapping[str, str], name: str) -> str:
    return env.get(name) or env.get(name.lower()) or ""


def _check_proxy(proxy: str, name: str) -> str:
    url = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(url)
        usable = parts.hostname is not None and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable or parts.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConfigError(
            f"environment variable {name} is not the URL of a proxy; "
            "it must begin with http://, https:// or socks5://"
        )
    return url


def _is_direct(server: str, no_proxy: str) -> bool:
    parts = urlsplit(server)
    host = (parts.hostname or "").lower()
    port = str(parts.port or (443 if parts.scheme == "https" else 80))
    address = _parse_ip(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    entries = [entry.strip().lower() for entry in no_proxy.split(",")]
    return any(entry and _matches_entry(entry, host, port, address) for entry in entries)


def _matches_entry(
    entry: str, host: str, port: str, address: IPv4Address | IPv6Address | None
) -> bool:
    if entry == "*":
        return True
    if "/" in entry:
        return address is not None and _in_block(address, entry)
    name, wanted_port = _split_port(entry)
    if wanted_port not in ("", port) or not name:
        return False
    named_address = _parse_ip(name)
    if named_address is not None:
        return named_address == address
    # `example.com` matches the domain and its subdomains. `.example.com` and `*.example.com` match
    # only subdomains.
    domain = name[1:] if name.startswith("*.") else name
    return host.endswith(domain) if domain.startswith(".") else _is_within(host, domain)


def _is_within(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")


def _split_port(entry: str) -> tuple[str, str]:
    """Split `host`, `host:port`, `[v6]`, `[v6]:port` or an IPv6 address without brackets."""
    if entry.startswith("["):
        name, _, port = entry[1:].partition("]")
        return name, port.removeprefix(":")
    name, _, port = entry.partition(":")
    return (entry, "") if ":" in port else (name, port)


def _parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    # Imported late: most servers have names, and most NO_PROXY lists contain names.
    from ipaddress import IPv6Address, ip_address

    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address  # Go, too, reads ::ffff:10.0.0.1 as 10.0.0.1
    return address


def _in_block(address: IPv4Address | IPv6Address, block: str) -> bool:
    from ipaddress import ip_network

    try:
        network = ip_network(block, strict=False)
    except ValueError:
        return False
    return address.version == network.version and address in network
