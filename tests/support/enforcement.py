"""What the types say is what a server does: our manifests, applied, and objects held to them.

What is said here holds on every server: tests/generator/test_crd_enforcement.py has it of our own,
tests/cluster/test_own_types.py of a real one. `serve` defines the one kind of some modules there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.constraints import PART, Case
from support.crds import module

__all__ = ["SCENARIOS", "Ask", "Scenario", "Serve", "Things", "hold_to"]

GROUP = "example.com"  # of support.crds.module
Json = dict[str, Any]
# Asks a server: method, path, body, and headers. Answers with the code and the body.
Ask = Callable[..., tuple[int, Json]]


@dataclass(frozen=True)
class Things:
    """The things of a namespace, on a server that has the definition of them."""

    ask: Ask
    group: str = GROUP
    namespace: str = "default"

    def path(self, *parts: str, version: str = "v1") -> str:
        """Where things are, or one of them, or a subresource of it."""
        within = f"/apis/{self.group}/{version}/namespaces/{self.namespace}/things"
        return "/".join([within, *parts])

    def create(self, spec: Any, name: str = "t", **more: Any) -> tuple[int, Json]:
        """Create one; its code, and what it is or what is wrong with it."""
        body = {"kind": "Thing", "metadata": {"name": name}, "spec": spec, **more}
        return self.ask("POST", self.path(), {"apiVersion": f"{self.group}/v1", **body})

    def put(self, body: Json, *parts: str) -> tuple[int, Json]:
        """Update what is at a path."""
        return self.ask("PUT", self.path(*parts), body)

    def get(self, *parts: str, version: str = "v1", **headers: str) -> tuple[int, Json]:
        """Read what is at a path."""
        return self.ask("GET", self.path(*parts, version=version), **headers)


Serve = Callable[..., Things]
Scenario = Callable[[Serve], None]
SCENARIOS: list[Scenario] = []


def scenario(function: Scenario) -> Scenario:
    SCENARIOS.append(function)
    return function


def fields(answer: Json) -> list[str]:
    return [str(cause.get("field")) for cause in answer["details"].get("causes", ())]


def hold_to(case: Case, things: Things, name: str) -> None:
    """Ask for what a case calls good and bad; the server calls its field by this name."""
    for number, value in enumerate(case.good):
        code, answer = things.create({name: value}, f"{name}-{number}")
        assert code == 201, (value, answer)
    for value, field in case.bad:
        code, answer = things.create({name: value}, f"{name}-bad")
        assert code == 422, (value, answer)
        assert field.replace("spec.x", f"spec.{name}") in fields(answer), (value, answer)


@scenario
def what_is_required_is_missed(serve: Serve) -> None:
    source_fields = "a: str\n# +required\nb: str = ''\nc: int | None = None"
    things = serve(module(source_fields))
    code, answer = things.create({"c": 1})
    assert (code, fields(answer)) == (422, ["spec.a", "spec.b"])
    assert things.create({"a": "", "b": ""})[0] == 201


@scenario
def defaults_are_those_of_python(serve: Serve) -> None:
    fields = """
replicas: int = 3
policy: Literal["Allow", "Forbid"] = "Forbid"
memory: Quantity = Quantity("100Mi")
zero: int = 0
# +kubebuilder:default=7
later: int | None = None
parts: list[Part] = field(default_factory=list)
"""
    things = serve(module(fields, before=PART))
    _, answer = things.create({"parts": [{"name": "a"}]})
    assert answer["spec"] == {
        "replicas": 3, "policy": "Forbid", "memory": "100Mi", "later": 7,
        "parts": [{"name": "a", "size": 1}],
    }  # fmt: skip


@scenario
def what_is_not_in_the_type_is_dropped_unless_it_is_kept(serve: Serve) -> None:
    fields = """
