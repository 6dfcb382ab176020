"""What the types say is what a server does: our manifests, applied, and objects held to them.

What is said here holds on every server: tests/generator/test_crd_enforcement.py has it of our own,
tests/cluster/test_own_types.py of a real one. `serve` defines the one kind of some modules there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
