"""Python types of a test, their manifests, and a server that has them."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

from clientgen._problems import Problems
from clientgen.generator.crds.crd_manifest import Manifest, manifests
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.declared_kinds import kinds
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.served_spec import load
from clientgen.testing._apiserver.server import ApiServer

IMPORTS = """
from typing import Annotated
from msgspec import Meta
from clientgen.runtime._models.model import (
    IntOrString, Literal, MicroTime, Model, NO_RAW, Raw, Time, auto, constant, field,
)
from clientgen.runtime._models.meta_v1 import Condition, LabelSelector, ObjectMeta
from clientgen.runtime._models.quantity import Quantity
"""
KIND = '''
# +genclient
{markers}
class {kind}(Model):
    """A thing."""
    api_version: Literal["{group}/{version}"] = constant("{group}/{version}", name="apiVersion")
    kind: Literal["{kind}"] = constant("{kind}")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: {kind}Spec
{more}
'''
_number = count()


def module(
    spec: str,
    *,
    kind: str = "Thing",
    version: str = "v1",
    before: str = "",
    markers: str = "",
    more: str = "",
) -> str:
    """The source of a module with one kind; `spec` is the body of its spec's class."""
    body = "\n".join(f"    {line}" if line else "" for line in spec.strip().splitlines())
    top = '"""Types."""\n# +groupName=example.com\n'
    kind_text = KIND.format(
        group="example.com", kind=kind, version=version, markers=markers or "#", more=more
    )
    return f"{top}{IMPORTS}\n{before}\n\nclass {kind}Spec(Model):\n{body}\n\n{kind_text}"


def read(tmp_path: Path, *sources: str) -> tuple[tuple[Manifest, ...], list[str]]:
    """The manifests of some modules, and what is wrong with them (`file:line: what`)."""
    problems = Problems()
    modules = []
    for source in sources:
        name = f"types_{next(_number)}"
        (tmp_path / f"{name}.py").write_text(source)
        modules.append(read_module(name, tmp_path, problems))
    crds = manifests(kinds([each for each in modules if each], problems), problems)
    return crds, [str(problem) for problem in dict.fromkeys(problems)]


def definition(tmp_path: Path, *sources: str) -> dict[str, Any]:
    """The one definition of modules in which nothing is wrong."""
    crds, wrong = read(tmp_path, *sources)
    assert not wrong, wrong
    (one,) = crds
    return dict(one.definition)


def spec_schema(tmp_path: Path, spec: str, **more: str) -> dict[str, Any]:
    """The properties of the spec of a kind."""
    crd = definition(tmp_path, module(spec, **more))
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return dict(schema["properties"]["spec"])


def wrong(tmp_path: Path, spec: str, **more: str) -> list[str]:
    """What is wrong with a kind: each problem without its hint, and with its line's text."""
    source = module(spec, **more)
    _, problems = read(tmp_path, source)
    lines = source.splitlines()
    return [_with_line(problem.partition("\n")[0], lines) for problem in problems]


def _with_line(problem: str, lines: list[str]) -> str:
    where, _, what = problem.partition(": ")
    _, _, number = where.rpartition(":")
    return f"{lines[int(number) - 1].strip()} -> {what}"


class Server:
    """The in-process API server, asked as over HTTP."""

    def __init__(self, *definitions: dict[str, Any]) -> None:
        self._server = ApiServer(load(), seed=1)
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        for each in definitions:
            code, answer = self.ask("POST", path, each)
            assert code == 201, answer
        self._server.run_due()

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """The code and the body of an answer."""
        all_headers = {"content-type": "application/json", "accept": "application/json", **headers}
        data = None if body is None else json.dumps(body).encode()
        answer = self._server.handle(HttpRequest(method, path, tuple(all_headers.items()), data))
        assert isinstance(answer, Response)
        is_json = answer.body.startswith(b"{")  # what is not served is answered in plain text
        return answer.status, json.loads(answer.body) if is_json else {}