a: Part | None = None
# +kubebuilder:pruning:PreserveUnknownFields
b: Part | None = None
c: Raw = NO_RAW
"""
    things = serve(module(fields, before=PART))
    part = {"name": "n", "size": 1, "more": 1}
    _, answer = things.create({"a": part, "b": part, "c": part, "d": part})
    assert answer["spec"] == {"a": {"name": "n", "size": 1}, "b": part, "c": part}


@scenario
def rules_between_fields_and_over_time(serve: Serve) -> None:
    lines = """
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
    source = module(lines, before=before).replace("\n\nclass ThingSpec", "\nclass ThingSpec")
    things = serve(source)

    code, answer = things.create({"low": 6})
    assert (code, fields(answer)) == (422, ["spec"])
    assert "low is above high" in answer["message"]
    code, answer = things.create({"choice": {"a": "1", "b": "2"}})
    assert (code, fields(answer)) == (422, ["spec.choice"])
    assert "exactly one of a, b has to be set" in answer["message"]

    _, made = things.create({"name": "x", "choice": {"a": "1"}})
    made["spec"]["low"] = 2
    code, made = things.put(made, "t")
    assert code == 200
    made["spec"]["name"] = "y"
    code, answer = things.put(made, "t")
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


def with_status(serve: Serve) -> Things:
    source = module(
        "replicas: int = 1\ncolor: str = ''",
        before=STATUS,
        markers=MARKERS.strip(),
        more="    status: ThingStatus = auto(ThingStatus)",
    )
    return serve(source)


@scenario
def a_status_is_written_by_itself(serve: Serve) -> None:
    things = with_status(serve)
    _, made = things.create({}, status={"phase": "lost"})
    assert "status" not in made
    made["status"] = {"phase": "Ready"}
    made["spec"]["replicas"] = 9
    code, made = things.put(made, "t", "status")
    assert (code, made["status"], made["spec"]["replicas"]) == (200, {"phase": "Ready"}, 1)


@scenario
def a_scale_reads_and_writes_the_paths(serve: Serve) -> None:
    things = with_status(serve)
    _, made = things.create({"replicas": 2})
    made["status"] = {"replicas": 2, "selector": "app=x"}
    things.put(made, "t", "status")
    _, scale = things.get("t", "scale")
    assert scale["spec"] == {"replicas": 2}
    assert scale["status"] == {"replicas": 2, "selector": "app=x"}
    scale["spec"]["replicas"] = 4
    things.put(scale, "t", "scale")
    assert things.get("t")[1]["spec"]["replicas"] == 4


