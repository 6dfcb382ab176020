"""The least roles for requests: they allow every one, and nothing can be left out."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import try_examples

from clientgen._rbac.access import Access
from clientgen._rbac.authorizer import decide
from clientgen._rbac.callers import Account
from clientgen._rbac.default_rules import is_free
from clientgen._rbac.derivation import PLAIN, Needs, Style, derived_roles
from clientgen._rbac.role_files import roles_text
from clientgen._rbac.role_review import review
from clientgen._rbac.roles import KINDS, Roles, read_roles

SHOP = Account("shop", "operator")
OTHER = Account("bank", "operator")

resources = st.sampled_from(
    [
        ("", "pods", ""),
        ("", "pods", "log"),
        ("", "configmaps", ""),
        ("", "events", ""),
        ("events.k8s.io", "events", ""),
        ("apps", "deployments", ""),
        ("apps", "deployments", "scale"),
        ("apps", "statefulsets", ""),
        ("coordination.k8s.io", "leases", ""),
        ("rbac.authorization.k8s.io", "roles", ""),
    ]
)
cluster_resources = st.sampled_from(
    [("", "nodes", ""), ("apiextensions.k8s.io", "customresourcedefinitions", "")]
)
VERBS = "get list watch create update patch delete deletecollection bind escalate"
verbs = st.sampled_from(VERBS.split())
names = st.sampled_from(["", "a", "b", "c"])


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    kind = draw(st.sampled_from(["namespaced", "namespaced", "namespaced", "cluster", "path"]))
    verb = draw(verbs)
    if kind == "path":
        return Access("get", path=draw(st.sampled_from(["/metrics", "/logs", "/debug/x"])))
    group, resource, subresource = draw(resources if kind == "namespaced" else cluster_resources)
    namespace = draw(st.sampled_from(["", "shop", "bank", "x"])) if kind == "namespaced" else ""
    name = draw(names)
    if not namespace and kind == "namespaced":
        verb, name, subresource = draw(st.sampled_from(["list", "watch"])), "", ""
    elif verb not in ("create", "list", "watch", "deletecollection"):
        name = name or "a"
    elif verb == "deletecollection":
        name = ""
    return Access(verb, resource, group, subresource, namespace, name)


styles = st.builds(Style, st.booleans(), st.sampled_from([frozenset(), frozenset({"configmaps"})]))
needs_of_all = st.dictionaries(
    st.sampled_from([SHOP, OTHER]),
    st.builds(
        Needs,
        st.lists(accesses(), min_size=1, max_size=12),
        st.lists(accesses(), max_size=2),
    ),
    min_size=1,
    max_size=2,
)


def denied(objects: list[dict[str, Any]], needs: dict[Account, Needs]) -> list[Access]:
    roles = Roles(each for each in objects if each["kind"] in KINDS)
    return [
        access
        for account, needed in needs.items()
        for access in (*needed.requests, *needed.marked)
        if not is_free(access) and not decide(account.caller(), access, roles).allowed
    ]


def smaller(objects: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The objects without one rule, or one value of a rule; names cannot be left out alone."""
    found: list[list[dict[str, Any]]] = []
    for index, obj in enumerate(objects):
        for at, rule in enumerate(obj.get("rules", ())):
            fewer = deepcopy(objects)
            del fewer[index]["rules"][at]
            found.append(fewer)
            for key, values in rule.items():
                for value in values if len(values) > 1 else ():
                    fewer = deepcopy(objects)
                    fewer[index]["rules"][at][key].remove(value)
                    found.append(fewer)
    return found


@try_examples(120)
@given(needs_of_all, styles)
def test_roles_allow_all_requests_and_nothing_can_be_left_out(
    needs: dict[Account, Needs], style: Style
):
    objects = derived_roles(needs, style)

    assert denied(objects, needs) == []
    for fewer in smaller(objects):
        assert denied(fewer, needs)
    assert "*" not in roles_text(objects)
    roles = read_roles(roles_text(objects))
    assert [*roles.objects] == [each for each in objects if each["kind"] in KINDS]
    assert review(roles, needs, style) == []


