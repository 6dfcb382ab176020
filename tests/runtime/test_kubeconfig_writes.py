"""Contexts are listed and chosen, and kubeconfigs merged, as by `kubectl config`."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from clientgen.runtime._config import kubeconfig_writes
from clientgen.runtime.config import (
    KubeContext,
    contexts,
    load_config,
    merge_kubeconfig,
    use_context,
)
from clientgen.runtime.errors import ConfigError


def kubeconfig(name: str, **more: Any) -> dict[str, Any]:
    cluster = {"server": f"https://{name}", "future": {"a": [1]}}
    context = {"cluster": name, "user": name, "namespace": f"{name}-ns", "colour": "blue"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "contexts": [{"name": name, "context": context, "beside": 1}],
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": name}}],
        "current-context": name,
        **more,
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    return path


def test_contexts_of_merged_files_are_listed_and_chosen(tmp_path: Path) -> None:
    one = write(tmp_path / "one", kubeconfig("one") | {"current-context": ""})
    two = write(tmp_path / "two", kubeconfig("two", preferences={"colors": True}, unknown=[None]))
    env = {"KUBECONFIG": f"{one}:{two}:{tmp_path}/absent"}
    assert contexts(env=env) == [
        KubeContext("one", "one", "one", "one-ns", is_current=False),
        KubeContext("two", "two", "two", "two-ns", is_current=True),
    ]
    assert contexts(kubeconfig("x"))[0].is_current
    assert contexts(env={}) == []
    two.chmod(0o640)
    before = one.read_bytes(), yaml.safe_load(two.read_text())
    use_context("one", env=env)
    assert one.read_bytes() == before[0]
    assert yaml.safe_load(two.read_text()) == before[1] | {"current-context": "one"}
    assert stat.S_IMODE(two.stat().st_mode) == 0o640
    assert load_config(env=env).server == "https://one"
    with pytest.raises(ConfigError, match='"three" does not exist; existing names: one, two'):
        use_context("three", env=env)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one", "two"]


def test_a_kubeconfig_is_merged_into_a_file(tmp_path: Path) -> None:
    target = tmp_path / "home" / ".kube" / "config"
    env = {"HOME": str(tmp_path / "home")}
    merge_kubeconfig(kubeconfig("one"), env=env)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    other = kubeconfig("two")
    other["clusters"][0]["cluster"] |= {"certificate-authority": "ca.crt"}
    other["users"][0]["user"] = {"exec": {"command": "./get", "args": ["a"]}, "tokenFile": "/t"}
    source = write(tmp_path / "folder" / "other", other)
    merge_kubeconfig(source, env=env)
    merge_kubeconfig(source, env=env)
    merged = yaml.safe_load(target.read_text())
    assert merged["current-context"] == "one"
    assert [each["name"] for each in merged["contexts"]] == ["one", "two"]
    assert merged["clusters"][1]["cluster"] == {
        "server": "https://two",
        "future": {"a": [1]},
        "certificate-authority": f"{tmp_path}/folder/ca.crt",
    }
    assert merged["users"][1]["user"] == {
        "exec": {"command": f"{tmp_path}/folder/get", "args": ["a"]},
        "tokenFile": "/t",
    }


def test_a_merge_changes_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = tmp_path / "link"
    target = write(tmp_path / "target", kubeconfig("one"))
    link.symlink_to(target)
    before = target.read_bytes()
    changed = kubeconfig("one")
    changed["users"][0]["user"] = {"token": "hunter2"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"source": changed}, 'link: user "one" has other fields; pass replace=True'),
        ({"text": yaml.safe_dump(changed | {"users": [5]})}, "users.0. must be a mapping"),
        ({}, "there is no kubeconfig to add"),
    ]
    for arguments, message in cases:
        with pytest.raises(ConfigError, match=message) as caught:
            merge_kubeconfig(kubeconfig=link, **arguments)
        assert "hunter2" not in str(caught.value)
        assert target.read_bytes() == before
    monkeypatch.setattr(kubeconfig_writes, "_LOCK_TRIES", 1)
    lock = tmp_path / "target.lock"
    lock.touch()
    with pytest.raises(ConfigError, match=f"another program is writing .* remove {lock}"):
        use_context("one", link)
    lock.unlink()
    merge_kubeconfig(changed, link, replace=True)
    assert link.is_symlink()
    assert load_config(target).auth.token == "hunter2"
    write(target, [])
    with pytest.raises(ConfigError, match="the file contains a list"):
        merge_kubeconfig(changed, target)
