"""What the types say is what a server does: our manifests, applied, and objects held to them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.crds import Server, definition, module

THINGS = "/apis/example.com/v1/namespaces/default/things"
PART = """
class Part(Model):
    name: str
    size: Annotated[int, Meta(ge=1)] = 1


class Choice(Model):
    a: str | None = None
    b: str | None = None
"""


class Case:
    """A field, values a server takes, and values it refuses, each with the field it names."""

    def __init__(self, said: str, good: list[Any], bad: list[tuple[Any, str]]) -> None:
        self.said = said
        self.good = good
        self.bad = bad


def v(marker: str, annotation: str) -> str:
    """A field `x` with a validation marker."""
    return f"# +kubebuilder:validation:{marker}\nx: {annotation} | None = None"


def m(annotation: str) -> str:
    return f"x: {annotation} | None = None"


X = "spec.x"
CASES = [
    # types
    Case(m("str"), ["", "a"], [(1, X), (["a"], X)]),
    Case(m("int"), [0, -5, 2**53], [("1", X), (1.5, X)]),
    Case(m("float"), [0.5, 1], [("1", X)]),
    Case(m("bool"), [True, False], [("true", X), (1, X)]),
    Case(m("bytes"), ["eA=="], [(1, X), ("not base64!", X)]),
    Case(m("Time"), ["2026-01-02T03:04:05Z"], [("yesterday", X)]),
    Case(m("Quantity"), ["100Mi", 1, "1e3", "-.5"], [("100 Mi", X), (1.5, X), ("", X)]),
    Case(m("IntOrString"), [1, "25%"], [(1.5, X), (True, X)]),
    Case(m("list[int]"), [[], [1, 2]], [({}, X), (["a"], f"{X}[0]")]),
    Case(m("dict[str, int]"), [{}, {"a": 1}], [([], X), ({"a": "b"}, f"{X}.a")]),
    Case(m("Part"), [{"name": "n"}], [({}, f"{X}.name"), ({"name": 1}, f"{X}.name"), ("n", X)]),
    Case("x: Raw = NO_RAW", [1, "a", {"a": [1]}, [1]], []),
    Case(m("Literal['a', 'b']"), ["a", "b"], [("c", X), ("", X)]),
    Case(m("Literal['a', 'b'] | str"), ["a", "c"], [(1, X)]),
    # numbers: both sides of every limit, by marker and by Annotated
    Case(v("Minimum=3", "int"), [3, 4], [(2, X)]),
    Case(v("Maximum=3", "int"), [3, 2], [(4, X)]),
    Case(v("Minimum=3\n# +kubebuilder:validation:ExclusiveMinimum=true", "int"), [4], [(3, X)]),
    Case(v("Maximum=3\n# +kubebuilder:validation:ExclusiveMaximum=true", "int"), [2], [(3, X)]),
    Case(v("MultipleOf=5", "int"), [0, 10], [(7, X)]),
    Case(v("Minimum=0.5", "float"), [0.5, 1], [(0.25, X)]),
    Case(m("Annotated[int, Meta(ge=3)]"), [3], [(2, X)]),
    Case(m("Annotated[int, Meta(gt=3)]"), [4], [(3, X)]),
    Case(m("Annotated[int, Meta(le=3)]"), [3], [(4, X)]),
    Case(m("Annotated[int, Meta(lt=3)]"), [2], [(3, X)]),
    Case(m("Annotated[int, Meta(multiple_of=5)]"), [10], [(7, X)]),
    Case(v("Format=int32", "int"), [2**31 - 1], [(2**31, "<nil>")]),
    # text
    Case(v("MinLength=2", "str"), ["ab", "éé"], [("a", X), ("é", X)]),
    Case(v("MaxLength=2", "str"), ["ab", ""], [("abc", X)]),
    Case(v("Pattern=`^[a-z]+\\d$`", "str"), ["ab1"], [("ab", X), ("", X)]),
    Case(v("Format=ipv4", "str"), ["10.0.0.1"], [("10.0.0", X)]),
    Case(v("Format=uuid", "str"), ["6f1b1e9c-7b5a-4f3c-9f0e-1a2b3c4d5e6f"], [("6f1b", X)]),
    Case(v('Enum="";a', "str"), ["", "a"], [("b", X)]),
    Case(v("Enum=1;3", "int"), [1, 3], [(2, X)]),
    Case(m("Annotated[str, Meta(min_length=2, max_length=3, pattern='^a')]"),
         ["ab", "abc"], [("a", X), ("abcd", X), ("bc", X)]),
    # lists
    Case(v("MinItems=1", "list[str]"), [["a"]], [([], X)]),
    Case(v("MaxItems=1", "list[str]"), [["a"], []], [(["a", "b"], X)]),
    Case(m("Annotated[list[str], Meta(min_length=1, max_length=2)]"),
         [["a"], ["a", "b"]], [([], X), (["a", "b", "c"], X)]),
    Case(v("items:MaxLength=2", "list[str]"), [["ab"]], [(["a", "abc"], f"{X}[1]")]),
    Case(m("list[Annotated[int, Meta(ge=1)]]"), [[1]], [([1, 0], f"{X}[1]")]),
    Case("# +listType=set\nx: list[str] | None = None", [["a", "b"]], [(["a", "a"], f"{X}[1]")]),
    Case("# +listType=map\n# +listMapKey=name\nx: list[Part] | None = None",
         [[{"name": "a"}, {"name": "b"}]],
         [([{"name": "a"}, {"name": "a"}], f"{X}[1]"), ([{"size": 1}], f"{X}[0].name")]),
    # maps and objects
    Case(v("MinProperties=1", "dict[str, str]"), [{"a": "b"}], [({}, X)]),
    Case(v("MaxProperties=1", "dict[str, str]"), [{"a": "b"}], [({"a": "b", "c": "d"}, X)]),
    Case(m("Annotated[dict[str, str], Meta(max_length=1)]"), [{}], [({"a": "b", "c": "d"}, X)]),
    # rules
    Case(v("XValidation:rule=`self % 2 == 0`,message=even", "int"), [2], [(3, X)]),
    Case(v("XValidation:rule=`self.size <= 3`,message=big,fieldPath=.size", "Part"),
         [{"name": "a", "size": 3}], [({"name": "a", "size": 4}, f"{X}.size")]),
    # what may be null, and what is anything
    Case("# +nullable\nx: int | None = None", [None, 1], [("a", X)]),
    Case(v("XIntOrString", "str"), [1, "a"], [(1.5, X)]),
    Case(v("Type=string", "Raw").replace(" | None = None", " = NO_RAW"), ["a"], [(1, X)]),
    Case(v("EmbeddedResource", "Raw").replace(" | None = None", " = NO_RAW"),
         [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"x": 1}}],
         [({"kind": "Pod"}, f"{X}.apiVersion"), ({"apiVersion": "v1"}, f"{X}.kind")]),
    Case(m("LabelSelector"), [{"matchLabels": {"a": "b"}}],
         [({"matchExpressions": [{"key": "a"}]}, f"{X}.matchExpressions[0].operator")]),
    Case(m("list[Condition]"), [[{
        "type": "Ready", "status": "True", "reason": "Ok", "message": "",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }]], [([{
        "type": "Ready", "status": "Yes", "reason": "Ok", "message": "",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
    }], f"{X}[0].status")]),
]  # fmt: skip


def thing(spec: Any, name: str = "t", **more: Any) -> dict[str, Any]:
    metadata = {"name": name}
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata, "spec": spec,
            **more}  # fmt: skip


def fields(answer: dict[str, Any]) -> list[str]:
    return [str(cause.get("field")) for cause in answer["details"].get("causes", ())]


@pytest.mark.parametrize("case", CASES, ids=[case.said for case in CASES])
def test_the_server_takes_what_the_type_allows_and_refuses_the_rest(
    tmp_path: Path, case: Case
) -> None:
    server = Server(definition(tmp_path, module(case.said, before=PART)))
    for number, value in enumerate(case.good):
        code, answer = server.ask("POST", THINGS, thing({"x": value}, f"good-{number}"))
        assert code == 201, (value, answer)
    for value, field in case.bad:
        code, answer = server.ask("POST", THINGS, thing({"x": value}, "bad"))
        assert code == 422, (value, answer)
        assert field in fields(answer), (value, answer)


def test_what_is_required_is_missed(tmp_path: Path) -> None:
    said = "a: str\n# +required\nb: str = ''\nc: int | None = None"
    server = Server(definition(tmp_path, module(said)))
    code, answer = server.ask("POST", THINGS, thing({"c": 1}))
    assert (code, fields(answer)) == (422, ["spec.a", "spec.b"])
    assert server.ask("POST", THINGS, thing({"a": "", "b": ""}))[0] == 201


def test_defaults_are_those_of_python(tmp_path: Path) -> None:
    said = """
