"""A program in a pod: where it finds its cluster, its token and its namespace."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from clientgen.runtime._config.incluster import (
    in_cluster_config,
    in_cluster_namespace,
    is_in_cluster,
)
from clientgen.runtime._config.kubeconfig import ClusterConfig, load_config
from clientgen.runtime.errors import ConfigError

HOST = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def account(tmp_path: Path) -> str:
    directory = tmp_path / "serviceaccount"
    directory.mkdir()
    (directory / "token").write_text("t")
    (directory / "ca.crt").write_text("ca")
    (directory / "namespace").write_text("mounted\n")
    return str(directory)


def load(home: Path, account: str, context: str | None = None, **env: str) -> ClusterConfig:
    env = {"HOME": str(home), **HOST, **env}
    return load_config(context=context, env=env, service_account=account)


def kubeconfig(home: Path, namespace: str = "", **top: object) -> None:
    content = {
        "clusters": [{"name": "c", "cluster": {"server": "https://file"}}],
        "contexts": [
            {"name": "d", "context": {"cluster": "c", "namespace": namespace}},
            {"name": "bare", "context": {"namespace": namespace}},
        ],
        **top,
    }
    (home / ".kube").mkdir()
    (home / ".kube/config").write_text(json.dumps(content))


def test_the_service_account_is_used_when_no_file_is_there(tmp_path: Path, account: str) -> None:
    config = load(tmp_path, account)
    assert config.server == "https://10.0.0.1:443"
    assert config.namespace == "mounted"
    assert config.tls.ca_file == f"{account}/ca.crt"
    assert config.auth.token_file == f"{account}/token"
    assert config.auth.token == "", "the token is read when it is needed, and again later"


def test_an_ipv6_address_gets_brackets(account: str) -> None:
    env = HOST | {"KUBERNETES_SERVICE_HOST": "fd00::1"}
    assert in_cluster_config(env, account).server == "https://[fd00::1]:443"


def test_outside_of_a_cluster_the_variables_are_missing(account: str) -> None:
    assert not is_in_cluster({}, account)
    with pytest.raises(ConfigError, match=r"KUBERNETES_SERVICE_HOST and .* are not set"):
        in_cluster_config({"KUBERNETES_SERVICE_HOST": "x"}, account)


def test_a_pod_without_a_token_says_so(tmp_path: Path) -> None:
    assert not is_in_cluster(HOST, str(tmp_path))
    with pytest.raises(ConfigError, match="is automountServiceAccountToken off"):
        in_cluster_config(HOST, str(tmp_path))
    with pytest.raises(ConfigError, match="in a pod without a service account token"):
        load(tmp_path, str(tmp_path / "none"))


def test_a_missing_authority_means_the_systems_and_a_warning(
    account: str, caplog: pytest.LogCaptureFixture
) -> None:
    Path(account, "ca.crt").unlink()
    with caplog.at_level(logging.WARNING):
        assert in_cluster_config(HOST, account).tls.ca_file == ""
    assert "the certificate authorities of the system are trusted" in caplog.text


@pytest.mark.parametrize(
    ("env", "content", "namespace"),
    [
        ({"POD_NAMESPACE": "env"}, "mounted", "env"),
        ({"POD_NAMESPACE": ""}, " mounted \n", "mounted"),
        ({}, "", "default"),
        ({}, None, "default"),
        ({}, b"\xff", "default"),
    ],
)
def test_the_namespace_is_found(
    tmp_path: Path, env: dict[str, str], content: str | bytes | None, namespace: str
) -> None:
    if content is not None:
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / "namespace").write_bytes(data)
    assert in_cluster_namespace(env, str(tmp_path)) == namespace


def test_a_kubeconfig_in_a_pod_wins_but_takes_the_pods_namespace(
    tmp_path: Path, account: str
) -> None:
    kubeconfig(tmp_path, **{"current-context": "d"})
    config = load(tmp_path, account)
    assert (config.server, config.namespace) == ("https://file", "mounted")
    assert load(tmp_path, account, POD_NAMESPACE="env").namespace == "env"


def test_a_namespace_of_the_context_wins_over_the_pods(tmp_path: Path, account: str) -> None:
    kubeconfig(tmp_path, "chosen", **{"current-context": "d"})
    assert load(tmp_path, account).namespace == "chosen"


def test_outside_of_a_cluster_the_namespace_is_default(tmp_path: Path) -> None:
    kubeconfig(tmp_path, **{"current-context": "d"})
    assert load_config(env={"HOME": str(tmp_path), "POD_NAMESPACE": "x"}).namespace == "default"


def test_a_kubeconfig_without_a_chosen_context_leaves_the_pod(tmp_path: Path, account: str) -> None:
    kubeconfig(tmp_path)
    assert load(tmp_path, account).server == "https://10.0.0.1:443"


def test_a_context_without_a_cluster_chooses_the_pods_cluster(tmp_path: Path, account: str) -> None:
    kubeconfig(tmp_path, "chosen")
    config = load(tmp_path, account, "bare")
    assert (config.server, config.namespace) == ("https://10.0.0.1:443", "chosen")


def test_an_unknown_context_is_an_error_even_in_a_pod(tmp_path: Path, account: str) -> None:
    with pytest.raises(ConfigError, match='context "typo" does not exist'):
        load(tmp_path, account, "typo")
