from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import black
import pytest
import yaml
from click.testing import CliRunner, Result
from kubeapi import Clientset
from support.helm import rendered

from clientgen.cli import init as command
from clientgen.cli.init_files import starter
from clientgen.cli.program import program
from clientgen.runtime import Scheme
from clientgen.testing import LocalServer

ROLE = "deploy/base/role.yaml"
kubectl = shutil.which("kubectl")
Run = Callable[..., Result]
NEVER_OVERWRITTEN = "\n    Name a new directory; existing files are never overwritten.\n1 problem\n"


def files() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clientgen be installed from a package index."""
    installed_from(monkeypatch, None)


PROJECTS = {
    # Under its roles, and then: they are the least that its tests need.
    "cron-tasks": (
        f"--under-rbac={ROLE}",
        ["--flavour", "asyncio", "--kind", "CronTask", "--group", "j.x.io"],
    ),
    "my_threads": (
        f"--rbac=chart/templates/rbac.yaml --rbac={ROLE}",
        ["--flavour", "sync", "--cluster-scoped", "--kind", "EphemeralVolumeClaim"],
    ),
}


@pytest.mark.slow
def test_projects_run_at_once(run: Run, here: Path) -> None:
    """A project of each flavour. Both in one test, so that checkers read the runtime once."""
    for project, (role_options, flags) in PROJECTS.items():
        result = run("init", project, *flags)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.splitlines()[1:] == [
            f"    cd {project}",
            '    pip install -e ".[dev]"',
            "    pytest --under-rbac deploy/base/role.yaml",
        ]
        os.chdir(here / project)
        tools_agree(result.stdout)
        for line in up_to_date_commands():
            assert run(*shlex.split(line)[1:]).exit_code == 0, line
        role_files = [Path(ROLE), Path("chart/templates/rbac.yaml")]
        roles = [file.read_text() for file in role_files]
        # What the project's own checks say, each in a process of its own, as its author would
        # see it.
        pytest_command = [
            "pytest",
            "-q",
            "-W",
            "error",
            "-p",
            "no:cacheprovider",
            *role_options.split(),
        ]
        assert "3 passed" in outputs(
            pytest_command,
            ["mypy", "--cache-dir", str(here / "mypy")],
            ["ruff", "check", "--no-cache", "--extend-select", "I"],
            ["ruff", "format", "--no-cache", "--check"],
        )
        assert [file.read_text() for file in role_files] == roles
        os.chdir(here)

    # A checker that others prefer, as strict as it can be.
    environments = [{"root": project} for project in PROJECTS]
    config = {"typeCheckingMode": "strict", "include": [*PROJECTS]}
    config["executionEnvironments"] = environments
    Path("pyrightconfig.json").write_text(json.dumps(config))
    done = outputs(
        ["pyright", "-p", "pyrightconfig.json", "--pythonpath", sys.executable, "--stats"]
    )
    (checked,) = re.findall(r"Found (\d+) source files", done)
    files = [path for project in PROJECTS for path in Path(project).rglob("*.py")]
    assert int(checked) == len(files)


def outputs(*commands: list[str]) -> str:
    """Run modules of Python side by side; return what they print. All must succeed."""
    running = [
        subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True)
        for words in commands
    ]
    printed = "\n".join(process.communicate(timeout=300)[0] for process in running)
    assert not any(process.returncode for process in running), printed
    return printed


def tools_agree(console: str) -> None:
    """The tools that are configured are installed, explained and run by CI; all say one command."""
    project = tomllib.loads(Path("pyproject.toml").read_text())
    installed = {
        re.split(r"\W", each)[0] for each in project["project"]["optional-dependencies"]["dev"]
    }
    readme, ci = Path("README.md").read_text(), Path(".github/workflows/ci.yaml").read_text()
    for tool in project["tool"].keys() - {"hatch", "clientgen"}:
        assert tool in installed
        assert re.search(rf"^{tool}\b", readme, re.MULTILINE), tool
        assert re.search(rf"- run: {tool}\b", ci), tool
    test = console.splitlines()[-1].strip()
    assert f"\n{test}\n" in readme
    assert f"- run: {test}\n" in ci


def installed_from(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None) -> None:
    """Let clientgen be installed from a package index (None), or from where `origin` says."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr(command, "distribution", lambda name: Installed())


