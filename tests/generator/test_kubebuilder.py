"""The markers of kubebuilder: their grammar, and what is said of wrong ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen._problems import Problems
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.kubebuilder.declarative_tags import REFUSED, TAGS, Tag
from clientgen.generator.kubebuilder.kubebuilder_markers import parse_markers
from clientgen.generator.kubebuilder.vocabulary import ALIASES, MARKERS, Level


def parse(level: Level, *lines: str) -> tuple[list[tuple[str, Any]], list[str]]:
    problems = Problems()
    numbered = [MarkerLine(line, f"m.py:{n}") for n, line in enumerate(lines, start=1)]
    markers = parse_markers(numbered, problems, level)
    return [(each.name, each.value) for each in markers], [str(each) for each in problems]


GOOD: list[tuple[Level, str, str, Any]] = [
    ("field", "kubebuilder:validation:Minimum=-1.5", "validation:Minimum", -1.5),
    ("field", "kubebuilder:validation:Minimum=3", "validation:Minimum", 3),
    ("field", "kubebuilder:validation:MultipleOf=1e3", "validation:MultipleOf", 1000.0),
    ("field", "kubebuilder:validation:ExclusiveMaximum=true", "validation:ExclusiveMaximum", True),
    ("field", "kubebuilder:validation:ExclusiveMaximum=false",
     "validation:ExclusiveMaximum", False),
    ("field", "kubebuilder:validation:MaxLength=0", "validation:MaxLength", 0),
    ("field", "kubebuilder:validation:Pattern=`^a,b{2};\\d$`",
     "validation:Pattern", r"^a,b{2};\d$"),
    ("field", 'kubebuilder:validation:Pattern="^\\\\d\\"$"', "validation:Pattern", '^\\d"$'),
    ("field", "kubebuilder:validation:Pattern='^a$'", "validation:Pattern", "^a$"),
    ("field", "kubebuilder:validation:Pattern=^[a-z]+$", "validation:Pattern", "^[a-z]+$"),
    ("field", 'kubebuilder:validation:Pattern="\\x41\\u00e9\\U0001F600\\101\\t"',
     "validation:Pattern", "Aé😀A\t"),
    ("field", "kubebuilder:validation:Enum=a;b;c", "validation:Enum", ["a", "b", "c"]),
    ("field", "kubebuilder:validation:Enum={a,b}", "validation:Enum", ["a", "b"]),
    ("field", 'kubebuilder:validation:Enum="";x', "validation:Enum", ["", "x"]),
    ("field", 'kubebuilder:validation:Enum=1;2.5;true;"3"', "validation:Enum", [1, 2.5, True, "3"]),
    ("field", "kubebuilder:validation:Enum=one", "validation:Enum", ["one"]),
    ("field", "kubebuilder:validation:items:MinLength=2", "validation:items:MinLength", 2),
    ("field", "kubebuilder:validation:items:items:Enum=a", "validation:items:items:Enum", ["a"]),
    ("field", "kubebuilder:validation:Required", "required", True),
    ("field", "kubebuilder:validation:Optional", "optional", True),
    ("field", "optional", "optional", True),
    ("field", "k8s:required", "required", True),
    ("field", "nullable=true", "nullable", True),
    ("field", "k8s:maxLength=5", "validation:MaxLength", 5),
    ("field", "immutable", "immutable", True),
    ("type", "k8s:immutable", "+k8s:immutable", Tag("immutable")),
    ("field", 'k8s:neq="5"', '+k8s:neq="5"', Tag("neq", "5")),
    ("field", "k8s:neq=-5", "+k8s:neq=-5", Tag("neq", -5)),
    ("field", "k8s:neq=true", "+k8s:neq=true", Tag("neq", True)),
    ("field", 'k8s:unionMember(union: "a, b)", memberName: `\"`)',
     '+k8s:unionMember(union: "a, b)", memberName: `\"`)',
     Tag("unionMember", arguments={"union": "a, b)", "memberName": '\"'})),
    ("field", 'k8s:item(a: "x", b: 5, c: true)=+k8s:subfield(d)=+k8s:maxLength=3',
     '+k8s:item(a: "x", b: 5, c: true)=+k8s:subfield(d)=+k8s:maxLength=3',
     Tag("item", arguments={"a": "x", "b": 5, "c": True},
         inner=Tag("subfield", position="d", inner=Tag("maxLength", 3)))),
    ("field", "kubebuilder:validation:EmbeddedResource", "validation:XEmbeddedResource", True),
    ("field", "kubebuilder:pruning:PreserveUnknownFields",
     "validation:XPreserveUnknownFields", True),
    ("field", "listType=map", "listType", "map"),
    ("field", "listMapKey=name", "listMapKey", "name"),
    ("field", "kubebuilder:default=3", "default", 3),
    ("field", "kubebuilder:default=100Mi", "default", "100Mi"),
    ("field", "kubebuilder:default=123/x", "default", "123/x"),
    ("field", "kubebuilder:default=true", "default", True),
    ("field", "kubebuilder:default=\"a, b\"", "default", "a, b"),
    ("field", "kubebuilder:default={}", "default", {}),
    ("field", "kubebuilder:default={1,2}", "default", [1, 2]),
    ("field", "kubebuilder:default={{a: 1},{a: 2}}", "default", [{"a": 1}, {"a": 2}]),
    ("field", "kubebuilder:default={a: {b: 1, c: {x,y}}, \"d e\": `}`}", "default",
     {"a": {"b": 1, "c": ["x", "y"]}, "d e": "}"}),
    ("field", 'default={"a": [1, null], "b": "x"}', "default", {"a": [1, None], "b": "x"}),
    ("field", "kubebuilder:example=5;6", "example", [5, 6]),
    ("field", "kubebuilder:title=A title", "title", "A title"),
    ("field", 'kubebuilder:validation:XValidation:rule="self == \'a\\\\d\'",message="no, never"',
     "validation:XValidation", {"rule": "self == 'a\\d'", "message": "no, never"}),
    ("type", "kubebuilder:resource:path=foos,shortName=f;ff,categories={all,x},scope=Cluster",
     "resource", {"path": "foos", "shortName": ["f", "ff"], "categories": ["all", "x"],
                  "scope": "Cluster"}),
    ("type", "kubebuilder:resource", "resource", {}),
    ("type", "kubebuilder:subresource:status", "subresource:status", True),
    ("type", "kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n",
     "subresource:scale", {"specpath": ".spec.n", "statuspath": ".status.n"}),
    ("type", 'kubebuilder:printcolumn:name="A b",type=integer,JSONPath=`.spec.x`,priority=1',
     "printcolumn", {"name": "A b", "type": "integer", "JSONPath": ".spec.x", "priority": 1}),
    ("type", "kubebuilder:deprecatedversion", "deprecatedversion", {}),
    ("type", 'kubebuilder:deprecatedversion:warning="old"', "deprecatedversion",
     {"warning": "old"}),
    ("type", 'kubebuilder:metadata:annotations="a=b";"c=d",labels=x=y', "metadata",
     {"annotations": ["a=b", "c=d"], "labels": ["x=y"]}),
    ("type", "kubebuilder:selectablefield:JSONPath=.spec.x", "selectablefield",
     {"JSONPath": ".spec.x"}),
    ("type", "kubebuilder:validation:ExactlyOneOf=a;b", "validation:ExactlyOneOf", ["a", "b"]),
    ("module", "groupName=example.com", "groupName", "example.com"),
    ("module", "kubebuilder:validation:Optional", "optional", True),
]  # fmt: skip


@pytest.mark.parametrize(("level", "text", "name", "value"), GOOD, ids=[each[1] for each in GOOD])
def test_values_are_read(level: Level, text: str, name: str, value: Any) -> None:
    assert parse(level, f"+{text}") == ([(name, value)], [])


BAD: list[tuple[Level, str, str]] = [
    ("field", "kubebuilder:validation:Minimum=x",
     "m.py:1: `+kubebuilder:validation:Minimum`: `x` is not a number"),
    ("field", "kubebuilder:validation:MaxLength=1.5",
     "m.py:1: `+kubebuilder:validation:MaxLength`: `1.5` is not a whole number"),
    ("field", "kubebuilder:validation:ExclusiveMinimum=1",
     "m.py:1: `+kubebuilder:validation:ExclusiveMinimum`: `1` is not true or false"),
    ("field", "kubebuilder:validation:Minimum",
     "m.py:1: `+kubebuilder:validation:Minimum`: it has no value\n    write it as `marker=value`"),
    ("field", "kubebuilder:validation:Pattern=^a{1,2}$",
     ("m.py:1: `+kubebuilder:validation:Pattern`: there is more text after the value: `,2}$`\n"
     "    put the text in backticks or double quotes")),
    ("field", "kubebuilder:validation:Pattern=`^a",
     ("m.py:1: `+kubebuilder:validation:Pattern`: the text ``^a` does not end\n"
     "    close it with `")),
    ("field", 'kubebuilder:validation:Pattern="\\d"',
     ("m.py:1: `+kubebuilder:validation:Pattern`: `\\d` is not an escape\n"
     "    double the backslash, or put the text in backticks")),
    ("field", "kubebuilder:validation:Enum=",
     "m.py:1: `+kubebuilder:validation:Enum`: its list is empty\n    write `a;b` or `{a, b}`"),
    ("field", "kubebuilder:validation:Enum={a,,b}",
     ("m.py:1: `+kubebuilder:validation:Enum`: a list has an empty item or is not closed\n"
     "    write `{a, b}`")),
    ("field", "kubebuilder:default={a: 1",
     "m.py:1: `+kubebuilder:default`: a map is not closed\n    write `{key: value}`"),
    ("field", "default={a: 1}",
     "m.py:1: `+default`: `{a: 1}` is not JSON\n    write JSON, with texts in double quotes"),
    ("field", "nullable=false",
     "m.py:1: `+nullable`: it takes no value, but is given `false`\n    write it without a value"),
    ("field", "listType=sett",
     "m.py:1: `+listType`: it cannot be `sett`\n    it is one of atomic, map, set"),
    ("field", "kubebuilder:validation:UniqueItems=true",
     ("m.py:1: `+kubebuilder:validation:UniqueItems`: the API server refuses this "
     "marker on lists\n    write `+listType=set`")),
    ("field", "kubebuilder:validation:XValidation:message=x",
     ("m.py:1: `+kubebuilder:validation:XValidation`: it lacks `rule`\n"
     "    write `name=value`, with a comma between")),
    ("field", "kubebuilder:validation:XValidation:rule=a,reason=Wrong",
     ("m.py:1: `+kubebuilder:validation:XValidation`: `reason` cannot be `Wrong`\n"
     "    it is one of FieldValueInvalid, FieldValueForbidden, FieldValueRequired, "
     "FieldValueDuplicate")),
    ("type", "kubebuilder:resource:pth=x",
     ("m.py:1: `+kubebuilder:resource`: it has no argument `pth`\n"
     "    it has path, shortName, categories, singular, scope")),
    ("type", "kubebuilder:resource:path=x,path=y",
     "m.py:1: `+kubebuilder:resource`: `path` is given twice\n    remove one"),
    ("type", "kubebuilder:printcolumn:name=x,type=string,JSONPath=.a,priority=low",
     "m.py:1: `+kubebuilder:printcolumn`: `priority`: `low` is not a whole number"),
    ("type", "kubebuilder:resource:scope",
     "m.py:1: `+kubebuilder:resource`: its argument `scope` has no value\n    write `scope=...`"),
    ("field", "kubebuilder:resource:path=x",
     "m.py:1: `+kubebuilder:resource` does not belong here\n    write it above a class"),
    ("type", "optional",
     ("m.py:1: `+optional` does not belong here\n"
     "    write it above a field or at the top of the module")),
    ("type", "kubebuilder:validation:Minimun=1",
     ("m.py:1: `+kubebuilder:validation:Minimun` is not a known marker\n"
     "    did you mean `+kubebuilder:validation:Minimum`?")),
    ("field", "Minimum=1",
     ("m.py:1: `+Minimum` is not a known marker\n"
     "    did you mean `+kubebuilder:validation:Minimum`?")),
    ("field", "kubebuilder:listType=map",
     "m.py:1: `+kubebuilder:listType` is not a known marker\n    did you mean `+listType`?"),
    ("field", "quite:something=else",
     ("m.py:1: `+quite:something` is not a known marker\n"
     "    the known markers are `+kubebuilder` and `+k8s` for CRDs, `+genclient` and "
     "`+k8s:*-gen`")),
    ("field", "k8s:eachVal=" + "+k8s:eachVal=" * 300,
     "m.py:1: `+k8s:eachVal`: its tags are nested too deeply\n    write a simpler one"),
    ("field", "k8s:item(a: 1, a: 2)=+k8s:immutable",
     "m.py:1: `+k8s:item`: `a` is given twice\n    remove one"),
    ("field", 'k8s:unionMember(union: "\\q")',
     'm.py:1: `+k8s:unionMember`: "\\q" is not a string\n    double the backslashes'),
    ("field", "k8s:subfield(a) x",
     "m.py:1: `+k8s:subfield`: `x` does not belong there\n    write `+k8s:name(...)=value`"),
    ("field", "k8s:eachKey=k8s:format",
     "m.py:1: `+k8s:eachKey`: it has no value\n    write a value: `=...`"),
    ("field", "k8s:eachVal=format",
     ("m.py:1: `+k8s:eachVal`: `format` is no tag\n"
     "    write `+k8s:name` or `+k8s:name=value`")),
    ("module", "k8s:subfield(a)=+k8s:immutable",
     ("m.py:1: `+k8s:subfield` does not belong here\n"
     "    write it above a class or above a field")),
    ("field", "kubebuilder:default=" + "{" * 300,
     "m.py:1: `+kubebuilder:default` has too many brackets\n    write a simpler value"),
]  # fmt: skip


@pytest.mark.parametrize(("level", "text", "problem"), BAD, ids=[each[1][:60] for each in BAD])
def test_wrong_markers_are_reported(level: Level, text: str, problem: str) -> None:
    assert parse(level, f"+{text}") == ([], [problem])


def test_everything_wrong_is_told_at_once_and_the_rest_is_read() -> None:
    markers, problems = parse("field", "+nulable", "+optional", "+listType=x", "+required=no")
    assert markers == [("optional", True)]
    assert [each.partition(":")[2].partition(":")[0] for each in problems] == ["1", "3", "4"]


def test_a_marker_is_said_once_unless_it_may_be_repeated() -> None:
    parsed, problems = parse(
        "field", "+listMapKey=a", "+listMapKey=b", "+optional", "+k8s:optional"
    )
    assert parsed == [("listMapKey", "a"), ("listMapKey", "b"), ("optional", True)]
    assert problems == [
        "m.py:4: `+k8s:optional` is given twice\n    remove one; the first is at m.py:3"
    ]


def test_markers_of_other_generators_are_passed_over() -> None:
    lines = (
        "+genclient", "+genclient:noStatus", "+resourceName=foos", "+groupName=x",
        "+k8s:deepcopy-gen=true", "+k8s:deepcopy-gen:interfaces=a.B",
        "+kubebuilder:object:root=true",
        "+k8s:client-gen=false",
    )  # fmt: skip
    assert parse("type", *lines) == ([], [])


def test_every_marker_has_a_place_and_every_alias_leads_to_one() -> None:
    assert all(word.levels for word in MARKERS.values())
    assert set(ALIASES.values()) <= MARKERS.keys()


TEXTS = st.one_of(
    st.text(st.sampled_from("ab1-.,;:={}[]\"'`\\ x+e"), max_size=25), st.text(max_size=15)
)


NAMES = sorted({*MARKERS, *ALIASES, *(f"k8s:{name}" for name in (*TAGS, *REFUSED))})


@given(st.sampled_from(NAMES), st.sampled_from([":", "=", "", "(", "(a)=+k8s:"]), TEXTS)
def test_any_text_is_a_marker_or_one_problem(name: str, sign: str, text: str) -> None:
    for prefix in ("+", "+kubebuilder:"):
        markers, problems = parse("type", f"{prefix}{name}{sign}{text}")
        assert len(markers) + len(problems) <= 1
        for each in problems:
            assert each.startswith("m.py:1: ")


def test_the_reference_names_every_tag() -> None:
    page = Path(__file__).parents[2] / "docs/reference/declarative-validation.md"
    first_cells = re.findall(r"^\| (`[^|]*) \|", page.read_text(), re.MULTILINE)
    named = [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted([*TAGS, *REFUSED])
