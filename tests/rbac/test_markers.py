"""The markers for RBAC in Python sources."""

from __future__ import annotations

import pytest

from clientgen._problems import ClientgenError
from clientgen._rbac.access import Access
from clientgen._rbac.rbac_markers import markers

START = "# +kubebuilder:rbac:"


def rights(text: str) -> set[Access]:
    [marker] = markers(f"x = 1\n{START}{text}\n".encode(), "main.py")
    assert marker.where == "main.py:2"
    return set(marker.rights)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("groups=batch,resources=jobs,verbs=get", {Access("get", "jobs", "batch")}),
        (
            "groups=core;apps,resources=pods/log,verbs=get;list;",
            {
                Access(verb, "pods", group, "log")
                for verb in ("get", "list")
                for group in ("", "apps")
            },
        ),
        (
            'groups="",resources={"a","b"},verbs=*,namespace=shop,resourceNames=`x`',
            {Access("*", plural, "", "", "shop", "x") for plural in "ab"},
        ),
        (
            "urls=/metrics;'/debug/*',verbs=get",
            {Access("get", path=p) for p in ("/metrics", "/debug/*")},
        ),
        ("groups=*,resources=*/scale,verbs=get,roleName=a", {Access("get", "*", "*", "scale")}),
        (
            " groups = a , resources = b , verbs = get ; list",
            {Access(v, "b", "a") for v in ("get", "list")},
        ),
    ],
)
def test_rights_of_markers(text: str, expected: set[Access]):
    assert rights(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("groups=a,resources=b", "it has no verbs\n    add verbs=get;list;watch"),
        ("groups=a,verbs=get", "it has neither resources nor urls"),
        ("resources=a,verbs=get", "it has no groups"),
        (
            "groups=a,resource=b,verbs=get",
            "unknown argument `resource`\n    did you mean `resources`?",
        ),
        ("groups=a,groups=b,resources=c,verbs=get", "`groups` is given twice"),
        ("groups=,resources=b,verbs=get", "a value is empty"),
        ('groups="a,resources=b,verbs=get', "a quote is not closed"),
        ("groups={a,b,resources=b,verbs=get", "there is no `,` before `=`"),
        ("groups={a", "a brace is not closed"),
        ("groups=a b", "there is no `;` before `b`"),
        ("groups", "there is no name=value at `groups`"),
        ("=a", "there is no name=value at `=`"),
        ("groups=a,resources=/x,verbs=get", "'/x' is no resource"),
        ("urls=/x,verbs=get,namespace=a", "urls belong to no namespace"),
        ("groups=a,resources=b,verbs=get,namespace=a;b", "`namespace` is one text"),
        ("groups=a,resources=b,verbs=get,", "it ends with a comma"),
        ("groups=a,resources=b;{,verbs=get", "`{` is out of place"),
    ],
)
def test_malformed_markers_are_told(text: str, problem: str):
    with pytest.raises(ClientgenError) as caught:
        rights(text)
    assert str(caught.value).startswith("main.py:2: +kubebuilder:rbac: ")
    assert problem in str(caught.value)


def test_only_comments_have_markers():
    source = f'TEXT = """\n{START}nonsense\n"""\nx = 1  {START}groups=a,resources=b,verbs=get\n'
    assert len(markers(source.encode(), "main.py")) == 1
    assert markers(b"\xff no marker", "main.py") == []


@pytest.mark.parametrize("source", ["x = (\n", "# coding: none\n", "\udcff"])
def test_what_is_no_python_is_told(source: str):
    data = source.encode(errors="surrogateescape") + f"{START}verbs=get\n".encode()
    with pytest.raises(ClientgenError, match=r"^main\.py: it is not Python"):
        markers(data, "main.py")


def test_all_problems_of_a_file_are_told_at_once():
    with pytest.raises(ClientgenError) as caught:
        markers(f"{START}\n{START}a\n".encode(), "main.py")
    assert [problem.where for problem in caught.value.problems] == ["main.py:1", "main.py:2"]
