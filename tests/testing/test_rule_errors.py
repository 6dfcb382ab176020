"""Rules that have no value, over HTTP: what the server says of them, and that it never fails."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest
from support import policies

from clientgen._apiextensions.cel import expressions
from clientgen.testing import FakeCluster, LocalServer

TEXT = {"type": "string"}
SPEC: dict[str, Any] = {
    "s": "(x",
    "l": ["a"],
    "m": {"a": "b"},
    "when": "2020-01-01T00:00:00Z",
    "zone": "Nowhere/X",
}
FIELDS = {
    "s": TEXT,
    "l": {"type": "array", "items": TEXT},
    "m": {"type": "object", "additionalProperties": TEXT},
    "when": {"type": "string", "format": "date-time"},
    "zone": TEXT,
}
NO_OVERLOAD = "'no such overload': call arguments did not match"
SAID = {
    "size(lists.range(-1)) == 1": "failed rule: size(lists.range(-1)) == 1",
    "self.s.find(self.s) == ''": (
        "Illegal regex: error parsing regexp: missing closing ): `(x` evaluating rule"
    ),
    "self.s.find(self.l[0] + '[') == ''": "regexp: missing closing ]: `[`",
    "'a'.matches('*' + self.l[0])": (
        "error parsing regexp: missing argument to repetition operator: `*`"
    ),
    "self.l[dyn('a')] == 'a'": "unsupported index type 'string' in list evaluating rule",
    "self.l[dyn(null)] == 'a'": "unsupported index type 'null_type' in list evaluating rule",
    "self.when.getHours('Nowhere/X') == 1": "unknown time zone Nowhere/X evaluating rule",
    "self.when.getHours(self.zone) == 1": "unknown time zone evaluating rule",
    "[dyn(1), dyn('a')].isSorted()": NO_OVERLOAD,
    "[dyn(1), dyn('a')].sum() == 1": NO_OVERLOAD,
    "dyn(self.m).major() == 1": NO_OVERLOAD,
    "int(0.0 / 0.0) == 1": "integer overflow evaluating rule",
    "size(lists.range(1000000000)) == 1": "operation cancelled: actual cost limit exceeded",
}


def definition(rule: str) -> dict[str, Any]:
    spec = {"type": "object", "properties": FIELDS, "x-kubernetes-validations": [{"rule": rule}]}
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ts.x.io"},
        "spec": {
            "group": "x.io",
            "scope": "Namespaced",
            "names": {"kind": "T", "plural": "ts"},
            "versions": [version],
        },
    }


def posted(cluster: FakeCluster, path: str, body: dict[str, Any]) -> tuple[int, str]:
    with LocalServer(cluster) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        try:
            headers = {"content-type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()).get("message", "")
        finally:
            connection.close()


def of_rule(rule: str) -> tuple[int, str]:
    custom = {"apiVersion": "x.io/v1", "kind": "T", "metadata": {"name": "a"}, "spec": SPEC}
    return posted(FakeCluster(definition(rule)), "/apis/x.io/v1/namespaces/default/ts", custom)


@pytest.mark.parametrize("rule", SAID)
def test_a_rule_without_a_value_refuses_the_object_in_the_words_of_go(rule: str) -> None:
    code, message = of_rule(rule)
    assert (code, SAID[rule] in message) == (422, True), message


def test_a_range_of_less_than_nothing_is_empty() -> None:
    assert of_rule("lists.range(-1) == []")[0] == 201
    assert of_rule("lists.range(size(self.l)) == [0]")[0] == 201


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("size(lists.range(-1)) == 1", "denied request: failed expression"),
        ("'a'.find(request.operation + '(') == ''", "missing closing ): `CREATE(`"),
        ("[1][dyn('a')] == 1", "unsupported index type 'string' in list"),
        ("size(lists.range(1000000000)) == 1", "actual cost limit exceeded"),
    ],
)
def test_a_policy_without_a_value_refuses_the_request(expression: str, said: str) -> None:
    policy = policies.vap("p", expression)
    cluster = FakeCluster(policy, policies.bind(policy))
    config = policies.obj("ConfigMap", "a", "default")
    code, message = posted(cluster, "/api/v1/namespaces/default/configmaps", config)
    assert (code, said in message) == (422, True), message


def test_what_the_library_raises_is_an_error_of_the_expression() -> None:
    class Failing:
        def eval(self, data: dict[str, Any]) -> Any:
            raise self.error(f"vector::reserve of {len(data)}")

        def __init__(self, error: type[Exception]) -> None:
            self.error = error

    for error in (RuntimeError, ValueError, OverflowError, IndexError, TypeError, MemoryError):
        with pytest.raises(expressions.EvaluationError, match="vector::reserve of 0"):
            expressions.run(Failing(error), {})
