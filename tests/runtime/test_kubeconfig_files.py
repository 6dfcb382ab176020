"""Which files are read, and how several become one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime._config.kubeconfig import load_config
from clientgen.runtime._config.kubeconfig_files import (
    ConfigFile,
    Document,
    merge_documents,
    parse_document,
)
from clientgen.runtime.errors import ConfigError


def kubeconfig(server: str, *, name: str = "dev", current: str = "dev") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": {"token": f"token-of-{server[8:]}"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": current,
    }


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # JSON is YAML.
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def failure(*args: Any, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(*args, **options)
    return str(caught.value)


def test_home_is_searched_when_nothing_else_is_said(tmp_path: Path) -> None:
    write(tmp_path / ".kube/config", kubeconfig("https://home"))
    assert load_config(env={"HOME": str(tmp_path)}).server == "https://home"


def test_the_kubeconfig_variable_replaces_home(tmp_path: Path) -> None:
    write(tmp_path / ".kube/config", kubeconfig("https://home"))
    listed = write(tmp_path / "listed", kubeconfig("https://listed"))
    env = {"HOME": str(tmp_path), "KUBECONFIG": str(listed)}
    assert load_config(env=env).server == "https://listed"


def test_an_empty_kubeconfig_variable_counts_as_unset(tmp_path: Path) -> None:
    write(tmp_path / ".kube/config", kubeconfig("https://home"))
    assert load_config(env={"HOME": str(tmp_path), "KUBECONFIG": ""}).server == "https://home"


def test_an_explicit_file_replaces_the_variable_and_may_use_the_tilde(tmp_path: Path) -> None:
    listed = write(tmp_path / "listed", kubeconfig("https://listed"))
    write(tmp_path / "explicit", kubeconfig("https://explicit"))
    env = {"HOME": str(tmp_path), "KUBECONFIG": str(listed)}
    assert load_config(tmp_path / "explicit", env=env).server == "https://explicit"
    assert load_config("~/explicit", env=env).server == "https://explicit"


def test_an_explicit_file_must_exist(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    assert failure("~/none", env=env) == "~/none: the kubeconfig does not exist"


def test_an_environment_that_is_given_is_all_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / ".kube/config", kubeconfig("https://home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    assert load_config().server == "https://home"
    assert failure(env={}).startswith(
        "no configuration has been provided: nothing in KUBECONFIG or a home directory, "
    )


def test_a_process_without_a_home_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    for name in ("HOME", "USERPROFILE", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    assert failure().startswith("no configuration has been provided")


def test_missing_files_and_empty_entries_of_the_list_are_skipped(tmp_path: Path) -> None:
    there = write(tmp_path / "there", kubeconfig("https://there"))
    listed = os.pathsep.join(["", str(tmp_path / "missing"), "", str(there), str(there)])
    assert load_config(env={"KUBECONFIG": listed}).server == "https://there"


def test_an_entry_comes_whole_from_the_first_file_that_names_it(tmp_path: Path) -> None:
    first = kubeconfig("https://first")
    first["users"] = []
    second = kubeconfig("https://second")
    second["clusters"][0]["cluster"]["tls-server-name"] = "second"
    listed = [write(tmp_path / "1", first), write(tmp_path / "2", second)]
    config = load_config(env={"KUBECONFIG": os.pathsep.join(map(str, listed))})
    assert (config.server, config.tls.server_name) == ("https://first", "")
    assert config.auth.token == "token-of-second"


def test_the_first_current_context_that_is_not_empty_wins(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "1", kubeconfig("https://one", name="a", current="")),
        write(tmp_path / "2", kubeconfig("https://two", name="b", current="b")),
        write(tmp_path / "3", kubeconfig("https://three", name="c", current="c")),
    ]
    env = {"KUBECONFIG": os.pathsep.join(map(str, files))}
    assert load_config(env=env).server == "https://two"
    assert load_config(context="a", env=env).server == "https://one"


def test_every_broken_file_of_the_list_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    files = [
        write(tmp_path / "good", kubeconfig("https://good")),
        tmp_path / "folder",
        write(tmp_path / "text", "just words"),
        write(tmp_path / "bad", "clusters: {a: 1}\nusers: [7]\ncurrent-context: 5\nkind: Pod\n"),
    ]
    env = {"HOME": str(tmp_path), "KUBECONFIG": os.pathsep.join(map(str, files))}
    assert failure(env=env).splitlines() == [
        "~/folder: the kubeconfig cannot be read: Is a directory",
        (
            "~/text: the file contains a string;"
            " a kubeconfig is a mapping with clusters, users and contexts"
        ),
        '~/bad: kind is not "Config"; this is not a kubeconfig',
        "~/bad: clusters must be a list, not a mapping",
        "~/bad: users[0] must be a mapping with name and user, not a number",
        "~/bad: current-context must be a string, not a number; put it in quotes",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", "the file is not YAML: "),
        ("\na: *hunter2", "line 2, column 4: the file is not YAML: found undefined alias"),
        ("a: 'hunter2\\", "the file is not YAML"),
        ("a: !!int hunter2", "the YAML is not valid in a kubeconfig"),
        ("a: !!bool hunter2", "the YAML is not valid in a kubeconfig"),
        ("a: \xff".encode("latin-1"), "the file is not YAML"),
        ("a: \x00", "the file is not YAML"),
        ("? [1]\n: 2", "the YAML is not valid in a kubeconfig"),
        ("[" * 5000, "the file is not YAML"),
    ],
)
@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_broken_yaml_is_placed_but_never_quoted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | bytes,
    message: str,
    loader: str,
) -> None:
    if loader == "SafeLoader":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    path = tmp_path / "broken"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    shown = failure(path, env={"HOME": str(tmp_path)})
    assert shown.startswith("~/broken: ")
    assert message in shown
    assert "hunter2" not in shown


def test_an_empty_file_is_an_empty_configuration(tmp_path: Path) -> None:
    path = write(tmp_path / "empty", "# nothing\n")
    assert failure(path, env={"HOME": str(tmp_path)}) == (
        "no configuration has been provided: nothing in ~/empty, and this program runs outside of "
        "a cluster; set KUBECONFIG or pass kubeconfig="
    )


def test_names_that_look_like_dates_are_names(tmp_path: Path) -> None:
    text = (
        "current-context: 2026-01-02\n"
        "clusters: [{name: 2026-01-02, cluster: {server: https://x}}]\n"
        "contexts: [{name: 2026-01-02, context: {cluster: 2026-01-02}}]\n"
    )
    assert load_config(write(tmp_path / "dates", text), env={}).server == "https://x"


def test_a_name_twice_in_one_file_is_refused(tmp_path: Path) -> None:
    content = kubeconfig("https://x")
    content["users"] *= 2
    message = failure(write(tmp_path / "twice", content), env={"HOME": str(tmp_path)})
    assert message == '~/twice: user "dev" appears twice; remove one of them'


def test_only_the_first_yaml_document_counts(tmp_path: Path) -> None:
    text = "\n---\n".join(json.dumps(kubeconfig(f"https://{name}")) for name in "ab")
    assert load_config(write(tmp_path / "two", text), env={}).server == "https://a"


names = st.sampled_from(["a", "b", "c", ""])
entries = st.dictionaries(names, st.integers())
files = st.lists(st.tuples(entries, entries, entries, names), max_size=5)


def document(number: int, content: Any) -> Document:
    kinds = ("cluster", "user", "context")
    lists: dict[str, Any] = {
        f"{kind}s": [{"name": name, kind: {"mark": mark}} for name, mark in content[at].items()]
        for at, kind in enumerate(kinds)
    }
    file = ConfigFile(Path(f"/{number}"), f"/{number}")
    return parse_document({**lists, "current-context": content[3]}, file)


@given(files)
def test_merging_takes_the_first_of_everything(contents: list[Any]) -> None:
    documents = [document(number, content) for number, content in enumerate(contents)]
    merged = merge_documents(documents)
    for kind in ("clusters", "users", "contexts"):
        expected: dict[str, Any] = {}
        for each in documents:
            for name, entry in getattr(each, kind).items():
                expected.setdefault(name, entry)
        assert getattr(merged, kind) == expected
    assert merged.current_context == next((c[3] for c in contents if c[3]), "")


@given(files)
def test_merging_in_steps_is_merging_at_once(contents: list[Any]) -> None:
    documents = [document(number, content) for number, content in enumerate(contents)]
    stepwise = Document()
    for each in documents:
        stepwise = merge_documents([stepwise, each])
    assert stepwise == merge_documents(documents)
