from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen._problems import Problem, Problems
from clientgen.generator.genclient import (
    METHOD_VERBS,
    READONLY_VERBS,
    SUPPORTED_VERBS,
    Genclient,
    GenclientMethod,
    MarkerLine,
    Tag,
    split_type,
)
from clientgen.generator.genclient_markers import extract_markers, parse_markers, strip_markers
from clientgen.generator.overrides import merge


def print_markers(genclient: Genclient) -> list[str]:
    """The marker lines that say the same; reading them back gives an equal `Genclient`."""
    flags = (
        genclient.generate,
        genclient.non_namespaced,
        genclient.no_verbs,
        genclient.readonly,
        genclient.no_status,
    )
    lines = [f"+{tag}" for tag, is_set in zip(Tag.FLAGS, flags, strict=True) if is_set]
    lists = zip(Tag.VERB_LISTS, (genclient.only_verbs, genclient.skip_verbs), strict=True)
    lines += [f"+{tag}={','.join(verbs)}" for tag, verbs in lists if verbs]
    lines += [f"+{Tag.METHOD}={_print_method(method)}" for method in genclient.methods]
    names = (genclient.resource_name, genclient.group_name, genclient.group_go_name)
    named = zip(Tag.NAMES, names, strict=True)
    lines += [f"+{tag}={name}" for tag, name in named if name is not None]
    return lines + [f"+k8s:{what}-gen=false" for what in sorted(genclient.disabled)]


def _print_method(method: GenclientMethod) -> str:
    options = ("verb", "subresource", "input", "result")
    set_options = [(name, getattr(method, name)) for name in options]
    return ",".join([method.name, *(f"{name}={value}" for name, value in set_options if value)])


def read(*texts: str) -> tuple[Genclient, list[Problem]]:
    problems = Problems()
    lines = [MarkerLine(text, f"line {n}") for n, text in enumerate(texts, start=1)]
    return parse_markers(lines, problems), list(problems)


def understood(*texts: str) -> Genclient:
    genclient, problems = read(*texts)
    assert problems == []
    return genclient


def complaint(*texts: str) -> str:
    (problem,) = read(*texts)[1]
    return str(problem)


def test_without_markers_nothing_is_overridden():
    assert understood() == Genclient()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+genclient", Genclient(generate=True)),
        ("+genclient:nonNamespaced", Genclient(non_namespaced=True)),
        ("+genclient:noVerbs", Genclient(no_verbs=True)),
        ("+genclient:readonly", Genclient(readonly=True)),
        ("+genclient:noStatus", Genclient(no_status=True)),
        ("+genclient:noStatus=true", Genclient(no_status=True)),
        ("+genclient:onlyVerbs=create", Genclient(only_verbs=("create",))),
        ("+genclient:onlyVerbs=watch,get", Genclient(only_verbs=("get", "watch"))),
        ("+genclient:skipVerbs=deleteCollection", Genclient(skip_verbs=("deleteCollection",))),
        ("  +genclient:noStatus\t", Genclient(no_status=True)),
        ("+resourceName=widgets", Genclient(resource_name="widgets")),
        ("+groupName=apps.example.com", Genclient(group_name="apps.example.com")),
        ("+groupName=", Genclient(group_name="")),
        ("+groupName", Genclient(group_name="")),
        ("+groupGoName=ExampleApps", Genclient(group_go_name="ExampleApps")),
        ("+groupGoName()=ExampleApps", Genclient(group_go_name="ExampleApps")),
        ("+k8s:lister-gen=false", Genclient(disabled=frozenset({"lister"}))),
        ("+k8s:client-gen=true", Genclient()),
    ],
)
def test_each_marker_says_one_thing(text: str, expected: Genclient):
    assert understood(text) == expected


