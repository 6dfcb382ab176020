"""Rules written in Python: the same outcome in CEL, the place of each, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from support.rule_table import Thing

from clientgen._apiextensions.cel import RuleTree
from clientgen._apiextensions.structure import Structure
from clientgen._problems import Problems
from clientgen.generator.crds.crd_manifest import Manifest, manifests
from clientgen.generator.crds.rule_places import rules_of, validation
from clientgen.generator.python_types.class_reader import read_module
from clientgen.generator.python_types.declared_kinds import kinds
from clientgen.runtime.models import decode
from clientgen.runtime.webhooks import Rule

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
METADATA = some({"name": st.sampled_from(["web", "kube-old", "my-old"])})
THINGS = some({"metadata": METADATA, "spec": SPEC})


def made(name: str, folder: Path) -> Manifest:
    """The definition of the kind in a module."""
    problems = Problems()
    module = read_module(name, folder, problems)
    assert module is not None
    rules = rules_of([__import__(name, fromlist=["x"])])
    (manifest,) = manifests(kinds([module], problems), problems, rules)
    problems.raise_if_any()
    return manifest


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


def test_most_rules_are_tried() -> None:
    assert len(IN_CRD) >= 25
