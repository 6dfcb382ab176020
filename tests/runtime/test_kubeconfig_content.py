"""Kubeconfigs that are no files, and the credential plugins that may run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from clientgen.runtime.config import load_config
from clientgen.runtime.errors import ConfigError

V1 = "client.authentication.k8s.io/v1"


def kubeconfig(user: dict[str, Any], cluster: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://x", **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
    }


def plugin(command: str) -> dict[str, Any]:
    exec_entry = {"command": command, "apiVersion": V1, "interactiveMode": "Never"}
    return kubeconfig({"exec": exec_entry})


def program(folder: Path, name: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_paths_in_text_need_a_folder(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("x")
    (tmp_path / "token").write_text("x")
    content = kubeconfig({"tokenFile": "token"}, {"certificate-authority": "ca.crt"})
    with pytest.raises(ConfigError) as caught:
        load_config(content)
    ca, token = str(caught.value).splitlines()
    assert 'in a dict: cluster "c": certificate-authority is a relative path; pass the' in ca
    assert 'in a dict: user "u": tokenFile needs the folder of the kubeconfig; pass it as' in token
    for config in (
        load_config(content, base=tmp_path),
        load_config(text=yaml.safe_dump(content), base=str(tmp_path)),
    ):
        assert config.tls.ca_file == f"{tmp_path}/ca.crt"
        assert config.auth.token_file == f"{tmp_path}/token"
    # A server of the text's choice would receive the content of the file.
    with pytest.raises(ConfigError, match="tokenFile needs the folder"):
        load_config(kubeconfig({"tokenFile": f"{tmp_path}/token"}))
    absolute = kubeconfig({}, {"certificate-authority": f"{tmp_path}/ca.crt"})
    assert load_config(absolute).tls.ca_file == f"{tmp_path}/ca.crt"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": ""}, "the kubeconfig in text=: there are no contexts"),
        ({"kubeconfig": {}}, "the kubeconfig in a dict: there are no contexts"),
        ({"text": "- a"}, "the kubeconfig in text=: the file contains a list"),
        ({"text": "a: ["}, "the kubeconfig in text=: line 2, column 1"),
        ({"text": b"\xff\xfe\x00"}, "the kubeconfig in text=: .*not YAML"),
        ({"text": "\ud800"}, "the kubeconfig in text= contains half of a surrogate pair"),
        ({"text": 5}, "text= must be a string or bytes, not of type int"),
        ({"text": b" " * ((16 << 20) + 1)}, "the kubeconfig in text= is larger than 16 MiB"),
        ({"kubeconfig": b"a"}, "kubeconfig is of type bytes.*pass the content .* as text="),
        ({"kubeconfig": "kind: Config\n"}, "kubeconfig is not a path; .* as text="),
        ({"kubeconfig": "a", "text": "b"}, "kubeconfig and text= are both given"),
        ({"kubeconfig": "a", "base": "b"}, "base= is for text= and dicts"),
        ({"kubeconfig": plugin("a"), "context": "d"}, 'in a dict: context "d" does not exist'),
        ({"kubeconfig": plugin("a"), "exec_plugins": "a"}, "exec_plugins is a string"),
    ],
)
def test_wrong_arguments_are_one_clear_error(arguments: dict[str, Any], message: str) -> None:
    load: Callable[..., Any] = load_config
    with pytest.raises(ConfigError, match=message):
        load(**arguments)


def test_a_pod_is_no_fallback_for_text(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("x")
    env = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    with pytest.raises(ConfigError, match="cluster is missing"):
        load_config(
            {"contexts": [{"name": "c", "context": {}}], "current-context": "c"},
            env=env,
            service_account=str(tmp_path),
        )


def test_plugins_of_text_run_only_if_they_are_named(tmp_path: Path) -> None:
    good = program(tmp_path / "bin", "aws")
    evil = program(tmp_path / "evil", "aws")
    env = {"PATH": str(tmp_path / "bin")}

    def command(command: str, *allowed: str) -> str:
        config = load_config(plugin(command), exec_plugins=list(allowed), env=env)
        assert config.auth.exec is not None
        return config.auth.exec.command

    with pytest.raises(ConfigError, match='no file may not run the plugin "aws"; allow it with'):
        load_config(plugin("aws"), env=env)
    assert command("aws", "aws") == "aws"
    assert command(good, "aws") == good
    assert command("aws", "other", good) == "aws"
    assert command("missing", "missing") == "missing"
    for refused, allowed in ((evil, "aws"), ("aws", evil), (f"{good}/../x", good), ("awsx", "aws")):
        with pytest.raises(ConfigError, match="this kubeconfig may not run the plugin"):
            command(refused, allowed)


REFUSALS: list[tuple[dict[str, Any] | None, str]] = [
    (None, ""),
    ({}, ""),
    ({"credentialPluginPolicy": "AllowAll"}, ""),
    ({"credentialPluginPolicy": "DenyAll"}, "credentialPluginPolicy is DenyAll in ~/.kube/kub"),
    (
        {
            "credentialPluginPolicy": "Allowlist",
            "credentialPluginAllowlist": [{"command": "x"}, {"name": "aws"}],
        },
        "",
    ),
    (
        {
            "credentialPluginPolicy": "Allowlist",
            "credentialPluginAllowlist": [{"command": "gke"}],
        },
        'plugin "aws" is not allowed: credentialPluginPolicy is Allowlist',
    ),
    ({"credentialPluginPolicy": "Allowlist"}, "credentialPluginAllowlist belongs to"),
    ({"credentialPluginAllowlist": [{"command": "aws"}]}, "credentialPluginAllowlist belongs"),
    (
        {"credentialPluginPolicy": "Allowlist", "credentialPluginAllowlist": [{}]},
        "an entry without command",
    ),
    ({"credentialPluginPolicy": "Deny"}, "must be one of AllowAll, DenyAll, Allowlist"),
    ({"credentialPluginPolicy": 5}, "credentialPluginPolicy must be a string"),
    ({"kind": "Config"}, "this is not a Preference"),
]


@pytest.mark.parametrize(("preferences", "refusal"), REFUSALS)
def test_kubectls_preferences_decide_for_files(
    tmp_path: Path, preferences: dict[str, Any] | None, refusal: str
) -> None:
    folder = tmp_path / ".kube"
    folder.mkdir()
    (folder / "config").write_text(yaml.safe_dump(plugin("aws")))
    env = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    if preferences is not None:
        head = {"apiVersion": "kubectl.config.k8s.io/v1beta1", "kind": "Preference"}
        (folder / "kuberc").write_text(yaml.safe_dump(head | preferences))
    load: Callable[..., Any] = load_config
    if not refusal:
        assert load(env=env).auth.exec.command == "aws"
    else:
        with pytest.raises(ConfigError, match=refusal):
            load(env=env)
    other = tmp_path / "other"
    other.write_text("apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n")
    for change in ({"KUBERC": "off"}, {"KUBERC": str(other)}, {"KUBECTL_KUBERC": "false"}):
        assert load(env=env | change).auth.exec.command == "aws"
    assert load(env=env, exec_plugins=["aws"]).auth.exec.command == "aws", "the program knows"
    (folder / "kuberc").write_text("[")
    with pytest.raises(ConfigError, match="kuberc: line 2, column 1"):
        load(env=env)
    with pytest.raises(ConfigError, match="absent: KUBERC names a file that does not exist"):
        load(env=env | {"KUBERC": str(tmp_path / "absent")})
