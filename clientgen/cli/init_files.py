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
from clientgen._problems import ClientgenError, Problem, Problems, did_you_mean
from clientgen._yaml.dumper import write_yaml
from clientgen.cli.monitoring import monitoring_files
from clientgen.generator.plurals import plural_of, with_article
from clientgen.generator.python_names import (
    group_packages,
    group_version_accessor,
    resource_accessor,
)
from clientgen.runtime import Scheme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clientgen.runtime import Resource

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
# The program writes Events.
_UNWATCHED = frozenset({"Event"})
_BASE = (*("kustomization.yaml", "namespace.yaml", "role.yaml", "deployment.yaml"),)
# Of projects with a kind of their own.
_OWN_BASE = ("service.yaml", "webhooks.yaml")
_OWN_CHART = ("webhooks.yaml", "certificate.yaml")
_CHART = ("rbac.yaml", "deployment.yaml")


@dataclass(frozen=True, slots=True)
class WatchedKind:
    """A kind of Kubernetes that a project watches.

    Attributes:
        resource: its resource.
        package: the package of its class, such as `kubeapi.apps.v1`.
    """

    resource: Resource
    package: str

    @property
    def rules(self) -> str:
        """The rules of a role, in YAML, to watch it and to record Events."""
        watching = _rule(self.resource.group, self.resource.plural, ["list", "watch"])
        recording = _rule("events.k8s.io", "events", ["create", "patch"])
        rules = sorted([watching, recording], key=lambda rule: rule["apiGroups"])
        return write_yaml({"rules": rules}, sort_keys=False).removeprefix("rules:\n")


@dataclass(frozen=True, slots=True)
class StarterProject:
    """A project: what it is called, what it is about, and which flavour it has.

    Attributes:
        watched: the kind that it watches, if it has no kind of its own.
    """

    name: str
    group: str
    kind: str
    namespaced: bool
    flavour: str
    watched: WatchedKind | None = None

    @property
    def package(self) -> str:
        """The Python package of the project."""
        return self.name.replace("-", "_")

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file by its path in the project."""
        values = self._values()
        for path, template in self._templates():
            text = files("clientgen.cli").joinpath("starter", f"{template}.tmpl").read_text("utf-8")
            yield path, Template(_chosen(text, self._block)).substitute(values)
        for name, text in monitoring_files(self.app, self.app).items():
            yield f"deploy/monitoring/{name}", text

    @property
    def _block(self) -> str:
        return "own" if self.watched is None else "watched"

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
        )
        yield from ((f"deploy/base/{name}", f"deploy/{name}") for name in _BASE)
        yield from ((f"chart/{name}", f"chart/{name}") for name in ("Chart.yaml", "values.yaml"))
        yield from ((f"chart/templates/{name}", f"chart/{name}") for name in _CHART)
        if self.watched is not None:
            yield f"{package}/controller.py", "watching_controller.py"
            yield "tests/test_operator.py", f"watching_test.{flavour}.py"
            return
        yield from (
            (f"{package}/v1.py", "v1.py"),
            (f"{package}/controller.py", "controller.py"),
            (f"{package}/webhooks.py", "webhooks.py"),
            ("tests/test_operator.py", f"test_operator.{flavour}.py"),
            ("deploy/cert-manager/kustomization.yaml", "deploy/cert-manager.kustomization.yaml"),
            ("deploy/cert-manager/certificate.yaml", "deploy/certificate.yaml"),
        )
        yield from ((f"deploy/base/{name}", f"deploy/{name}") for name in _OWN_BASE)
        yield from ((f"chart/templates/{name}", f"chart/{name}") for name in _OWN_CHART)

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
            **self._values_of_watched(),
        }

    def _values_of_watched(self) -> dict[str, str]:
        if self.watched is None:
            return {"watched_rules": ""}
        namespaced = self.watched.resource.namespaced
        imports = _imports(is_async=self.flavour == "asyncio", watches=True)
        of_kind = f"from {self.watched.package} import {self.kind}"
        return {
            "watched_rules": self.watched.rules,
            "imports_of_controller": "\n".join(imports),
            "import_of_kind": of_kind,
            "imports_of_test": "\n".join(sorted([of_kind, "from kubeapi.events.v1 import Event"])),
            "namespace_of_object": 'namespace="default",' if namespaced else "",
        }

    @property
    def app(self) -> str:
        """The name of the objects in the cluster."""
        return self.name.replace("_", "-")

    @property
    def client(self) -> str:
        """The package of the clients: a generated one, if the project has a kind of its own."""
        return f"{self.package}_client" if self.watched is None else "kubeapi"

    @property
    def webhooks_command(self) -> list[str]:
        """The command that writes the webhook configurations."""
        return [
            *("clientgen", "webhooks", f"{self.package}.webhooks:make_webhooks"),
            *("--name", self.app, "--service", f"{self.app}/{self.app}"),
            *("--output", "deploy/base/webhooks.yaml"),
        ]


def starter(name: str, group: str, kind: str, *, namespaced: bool, flavour: str) -> StarterProject:
    """A project with a kind of its own.

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


