"""Admission policies: this server answers as a real one does, to every recorded case."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from kubeapi import Clientset
from support import policies, policy_cases, policy_cases_more

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import Invalid
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer


def asking(server: ApiServer) -> policies.Ask:
    def ask(method: str, path: str, headers: Any, body: Any) -> policies.Reply:
        content = None if body is None else json.dumps(body).encode()
        answer = server.handle(HttpRequest(method, path, tuple(headers.items()), content))
        assert isinstance(answer, Response)
        texts = [value for name, value in answer.headers if name == "warning"]
        warnings = [json.loads(text.removeprefix("299 - ")) for text in texts]
        return policies.Reply(answer.status, warnings, json.loads(answer.body))

    return ask


@pytest.fixture(scope="module")
def ask() -> policies.Ask:
    asked = asking(ApiServer())
    for value in policies.BASE:
        path = policies.path_of(value, named=False)
        assert asked("POST", path, {"Content-Type": "application/json"}, value).status == 201
    return asked


TOPICS = {**policy_cases.TOPICS, **policy_cases_more.TOPICS}
CASES = [(topic, case) for topic, cases in TOPICS.items() for case in cases]


@pytest.mark.parametrize(
    ("topic", "case"), CASES, ids=[f"{topic}: {case.name}" for topic, case in CASES]
)
def test_a_case_is_answered_as_recorded(topic: str, case: policies.Case, ask: policies.Ask) -> None:
    recorded = policies.read(topic)[case.name]
    answers = list(policies.run(case, ask, lambda: None))
    assert answers == recorded


ALL_MAPS = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["*"]}


@pytest.mark.parametrize("how", ["added", "created"])
@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("object.data.transformMap(k, v, v + 'x').size() > 0", "transformMap is not known here"),
        ("object.data.transformMapEntry(k, v, {v: k}) == {}", "transformMapEntry is not known"),
        ("cel.bind(x, 1, x == 1)", "undeclared reference to 'cel'"),
        ("object.data.size()", "must evaluate to bool"),
        ("string(ip('10.0.0.1')) == object.data.address", ""),
        ("'.transformMap(' != object.data.address", ""),
        ("// it's\nobject.data.transformMap(k, v, v).size() > 0", "transformMap is not known here"),
        ("true // x.transformMap(", ""),
        ("string(ip('10.0.0.1')) == object.data.address // string(", ""),
        ("string(ip('10.0.0.1')) == object.data.address // a )", ""),
        ("// it's\nstring(ip('10.0.0.1')) == object.data.address", ""),
        ("string( // )\nip('10.0.0.1') // (\n) == object.data.address", ""),
        ("object.data.address != 'a//b' && string(ip('10.0.0.1')) == '10.0.0.1'", ""),
        ("lists.range(-1) == [] // don't", ""),
        ("// don't\nlists.range(-1) == []", ""),
    ],
)
def test_policies_that_cannot_run_are_refused_when_they_are_written(
    expression: str, problem: str, how: str
) -> None:
    """Otherwise each later request would fail."""
    cluster = FakeCluster()
    k = cluster.clientset(Clientset)
    policy: Any = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"},
        "spec": {
            "matchConstraints": {"resourceRules": [ALL_MAPS]},
            "validations": [{"expression": expression}],
        },
    }
    binding: Any = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "p"},
        "spec": {"policyName": "p", "validationActions": ["Deny"]},
    }

    def write() -> None:
        if how == "added":
            cluster.add(policy)
        else:
            k.admissionregistration_v1.validating_admission_policies().create(policy)

    if problem:
        with pytest.raises(ValueError if how == "added" else Invalid, match=re.escape(problem)):
            write()
        return
    write()
    cluster.add(binding)
    k.core_v1.config_maps("default").create(
        {"metadata": {"name": "a"}, "data": {"address": "10.0.0.1"}}
    )


@pytest.mark.parametrize(
    ("variable", "expression"),
    [
        ("ip(object.data.address)", "string(variables.v) == '10.0.0.1'"),
        ("cidr(object.data.network)", "string(variables.v.masked()) == '10.0.0.0/8'"),
        ("cidr(object.data.network)", "string(variables.v.ip()) == '10.1.0.0'"),
        ("[ip(object.data.address)]", "variables.v.map(i, string(i)) == ['10.0.0.1']"),
        ("ip(object.data.address)", "string(1) + string(true) == '1true'"),
    ],
)
def test_a_variable_that_is_an_address_has_a_text(variable: str, expression: str) -> None:
    message = f"{expression} ? 'it has' : 'it has not'"
    spec: Any = {
        "matchConstraints": {"resourceRules": [ALL_MAPS]},
        "variables": [{"name": "v", "expression": variable}],
        "validations": [
            {"expression": expression},
            {"expression": "object.metadata.name == 'a'", "messageExpression": message},
        ],
    }
    binding: Any = {"policyName": "p", "validationActions": ["Deny"]}
    with LocalServer() as server, Clientset.from_config(server.kubeconfig) as k:
        api = k.admissionregistration_v1
        api.validating_admission_policies().create({"metadata": {"name": "p"}, "spec": spec})
        api.validating_admission_policy_bindings().create(
            {"metadata": {"name": "p"}, "spec": binding}
        )
        data = {"address": "10.0.0.1", "network": "10.1.0.0/8"}
        maps = k.core_v1.config_maps("default")
        maps.create({"metadata": {"name": "a"}, "data": data})
        with pytest.raises(Invalid, match=r"denied request: it has( \(|$)"):
            maps.create({"metadata": {"name": "b"}, "data": data})


def test_the_snippet_of_the_documentation_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "guides" / "test-server.md").read_text("utf-8")
    section = text[text.index("\n## Admission policies") :]
    snippet = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert snippet
    exec(compile(snippet[1], "docs/guides/test-server.md", "exec"), {})