@pytest.mark.parametrize(
    ("origin", "folders"),
    [
        (
            {"url": "file:///src/my%20clientgen", "dir_info": {"editable": True}},
            "'/src/my clientgen' '/src/my clientgen/generated'",
        ),
        (
            {"url": "file:///tmp/clientgen-0.1.0-py3-none-any.whl", "archive_info": {}},
            "CLIENTGEN CLIENTGEN/generated",
        ),
    ],
)
def test_a_project_is_built_from_a_checkout_until_something_is_published(
    run: Run, monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any], folders: str
) -> None:
    installed_from(monkeypatch, origin)
    monkeypatch.setattr(command, "has_generator", lambda: False)
    lines = run("init", "shop").stdout.splitlines()
    assert lines[2:4] == [
        f"    pip wheel --no-deps --wheel-dir wheels {folders}",
        '    pip install --find-links wheels -e ".[dev]"',
    ]
    os.chdir("shop")
    assert lines[3].strip() in Path("README.md").read_text()
    assert "\nENV PIP_FIND_LINKS=wheels\n" in Path("Dockerfile").read_text()
    assert "!wheels/*.whl" in Path(".dockerignore").read_text().splitlines()
    assert yaml.safe_load(Path(".github/workflows/ci.yaml").read_text())["env"] == {
        "PIP_FIND_LINKS": "wheels"
    }
    dependencies = tomllib.loads(Path("pyproject.toml").read_text())["project"]["dependencies"]
    assert [text.split(">=")[0] for text in dependencies] == [
        "clientgen[metrics]",
        "clientgen-kubeapi",
    ]


def up_to_date_commands() -> list[str]:
    """The commands of the CI file that compare generated files."""
    steps = yaml.safe_load(Path(".github/workflows/ci.yaml").read_text())["jobs"]["test"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    assert [line for line in lines if not line.startswith("clientgen")] == [
        'pip install -e ".[dev]"',
        "mypy",
        "ruff check",
        "ruff format --check",
        f"pytest --under-rbac {ROLE}",
    ]
    return [line for line in lines if line.startswith("clientgen")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flavour", "watch"), [("asyncio", "apps/v1/Deployment"), ("sync", "v1/Node")]
)
def test_a_project_may_watch_a_kind_of_kubernetes(run: Run, flavour: str, watch: str) -> None:
    result = run("init", "shop", "--watch", watch, "--flavour", flavour)
    assert (result.exit_code, result.stderr) == (0, "")
    os.chdir("shop")
    assert not [path for path in files() if "crd" in path or "webhook" in path or "v1.py" in path]
    role_files = [Path(ROLE), Path("chart/templates/rbac.yaml")]
    roles = [file.read_text() for file in role_files]
    assert "2 passed" in outputs(
        ["pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
        + [f"--rbac={file}" for file in role_files],
        ["mypy", "--cache-dir", str(Path("../mypy").resolve())],
        ["ruff", "check", "--no-cache", "--extend-select", "I"],
        ["ruff", "format", "--no-cache", "--check"],
    )
    assert [file.read_text() for file in role_files] == roles
    assert {each["kind"] for each in base_of(Path())} == {
        *("Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role"),
        *("RoleBinding", "Deployment"),
    }
    charted = rendered(Path("chart"), "shop", "shop")
    assert {each["kind"] for each in charted} == {
        each["kind"] for each in base_of(Path()) if each["kind"] != "Namespace"
    }
    assert "%" not in Path("README.md").read_text()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--watch", "v1/Nod"],
            "no kind 'v1/Nod' to watch\n    did you mean `v1/Node`?",
        ),
        (["--watch", "v1/Event"], "--watch: there is no kind"),
        (["--watch", "v1/Pod", "--kind", "Cup"], "--kind: it is for a kind of your own"),
        (["--watch", "v1/Pod", "--cluster-scoped"], "--cluster-scoped: it is for a kind of"),
    ],
)
def test_what_cannot_be_watched(run: Run, flags: list[str], message: str) -> None:
    result = run("init", "shop", *flags)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not Path("shop").exists()