def test_a_method_is_read_with_all_its_options():
    genclient = understood(
        "+genclient:method=UpdateScale,verb=update,subresource=scale,"
        "input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale"
    )
    scale = "k8s.io/api/autoscaling/v1.Scale"
    assert genclient.methods == (GenclientMethod("UpdateScale", "update", "scale", scale, scale),)
    assert genclient.methods[0].where == "line 1"


def test_methods_repeat_and_keep_their_order():
    genclient = understood(
        "+genclient:method=GetScale,verb=get,subresource=scale,result=Scale",
        "+genclient:method=ApplyScale,verb=apply,subresource=scale,input=Scale,result=Scale",
    )
    assert [method.name for method in genclient.methods] == ["GetScale", "ApplyScale"]


@pytest.mark.parametrize("verb", METHOD_VERBS)
def test_a_method_may_have_any_verb_of_an_object(verb: str):
    assert understood(f"+genclient:method=Do,verb={verb}").methods[0].verb == verb


def test_blanks_around_the_parts_of_a_method_do_not_count():
    assert understood("+genclient:method= Do , verb = get , subresource=scale ") == understood(
        "+genclient:method=Do,verb=get,subresource=scale"
    )


def test_readonly_adds_its_verbs_to_those_of_only_verbs():
    genclient = understood("+genclient:readonly", "+genclient:onlyVerbs=create")
    assert genclient == Genclient(readonly=True, only_verbs=("create",))