replicas: int = 3
policy: Literal["Allow", "Forbid"] = "Forbid"
memory: Quantity = Quantity("100Mi")
zero: int = 0
# +kubebuilder:default=7
later: int | None = None
parts: list[Part] = field(default_factory=list)
"""
    server = Server(definition(tmp_path, module(said, before=PART)))
    _, answer = server.ask("POST", THINGS, thing({"parts": [{"name": "a"}]}))
    assert answer["spec"] == {
        "replicas": 3, "policy": "Forbid", "memory": "100Mi", "later": 7,
        "parts": [{"name": "a", "size": 1}],
    }  # fmt: skip


def test_what_is_not_in_the_type_is_dropped_unless_it_is_kept(tmp_path: Path) -> None:
    said = """
a: Part | None = None
# +kubebuilder:pruning:PreserveUnknownFields
b: Part | None = None
c: Raw = NO_RAW
"""
    server = Server(definition(tmp_path, module(said, before=PART)))
    part = {"name": "n", "size": 1, "more": 1}
    _, answer = server.ask("POST", THINGS, thing({"a": part, "b": part, "c": part, "d": part}))
    assert answer["spec"] == {"a": {"name": "n", "size": 1}, "b": part, "c": part}


def test_rules_between_fields_and_over_time(tmp_path: Path) -> None:
    said = """
