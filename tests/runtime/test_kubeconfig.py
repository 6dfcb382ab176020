"""What a kubeconfig means once it is in order, and what its reading never shows."""

from __future__ import annotations

import base64
import json
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from clientgen.runtime._config.cluster_config import ClientCertificate, Credential
from clientgen.runtime._config.kubeconfig import (
    AuthConfig,
    ClusterConfig,
    ExecConfig,
    Impersonation,
    TlsConfig,
    load_config,
)
from clientgen.runtime.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-do-not-show"
PEM = b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
PEM_DATA = base64.b64encode(PEM).decode()


def load(directory: Path, cluster: dict[str, Any], user: dict[str, Any]) -> ClusterConfig:
    content = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "dev", "user": user}],
        "contexts": [{"name": "d", "context": {"cluster": "c", "user": "dev"}}],
        "current-context": "d",
    }
    directory.mkdir(exist_ok=True)
    (directory / "config").write_text(json.dumps(content))
    return load_config(directory / "config", env={"HOME": str(directory)})


def test_a_whole_configuration_is_read(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        {
            "server": "https://x:6443/k8s/clusters/c-1/?a=b#f",
            "tls-server-name": "kubernetes",
            "certificate-authority-data": PEM_DATA,
            "proxy-url": "socks5://proxy:1080/",
            "disable-compression": True,
        },
        {
            "token": f"  {SECRET}\n",
            "as": "jane",
            "as-uid": "7",
            "as-groups": ["dev"],
            "as-user-extra": {"scopes": ["view"]},
        },
    )
    assert config == ClusterConfig(
        "https://x:6443/k8s/clusters/c-1",
        tls=TlsConfig(ca_data=PEM, server_name="kubernetes"),
        auth=AuthConfig(token=SECRET),
        proxy_url="socks5://proxy:1080",
        disable_compression=True,
        impersonate=Impersonation("jane", "7", ["dev"], {"scopes": ["view"]}),
    )


def test_paths_are_relative_to_the_file_they_stand_in(tmp_path: Path) -> None:
    for name in ("ca.crt", "me.crt", "me.key", "token"):
        (tmp_path / name).write_text("x")
    config = load(
        tmp_path,
        {"server": "https://x", "certificate-authority": "ca.crt"},
        {
            "client-certificate": "./me.crt",
            "client-key": str(tmp_path / "me.key"),
            "tokenFile": "token",
            "exec": {
                "command": "../bin/get-token",
                "apiVersion": "client.authentication.k8s.io/v1beta1",
            },
        },
    )
    assert config.tls.ca_file == f"{tmp_path}/ca.crt"
    assert config.auth.certificate_file == f"{tmp_path}/me.crt"
    assert config.auth.key_file == f"{tmp_path}/me.key"
    assert config.auth.token_file == f"{tmp_path}/token"
    assert config.auth.exec is not None
    assert config.auth.exec.command == f"{tmp_path}/../bin/get-token"
    assert config.auth.exec.interactive_mode == "IfAvailable"
    assert config.auth.plugin is None, "other credentials come before a plugin"


def test_a_relative_kubeconfig_still_gives_absolute_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ca.crt").write_text("x")
    load(tmp_path, {"server": "https://x", "certificate-authority": "ca.crt"}, {})
    config = load_config("config", env={})
    assert config.tls.ca_file == f"{tmp_path}/ca.crt"


def test_an_exec_plugin_is_read_whole(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        {
            "server": "https://x",
            "extensions": [
                {"name": "other", "extension": 1},
                {"name": "client.authentication.k8s.io/exec", "extension": {"audience": [1.5]}},
            ],
        },
        {
            "exec": {
                "command": "get-token",
                "args": ["-v"],
                "env": [{"name": "A", "value": "b"}, {"name": "EMPTY"}],
                "apiVersion": "client.authentication.k8s.io/v1",
                "interactiveMode": "Always",
                "installHint": "\x1b[31mbrew install\x1b[0m\x07 it\n",
                "provideClusterInfo": True,
            }
        },
    )
    assert config.auth.plugin == ExecConfig(
        "get-token",
        args=("-v",),
        env=(("A", "b"), ("EMPTY", "")),
        interactive_mode="Always",
        provide_cluster_info=True,
        cluster_config='{"audience": [1.5]}',
    )
    assert config.auth.plugin is not None
    assert config.auth.plugin.install_hint == "brew install it"
    assert config.auth.plugin.timeout == 300


@pytest.mark.parametrize(
    ("server", "tls", "url"),
    [
        ("https://x", TlsConfig(), "https://x"),
        ("HTTPS://x:1", TlsConfig(), "https://x:1"),
        ("http://x/", TlsConfig(ca_data=PEM), "http://x"),
        ("x", TlsConfig(), "http://x"),
        ("x:8080", TlsConfig(), "http://x:8080"),
        ("localhost:8080/", TlsConfig(), "http://localhost:8080"),
        ("x:8080", TlsConfig(insecure=True), "https://x:8080"),
        ("[::1]:6443", TlsConfig(ca_data=PEM), "https://[::1]:6443"),
        ("https://x/a/b/?q=1#f", TlsConfig(), "https://x/a/b"),
    ],
)
def test_the_server_becomes_a_base_url(server: str, tls: TlsConfig, url: str) -> None:
    assert ClusterConfig(server, tls=tls).server == url


