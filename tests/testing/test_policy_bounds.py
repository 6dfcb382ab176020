"""Admission policies that cost much: refused without being run, or done with few steps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import policies
from support.bounds import bounded_steps

from clientgen._apiextensions import (
    Activation,
    CostBudget,
    OutOfBudget,
    PolicyError,
    PolicyExpressions,
)
from clientgen._apiextensions.cel.constructors import as_functions, as_maps
from clientgen._apiextensions.cel.go_errors import go_error
from clientgen._apiextensions.cel.named_formats import with_optionals
from clientgen.runtime._http.request import HttpRequest
from clientgen.testing._apiserver.responses.answers import Response
from clientgen.testing._apiserver.server import ApiServer

JSON = (("Content-Type", "application/json"),)
HUGE = "lists.range(100000000).size() > 0"


def stored(server: ApiServer, *objects: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for each in objects:
        path = policies.path_of(each, named=False)
        answer = server.handle(HttpRequest("POST", path, JSON, json.dumps(each).encode()))
        assert isinstance(answer, Response)
        body = json.loads(answer.body)
    return body


def config(name: str, **rest: Any) -> dict[str, Any]:
    return policies.obj("ConfigMap", name, "default", **rest)


def test_what_would_take_too_long_is_not_run() -> None:
    server = ApiServer()
    policy = policies.vap("huge", HUGE)
    stored(server, policy, policies.bind(policy))
    refused = stored(server, config("a"))
    assert refused["message"].endswith("operation cancelled: actual cost limit exceeded")


def test_what_is_too_expensive_leaves_something_for_others() -> None:
    activation = Activation({"object": {}}, {}, CostBudget())
    with pytest.raises(PolicyError, match="actual cost limit exceeded"):
        activation.evaluate(HUGE)
    assert activation.evaluate("1 == 1") is True


def test_expressions_share_a_budget() -> None:
    budget = CostBudget()
    for cost in (69_000_000, 69_000_000, 61_900_000):
        budget.pay(cost)
    activation = Activation({"object": {}}, {}, budget)
    with bounded_steps(10_000), pytest.raises(OutOfBudget, match="running out of cost budget"):
        all(activation.evaluate("1 == 1") for _ in range(30))


def test_many_parameters_end_with_the_budget() -> None:
    server = ApiServer()
    policy = policies.vap(
        "many", "params.data.x != ''", paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
        on=[policies.rule("secrets")],
    )  # fmt: skip
    reference = {"selector": {}, "parameterNotFoundAction": "Deny"}
    stored(server, policy, policies.bind(policy, paramRef=reference))
    for at in range(40):
        server.put(config(f"c{at}", data={"x": "y" * 400_000}))
    with bounded_steps(2_000_000):
        refused = stored(server, policies.obj("Secret", "s", "default"))
    assert refused["kind"] in ("Secret", "Status")


def test_variables_that_need_each_other_have_no_value() -> None:
    variables = {"a": "variables.b", "b": "variables.c", "c": "variables.a"}
    activation = Activation({"object": {}}, variables, CostBudget())
    with bounded_steps(5_000), pytest.raises(PolicyError, match="fails to evaluate"):
        activation.evaluate("variables.a == 1")


def test_a_long_row_of_variables_is_run_once() -> None:
    variables = {"v0": "1"} | {
        f"v{at}": f"variables.v{at - 1} + variables.v{at - 1}" for at in range(1, 60)
    }
    activation = Activation({"object": {}}, variables, CostBudget())
    with bounded_steps(100_000):  # a third of them after the expressions were compiled once
        assert activation.evaluate("variables.v59") == 2**59


TEXTS = [
    "'''\\'''" * 3_000,
    "Object{" * 3_000,
    "Object{a: 1}, " * 1_500,
    "''.validate('')" * 1_500,
    "(Object.a{x: [" * 1_500,
    '"' * 20_000,
    "r'''" * 5_000,
    "//\n" * 7_000 + "Object{",
    "a.b." * 5_000,
    "object.a ." * 2_000,
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_texts_are_rewritten_in_few_steps(text: str) -> None:
    with bounded_steps(40 * len(text)):
        as_maps(text)
        as_functions(text)
        with_optionals(text)
        go_error("Applying SELECT to non-message type", text, {})


def test_expressions_that_are_too_long_or_deep_are_refused() -> None:
    expressions = PolicyExpressions(params=False)
    for text in ("true || " * 20_000 + "true", "(" * 500 + "true" + ")" * 500):
        assert "limit" in expressions.problem(text, "bool")


def test_constructors_become_maps() -> None:
    assert as_maps("Object{a: r'\\', `b-c`: \"}\", ?d: x['}'], e: Object.e{}}") == (
        '{"@type":"Object","a": r\'\\\', "b-c": "}", ?"d": x[\'}\'], "e": {"@type":"Object.e"}}'
    )
    assert as_maps("[JSONPatch {op: 'add', value: {'op': 1}}]") == (
        '[{"@type":"JSONPatch","op": \'add\', "value": {\'op\': 1}}]'
    )
    for text in ("object.Object.x", "'Object{a: 1}'", "x ? Objects{a: 1} : y", "{a: Object}"):
        assert as_maps(text) == text