def watching_starter(name: str, group: str, watch: str, *, flavour: str) -> StarterProject:
    """A project that watches a kind of Kubernetes, such as `apps/v1/Deployment`.

    Raises:
        ClientgenError: A name cannot be used, there is no such kind, or kubeapi is not installed.
    """
    problems = Problems()
    watched = _watched_kind(watch)
    kind, namespaced = watched.resource.kind, watched.resource.namespaced
    chosen = StarterProject(name, group, kind, namespaced, flavour, watched)
    _check_name(chosen, problems)
    _check_group(group, problems)
    problems.raise_if_any()
    return chosen


def _watched_kind(watch: str) -> WatchedKind:
    try:
        import kubeapi  # another distribution
    except ImportError as error:
        hint = "install the package with the classes of Kubernetes"
        raise ClientgenError([Problem("--watch", "it needs kubeapi", hint)]) from error
    scheme = Scheme()
    kubeapi.add_to_scheme(scheme)
    known = {str(gvk): gvk for gvk in scheme.kinds() if gvk.kind not in _UNWATCHED}
    gvk = known.get(watch)
    if gvk is None:
        usual = "write it as in `v1/ConfigMap` or `apps/v1/Deployment`"
        hint = did_you_mean(watch, known, usual)
        raise ClientgenError([Problem("--watch", f"there is no kind {watch!r} to watch", hint)])
    package = scheme.model(gvk).__module__.removesuffix(".models")
    return WatchedKind(scheme.resource(gvk), package)


def _imports(*, is_async: bool, watches: bool = False) -> tuple[str, str]:
    prefix, room = ("Async", "aio") if is_async else ("", "sync")
    if watches:
        return (
            f"from clientgen.runtime.{room} import {prefix}Context, {prefix}Manager",
            f"from kubeapi import {prefix}Clientset",
        )
    names = ", ".join(f"{prefix}{name}" for name in ("ClientsetBase", "Context", "Manager"))
    return (
        f"from clientgen.runtime.{room} import {names}",
        "from clientgen.runtime.models import deep_copy",
    )


def _rule(group: str, plural: str, verbs: list[str]) -> dict[str, list[str]]:
    return {"apiGroups": [group], "resources": [plural], "verbs": verbs}


def _chosen(text: str, block: str) -> str:
    """Return a template without the blocks of other projects.

    A block is between a line `%own` or `%watched` and a line `%end`.
    """
    lines: list[str] = []
    current = block
    for line in text.splitlines(keepends=True):
        if line.startswith("%"):
            current = block if line == "%end\n" else line.strip("%\n")
        elif current == block:
            lines.append(line)
    return "".join(lines)


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
