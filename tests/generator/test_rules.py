"""Rules written in Python: the same outcome in CEL, the place of each, and what is refused."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import rule_table
from support.rule_refusals import REFUSED
from support.rule_table import Thing

from clientgen._apiextensions import Activation, CostBudget, PolicyExpressions
from clientgen._apiextensions.cel import RuleTree
from clientgen._apiextensions.structure import Structure
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.crds.crd_manifest import Manifest, manifests
from clientgen.generator.crds.rule_places import placed, rules_of, validation
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.declared_kinds import kinds
from clientgen.runtime.models import decode
from clientgen.runtime.webhooks import AdmissionRequest, Denied, Rule, UserInfo, rule

TEXTS = st.sampled_from(["", "a", "b", "web", "db", "x", "abc-1", "a-", 'quo"te\n', "é", "80"])
SMALL = st.integers(-20, 20)
LABELS = st.dictionaries(st.sampled_from(["a", "b", "web"]), TEXTS, max_size=3)


def some(required: dict[str, Any], **optional: Any) -> Any:
    return st.fixed_dictionaries(required, optional=optional)


PORT = some(
    {"number": st.sampled_from([1, 80, 443])},
    name=TEXTS,
    protocol=st.sampled_from(["TCP", "UDP"]),
    namespace=TEXTS,
)
JOB = some({"command": st.lists(TEXTS, max_size=2)}, retries=SMALL, deadline=SMALL)
MODE = some({}, strict=st.booleans(), level=st.integers(0, 2), label=TEXTS)
SPEC = some(
    {"schedule": TEXTS},
    replicas=SMALL,
    zero=SMALL,
    ratio=st.sampled_from([0, 0.5, 1, 1.0, 2.5, -3]),
    history=st.integers(0, 4),
    suspend=st.booleans(),
    owner=TEXTS,
    big=st.one_of(SMALL, st.integers(-(2**63), 2**63 - 1)),
    ports=st.lists(PORT, max_size=3),
    tags=st.lists(TEXTS, max_size=3),
    numbers=st.lists(SMALL, max_size=3),
    labels=LABELS,
    job=JOB,
    mode=MODE,
    memory=st.just("1Gi"),
    start=st.just("2026-01-01T00:00:00Z"),
    **{"in": TEXTS},
)
METADATA = some({"name": st.sampled_from(["web", "kube-old", "my-old"])}, labels=LABELS)
THINGS = some({"metadata": METADATA, "spec": SPEC})


def made(name: str, folder: Path) -> Manifest:
    """The definition of the kind in a module."""
    problems = Problems()
    module = read_module(name, folder, problems)
    assert module is not None
    rules = rules_of([__import__(name, fromlist=["x"])])
    found = manifests(kinds([module], problems), problems, rules)
    problems.raise_if_any()
    return found[0]


MANIFEST = made("support.rule_table", Path(__file__).parents[1])
PLACED = {each.rule.__name__: each for each in MANIFEST.rules}
IN_CRD = [each for each in MANIFEST.rules if each.place == "CustomResourceDefinition"]


def schema() -> dict[str, Any]:
    found: dict[str, Any] = MANIFEST.definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return found


TREES = {
    each.rule.__name__: RuleTree(
        Structure({**schema(), "x-kubernetes-validations": [validation(each)]}).with_meta()
    )
    for each in IN_CRD
}


def typed(raw: dict[str, Any]) -> Thing:
    return decode(msgspec.json.encode(raw), Thing)


@given(obj=THINGS, old=st.one_of(st.none(), THINGS))
def test_rules_have_the_same_outcome_in_python_and_in_cel(
    obj: dict[str, Any], old: dict[str, Any] | None
) -> None:
    thing, before = typed(obj), None if old is None else typed(old)
    for each in IN_CRD:
        rule: Rule[Thing] = each.rule
        wanted = rule(thing, before)

        causes = TREES[rule.__name__].validate(obj, old)

        message = rule.message if isinstance(rule.message, str) else rule.message(thing)
        shown = [cause.message for cause in causes]
        assert (not causes) is wanted, (each.expression, shown)
        if causes and "\n" not in message:
            assert [text.rpartition(message)[1:] for text in shown] == [(message, "")]


IN_POLICIES = [
    each
    for each in (*(placed(each.rule, None) for each in IN_CRD), *MANIFEST.rules)
    if each.place == "ValidatingAdmissionPolicy"
]


@given(
    obj=THINGS,
    old=st.one_of(st.none(), THINGS),
    user=st.sampled_from([UserInfo(username="ann"), UserInfo(username="bo", groups=["admins"])]),
)
def test_rules_have_the_same_outcome_in_policies(
    obj: dict[str, Any], old: dict[str, Any] | None, user: UserInfo
) -> None:
    before = None if old is None else typed(old)
    request = AdmissionRequest(typed(obj), old_object=before, user=user)
    sent = {"username": user.username, **({"groups": user.groups} if user.groups else {})}
    values = {"object": obj, "oldObject": old, "request": {"userInfo": sent}}
    for each in IN_POLICIES:
        rule: Rule[Thing] = each.rule
        wanted = rule(typed(obj), before, request)

        found = Activation(values, {}, CostBudget()).evaluate(each.expression)

        assert found is wanted, each.expression


def test_policies_are_valid_and_few_rules_have_none() -> None:
    expressions = PolicyExpressions(params=False)
    for each in IN_POLICIES:
        assert expressions.problem(each.expression, "bool") == ""
    assert len(IN_CRD) >= 30
    assert len(IN_POLICIES) >= 25


@pytest.mark.parametrize(("rule", "why"), REFUSED, ids=[rule.__name__ for rule, _ in REFUSED])
def test_what_could_differ_stays_a_webhook_and_is_told_with_its_line(
    rule: Rule[Thing], why: str
) -> None:
    found = placed(rule, schema())

    assert found.place == "webhook"
    assert why in found.why
    assert re.match(r"tests/support/rule_refusals\.py:\d+: ", found.why)


def test_a_rule_that_is_nested_too_deeply_stays_a_webhook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    total = " + ".join(["thing.spec.zero"] * 900)
    (tmp_path / "deep_rules.py").write_text(
        "from support.rule_table import Thing\n"
        "from clientgen.runtime.webhooks import rule\n"
        '@rule(Thing, message="no")\n'
        "def deep(thing: Thing) -> bool:\n"
        f"    return {total} == 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = placed(import_module("deep_rules").deep, schema())

    assert found.place == "webhook"
    assert found.why.endswith("it is nested too deeply (split the rule)")


def test_a_loop_over_a_list_without_limit_is_an_error() -> None:
    with pytest.raises(ClientgenError) as caught:
        made("support.rule_refusals", Path(__file__).parents[1])

    (problem,) = caught.value.problems
    assert problem.what == "the rule named loops over `wide.spec.names`, which has no limit"
    assert "MaxItems" in problem.hint


def test_a_rule_judges_requests_as_a_webhook() -> None:
    fine, other = ({"metadata": {}, "spec": {"schedule": text}} for text in "ab")
    rule_table.immutable(AdmissionRequest(typed(fine)))
    with pytest.raises(Denied) as caught:
        rule_table.immutable(AdmissionRequest(typed(fine), old_object=typed(other)))

    assert (caught.value.code, caught.value.message) == (403, "twenty-four")
    assert caught.value.causes[0].field == "spec.schedule"
    with pytest.raises(TypeError, match="by_user of Thing> reads the request"):
        rule_table.by_user(typed(fine))


def more(thing: Thing, limit: int) -> bool:
    return thing.spec.zero < limit


@pytest.mark.parametrize(
    ("arguments", "function", "error"),
    [
        ({"message": ""}, rule_table.is_word, "message must be one line"),
        ({"message": "a\nb"}, rule_table.is_word, "message must be one line"),
        ({"message": "no", "reason": "Wrong"}, rule_table.is_word, "reason must be one of"),
        ({"message": "no", "field_path": "spec"}, rule_table.is_word, "must start with a dot"),
        ({"message": "no"}, more, "must take the object, and then old, request or both"),
        ({"message": "no"}, None, "the function of rule"),
    ],
)
def test_wrong_rules_are_refused_when_they_are_made(
    arguments: dict[str, Any], function: Any, error: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        rule(Thing, **arguments)(function)