@try_examples(60)
@given(needs_of_all, styles)
def test_roles_do_not_depend_on_the_order_of_requests(needs: dict[Account, Needs], style: Style):
    turned = {
        account: Needs(needs[account].requests[::-1], needs[account].marked[::-1])
        for account in reversed(needs)
    }
    assert roles_text(derived_roles(turned, style)) == roles_text(derived_roles(needs, style))


@try_examples(60)
@given(needs_of_all, accesses())
def test_nobody_may_do_what_nobody_has_requested(needs: dict[Account, Needs], other: Access):
    def same(access: Access) -> bool:
        return (access.verb, access.group, access.whole_resource, access.path) == (
            (other.verb, other.group, other.whole_resource, other.path)
        )

    roles = Roles(each for each in derived_roles(needs) if each["kind"] in KINDS)
    for account, needed in needs.items():
        if not any(same(each) for each in (*needed.requests, *needed.marked)):
            assert not decide(account.caller(), other, roles).allowed


@try_examples(100)
@given(needs_of_all, accesses(), st.sampled_from([SHOP, OTHER]))
def test_a_review_says_what_is_missing_and_what_is_too_much(
    needs: dict[Account, Needs], extra: Access, account: Account
):
    roles = Roles(each for each in derived_roles(needs) if each["kind"] in KINDS)
    more = {**needs, account: Needs([*needs.get(account, Needs()).requests, extra])}
    allowed = is_free(extra) or decide(account.caller(), extra, roles).allowed
    missing = [each for each in review(roles, more) if str(each).startswith("missing: ")]
    assert bool(missing) == (not allowed)

    wide = Roles(each for each in derived_roles(more) if each["kind"] in KINDS)
    if not allowed and account in needs:
        assert any("too much: " in str(each) for each in review(wide, needs))


def derived(*requests: Access, style: Style = PLAIN, marked: tuple[Access, ...] = ()) -> str:
    return roles_text(derived_roles({SHOP: Needs([*requests], [*marked])}, style))


def test_the_file_of_an_operator():
    text = derived(
        Access("list", "crontabs", "stable.example.com"),
        Access("watch", "crontabs", "stable.example.com"),
        Access("update", "crontabs", "stable.example.com", "status", "default", "backup"),
        Access("create", "cronjobs", "batch", "", "default"),
        Access("create", "events", "", "", "default"),
        Access("create", "events", "events.k8s.io", "", "default"),
        Access("create", "leases", "coordination.k8s.io", "", "shop"),
        Access("get", "leases", "coordination.k8s.io", "", "shop", "operator"),
        Access("update", "leases", "coordination.k8s.io", "", "shop", "operator"),
        Access("get", path="/metrics"),
    )
    assert (
        text.partition("\n")[2]
        == """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: operator
  namespace: shop
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: operator
rules:
- apiGroups:
  - ""
  - events.k8s.io
  resources:
  - events
  verbs:
  - create
- apiGroups:
  - batch
  resources:
  - cronjobs
  verbs:
  - create
- apiGroups:
  - stable.example.com
  resources:
  - crontabs
  verbs:
  - list
  - watch
- apiGroups:
  - stable.example.com
  resources:
  - crontabs/status
  verbs:
  - update
- nonResourceURLs:
  - /metrics
  verbs:
  - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: operator
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: operator
subjects:
- kind: ServiceAccount
  name: operator
  namespace: shop
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: operator
  namespace: shop
rules:
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - create
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  resourceNames:
  - operator
  verbs:
  - get
  - update
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: operator
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: operator
subjects:
- kind: ServiceAccount
  name: operator
  namespace: shop
"""
    )


def test_what_is_watched_everywhere_is_written_everywhere():
    text = derived(Access("list", "jobs", "batch"), Access("create", "jobs", "batch", "", "shop"))
    assert "kind: Role\n" not in text