low: int = 1
high: int = 5
# +immutable
name: str | None = None
choice: Choice = auto(Choice)
"""
    before = (
        PART.replace("class Choice", "# +kubebuilder:validation:ExactlyOneOf=a;b\nclass Choice")
        + '\n# +kubebuilder:validation:XValidation:rule="self.low <= self.high",'
        'message="low is above high",reason=FieldValueForbidden'
    )
    source = module(said, before=before).replace("\n\nclass ThingSpec", "\nclass ThingSpec")
    server = Server(definition(tmp_path, source))

    code, answer = server.ask("POST", THINGS, thing({"low": 6}))
    assert (code, fields(answer)) == (422, ["spec"])
    assert "low is above high" in answer["message"]
    code, answer = server.ask("POST", THINGS, thing({"choice": {"a": "1", "b": "2"}}))
    assert (code, fields(answer)) == (422, ["spec.choice"])
    assert "exactly one of a, b has to be set" in answer["message"]

    _, made = server.ask("POST", THINGS, thing({"name": "x", "choice": {"a": "1"}}))
    made["spec"]["low"] = 2
    code, made = server.ask("PUT", f"{THINGS}/t", made)
    assert code == 200
    made["spec"]["name"] = "y"
    code, answer = server.ask("PUT", f"{THINGS}/t", made)
    assert (code, fields(answer)) == (422, ["spec.name"])


STATUS = """
class ThingStatus(Model):
    replicas: int = 0
    selector: str = ""
    phase: str = ""
