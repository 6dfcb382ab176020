"""The options for RBAC of pytest, as users run them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import yaml

TESTS = """
import pytest
from kubeapi import Clientset
from clientgen.runtime.errors import NotFound
from clientgen.testing import FakeCluster

@pytest.fixture
def k():
    return FakeCluster().clientset(Clientset, service_account="shop/operator")

def test_one(k):
    k.core_v1.pods().list()

def test_two(k):
    with pytest.raises(NotFound):
        k.core_v1.config_maps("default").get("colours")

def test_three(k):
    k.core_v1.config_maps("default").create({"metadata": {"name": "new"}})
"""
SOURCE = "# +kubebuilder:rbac:groups=core,resources=nodes,verbs=get\n"


def section(output: str) -> str:
    """The section on RBAC, or everything if there is none."""
    _, _, text = output.partition(" RBAC ")
    return text.partition("\n")[2] or output


def run(*arguments: str) -> tuple[int, str]:
    """Run pytest in this process; give its exit status, and its section on RBAC."""
    output = io.StringIO()
    # unraisableexception collects garbage five times, all that other tests have left behind.
    unused = ("cacheprovider", "hypothesispytest", "timeout", "unraisableexception", "xdist")
    plugins = [f"-pno:{name}" for name in unused]
    with redirect_stdout(output), redirect_stderr(output):
        status = pytest.main(["-q", "-s", "--import-mode=importlib", *plugins, *arguments])
    sys.modules.pop("test_theirs", None)
    return int(status), section(output.getvalue())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_theirs.py").write_text(TESTS)
    (tmp_path / "main.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRITE = ["--rbac", "deploy/role.yaml", "--rbac-record", "requests.json"]


def test_a_role_is_written_then_tests_run_under_it_and_nothing_is_too_much(project: Path):
    role = project / "deploy" / "role.yaml"

    assert run(*WRITE)[1].startswith("requests.json: written\ndeploy/role.yaml: written\n")
    text, time = role.read_text(), role.stat().st_mtime_ns
    assert run(*WRITE, "--rbac-partial")[1].startswith("requests.json: up to date\ndeploy/role.ya")
    assert (role.read_text(), role.stat().st_mtime_ns) == (text, time)

    both = ["--under-rbac", "deploy/role.yaml", "--rbac-minimal", "deploy/role.yaml"]
    done = run(*both)
    assert done[0] == 0
    assert done[1].startswith("deploy/role.yaml: everything is needed, and nothing is missing\n")

    role.write_text(text.replace("  - create\n", "").replace("- pods", "- pods\n  - secrets"))
    status, told = run(*both)
    assert status == 1
    denied, lacks, unchecked, *_ = told.splitlines()
    request = "create configmaps in namespace default"
    assert denied == (
        f"denied: ServiceAccount shop/operator: {request}  (test_theirs.py::test_three)"
    )
    rule = '{apiGroups: [""], resources: [configmaps], verbs: [create]}'
    assert lacks == f"deploy/role.yaml lacks, in a ClusterRole of shop/operator: {rule}"
    assert unchecked == "deploy/role.yaml not checked: not all tests passed"


def test_a_role_in_a_helm_chart_has_the_names_of_the_release(project: Path):
    (project / "chart").mkdir()
    (project / "chart/Chart.yaml").touch()
    chart = ["--rbac", "deploy/role.yaml", "--rbac", "chart/templates/rbac.yaml"]
    status, told = run(*chart)
    assert (status, told.splitlines()[:2]) == (
        0,
        ["deploy/role.yaml: written", "chart/templates/rbac.yaml: written"],
    )
    role, charted = (
        list(yaml.safe_load_all((project / name).read_text()))
        for name in ("deploy/role.yaml", "chart/templates/rbac.yaml")
    )
    release = {
        "{{ .Release.Namespace }}.{{ .Release.Name }}": "operator",
        "{{ .Release.Name }}": "operator",
        "{{ .Release.Namespace }}": "shop",
    }
    rendered = json.dumps(charted)
    for expression, value in release.items():
        rendered = rendered.replace(expression, value)
    assert json.loads(rendered) == role
    assert run(*chart)[1].splitlines()[1] == "chart/templates/rbac.yaml: up to date"
    account, cluster_role, binding = charted
    assert account["metadata"] == {
        "name": "{{ .Release.Name }}",
        "namespace": "{{ .Release.Namespace }}",
    }
    assert cluster_role["metadata"]["name"] == "{{ .Release.Namespace }}.{{ .Release.Name }}"
    assert binding["roleRef"]["name"] == cluster_role["metadata"]["name"]
    assert binding["subjects"][0]["namespace"] == "{{ .Release.Namespace }}"

    text = TESTS.replace("def k():", "def k(request):").replace(
        'service_account="shop/operator"', 'service_account=f"shop/{request.function.__name__[5:]}"'
    )
    (project / "test_theirs.py").write_text(text)
    status, told = run(*chart)
    assert status == 1
    assert "chart/templates/rbac.yaml: a chart has one ServiceAccount, but the tests use 3" in told
    assert run("--under-rbac", "deploy/role.yaml")[0] == 1  # nothing was written


@pytest.mark.slow
def test_workers_of_xdist_are_merged(project: Path):
    assert run(*WRITE)[0] == 0
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n2",
        "-pno:cacheprovider",
        "-pno:hypothesispytest",
        *WRITE,
    ]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    expected = "requests.json: up to date\ndeploy/role.yaml: up to date\n"
    assert section(done.stdout).startswith(expected), done.stdout


def test_a_role_that_is_too_wide_fails_a_minimal_run(project: Path):
    role = project / "deploy" / "role.yaml"
    assert run(*WRITE)[0] == 0
    role.write_text(role.read_text().replace("- pods", "- pods\n  - secrets"))
    status, told = run("--rbac-minimal", "deploy/role.yaml")
    assert status == 1
    assert told.startswith("too much: ClusterRole operator, rules[1]: list secrets: no request")


@pytest.mark.parametrize(
    ("change", "options", "why"),
    [
        ("\ndef test_four(): assert 0", [], "not all tests passed"),
        ("\ndef test_four(): pytest.skip()", [], "tests were skipped (--rbac-partial allows this"),
        ("", ["-k", "one"], "not all tests were selected (--rbac-partial allows this)"),
        ("", ["test_theirs.py::test_one"], "not all tests were selected"),
        ("", ["-k", "no_such_test"], "no test has run"),
    ],
)
def test_nothing_is_written_unless_all_tests_have_run(
    project: Path, change: str, options: list[str], why: str
):
    with (project / "test_theirs.py").open("a") as file:
        file.write(change)
    status, told = run("--rbac", "role.yaml", *options)
    assert status
    assert told.startswith(f"role.yaml not written: {why}")
    assert not (project / "role.yaml").exists()


def test_files_that_cannot_be_used_end_the_run_before_it_begins(project: Path):
    (project / "role.yaml").write_text("# mine\n")
    status, told = run("--rbac", "role.yaml")
    assert status == 4
    assert "ERROR: role.yaml: clientgen did not write it" in told

    status, told = run("--under-rbac", "none.yaml")
    assert status == 4
    assert "ERROR: none.yaml: the file cannot be read: No such file" in told


def test_markers_are_merged_and_tests_without_accounts_are_told(project: Path):
    options = ["--rbac-sources", ".", "--rbac-names", "configmaps", "--rbac-namespaced"]
    status, told = run("--rbac", "role.yaml", *options)
    assert status == 0, told
    text = (project / "role.yaml").read_text()
    assert "  - nodes\n" in text
    assert "  resourceNames:\n  - colours\n" in text
    assert "kind: Role\nmetadata:\n  name: operator\n  namespace: default\n" in text

    tests = project / "test_theirs.py"
    tests.write_text(TESTS.replace(', service_account="shop/operator"', ""))
    status, told = run("--rbac", "role.yaml")
    assert status == 1
    assert told.startswith("role.yaml not written: no test has made a request as a service acc")
    assert (project / "role.yaml").read_text() == text


def test_an_account_that_no_binding_names_is_told(project: Path):
    assert run(*WRITE)[0] == 0
    role = project / "deploy" / "role.yaml"
    role.write_text(role.read_text().replace("namespace: shop", "namespace: bank"))
    status, told = run("--under-rbac", "deploy/role.yaml")
    assert status == 1
    expected = "missing: no binding names the ServiceAccount shop/operator; there are bindings for"
    assert f"{expected} bank/operator\n" in told


def test_what_goes_wrong_in_the_end_is_told(project: Path):
    (project / "requests.json").mkdir()
    status, told = run(*WRITE)
    assert (status, "requests.json" in told, "INTERNALERROR" in told) == (1, True, False)
    assert not (project / "deploy").exists()

    more = 'FakeCluster().clientset(Clientset, service_account="shop/other").core_v1.pods().list()'
    with (project / "test_theirs.py").open("a") as file:
        file.write(f"\ndef test_four():\n    {more}\n")
    status, told = run("--rbac", "role.yaml", "--rbac-sources", ".")
    assert status == 1
    problem = "main.py:1: it is not clear which service account this marker is for: shop/operator"
    assert told.startswith(f"{problem}, shop/other\n    give the marker a roleName")