def test_every_marker_remembers_where_it_was_said():
    genclient = understood("+genclient", "+genclient:skipVerbs=list")
    assert genclient.where("genclient:skipVerbs") == "line 2"
    assert genclient.where("genclient:onlyVerbs", "genclient") == "line 1"
    assert genclient.where("groupName") == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "+genclient=true",
            "line 1: `+genclient=true` is an old spelling\n    write `+genclient`",
        ),
        (
            "+nonNamespaced=true",
            (
                "line 1: `+nonNamespaced=true` is an old spelling\n"
                "    write `+genclient:nonNamespaced`"
            ),
        ),
        (
            "+nonNamespaced",
            "line 1: `+nonNamespaced` is an old spelling\n    write `+genclient:nonNamespaced`",
        ),
        (
            "+readonly=true",
            "line 1: `+readonly=true` is an old spelling\n    write `+genclient:readonly`",
        ),
        (
            "+noMethods=true",
            "line 1: `+noMethods=true` is an old spelling\n    write `+genclient:noVerbs`",
        ),
        (
            "+genclient:noVerb",
            (
                "line 1: `+genclient:noVerb` is not a known marker\n"
                "    did you mean `+genclient:noVerbs`?"
            ),
        ),
        (
            "+genclient:nonnamespaced",
            (
                "line 1: `+genclient:nonnamespaced` is not a known marker\n"
                "    did you mean `+genclient:nonNamespaced`?"
            ),
        ),
        (
            "+genclinet:readonly",
            (
                "line 1: `+genclinet:readonly` is not a known marker\n"
                "    did you mean `+genclient:readonly`?"
            ),
        ),
        (
            "+resourcename=widgets",
            "line 1: `+resourcename` is not a known marker\n    did you mean `+resourceName`?",
        ),
        (
            "+genclient // keep",
            (
                "line 1: `+genclient // keep` ends with a comment\n"
                "    a marker cannot contain a comment: put it on a line of its own"
            ),
        ),
        (
            "// +genclient",
            (
                "line 1: `// +genclient` is not a marker\n"
                "    a marker starts with a plus sign: `+genclient`"
            ),
        ),
        (
            "+genclient:nonNamespaced=false",
            (
                "line 1: `+genclient:nonNamespaced` takes no value, but has `false`\n"
                "    write `+genclient:nonNamespaced`, or leave it out"
            ),
        ),
        (
            "+genclient:skipVerbs=",
            (
                "line 1: `+genclient:skipVerbs` has an empty item in its list\n"
                "    the verbs are create, update, updateStatus, delete, deleteCollection, get, "
                "list, watch, patch, apply, applyStatus"
            ),
        ),
        (
            "+genclient:skipVerbs=get,get",
            "line 1: `+genclient:skipVerbs` names `get` twice\n    remove one",
        ),
        (
            "+resourceName=Widgets",
            (
                "line 1: `+resourceName` cannot be `Widgets`\n"
                "    write the plural of the URL, such as `widgets`"
            ),
        ),
        (
            "+groupName=apps..com",
            (
                "line 1: `+groupName` cannot be `apps..com`\n"
                "    write an API group such as `apps.example.com`, or nothing for the core group"
            ),
        ),
        (
            "+groupGoName=example-apps",
            (
                "line 1: `+groupGoName` cannot be `example-apps`\n"
                "    write one word such as `ExampleApps`"
            ),
        ),
        (
            "+groupGoName(apps)=Apps",
            "line 1: `+groupGoName(apps)` is not a known marker\n    did you mean `+groupGoName`?",
        ),
    ],
)
def test_a_marker_that_is_not_understood_is_a_problem(text: str, message: str):
    assert complaint(text) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "Scale,verb=gett",
            (
                "line 1: the method `Scale` has the verb `gett`, which is not a verb\n"
                "    did you mean `get`?"
            ),
        ),
        (
            "Scale,verb=updateStatus",
            (
                "line 1: the method `Scale` cannot have the verb `updateStatus`\n"
                "    write `verb=update,subresource=status`"
            ),
        ),
        (
            "Scale,verb=get,input=Scale",
            (
                "line 1: the method `Scale` has the verb `get`, which takes no `input`\n"
                "    leave it out; these take one: create, update, apply"
            ),
        ),
        (
            "Scale,verb=delete,result=Scale",
            (
                "line 1: the method `Scale` has the verb `delete`, which takes no `result`\n"
                "    leave it out; these take one: create, update, get, list, patch, apply"
            ),
        ),
        (
            "Scale,verb=get,subresorce=scale",
            (
                "line 1: `+genclient:method` has no option `subresorce`\n"
                "    did you mean `subresource`?"
            ),
        ),
        (
            "Scale,verb=get,verb=list",
            "line 1: `+genclient:method` has the option `verb` twice\n    remove one",
        ),
        (
            "Scale",
            (
                "line 1: the method `Scale` has no verb\n"
                "    write `+genclient:method=Name,verb=V"
                "[,subresource=path][,input=Type][,result=Type]`"
            ),
        ),
        (
            "Scale,verb=get,subresource=",
            (
                "line 1: `subresource` of `+genclient:method` cannot be ``\n"
                "    write `+genclient:method=Name,verb=V"
                "[,subresource=path][,input=Type][,result=Type]`"
            ),
        ),
        (
            ",verb=get",
            (
                "line 1: `+genclient:method=` does not name a method\n"
                "    write `+genclient:method=Name,verb=V"
                "[,subresource=path][,input=Type][,result=Type]`"
            ),
        ),
    ],
)
def test_a_method_that_is_not_understood_is_a_problem(value: str, message: str):
    assert complaint(f"+genclient:method={value}") == message


def test_a_marker_said_twice_is_a_problem_that_names_both_places():
    assert complaint("+genclient:skipVerbs=get", "+genclient:skipVerbs=list") == (
        "line 2: `+genclient:skipVerbs` is given twice\n    remove one; the first is at line 1"
    )


def test_two_methods_of_one_name_are_a_problem():
    assert complaint("+genclient:method=Do,verb=get", "+genclient:method=Do,verb=list") == (
        "line 2: the method `Do` is declared twice\n    rename one; the first is at line 1"
    )


@pytest.mark.parametrize("asking", ["onlyVerbs=get", "readonly", "method=Do,verb=get"])
def test_no_verbs_contradicts_every_marker_that_asks_for_one(asking: str):
    tag = asking.partition("=")[0]
    assert complaint("+genclient:noVerbs", f"+genclient:{asking}") == (
        f"line 2: `+genclient:{tag}` contradicts `+genclient:noVerbs`\n"
        "    remove one; the other is at line 1"
    )


