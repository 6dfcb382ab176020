"""The files of a project to start from, and the names in them."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from clientgen import __version__
from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.cli.monitoring import monitoring_files
from clientgen.generator.plurals import plural_of, with_article
from clientgen.generator.python_names import (
    group_packages,
    group_version_accessor,
    resource_accessor,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_GROUP = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_MAX_GROUP_LENGTH = 253
_MAX_NAME_LENGTH = 50  # it is a label of DNS, also with what manifests append
# So that `<Kind>Status` is a class, and the plural a label of DNS: 63 characters.
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,49}")
# Kubernetes serves these only to who has the approval of its API reviewers.
_PROTECTED = (".k8s.io", ".kubernetes.io")
# Folders of the project, what it imports, and what that needs.
_TAKEN_PACKAGES = frozenset(
    {"aiohttp", "chart", "click", "clientgen", "deploy", "dist", "kubeapi", "msgspec", "mypy"}
    | {"prometheus_client", "pytest", "ruff", "tests", "urllib3", "wheels", "yaml"}
)
# Names that the files use for something else.
_TAKEN_KINDS = frozenset(
    {"ACCOUNT", "AdmissionRequest", "Annotated", "AsyncClientset", "AsyncClientsetBase"}
    | {"AsyncContext", "AsyncGenerator", "AsyncManager", "AsyncWebhooks", "Callable", "Clientset"}
    | {"ClientsetBase", "Context", "CustomResource", "DEPLOY", "Denied", "FakeCluster"}
    | {"Generator", "Invalid", "Manager", "Meta", "Model", "ObjectMeta", "Path"}
    | {"SERVICE", "Scheme", "ThreadPoolExecutor", "Webhooks"}
)
_BASE = (
    *("kustomization.yaml", "namespace.yaml", "role.yaml", "deployment.yaml", "service.yaml"),
    "webhooks.yaml",
)
_CHART = ("rbac.yaml", "deployment.yaml", "webhooks.yaml", "certificate.yaml")


@dataclass(frozen=True, slots=True)
class StarterProject:
    """A project: what it is called, what it is about, and which flavour it has."""

    name: str
    group: str
    kind: str
    namespaced: bool
    flavour: str

    @property
    def package(self) -> str:
        """The Python package of the project."""
        return self.name.replace("-", "_")

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file by its path in the project."""
        values = self._values()
        for path, template in self._templates():
            text = files("clientgen.cli").joinpath("starter", f"{template}.tmpl").read_text("utf-8")
            yield path, Template(text).substitute(values)
        for name, text in monitoring_files(self.app, self.app).items():
            yield f"deploy/monitoring/{name}", text

    def _templates(self) -> Iterator[tuple[str, str]]:
        package, flavour = self.package, self.flavour
        yield from (
            ("README.md", "README.md"),
            (".gitignore", "gitignore"),
            (".dockerignore", "dockerignore"),
            (".github/workflows/ci.yaml", "ci.yaml"),
            ("Dockerfile", "Dockerfile"),
            ("pyproject.toml", "pyproject.toml"),
            (f"{package}/__init__.py", "package.py"),
            (f"{package}/__main__.py", f"main.{flavour}.py"),
            (f"{package}/v1.py", "v1.py"),
            (f"{package}/controller.py", "controller.py"),
            (f"{package}/webhooks.py", "webhooks.py"),
            ("tests/test_operator.py", f"test_operator.{flavour}.py"),
        )
        yield from ((f"deploy/base/{name}", f"deploy/{name}") for name in _BASE)
        yield "deploy/cert-manager/kustomization.yaml", "deploy/cert-manager.kustomization.yaml"
        yield "deploy/cert-manager/certificate.yaml", "deploy/certificate.yaml"
        yield from ((f"chart/{name}", f"chart/{name}") for name in ("Chart.yaml", "values.yaml"))
        yield from ((f"chart/templates/{name}", f"chart/{name}") for name in _CHART)

    def _values(self) -> dict[str, str]:
        version, plural = GroupVersion(self.group, "v1"), plural_of(self.kind)
        is_async, namespaced = self.flavour == "asyncio", self.namespaced
        singular = self.kind.lower()
        return {
            "name": self.name,
            "app": self.app,
            "package": self.package,
            "client": self.client,
            "version": __version__,
            "group": self.group,
            "kind": self.kind,
            "a_kind": with_article(self.kind),
            "singular": singular,
            "plural": plural,
            "path": f"{self.group.replace('.', '-')}-v1-{singular}",
            "crd_file": f"{self.group}_{plural}.yaml",
            "accessor": resource_accessor(self.kind, plural),
            "group_version": group_version_accessor(
                group_packages([self.group])[self.group], version
            ),
            "Async": "Async" if is_async else "",
            "aio": "aio" if is_async else "sync",
            "imports_of_controller": "\n".join(sorted(_imports(is_async=is_async))),
            "async_": "async " if is_async else "",
            "await_": "await " if is_async else "",
            "scope": "" if namespaced else "# +genclient:nonNamespaced\n",
            "rule_scope": "Namespaced" if namespaced else "Cluster",
            "test_namespace": '"default"' if namespaced else "",
            "webhooks_command": shlex.join(self.webhooks_command),
        }

    @property
    def app(self) -> str:
        """The name of the objects in the cluster."""
        return self.name.replace("_", "-")

    @property
    def client(self) -> str:
        """The package that is generated."""
        return f"{self.package}_client"

    @property
    def webhooks_command(self) -> list[str]:
        """The command that writes the webhook configurations."""
        return [
            *("clientgen", "webhooks", f"{self.package}.webhooks:make_webhooks"),
            *("--name", self.app, "--service", f"{self.app}/{self.app}"),
            *("--output", "deploy/base/webhooks.yaml"),
        ]