"""
OF_STATUS = "statuspath=.status.replicas,selectorpath=.status.selector"
MARKERS = f"""
# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.spec.replicas,{OF_STATUS}
# +kubebuilder:printcolumn:name=Wanted,type=integer,JSONPath=.spec.replicas
# +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=.status.phase,priority=1
# +kubebuilder:selectablefield:JSONPath=.spec.color
# +kubebuilder:resource:shortName=th,categories=all
"""


@pytest.fixture
def server(tmp_path: Path) -> Server:
    source = module(
        "replicas: int = 1\ncolor: str = ''",
        before=STATUS,
        markers=MARKERS.strip(),
        more="    status: ThingStatus = auto(ThingStatus)",
    )
    return Server(definition(tmp_path, source))


def test_status_is_written_by_itself(server: Server) -> None:
    _, made = server.ask("POST", THINGS, thing({}, status={"phase": "lost"}))
    assert "status" not in made
    made["status"] = {"phase": "Ready"}
    made["spec"]["replicas"] = 9
    code, made = server.ask("PUT", f"{THINGS}/t/status", made)
    assert (code, made["status"], made["spec"]["replicas"]) == (200, {"phase": "Ready"}, 1)


def test_scale_reads_and_writes_the_paths(server: Server) -> None:
    _, made = server.ask("POST", THINGS, thing({"replicas": 2}))
    made["status"] = {"replicas": 2, "selector": "app=x"}
    server.ask("PUT", f"{THINGS}/t/status", made)
    _, scale = server.ask("GET", f"{THINGS}/t/scale")
    assert scale["spec"] == {"replicas": 2}
    assert scale["status"] == {"replicas": 2, "selector": "app=x"}
    scale["spec"]["replicas"] = 4
    server.ask("PUT", f"{THINGS}/t/scale", scale)
    assert server.ask("GET", f"{THINGS}/t")[1]["spec"]["replicas"] == 4


def test_columns_are_shown(server: Server) -> None:
    server.ask("POST", THINGS, thing({"replicas": 2}))
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    _, table = server.ask("GET", THINGS, accept=accept)
    columns = [(each["name"], each["priority"]) for each in table["columnDefinitions"]]
    assert columns == [("Name", 0), ("Wanted", 0), ("Phase", 1)]
    assert table["rows"][0]["cells"][:2] == ["t", 2]


def test_fields_can_be_selected_by_and_names_are_found(server: Server) -> None:
    for name, color in (("a", "red"), ("b", "blue")):
        server.ask("POST", THINGS, thing({"color": color}, name))
    _, found = server.ask("GET", f"{THINGS}?fieldSelector=spec.color%3Dblue")
    assert [each["metadata"]["name"] for each in found["items"]] == ["b"]
    _, listed = server.ask("GET", "/apis/example.com/v1")
    (resource,) = [each for each in listed["resources"] if each["name"] == "things"]
    assert (resource["shortNames"], resource["categories"]) == (["th"], ["all"])


def test_versions_are_served_as_the_types_say(tmp_path: Path) -> None:
    found = definition(
        tmp_path,
        module("a: str = ''", version="v1", markers="# +kubebuilder:storageversion"),
        module("a: str = ''", version="v1beta1",
               markers='# +kubebuilder:deprecatedversion:warning="use v1"'),
        module("a: str = ''", version="v1alpha1", markers="# +kubebuilder:unservedversion"),
    )  # fmt: skip
    server = Server(found)
    path = "/apis/example.com/{}/namespaces/default/things"
    codes = [server.ask("GET", path.format(name))[0] for name in ("v1", "v1beta1", "v1alpha1")]
    assert codes == [200, 200, 404]


def test_a_pod_template_is_held_to_what_is_known_of_it(tmp_path: Path) -> None:
    source = module(
        "template: PodTemplateSpec", before="from kubeapi.core.v1 import PodTemplateSpec\n"
    )
    server = Server(definition(tmp_path, source))
    one = {"name": "a", "image": "b", "ports": [{"containerPort": 80}]}
    meta = {"labels": {"app": "x"}, "uid": "dropped"}
    spec = {"template": {"metadata": meta, "spec": {"containers": [one]}}}
    code, made = server.ask("POST", THINGS, thing(spec))
    template = made["spec"]["template"]
    assert code == 201
    assert template["metadata"] == {"labels": {"app": "x"}}
    ports = template["spec"]["containers"][0]["ports"]
    assert ports == [{"containerPort": 80, "protocol": "TCP"}]
    spec["template"]["spec"]["containers"] = [one, one]
    code, answer = server.ask("POST", THINGS, thing(spec, "two"))
    assert (code, fields(answer)) == (422, ["spec.template.spec.containers[1]"])