def test_a_status_verb_that_no_status_takes_away_is_a_problem():
    assert complaint("+genclient:noStatus", "+genclient:onlyVerbs=get,updateStatus") == (
        "line 2: `+genclient:onlyVerbs` asks for `updateStatus`, "
        "which `+genclient:noStatus` removes\n    remove one of the two"
    )


def test_a_generator_switched_both_on_and_off_is_a_problem():
    assert complaint("+k8s:client-gen=true", "+k8s:client-gen=false") == (
        "line 2: `+k8s:client-gen` is given as both `false` and another value\n"
        "    remove one; the first is at line 1"
    )


def test_upstream_bug_skip_verbs_beside_only_verbs_does_not_vanish_silently():
    assert complaint("+genclient:onlyVerbs=get,list", "+genclient:skipVerbs=list") == (
        "line 2: `+genclient:skipVerbs` contradicts `+genclient:onlyVerbs`\n"
        "    remove one; the other is at line 1"
    )
    assert complaint("+genclient:readonly", "+genclient:skipVerbs=list") == (
        "line 2: `+genclient:skipVerbs` contradicts `+genclient:readonly`\n"
        "    remove one; the other is at line 1"
    )


def test_upstream_bug_blanks_in_a_list_of_verbs_do_not_change_its_meaning():
    assert understood("+genclient:onlyVerbs= get, list ").only_verbs == ("get", "list")


def test_upstream_bug_a_misspelt_verb_is_not_ignored():
    assert complaint("+genclient:skipVerbs=deletecollection") == (
        "line 1: `+genclient:skipVerbs` names `deletecollection`, which is not a verb\n"
        "    did you mean `deleteCollection`?"
    )


def test_upstream_bug_a_made_up_verb_of_a_method_does_not_pass():
    assert complaint("+genclient:method=Frob,verb=frobnicate") == (
        "line 1: the method `Frob` has the verb `frobnicate`, which is not a verb\n"
        "    the verbs are create, update, delete, deleteCollection, get, list, watch, patch, apply"
    )
    assert complaint("+genclient:method=Frob,verb=applyStatus") == (
        "line 1: the method `Frob` cannot have the verb `applyStatus`\n"
        "    write `verb=apply,subresource=status`"
    )


def test_upstream_bug_the_first_error_does_not_hide_the_others():
    _, problems = read("+genclient=true", "+genclient:skip=get", "+genclient:method=X,verb=y,z=1")
    assert [problem.where for problem in problems] == ["line 1", "line 2", "line 3", "line 3"]


def test_markers_are_found_among_the_lines_of_a_description():
    description = (
        "Widget is a thing.\n+genclient\n + a list item\n"
        "+kubebuilder:object:root=true\n+optional\n  +resourceName=widgets\n+genclinet:readonly\n"
        "+k8s:deepcopy-gen=true\n+k8s:lister-gen=false\n+readonly=true"
    )
    assert extract_markers(description, "widget.json#/x") == [
        MarkerLine("+genclient", "widget.json#/x, line 2"),
        MarkerLine("+resourceName=widgets", "widget.json#/x, line 6"),
        MarkerLine("+genclinet:readonly", "widget.json#/x, line 7"),
        MarkerLine("+k8s:lister-gen=false", "widget.json#/x, line 9"),
        MarkerLine("+readonly=true", "widget.json#/x, line 10"),
    ]


def test_documentation_loses_every_line_that_talks_to_a_generator():
    description = "Widget is a thing.\n+ small\n+genclient\n\n+optional\nIt turns.\n+listType=set"
    assert strip_markers(description) == "Widget is a thing.\n+ small\n\nIt turns."
    assert strip_markers("Nothing here.") == "Nothing here."