def test_an_account_that_lists_leases_does_not_know_their_names():
    lease = Access("update", "leases", "coordination.k8s.io", "", "shop", "a")
    text = derived(lease, Access("list", "leases", "coordination.k8s.io", "", "shop"))
    assert "resourceNames" in derived(lease)
    assert "resourceNames" not in text


def test_styles():
    foreign = Access("get", "secrets", "", "", "bank", "registry")
    assert "kind: ClusterRole\n" in derived(foreign)
    namespaced = derived(foreign, style=Style(namespaced=True, named=frozenset({"secrets"})))
    assert "kind: ClusterRole\n" not in namespaced
    assert "  namespace: bank\nrules:" in namespaced
    assert "  resourceNames:\n  - registry\n" in namespaced


def test_wildcards_of_markers_stay_and_cover_the_rest():
    text = derived(Access("get", "pods", "", "", "x", "a"), marked=(Access("*", "pods", ""),))
    assert text.count("verbs:\n  - '*'") + text.count('verbs:\n  - "*"') == 1
    assert "- get" not in text


def test_accounts_of_one_name_have_roles_of_their_own():
    needs = {SHOP: Needs([Access("list", "pods")]), OTHER: Needs([Access("list", "nodes")])}
    roles = [each for each in derived_roles(needs) if each["kind"] == "ClusterRole"]
    assert [each["metadata"]["name"] for each in roles] == ["bank:operator", "shop:operator"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"verbs": ["get", "delete"]}, "delete pods: no request needs it"),
        ({"verbs": ["get"], "resources": ["pods", "nodes"]}, "get nodes: no request needs it"),
        ({"verbs": ["*"]}, r"* pods: only needed: get pods"),
        ({"resources": ["*"], "verbs": ["get"]}, "get *: only needed: get pods"),
        ({"verbs": ["get", "get"]}, None),
    ],
)
def test_what_is_too_much_is_told(rule: dict[str, Any], why: str | None):
    needs = {SHOP: Needs([Access("get", "pods", "", "", "x", "a")])}
    objects = derived_roles(needs)
    objects[1]["rules"] = [{"apiGroups": [""], "resources": ["pods"], **rule}]
    found = [str(each) for each in review(Roles(objects[1:]), needs)]
    assert found == ([f"too much: ClusterRole operator, rules[0]: {why}"] if why else [])


def test_a_cluster_role_for_one_namespace_and_equal_rules_are_too_much():
    needs = {SHOP: Needs([Access("get", "secrets", "", "", "shop", "a")])}
    objects = derived_roles({SHOP: Needs([Access("get", "secrets", "", "", "x", "a")])})
    [found] = review(Roles(objects[1:]), needs)
    assert str(found).endswith("rules[0]: get secrets: only needed in namespace shop")

    objects[1]["rules"] *= 2
    found = review(Roles(objects[1:]), needs)
    assert "rules[1]: get secrets: another rule allows it too" in str(found[1])


def test_parts_of_aggregated_roles_are_reviewed():
    needs = {SHOP: Needs([Access("list", "pods")])}
    _, role, binding = derived_roles(needs)
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]}]
    selector = {"matchLabels": {"part": "true"}}
    whole = {**role, "rules": None, "aggregationRule": {"clusterRoleSelectors": [selector]}}
    part = {**role, "metadata": {"name": "part", "labels": {"part": "true"}}, "rules": rules}
    [found] = review(Roles([whole, part, binding]), needs)
    assert str(found) == "too much: ClusterRole part, rules[0]: watch pods: no request needs it"


def test_an_account_without_a_binding_is_told_once():
    needs = {OTHER: Needs([Access("list", "pods"), Access("list", "nodes")])}
    roles = Roles(derived_roles({SHOP: Needs([Access("list", "pods")])})[1:])
    [found] = review(roles, needs)
    assert str(found) == (
        "missing: no binding names the ServiceAccount bank/operator; "
        "there are bindings for shop/operator"
    )