def starter(name: str, group: str, kind: str, *, namespaced: bool, flavour: str) -> StarterProject:
    """A project of these names.

    Raises:
        ClientgenError: with every name that cannot be used.
    """
    problems = Problems()
    chosen = StarterProject(name, group, kind, namespaced, flavour)
    _check_name(chosen, problems)
    _check_group(group, problems)
    _check_kind(kind, problems)
    problems.raise_if_any()
    return chosen


def _imports(*, is_async: bool) -> tuple[str, str]:
    names = ", ".join(
        f"{'Async' if is_async else ''}{name}" for name in ("ClientsetBase", "Context", "Manager")
    )
    return (
        f"from clientgen.runtime.{'aio' if is_async else 'sync'} import {names}",
        "from clientgen.runtime.models import deep_copy",
    )


def _check_name(chosen: StarterProject, problems: Problems) -> None:
    name, package = chosen.name, chosen.package
    if not _NAME.fullmatch(name):
        usual = "write lower-case words such as `my-operator`"
        hint = _meant("-".join(_words(name.lower())), _NAME) or usual
        problems.add("--name", f"a project cannot be called `{name}`", hint)
    elif len(name) > _MAX_NAME_LENGTH:
        what = f"`{name}` has more than {_MAX_NAME_LENGTH} characters"
        problems.add("--name", what, "give it another --name")
    elif keyword.iskeyword(package) or keyword.issoftkeyword(package):
        problems.add("--name", f"`{package}` is a keyword of Python", "give it another --name")
    elif package in sys.stdlib_module_names or package in _TAKEN_PACKAGES:
        what = f"a package `{package}` exists and would be hidden"
        problems.add("--name", what, "give it another --name")


def _meant(text: str, pattern: re.Pattern[str]) -> str:
    """Return a hint with a valid spelling, if the text is one."""
    return f"did you mean `{text}`?" if pattern.fullmatch(text) else ""


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[^A-Za-z0-9.]+", text) if word]


def _check_group(group: str, problems: Problems) -> None:
    if not _GROUP.fullmatch(group) or len(group) > _MAX_GROUP_LENGTH:
        hint = _meant(group.lower(), _GROUP) or "write a domain such as `apps.example.com`"
        problems.add("--group", f"an API group cannot be `{group}`", hint)
    elif group.endswith(_PROTECTED):
        what = f"`{group}` is a group of Kubernetes itself"
        problems.add("--group", what, "use a domain that you own")


def _check_kind(kind: str, problems: Problems) -> None:
    if not _KIND.fullmatch(kind):
        usual = "write words without spaces, such as `CronTab`, and no more than 50 characters"
        hint = _meant("".join(word[:1].upper() + word[1:] for word in _words(kind)), _KIND) or usual
        problems.add("--kind", f"a kind cannot be `{kind}`", hint)
    elif kind in _TAKEN_KINDS or keyword.iskeyword(kind) or kind.endswith("List"):
        what = f"a kind `{kind}` would clash with an existing name"
        problems.add("--kind", what, "give it another --kind")
