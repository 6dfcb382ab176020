"""`clientgen rbac`: check and generate."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from clientgen._rbac.access import Access
from clientgen._rbac.callers import Account
from clientgen._rbac.recording import Recording

Run = Callable[..., Result]
MARKER = "# +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch\n"
INPUTS = ["--recorded", "requests.json", "--sources", "src"]


@pytest.fixture
def files(here: Path) -> Path:
    recording = Recording()
    recording.add(Account("shop", "operator"), Access("list", "pods"), Access("watch", "pods"))
    (here / "requests.json").write_text(recording.to_json())
    (here / "src").mkdir()
    (here / "src" / "main.py").write_text(MARKER)
    (here / "src" / ".hidden").mkdir()
    (here / "src" / ".hidden" / "x.py").write_text("# +kubebuilder:rbac:nonsense")
    return here


def test_a_role_is_generated_and_checked(run: Run, files: Path):
    result = run("rbac", "generate", "--output", "role.yaml", *INPUTS)
    assert (result.exit_code, result.output) == (0, "role.yaml: written\n")
    assert run("rbac", "generate", *INPUTS).output == (files / "role.yaml").read_text()
    assert run("rbac", "generate", "--output", "role.yaml", *INPUTS).output == (
        "role.yaml: up to date\n"
    )
    result = run("rbac", "check", "role.yaml", *INPUTS)
    assert (result.exit_code, result.output) == (
        0,
        "role.yaml: everything is needed, and nothing is missing\n",
    )

    # Without the markers, their rights are too much; without a right, it is missing.
    text = (files / "role.yaml").read_text()
    (files / "role.yaml").write_text(text.replace("  - watch\n", "", 1))
    result = run("rbac", "check", "role.yaml", "--recorded", "requests.json")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "missing: ServiceAccount shop/operator needs watch pods",
        "too much: ClusterRole operator, rules[1]: get jobs.batch: no request needs it",
        "too much: ClusterRole operator, rules[1]: list jobs.batch: no request needs it",
        "too much: ClusterRole operator, rules[1]: watch jobs.batch: no request needs it",
    ]
    assert result.stderr == "4 differences\n"


def test_markers_alone_need_an_account(run: Run, files: Path):
    result = run("rbac", "generate", "--sources", "src")
    assert result.exit_code == 1
    assert result.stderr == (
        "src/main.py:1: no service account is known for this marker\n"
        "    give --service-account NAMESPACE/NAME, or a recording\n1 problem\n"
    )
    result = run("rbac", "generate", "--sources", "src", "--service-account", "shop/jobs")
    assert "name: jobs\n  namespace: shop\n" in result.output

    result = run("rbac", "generate", "--sources", "src", "--service-account", "jobs")
    assert (result.exit_code, 'is "namespace/name"' in result.stderr) == (2, True)


def test_with_several_accounts_markers_name_theirs(run: Run, files: Path):
    recording = Recording()
    for name in ("a", "b"):
        recording.add(Account("shop", name), Access("list", "pods"))
    (files / "requests.json").write_text(recording.to_json())
    result = run("rbac", "generate", *INPUTS)
    assert "which service account this marker is for: shop/a, shop/b" in result.stderr

    (files / "src" / "main.py").write_text(MARKER.replace("\n", ",roleName=b\n"))
    assert run("rbac", "generate", *INPUTS).output.count("- jobs") == 1


@pytest.mark.parametrize(
    ("role", "problem"),
    [
        (None, "role.yaml: the file cannot be read: No such file or directory"),
        ("kind: ConfigMap\napiVersion: v1\n", "role.yaml: there is no Role, ClusterRole or bind"),
        ("- 1\n", "role.yaml, document 1, line 1: the manifest is a list, not an object"),
        ("a: &a [*a]\n", "role.yaml, document 1"),
        ("\x00", "role.yaml"),
    ],
)
def test_files_that_are_no_roles_are_told(run: Run, files: Path, role: str | None, problem: str):
    if role is not None:
        (files / "role.yaml").write_text(role)
    result = run("rbac", "check", "role.yaml", *INPUTS)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        "# mine\n",
        "{written}# a comment\n",
        "{written}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: mine}}\n",
        "{first}a: [",
    ],
)
def test_files_of_others_are_not_changed(run: Run, files: Path, text: str):
    written = run("rbac", "generate", *INPUTS).output
    role = files / "role.yaml"
    role.write_text(text.format(written=written, first=written.partition("\n")[0] + "\n"))
    before = role.read_text()
    result = run("rbac", "generate", "--output", "role.yaml", *INPUTS)
    assert result.exit_code == 1
    assert result.stderr.startswith("role.yaml: ")
    assert role.read_text() == before


def test_a_file_that_cannot_be_written_leaves_nothing(run: Run, files: Path):
    (files / "folder").write_text("a file")
    result = run("rbac", "generate", "--output", "folder/role.yaml", *INPUTS)
    assert (result.exit_code, result.stderr.startswith("folder/role.yaml: it cannot")) == (1, True)

    (files / "real.yaml").write_text("")
    (files / "role.yaml").symlink_to("real.yaml")
    assert run("rbac", "generate", "--output", "role.yaml", *INPUTS).exit_code == 0
    assert (files / "role.yaml").is_symlink()
    assert (files / "real.yaml").read_text().startswith("# Derived by clientgen")
    assert sorted(each.name for each in files.iterdir() if each.name.startswith(".")) == []


def test_what_is_no_input_is_told(run: Run, files: Path):
    assert "neither a recorded request nor a marker" in run("rbac", "generate").stderr
    (files / "requests.json").write_text("{}")
    assert run("rbac", "generate", *INPUTS).stderr.startswith("requests.json: it is no recording")
    os.mkfifo(files / "pipe")
    result = run("rbac", "generate", "--recorded", "pipe")
    assert result.stderr.startswith("pipe: it is not a regular file")
    (files / "src" / "main.py").write_text("# +kubebuilder:rbac:verb=get\n")
    result = run("rbac", "generate", "--sources", "src", "--service-account", "a/b")
    assert result.stderr.startswith("src/main.py:1: +kubebuilder:rbac: unknown argument `verb`")