def test_a_type_is_split_at_its_last_dot():
    assert split_type("k8s.io/api/autoscaling/v1.Scale") == ("k8s.io/api/autoscaling/v1", "Scale")
    assert split_type("Scale") == ("", "Scale")


def test_the_first_source_wins_tag_by_tag():
    first = understood("+genclient:onlyVerbs=get", "+genclient:method=Do,verb=get")
    second = understood(
        "+genclient",
        "+genclient:skipVerbs=list",
        "+genclient:method=Do,verb=list",
        "+genclient:method=Other,verb=get",
        "+groupName=x.example.com",
    )
    assert merge(first, second) == Genclient(
        generate=True,
        only_verbs=("get",),
        methods=(GenclientMethod("Do", "get"), GenclientMethod("Other", "get")),
        group_name="x.example.com",
    )
    assert "genclient:skipVerbs" not in merge(first, second).places
    assert merge(Genclient(), second) == second
    assert merge(second, Genclient()) == second


_words = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,8}", fullmatch=True)
_types = st.one_of(_words, _words.map(lambda name: f"k8s.io/api/x/v1.{name}"))


@st.composite
def _methods(draw: st.DrawFn) -> GenclientMethod:
    verb = draw(st.sampled_from(METHOD_VERBS))
    takes_input = verb in {"create", "update", "apply"}
    has_result = takes_input or verb in {"get", "list", "patch"}
    return GenclientMethod(
        draw(_words),
        verb,
        draw(st.none() | st.sampled_from(["scale", "status", "proxy/path"])),
        draw(st.none() | _types) if takes_input else None,
        draw(st.none() | _types) if has_result else None,
    )


def _in_order(verbs: set[str]) -> tuple[str, ...]:
    return tuple(verb for verb in SUPPORTED_VERBS if verb in verbs)


@st.composite
def _genclients(draw: st.DrawFn) -> Genclient:
    verbs = st.sets(st.sampled_from(SUPPORTED_VERBS[:2] + READONLY_VERBS), min_size=1)
    chosen = draw(st.sampled_from(["none", "all", "readonly", "only", "both", "skip"]))
    methods = st.lists(_methods(), max_size=3, unique_by=lambda method: method.name)
    return Genclient(
        generate=draw(st.booleans()),
        non_namespaced=draw(st.booleans()),
        no_verbs=chosen == "none",
        readonly=chosen in {"readonly", "both"},
        only_verbs=_in_order(draw(verbs)) if chosen in {"only", "both"} else (),
        skip_verbs=_in_order(draw(verbs)) if chosen == "skip" else (),
        no_status=draw(st.booleans()),
        methods=() if chosen == "none" else tuple(draw(methods)),
        resource_name=draw(st.none() | st.sampled_from(["widgets", "x-y"])),
        group_name=draw(st.none() | st.sampled_from(["", "apps", "a.example.com"])),
        group_go_name=draw(st.none() | _words),
        disabled=draw(st.frozensets(st.sampled_from(["client", "lister", "informer"]))),
    )


@given(_genclients())
def test_markers_printed_and_read_back_say_the_same(genclient: Genclient):
    assert understood(*print_markers(genclient)) == genclient


_marker_like = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.builds(
            "+{}={}".format,
            st.sampled_from(
                ["genclient:method", "genclient:onlyVerbs", "genclient", "groupName", "k8s:x"]
            ),
            st.text(alphabet="agetlisvrb=,./ :-_\t", max_size=30),
        ),
    ),
    max_size=5,
)


@given(_marker_like)
def test_reading_markers_never_raises(texts: list[str]):
    genclient, problems = read(*texts)
    if not problems:
        assert understood(*print_markers(genclient)) == genclient


@given(st.text(alphabet="+genclitVrbs:= \n/", max_size=60))
def test_taking_markers_out_of_any_text_leaves_none(text: str):
    extract_markers(text, "here")
    assert extract_markers(strip_markers(text), "here") == []
