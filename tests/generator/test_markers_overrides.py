from __future__ import annotations

import pytest

from clientgen._problems import Problems
from clientgen.generator.genclient import READONLY_VERBS, SUPPORTED_VERBS, Genclient, MarkerLine
from clientgen.generator.genclient_markers import parse_markers
from clientgen.generator.overrides import contradictions, select_verbs

ALL = frozenset(SUPPORTED_VERBS)


def said(*texts: str) -> Genclient:
    problems = Problems()
    genclient = parse_markers([MarkerLine(text, "here") for text in texts], problems)
    assert not problems
    return genclient


def kept(*texts: str, offered: frozenset[str] = ALL) -> tuple[str, ...]:
    verbs, problems = select_verbs(said(*texts), offered)
    assert problems == ()
    return verbs


def test_without_markers_the_api_decides_and_the_order_is_fixed():
    assert kept() == SUPPORTED_VERBS
    assert kept(offered=frozenset({"watch", "create", "connect"})) == ("create", "watch")


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("+genclient:noVerbs", ()),
        ("+genclient:readonly", READONLY_VERBS),
        ("+genclient:onlyVerbs=list,create", ("create", "list")),
        ("+genclient:skipVerbs=list", tuple(v for v in SUPPORTED_VERBS if v != "list")),
        ("+genclient:noStatus", tuple(v for v in SUPPORTED_VERBS if not v.endswith("Status"))),
    ],
)
def test_a_marker_takes_verbs_away(text: str, verbs: tuple[str, ...]):
    assert kept(text) == verbs


def test_readonly_and_only_verbs_together_keep_the_verbs_of_both():
    assert kept("+genclient:readonly", "+genclient:onlyVerbs=create") == ("create", *READONLY_VERBS)


def test_taking_away_what_the_api_does_not_offer_is_fine():
    assert kept(
        "+genclient:skipVerbs=delete", "+genclient:noStatus", offered=frozenset({"get"})
    ) == ("get",)


def test_asking_for_a_verb_the_api_does_not_offer_is_a_problem():
    offered = frozenset({"get", "list"})
    verbs, problems = select_verbs(said("+genclient:onlyVerbs=get,create"), offered)
    assert verbs == ("get",)
    assert [str(problem) for problem in problems] == [
        (
            "here: `+genclient:onlyVerbs` asks for `create`, which the API does not support\n"
            "    it supports get, list"
        )
    ]
    _, problems = select_verbs(said("+genclient:readonly"), offered)
    assert [str(problem) for problem in problems] == [
        (
            "here: `+genclient:readonly` asks for `watch`, which the API does not support\n"
            "    it supports get, list"
        )
    ]


def test_a_method_may_use_only_what_the_api_has():
    genclient = said(
        "+genclient:method=A,verb=get,subresource=scale",
        "+genclient:method=B,verb=create,subresource=scale",
        "+genclient:method=C,verb=get,subresource=scael",
        "+genclient:method=D,verb=watch",
    )
    scale = {"scale": frozenset({"update", "get"})}
    _, problems = select_verbs(genclient, frozenset({"get"}), scale)
    assert [str(problem) for problem in problems] == [
        (
            "here: the method `B` asks for `create`, which the subresource `scale` does not "
            "support\n"
            "    it supports update, get"
        ),
        (
            "here: the method `C` asks for the subresource `scael`, which does not exist\n"
            "    the API has scale"
        ),
        (
            "here: the method `D` asks for `watch`, which the API does not support\n"
            "    it supports get"
        ),
    ]


def test_a_method_may_do_what_a_skipped_verb_does():
    genclient = said("+genclient:skipVerbs=patch", "+genclient:method=Touch,verb=patch")
    verbs, problems = select_verbs(genclient, ALL)
    assert "patch" not in verbs
    assert problems == ()


def test_upstream_bug_skipping_list_does_not_break_delete_collection():
    assert "deleteCollection" in kept("+genclient:skipVerbs=list")


def test_upstream_bug_skipping_apply_does_not_break_apply_status():
    assert "applyStatus" in kept("+genclient:skipVerbs=apply")


def test_upstream_bug_a_list_method_on_a_subresource_is_one_like_any_other():
    genclient = said("+genclient:method=Peers,verb=list,subresource=peers,result=Peer")
    _, problems = select_verbs(genclient, ALL, {"peers": frozenset({"list"})})
    assert problems == ()


def test_upstream_bug_a_type_without_verbs_has_nothing_to_list_or_watch():
    assert kept("+genclient", "+genclient:noVerbs") == ()


def test_upstream_bug_status_is_not_guessed():
    assert "updateStatus" not in kept("+genclient", offered=frozenset({"get", "update"}))


def test_upstream_bug_scope_and_plural_are_not_guessed():
    genclient = said("+genclient", "+genclient:nonNamespaced", "+resourceName=ingresss")
    problems = contradictions(
        genclient, group="networking.k8s.io", plural="ingresses", namespaced=True
    )
    assert [str(problem) for problem in problems] == [
        (
            "here: `+genclient:nonNamespaced` contradicts the spec: the API is namespaced\n"
            "    remove it"
        ),
        "here: `+resourceName` contradicts the spec: the API calls it `ingresses`\n    remove it",
    ]


def test_markers_that_agree_with_the_spec_or_are_absent_contradict_nothing():
    agreeing = said("+genclient:nonNamespaced", "+resourceName=nodes", "+groupName=")
    for genclient in (agreeing, Genclient()):
        assert contradictions(genclient, group="", plural="nodes", namespaced=False) == ()


def test_a_group_that_contradicts_the_spec_is_a_problem():
    (problem,) = contradictions(said("+groupName=apps"), group="", plural="pods", namespaced=True)
    assert str(problem) == (
        "here: `+groupName` contradicts the spec: the API is in the core group\n    remove it"
    )


UPSTREAM = """
+genclient:nonNamespaced | +genclient:onlyVerbs=create
+genclient:noVerbs
+genclient:skipVerbs=deleteCollection
+genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale | \
+genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,\
result=k8s.io/api/autoscaling/v1.Scale | \
+genclient:method=ApplyScale,verb=apply,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,\
result=k8s.io/api/autoscaling/v1.Scale
+genclient:method=UpdateEphemeralContainers,verb=update,subresource=ephemeralcontainers | \
+genclient:method=UpdateResize,verb=update,subresource=resize
+genclient:method=CreateToken,verb=create,subresource=token,\
input=k8s.io/api/authentication/v1.TokenRequest,result=k8s.io/api/authentication/v1.TokenRequest
""".strip().splitlines()


@pytest.mark.parametrize("line", UPSTREAM)
def test_the_markers_kubernetes_itself_uses_are_understood(line: str):
    said("+genclient", *line.split(" | "))