@scenario
def columns_are_shown(serve: Serve) -> None:
    things = with_status(serve)
    things.create({"replicas": 2})
    _, table = things.get(accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    columns = [(each["name"], each["priority"]) for each in table["columnDefinitions"]]
    assert columns == [("Name", 0), ("Wanted", 0), ("Phase", 1)]
    assert table["rows"][0]["cells"][:2] == ["t", 2]


@scenario
def fields_can_be_selected_by_and_names_are_found(serve: Serve) -> None:
    things = with_status(serve)
    for name, color in (("a", "red"), ("b", "blue")):
        things.create({"color": color}, name)
    _, response = things.ask("GET", f"{things.path()}?fieldSelector=spec.color%3Dblue")
    assert [each["metadata"]["name"] for each in response["items"]] == ["b"]
    _, listed = things.ask("GET", f"/apis/{things.group}/v1")
    (resource,) = [each for each in listed["resources"] if each["name"] == "things"]
    assert (resource["shortNames"], resource["categories"]) == (["th"], ["all"])


@scenario
def versions_are_served_as_the_types_say(serve: Serve) -> None:
    things = serve(
        module("a: str = ''", version="v1", markers="# +kubebuilder:storageversion"),
        module("a: str = ''", version="v1beta1",
               markers='# +kubebuilder:deprecatedversion:warning="use v1"'),
        module("a: str = ''", version="v1alpha1", markers="# +kubebuilder:unservedversion"),
    )  # fmt: skip
    codes = [things.get(version=name)[0] for name in ("v1", "v1beta1", "v1alpha1")]
    assert codes == [200, 200, 404]


@scenario
def a_pod_template_is_held_to_what_is_known_of_it(serve: Serve) -> None:
    source = module(
        "template: PodTemplateSpec", before="from kubeapi.core.v1 import PodTemplateSpec\n"
    )
    things = serve(source)
    one = {"name": "a", "image": "b", "ports": [{"containerPort": 80}]}
    meta = {"labels": {"app": "x"}, "uid": "dropped"}
    spec = {"template": {"metadata": meta, "spec": {"containers": [one]}}}
    code, made = things.create(spec)
    template = made["spec"]["template"]
    assert code == 201
    assert template["metadata"] == {"labels": {"app": "x"}}
    ports = template["spec"]["containers"][0]["ports"]
    assert ports == [{"containerPort": 80, "protocol": "TCP"}]
    spec["template"]["spec"]["containers"] = [one, one]
    code, answer = things.create(spec, "two")
    assert (code, fields(answer)) == (422, ["spec.template.spec.containers[1]"])


TAGS = Path(__file__).parents[1] / "crd_golden/declarative/declarative/v1.py"
NAME = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
# Of the types of TAGS: a change of a good spec, the field and the message of what is wrong with it.
TAGGED: list[tuple[Json, str, str]] = [
    ({"name": "a.b"}, "name", 'Invalid value: "a.b": must not contain dots'),
    ({"name": "default"}, "name", 'Invalid value: "default": must not be equal to "default"'),
    ({"domain": "-"}, "domain",
     ('Invalid value: "-": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric '
     "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
     rf"'example.com', regex used for validation is '{NAME}(\.{NAME})*')")),
    ({"caseless": "-"}, "caseless",
     ('Invalid value: "-": an RFC 1123 subdomain must consist of alphanumeric '
     "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
     rf"'Example.com', regex used for validation is '{NAME}(\.{NAME})*')")),
    ({"labelKey": "/a"}, "labelKey", 'Invalid value: "/a": prefix part must be non-empty'),
    ({"labelValue": "-"}, "labelValue",
     ('Invalid value: "-": a valid label must be an empty string or consist of alphanumeric '
     "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
     "'MyValue',  or 'my_value',  or '12345', regex used for validation is "
     "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')")),
    ({"prefixedKey": "a"}, "prefixedKey",
     "Invalid value: \"a\": must include a prefix (e.g. 'example.com/key')"),
    ({"segment": ".."}, "segment", "Invalid value: \"..\": may not be '..'"),
    ({"segment": "a%"}, "segment", "Invalid value: \"a%\": may not contain '%'"),
    ({"extended": "a"}, "extended",
     'Invalid value: "a": a name must be a domain-prefixed path, such as \'example.com/my-prop\''),
    ({"extended": "kubernetes.io/a"}, "extended",
     'Invalid value: "kubernetes.io/a": must not have "kubernetes.io/" domain'),
    ({"extended": "requests.a/b"}, "extended",
     'Invalid value: "requests.a/b": must not have "requests." prefix'),
    ({"pool": "a/b_/c"}, "pool",
     ('Invalid value: "a/b_/c": a lowercase RFC 1123 subdomain must consist of lower case '
     "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character "
     rf"(e.g. 'example.com', regex used for validation is '{NAME}(\.{NAME})*')")),
    ({"qualified": "a/b-c"}, "qualified",
     ('Invalid value: "a/b-c": a fully qualified name must be a domain and a name separated by a '
     "slash")),
    ({"uuid": "A" * 36}, "uuid",
     f'Invalid value: "{"A" * 36}": must be a lowercase UUID in 8-4-4-4-12 format'),
    ({"bytes": "ééé"}, "bytes", 'Invalid value: "ééé": may not be more than 4 bytes'),
    ({"bytes": "abcde"}, "bytes", "Too long: may not be more than 4 bytes"),
    ({"policy": "Deny"}, "policy",
     'Unsupported value: "Deny": supported values: "Allow", "Forbid"'),
    ({"names": ["abcd"]}, "names[0]", "Too long: may not be more than 3 bytes"),
    ({"counts": {"-": 5}}, "counts", "Invalid value: must have the format k8s-label-key"),
    ({"counts": {"a": 1}}, "counts.a",
     "Invalid value: 1: spec.counts.a in body should be greater than or equal to 3"),
    ({"unique": ["a", "a"]}, "unique", 'Duplicate value: ["a","a"]'),
    ({"uniqueKeys": [{"type": "a"}, {"type": "a"}]}, "uniqueKeys",
     'Duplicate value: [{"type":"a"},{"type":"a"}]'),
    ({"conditions": [{"type": "Approved"}, {"type": "Denied", "note": "x"}]}, "conditions",
     ('Invalid value: must specify at most one of: `conditions[{"type": "Approved"}]`, '
     '`conditions[{"type": "Denied"}]`')),
    ({"conditions": [{"type": "Approved", "size": 6}]}, "conditions",
     "Invalid value: size: must be less than or equal to 5"),
    ({"conditions": [{"type": "Denied"}]}, "conditions", "Invalid value: note: must be specified"),
    ({"conditions": [{"type": "a", "note": "ééééé"}]}, "conditions[0].note",
     'Invalid value: "ééééé": may not be more than 9 bytes'),
    ({"type": "Http"}, "http", 'Invalid value: must be specified when `type` is "Http"'),
    ({"stream": {}}, "stream", 'Invalid value: may only be specified when `type` is "Tcp"'),
    ({"url": ""}, "", "Invalid value: must specify one of: `url`, `configMap`"),
    ({"configMap": "a"}, "", "Invalid value: must specify exactly one of: `url`, `configMap`"),
    ({"first": 1, "second": 2}, "",
     "Invalid value: must specify at most one of: `first`, `second`"),
    ({"mode": "Big"}, "size", "Required value: must be specified"),
    ({"mode": "Big", "size": 9}, "size", "Invalid value: must be greater than or equal to 10"),
    ({"mode": "None", "size": 9}, "size", "Forbidden: may not be specified"),
    ({"certificate": "a"}, "key", "Required value: must be set when certificate is set"),
    ({"key": "a", "insecure": False}, "insecure", "Forbidden: may not be set when key is set"),
    ({"part": {"type": "a", "size": 6}}, "part.size",
     "Invalid value: 6: spec.part.size in body should be less than or equal to 5"),
    ({"part": {"type": "a", "note": "b"}}, "part.note", "Forbidden: may not be specified"),
]  # fmt: skip
# Of an object that has them, a change, the field, and the message.
KEPT: Json = {
    "names": ["a", "b"],
    "counts": {"a": 3},
    "conditions": [{"type": "Denied", "note": "x"}],
    "fixed": "a",
    "generation": 3,
    "once": 1,
    "type": "Tcp",
    "stream": {"left": "a"},
}
CHANGED: list[tuple[Json, str, str]] = [
    ({"names": ["a", "b", "c"]}, "names", "Forbidden: item may not be added"),
    ({"names": ["a"]}, "names", "Forbidden: item may not be removed"),
    ({"counts": {"a": 3, "b": 3}}, "counts", "Forbidden: item may not be added"),
    ({"conditions": [{"type": "Denied", "note": "y"}]}, "conditions",
     "Invalid value: field is immutable"),
    ({"fixed": "b"}, "fixed", 'Invalid value: "b": field is immutable'),
    ({"fixed": None}, "fixed", "Invalid value: field is immutable"),
    ({"required": "b"}, "required", 'Invalid value: "b": field is immutable'),
    ({"generation": 2}, "generation", "Invalid value: 2: may not be decreased from 3"),
    ({"neverLater": "a"}, "neverLater", "Invalid value: field cannot be set once created"),
    ({"once": 2}, "once", "Invalid value: 2: field cannot be modified once set"),
    ({"once": None}, "once", "Invalid value: field cannot be cleared once set"),
    ({"stream": {"left": "b"}}, "stream.left", 'Invalid value: "b": field is immutable'),
    ({"stream": {}}, "stream.left", "Invalid value: field is immutable"),
]  # fmt: skip
ALLOWED: list[Json] = [
    {"names": ["b", "a"], "counts": {}, "conditions": [], "generation": None},
    {"stream": {"left": "a", "right": "b"}, "mode": "Small"},
]


@scenario
def declarative_tags_are_enforced_with_the_errors_of_kubernetes(serve: Serve) -> None:
    things = serve(TAGS.read_text())
    good = {"required": "a", "url": "b"}
    for change, field, message in TAGGED:
        code, answer = things.create({**good, **change}, "bad")
        place = f"spec.{field}".removesuffix(".")
        assert (code, (place, message) in causes(answer)) == (422, True), (change, answer)
    code, kept = things.create({**good, **KEPT, "opaque": {"size": 200}})
    assert code == 201, kept
    for change, field, message in CHANGED:
        code, answer = things.put(changed(kept, change), "t")
        assert (code, causes(answer)) == (422, [(f"spec.{field}", message)]), (change, answer)
    for change in ALLOWED:
        code, kept = things.put(changed(kept, change), "t")
        assert code == 200, (change, kept)


def causes(answer: Json) -> list[tuple[str, str]]:
    return [(each["field"], each["message"]) for each in answer["details"].get("causes", ())]


def changed(thing: Json, change: Json) -> Json:
    spec = {**thing["spec"], **change}
    return {**thing, "spec": {name: value for name, value in spec.items() if value is not None}}


UNIONS = Path(__file__).parents[1] / "crd_golden/unions/unions/v1.py"
WEB = {"type": "Http", "url": "http://a"}
# Of the types of UNIONS: specs, and what is wrong with them.
REFUSED: list[tuple[Json, str, str]] = [
    ({"target": {}}, "target.type", "Required value"),
    ({"target": {"type": "Udp"}}, "target.type",
     'Unsupported value: "Udp": supported values: "Http", "Tcp", "Silence"'),
    ({"target": {"type": "Tcp"}}, "target.port",
     'Required value: must be specified when `type` is "Tcp"'),
    ({"target": {**WEB, "port": 1}}, "target.port",
     'Invalid value: may only be specified when `type` is "Tcp"'),
    ({"target": {"type": "Silence", "timeout": 1}}, "target.timeout",
     'Invalid value: may only be specified when `type` is "Http" or `type` is "Tcp"'),
    ({"target": {"type": "Http", "url": "a"}}, "target", "Invalid value: no web address"),
    ({"target": WEB, "password": {}}, "password",
     "Invalid value: must specify one of: `secretName`, `text`"),
    ({"target": WEB, "password": {"secretName": "a"}}, "password.key",
     "Required value: must be specified when `secretName` is specified"),
    ({"target": WEB, "byName": {"a": {"text": "a", "key": "b"}}}, "byName[a].key",
     "Invalid value: may only be specified when `secretName` is specified"),
    ({"target": WEB, "password": {"secretName": "a", "key": "b", "text": "c"}}, "password",
     "Invalid value: must specify exactly one of: `secretName`, `text`"),
]  # fmt: skip


@scenario
def objects_of_unions_are_of_one_of_their_types(serve: Serve) -> None:
    things = serve(UNIONS.read_text().replace("Probe", "Thing"))
    for number, (spec, field, message) in enumerate(REFUSED):
        code, answer = things.create(spec, f"bad-{number}")
        assert (code, (f"spec.{field}", message) in causes(answer)) == (422, True), (spec, answer)
    code, kept = things.create({"target": WEB, "password": {"text": "a"}})
    assert code == 201, kept
    code, answer = things.put(changed(kept, {"target": {**WEB, "url": "http://b"}}), "t")
    assert (code, causes(answer)) == (422, [("spec.target", "Invalid value: it stays")])
    code, answer = things.put(changed(kept, {"target": {"type": "Tcp", "port": 1}}), "t")
    assert code == 200, answer