# ---- manifests --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that nobody changes."""
    folder = tmp_path_factory.mktemp("init") / "my-shop"
    CliRunner().invoke(program, ["init", str(folder)], catch_exceptions=False)
    return folder


def base_of(project: Path) -> list[dict[str, Any]]:
    folder = project / "deploy/base"
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    texts = [(folder / name).read_text() for name in listed]
    return [each for text in texts for each in yaml.safe_load_all(text)]


def test_the_manifests_are_what_a_cluster_takes(project: Path) -> None:
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as k:
        k.manifests(project / "deploy/base/namespace.yaml").apply()
        for obj in base_of(project):
            k.apply(obj, field_manager="test", field_validation="Strict")
        deployment = k.apps_v1.deployments("my-shop").get("my-shop")
    [container] = deployment.spec.template.spec.containers
    assert {port.name for port in container.ports} == {"webhooks", "metrics", "health"}


@pytest.mark.skipif(kubectl is None, reason="kubectl is not installed")
def test_kubectl_applies_the_manifests(project: Path) -> None:
    assert kubectl
    with LocalServer() as server:
        environment = {**os.environ, "KUBECONFIG": server.kubeconfig, "HOME": str(project)}
        applied = subprocess.run(
            [kubectl, "apply", "-k", project / "deploy/base"],
            env=environment,
            capture_output=True,
            text=True,
        )
    assert (applied.returncode, applied.stderr) == (0, "")
    assert len(applied.stdout.splitlines()) == len(base_of(project))
    objects = Scheme().load(project / "deploy/cert-manager", unknown="keep")
    annotated = [each for each in objects if "annotations" in each["metadata"]]
    annotation = {"cert-manager.io/inject-ca-from": "my-shop/my-shop"}
    hooks = [each for each in annotated if each["kind"].endswith("WebhookConfiguration")]
    assert [each["metadata"]["annotations"] for each in hooks] == [annotation] * 2


def test_the_chart_gives_what_kustomize_does(project: Path) -> None:
    """Rendered by a small part of Helm's templates, written for tests: Helm is rarely installed."""
    chart = project / "chart"
    charted = {
        (each["kind"], each["metadata"]["name"]): each
        for each in rendered(chart, "my-shop", "my-shop", webhooks__certificate__certManager=False)
    }
    for each in charted.values():  # kustomize's are in a namespace that they bring themselves
        for named in (each["metadata"], each.get("roleRef", {})):
            if named.get("name") == "my-shop.my-shop":
                named["name"] = "my-shop"
    charted = {(kind, each["metadata"]["name"]): each for (kind, _), each in charted.items()}
    base = {(each["kind"], each["metadata"]["name"]): each for each in base_of(project)}
    [crd] = [base.pop(key) for key in list(base) if key[0] == "CustomResourceDefinition"]
    [file] = (chart / "crds").iterdir()
    assert yaml.safe_load(file.read_text()) == crd
    del base["Namespace", "my-shop"]
    instance = {"app.kubernetes.io/instance": "my-shop"}
    for kind in ("Deployment", "Service"):
        labels = charted[kind, "my-shop"]["metadata"]["labels"]
        assert labels.pop("app.kubernetes.io/instance") == "my-shop"
    name = {"app.kubernetes.io/name": "my-shop"}
    deployment, service = charted["Deployment", "my-shop"], charted["Service", "my-shop"]
    assert deployment["spec"]["selector"] == {"matchLabels": instance}
    assert service["spec"]["selector"] == instance
    service["spec"]["selector"] = name
    deployment["spec"]["selector"]["matchLabels"] = name
    deployment["spec"]["template"]["metadata"]["labels"] = name
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert (container.pop("imagePullPolicy"), container["image"]) == (
        "IfNotPresent",
        "my-shop:0.1.0",
    )
    container["image"] = "my-shop"
    assert charted == base


