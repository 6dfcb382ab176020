"""Which proxy stands before a cluster."""

from __future__ import annotations

import pytest

from clientgen.runtime._config.kubeconfig import ClusterConfig
from clientgen.runtime._config.proxy_settings import proxy_for
from clientgen.runtime.errors import ConfigError

PROXY = "http://proxy:3128"


def chosen(server: str, **env: str) -> str | None:
    return proxy_for(ClusterConfig(server), env)


def test_the_proxy_of_the_cluster_wins_over_the_environment() -> None:
    config = ClusterConfig("https://x", proxy_url="socks5://me:pw@p:1")
    assert proxy_for(config, {"HTTPS_PROXY": PROXY, "NO_PROXY": "*"}) == "socks5://me:pw@p:1"


def test_without_variables_there_is_no_proxy() -> None:
    assert chosen("https://x") is None


def test_the_scheme_of_the_server_chooses_the_variable() -> None:
    assert chosen("https://x", HTTPS_PROXY="http://s", HTTP_PROXY="http://p") == "http://s"
    assert chosen("http://x", HTTPS_PROXY="http://s", HTTP_PROXY="http://p") == "http://p"


def test_upper_case_comes_before_lower_case() -> None:
    assert chosen("https://x", https_proxy="http://low") == "http://low"
    assert chosen("https://x", https_proxy="http://low", HTTPS_PROXY="http://up") == "http://up"


def test_a_proxy_without_a_scheme_is_an_http_proxy() -> None:
    assert chosen("https://x", HTTPS_PROXY="proxy:3128") == PROXY


def test_a_cgi_program_takes_no_proxy_from_its_client() -> None:
    assert chosen("http://x", HTTP_PROXY=PROXY, REQUEST_METHOD="GET") is None
    assert chosen("https://x", HTTPS_PROXY=PROXY, REQUEST_METHOD="GET") == PROXY


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", "")
    assert proxy_for(ClusterConfig("https://x")) == PROXY


@pytest.mark.parametrize("value", ["ftp://me:hunter2@x", "http://", "http://x:hunter2", "http://["])
def test_a_variable_that_holds_no_proxy_is_refused_unquoted(value: str) -> None:
    with pytest.raises(ConfigError, match="HTTPS_PROXY is not the URL of a proxy") as caught:
        chosen("https://x", HTTPS_PROXY=value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("server", "no_proxy"),
    [
        ("https://localhost:6443", ""),
        ("https://127.0.0.1", ""),
        ("https://127.8.9.1", ""),
        ("https://[::1]:6443", ""),
        ("https://[::ffff:127.0.0.1]", ""),
        ("https://x", "*"),
        ("https://x", "a, X ,b"),
        ("https://a.x", "x"),
        ("https://a.x", ".x"),
        ("https://a.x", "*.x"),
        ("https://x:6443", "x:6443"),
        ("https://x", "x:443"),
        ("http://x", "x:80"),
        ("https://10.1.2.3", "10.0.0.0/8"),
        ("https://10.1.2.3", "10.9.9.9/8"),
        ("https://10.1.2.3", "10.1.2.3"),
        ("https://10.1.2.3:6443", "10.1.2.3:6443"),
        ("https://[fd00::1]", "fd00::/8"),
        ("https://[fd00::1]", "fd00::1"),
        ("https://[fd00::1]:6443", "[fd00::1]:6443"),
    ],
)
def test_no_proxy_names_the_server(server: str, no_proxy: str) -> None:
    assert chosen(server, HTTPS_PROXY=PROXY, HTTP_PROXY=PROXY, NO_PROXY=no_proxy) is None


@pytest.mark.parametrize(
    ("server", "no_proxy"),
    [
        ("https://x", ""),
        ("https://x", ".x"),
        ("https://x", "*.x"),
        ("https://ax", "x"),
        ("https://x:6443", "x:443"),
        ("https://10.1.2.3", "10.2.0.0/16"),
        ("https://10.1.2.3", "10.1.2.3:6443"),
        ("https://10.1.2.3", "fd00::/8, 10.1.2.3/nonsense, :443"),
        ("https://ten.example", "10.0.0.0/8"),
    ],
)
def test_no_proxy_names_others(server: str, no_proxy: str) -> None:
    assert chosen(server, HTTPS_PROXY=PROXY, no_proxy=no_proxy) == PROXY