def test_a_server_made_by_hand_is_checked_too() -> None:
    with pytest.raises(ConfigError, match="server: has the scheme 'ftp'"):
        ClusterConfig("ftp://x")
    with pytest.raises(ConfigError, match="proxy_url: must begin with"):
        ClusterConfig("https://x", proxy_url="x")
    with pytest.raises(ConfigError, match="impersonation needs a user"):
        Impersonation("", groups=["g"])


def test_a_client_certificate_alone_makes_a_bare_host_secure() -> None:
    auth = AuthConfig(certificate_file="a", key_file="b")
    assert ClusterConfig("x", auth=auth).is_secure


def test_a_context_may_do_without_a_user(tmp_path: Path) -> None:
    load(tmp_path, {"server": "https://x"}, {"token": SECRET})
    text = (tmp_path / "config").read_text().replace('"user": "dev"', '"namespace": "ns-1"')
    (tmp_path / "config").write_text(text)
    config = load_config(tmp_path / "config", env={})
    assert (config.auth, config.namespace) == (AuthConfig(), "ns-1")


def test_an_unknown_context_names_those_there_are(tmp_path: Path) -> None:
    load(tmp_path, {"server": "https://x"}, {})
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "config", "typo", env={"HOME": str(tmp_path)})
    assert str(caught.value) == '~/config: context "typo" does not exist; existing names: d'


def test_no_current_context_names_those_there_are(tmp_path: Path) -> None:
    load(tmp_path, {"server": "https://x"}, {})
    text = (tmp_path / "config").read_text().replace('"current-context": "d"', '"x": 1')
    (tmp_path / "config").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "config", env={"HOME": str(tmp_path)})
    assert str(caught.value) == ("~/config: no current-context is set; pass one of the contexts: d")


def test_several_clusters_live_side_by_side(tmp_path: Path) -> None:
    one = load(tmp_path / "1", {"server": "https://one"}, {"token": "a"})
    two = load(tmp_path / "2", {"server": "https://two"}, {"token": "b"})
    assert (one.server, one.auth.token) == ("https://one", "a")
    assert (two.server, two.auth.token) == ("https://two", "b")


SECRETIVE = [
    AuthConfig(token=SECRET, username="me", password=SECRET),
    AuthConfig(certificate_data=SECRET.encode(), key_data=SECRET.encode()),
    ExecConfig("run", args=(SECRET,), env=(("A", SECRET),), cluster_config=SECRET),
    ClusterConfig(
        "https://x",
        auth=AuthConfig(token=SECRET),
        proxy_url=f"http://me:{SECRET}@proxy:1",
    ),
    Credential(f"Bearer {SECRET}", ClientCertificate(SECRET.encode(), SECRET.encode())),
    TlsConfig(ca_data=SECRET.encode()),
]


@pytest.mark.parametrize("value", SECRETIVE)
def test_no_repr_shows_a_secret(value: object) -> None:
    assert SECRET not in repr(value)
    assert SECRET not in str(value)
    assert SECRET not in f"{[value]}"


def test_a_repr_says_what_is_set() -> None:
    config = ClusterConfig(
        "https://x",
        tls=TlsConfig(insecure=True),
        auth=AuthConfig(exec=ExecConfig("run", args=("a",), env=(("A", "b"),))),
        proxy_url="http://me:x@proxy:1",
    )
    assert repr(config) == (
        "ClusterConfig(server='https://x', tls=TlsConfig(insecure=True), "
        "auth=AuthConfig(exec=ExecConfig(command='run', args=***, env=(A=***))), "
        "proxy_url='http://***@proxy:1')"
    )


def test_a_failed_comparison_shows_no_secret() -> None:
    one, two = AuthConfig(token=SECRET), AuthConfig(token=f"{SECRET}2")
    with pytest.raises(AssertionError) as caught:
        assert one == two
    assert SECRET not in str(caught.value)


def test_values_compare_by_what_they_say_and_not_by_where_it_was_said() -> None:
    assert AuthConfig(token="a", origin="one") == AuthConfig(token="a", origin="two")
    assert hash(TlsConfig(origin="one")) == hash(TlsConfig(origin="two"))
    assert AuthConfig() != TlsConfig()
    assert AuthConfig() != object()
    assert len({ClusterConfig("https://x"), ClusterConfig("https://x/")}) == 1
    assert hash(Impersonation("a", extra={"k": ["v"]})) == hash(Impersonation("a"))


def test_values_are_immutable_and_can_be_varied() -> None:
    config = ClusterConfig("https://x", auth=AuthConfig(token="a"))
    with pytest.raises(AttributeError):
        config.server = "https://y"  # type: ignore[misc]
    varied = replace(config, namespace="other")
    assert (varied.namespace, varied.auth) == ("other", config.auth)


def test_a_traceback_of_broken_yaml_quotes_nothing(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(f"users: [\n token: {SECRET}\n password: *{SECRET}")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path / "config", env={})
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_yaml_is_not_imported_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys, clientgen.runtime._config.kubeconfig; "
        "heavy = {'yaml', 'asyncio', 'threading', 'socket', 'ssl', 'subprocess', 'json'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