def test_releases_of_one_name_in_two_namespaces_share_nothing(project: Path) -> None:
    charts = [
        {
            (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
            for each in rendered(project / "chart", release, namespace)
        }
        for release, namespace in (("shop", "ops"), ("shop", "dev"), ("ops", "shop"))
    ]
    assert len(charts[0]) == len(set.union(*charts)) / 3
    kinds = {kind for kind, namespace, _ in charts[0] if namespace is None}
    assert kinds == {
        "ClusterRole",
        "ClusterRoleBinding",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    }
    for obj in rendered(project / "chart", "shop", "ops"):
        if obj["kind"] == "ClusterRoleBinding":
            assert ("ClusterRole", None, obj["roleRef"]["name"]) in charts[0]


def test_the_chart_takes_a_certificate_from_elsewhere(project: Path) -> None:
    objects = rendered(project / "chart", "shop", "ops", image__tag="2.0")
    kinds = [each["kind"] for each in objects]
    assert kinds.count("Certificate") == kinds.count("Issuer") == 1
    [hooks] = [each for each in objects if each["kind"] == "ValidatingWebhookConfiguration"]
    assert hooks["metadata"]["annotations"] == {"cert-manager.io/inject-ca-from": "ops/shop"}
    [certificate] = [each for each in objects if each["kind"] == "Certificate"]
    assert certificate["spec"]["dnsNames"] == ["shop.ops.svc"]
    [deployment] = [each for each in objects if each["kind"] == "Deployment"]
    pod = deployment["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "my-shop:2.0"
    assert pod["volumes"][0]["secret"]["secretName"] == certificate["spec"]["secretName"]

    given = {"certManager": False, "secretName": "mine", "caBundle": "QQ=="}
    objects = rendered(project / "chart", "shop", "ops", webhooks__certificate=given)
    assert "Certificate" not in [each["kind"] for each in objects]
    [deployment] = [each for each in objects if each["kind"] == "Deployment"]
    [volume] = deployment["spec"]["template"]["spec"]["volumes"]
    assert volume["secret"]["secretName"] == "mine"
    hooks = [each for each in objects if each["kind"].endswith("WebhookConfiguration")]
    assert [each["webhooks"][0]["clientConfig"]["caBundle"] for each in hooks] == ["QQ=="] * 2


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not installed")
def test_helm_finds_nothing_wrong(project: Path) -> None:
    done = subprocess.run(["helm", "lint", project / "chart"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# ---- names and files --------------------------------------------------------------------------


def test_starter_files_are_formatted() -> None:
    mode = black.Mode(line_length=100)
    for flavour in ("sync", "asyncio"):
        project = starter("my-shop", "example.com", "Widget", namespaced=True, flavour=flavour)
        for path, text in project.files():
            if path.endswith(".py"):
                assert black.format_str(text, mode=mode) == text, path
            has_variables = path.startswith("deploy/monitoring/")  # of Grafana and Prometheus
            assert "$" not in text or has_variables, path
            assert "{{" not in text or has_variables or path.startswith("chart/templates/"), path


def test_without_the_generator_it_says_what_is_left_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "has_generator", lambda: False)

    result = run("init", "shop")

    assert result.stdout.splitlines() == [
        "shop: an operator for Widget of example.com; see README.md",
        "    cd shop",
        '    pip install -e ".[dev]"',
        "    clientgen crd",
        "    clientgen crd --output chart/crds",
        "    clientgen generate",
        "    pytest --under-rbac deploy/base/role.yaml",
    ]
    os.chdir("shop")
    assert files() == [
        ".dockerignore",
        ".github/workflows/ci.yaml",
        ".gitignore",
        "Dockerfile",
        "README.md",
        "chart/Chart.yaml",
        "chart/templates/certificate.yaml",
        "chart/templates/deployment.yaml",
        "chart/templates/rbac.yaml",
        "chart/templates/webhooks.yaml",
        "chart/values.yaml",
        "deploy/base/deployment.yaml",
        "deploy/base/kustomization.yaml",
        "deploy/base/namespace.yaml",
        "deploy/base/role.yaml",
        "deploy/base/service.yaml",
        "deploy/base/webhooks.yaml",
        "deploy/cert-manager/certificate.yaml",
        "deploy/cert-manager/kustomization.yaml",
        "deploy/monitoring/alerts.yaml",
        "deploy/monitoring/dashboard.json",
        "deploy/monitoring/pod-monitor.yaml",
        "pyproject.toml",
        "shop/__init__.py",
        "shop/__main__.py",
        "shop/controller.py",
        "shop/v1.py",
        "shop/webhooks.py",
        "tests/test_operator.py",
    ]
    config = tomllib.loads(Path("pyproject.toml").read_text())
    # pip installs these since it has extras; groups it knows since 25.1.
    assert [text.split(">=")[0] for text in config["project"]["optional-dependencies"]["dev"]] == [
        "clientgen[generator,testing,reload]",
        "pytest",
        "mypy",
        "ruff",
    ]
    assert config["tool"]["clientgen"] == {
        "package": "shop_client",
        "types": ["shop.v1"],
        "output": ".",
        "crd-output": "deploy/base/crds",
    }


def test_a_folder_that_holds_version_control_only_is_empty(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "has_generator", lambda: False)
    Path("shop/.git").mkdir(parents=True)
    os.chdir("shop")

    result = run("init", "--quiet")

    assert (result.exit_code, result.output) == (0, "")
    assert Path("shop/v1.py").is_file()


def test_nothing_is_ever_overwritten(run: Run) -> None:
    Path("there").mkdir()
    Path("there/notes.txt").write_text("mine")
    before = files()

    for directory, what in (
        ("there", "is not empty: it contains `notes.txt`"),
        ("there/notes.txt", "exists and is not a directory"),
    ):
        result = run("init", directory, "--name", "shop")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"{directory}: {what}{NEVER_OVERWRITTEN}"
    assert files() == before


def test_a_folder_that_cannot_be_made_is_a_problem(run: Run) -> None:
    Path("file").write_text("")
    result = run("init", "file/shop")
    assert result.exit_code == 1
    assert result.stderr.endswith(": cannot be written: Not a directory\n1 problem\n")


@pytest.mark.parametrize(
    ("flag", "value", "what"),
    [
        ("--name", "My Shop", "a project cannot be called `My Shop`"),
        ("--name", "1st", "a project cannot be called `1st`"),
        ("--name", "lambda", "`lambda` is a keyword of Python"),
        ("--name", "json", "a package `json` exists and would be hidden"),
        ("--name", "tests", "a package `tests` exists and would be hidden"),
        ("--name", "x" * 51, f"`{'x' * 51}` has more than 50 characters"),
        ("--group", "example", "an API group cannot be `example`"),
        ("--group", "Example.com", "an API group cannot be `Example.com`"),
        ("--group", "x.k8s.io", "`x.k8s.io` is a group of Kubernetes itself"),
        ("--kind", "widget", "a kind cannot be `widget`"),
        ("--kind", "W" * 51, f"a kind cannot be `{'W' * 51}`"),
        ("--kind", "WidgetList", "a kind `WidgetList` would clash with an existing name"),
        ("--kind", "Manager", "a kind `Manager` would clash with an existing name"),
        ("--name", "kubeapi", "a package `kubeapi` exists and would be hidden"),
        ("--kind", "SERVICE", "a kind `SERVICE` would clash with an existing name"),
        ("--kind", "Model", "a kind `Model` would clash with an existing name"),
        ("--kind", "None", "a kind `None` would clash with an existing name"),
    ],
)
def test_names_that_would_not_work_are_refused(run: Run, flag: str, value: str, what: str) -> None:
    result = run("init", "shop", flag, value)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == f"{flag}: {what}"
    assert not Path("shop").exists()


def test_all_names_are_checked_at_once(run: Run) -> None:
    result = run("init", "Shop", "--group", "k8s", "--kind", "shop")
    assert [line.partition(":")[0] for line in result.stderr.splitlines()[::2]] == [
        "--group",
        "--kind",
        "--name",
        "3 problems",
    ]
