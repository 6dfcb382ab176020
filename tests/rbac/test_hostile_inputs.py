"""Roles, recordings and markers of anybody: each is read, or refused with a message."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from support.examples import try_examples

from clientgen._problems import ClientgenError
from clientgen._rbac.callers import Account
from clientgen._rbac.derivation import Needs
from clientgen._rbac.rbac_markers import markers
from clientgen._rbac.recording import BadRecording, Recording
from clientgen._rbac.role_review import review
from clientgen._rbac.roles import read_roles
from clientgen._rbac.sources import needs_of
from clientgen.runtime._manifests.manifest_documents import ManifestError

WORDS = """
apiVersion kind metadata name namespace rules verbs apiGroups resources resourceNames get
nonResourceURLs aggregationRule clusterRoleSelectors matchLabels matchExpressions operator
roleRef subjects Role ClusterRole RoleBinding ClusterRoleBinding ServiceAccount * a/b shop
rbac.authorization.k8s.io rbac.authorization.k8s.io/v1 List items version accounts
"""
words = st.sampled_from(WORDS.split()) | st.text(max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    words | st.none() | st.booleans() | st.integers(-1, 2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=6),
    max_leaves=12,
)
rules = st.fixed_dictionaries(
    {"verbs": st.lists(words, max_size=2)},
    optional={
        key: st.lists(words, max_size=2) | values
        for key in ("apiGroups", "resources", "resourceNames", "nonResourceURLs")
    },
)
objects = st.fixed_dictionaries(
    {
        "apiVersion": st.just("rbac.authorization.k8s.io/v1"),
        "kind": st.sampled_from(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]),
        "metadata": st.sampled_from(
            [{"name": "operator"}, {"name": "operator", "namespace": "shop"}]
        )
        | values,
    },
    optional={
        "rules": st.lists(rules, max_size=3) | values,
        "aggregationRule": st.just({"clusterRoleSelectors": [{"matchLabels": {}}]}) | values,
        "roleRef": st.just({"kind": "ClusterRole", "name": "operator"}) | values,
        "subjects": st.just([{"kind": "ServiceAccount", "name": "operator", "namespace": "shop"}])
        | values,
    },
)


@try_examples(80)
@given(st.lists(objects, max_size=4))
def test_any_objects_are_roles_or_refused(objects: list[dict[str, Any]]):
    text = "\n---\n".join(json.encode(each).decode() for each in objects)
    with suppress(ManifestError):
        roles = read_roles(text)
        needs = {Account("shop", "operator"): Needs(), Account("a", "b"): Needs()}
        assert all(map(str, review(roles, needs)))


@try_examples(100)
@given(values | st.dictionaries(st.just("accounts"), st.dictionaries(words, values)))
def test_any_json_is_a_recording_or_refused(value: Any):
    with suppress(BadRecording):
        Recording.from_json(json.encode({"version": 1, **value} if type(value) is dict else value))


@try_examples(200)
@given(st.text(alphabet="groups=,;{}\"'`a* resources=verbs=core\\", max_size=40))
def test_any_text_is_a_marker_or_refused(text: str):
    for given_text in (text, f"groups=a,resources=b,verbs={text}"):
        with suppress(ClientgenError):
            found = markers(f"# +kubebuilder:rbac:{given_text}\n".encode(), "main.py")
            needs_of(Recording(), found, Account("a", "b"))


@pytest.mark.parametrize("text", ["a" * 100_000, "{" * 100_000, "a;" * 50_000, '"' * 99_999])
def test_long_markers_take_linear_time(text: str):
    with pytest.raises(ClientgenError):
        markers(f"# +kubebuilder:rbac:groups={text}\n".encode(), "main.py")


def test_rules_that_multiply_are_refused():
    many = [f"a{number}" for number in range(400)]
    lists = {"apiGroups": many, "resources": many, "verbs": many}
    metadata = {"name": "operator"}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    with pytest.raises(ManifestError, match="has more than 100000 rights"):
        read_roles(json.encode({**role, "metadata": metadata, "rules": [lists]}))

    text = ",".join(f"{key}={';'.join(many)}" for key in ("groups", "resources", "verbs"))
    with pytest.raises(ClientgenError, match="it has more than 10000 rights"):
        markers(f"# +kubebuilder:rbac:{text}\n".encode(), "main.py")
