"""Structural schemas of Python types: what each annotation, default and docstring becomes."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest
from support.crds import definition, module, read, spec_schema, wrong

from clientgen.generator.crds.annotation_schemas import UnsupportedTypeError, plain, scalar
from clientgen.generator.crds.crd_manifest import version_order
from clientgen.generator.crds.immutability_rules import cel_name
from clientgen.runtime._models.quantity import Quantity

INT = {"type": "integer", "format": "int64"}
TEXT = {"type": "string"}
ANY = {"x-kubernetes-preserve-unknown-fields": True}
EITHER = {"anyOf": [{"type": "integer"}, TEXT], "x-kubernetes-int-or-string": True}
QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
TYPES: list[tuple[str, dict[str, Any]]] = [
    ("str", TEXT),
    ("int", INT),
    ("float", {"type": "number"}),
    ("bool", {"type": "boolean"}),
    ("bytes", {"type": "string", "format": "byte"}),
    ("Time", {"type": "string", "format": "date-time"}),
    ("MicroTime", {"type": "string", "format": "date-time"}),
    ("Quantity", {**EITHER, "pattern": QUANTITY}),
    ("IntOrString", EITHER),
    ("int | str", EITHER),
    ("Raw", ANY),
    ("str | None", TEXT),
    ("Annotated[str, Meta(min_length=1)] | None", {**TEXT, "minLength": 1}),
    ("Literal['a', 'b']", {**TEXT, "enum": ["a", "b"]}),
    ("Literal['a', 'b'] | None", {**TEXT, "enum": ["a", "b"]}),
    ("Literal['a', 'b'] | str", TEXT),  # written open, so left open
    ("Literal[1, 2]", {**INT, "enum": [1, 2]}),
    ("Literal[1, 2] | int", INT),
    ("Literal['auto'] | int", EITHER),
    ("int | float", {"type": "number"}),
    ("Name", TEXT),
    ("list[str | None]", {"type": "array", "items": {**TEXT, "nullable": True}}),
    ("dict[str, int | None]",
     {"type": "object", "additionalProperties": {**INT, "nullable": True}}),
    ("Name | None", TEXT),
    ("list[Port]", {"type": "array", "items": {**INT, "minimum": 1, "maximum": 9}}),
    ("list[str]", {"type": "array", "items": TEXT}),
    ("list[list[int]]", {"type": "array", "items": {"type": "array", "items": INT}}),
    ("dict[str, int]", {"type": "object", "additionalProperties": INT}),
    ("dict[str, list[bool]]",
     {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}}),
    ("dict[str, Raw]", {"type": "object", **ANY}),
    ("Part", {"type": "object", "properties": {"a": TEXT}, "required": ["a"],
              "description": "A part."}),
    ("Annotated[int, Meta(ge=1, le=9)]", {**INT, "minimum": 1, "maximum": 9}),
    ("Annotated[int, Meta(gt=1, lt=9)]",
     {**INT, "minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": True}),
    ("Annotated[float, Meta(multiple_of=0.5)]", {"type": "number", "multipleOf": 0.5}),
    ("Annotated[str, Meta(min_length=1, max_length=3, pattern='^a')]",
     {**TEXT, "minLength": 1, "maxLength": 3, "pattern": "^a"}),
    ("Annotated[list[str], Meta(min_length=1, max_length=3)]",
     {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3}),
    ("Annotated[dict[str, str], Meta(min_length=1, max_length=3)]",
     {"type": "object", "additionalProperties": TEXT, "minProperties": 1, "maxProperties": 3}),
    ("list[Annotated[str, Meta(max_length=3)]]",
     {"type": "array", "items": {**TEXT, "maxLength": 3}}),
    ("Annotated[str, Meta(title='T', description='D', examples=['x', 'y'])]",
     {**TEXT, "title": "T", "description": "D", "example": "x"}),
    ("Annotated[str, Meta(extra_json_schema={'format': 'uuid'})]", {**TEXT, "format": "uuid"}),
]  # fmt: skip
PART = '''
from typing import NewType
Name = NewType("Name", str)
Port = Annotated[int, Meta(ge=1, le=9)]
class Part(Model):
    """A part."""
    a: str
'''


@pytest.mark.parametrize(("annotation", "schema"), TYPES, ids=[each[0] for each in TYPES])
def test_annotations(tmp_path: Path, annotation: str, schema: dict[str, Any]) -> None:
    made = spec_schema(tmp_path, f"x: {annotation}", before=PART)
    assert made["properties"]["x"] == schema


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


ELSEWHERE: list[tuple[Any, dict[str, Any]]] = [
    (int | Literal["auto"], EITHER),
    (int | float, {"type": "number"}),
    (str | Any, ANY),
    (Literal["a", "b"], {**TEXT, "enum": ["a", "b"]}),
    (Literal[1, 2], {**INT, "enum": [1, 2]}),
    (Colour, {**TEXT, "enum": ["red", "blue"]}),
    (Quantity | str, {**EITHER, "pattern": QUANTITY}),
]


@pytest.mark.parametrize(("annotation", "schema"), ELSEWHERE, ids=[str(e[0]) for e in ELSEWHERE])
def test_annotations_of_classes_of_other_packages(annotation: Any, schema: dict[str, Any]) -> None:
    assert scalar(plain(annotation)) == schema


@pytest.mark.parametrize("annotation", [int | bool, Literal["a", 1], complex, str | list[str]])
def test_annotations_without_a_schema(annotation: Any) -> None:
    with pytest.raises(UnsupportedTypeError) as caught:
        scalar(plain(annotation))
    assert caught.value.hint


MARKED: list[tuple[str, str, dict[str, Any]]] = [
    ("Minimum=1", "int", {**INT, "minimum": 1}),
    ("ExclusiveMaximum=true\n# +kubebuilder:validation:Maximum=5", "int",
     {**INT, "maximum": 5, "exclusiveMaximum": True}),
    ("MaxLength=3", "str", {**TEXT, "maxLength": 3}),
    ("MinLength=0", "str", {**TEXT, "minLength": 0}),
    ("Format=int32", "int", {"type": "integer", "format": "int32"}),
    ("Format=ipv4", "str", {**TEXT, "format": "ipv4"}),
    ("Enum=a;b", "str", {**TEXT, "enum": ["a", "b"]}),
    ("Enum=a", "Literal['a', 'b']", {**TEXT, "enum": ["a"]}),  # the marker is the last word
    ("items:MaxLength=3", "list[str]", {"type": "array", "items": {**TEXT, "maxLength": 3}}),
    ("items:items:Minimum=3", "list[list[int]]",
     {"type": "array", "items": {"type": "array", "items": {**INT, "minimum": 3}}}),
    ("Type=string", "Raw", {**TEXT, **ANY}),
    ("XIntOrString", "str", EITHER),
    ("XPreserveUnknownFields", "dict[str, str]",
     {"type": "object", "additionalProperties": TEXT, **ANY}),
    ("XEmbeddedResource", "Raw", {"type": "object", **ANY, "x-kubernetes-embedded-resource": True}),
    ("MinProperties=1", "dict[str, str]",
     {"type": "object", "additionalProperties": TEXT, "minProperties": 1}),
    ("Schemaless\n# +kubebuilder:pruning:PreserveUnknownFields", "list[str]", ANY),
    ("XValidation:rule=`self > 1`,message=more", "int",
     {**INT, "x-kubernetes-validations": [{"rule": "self > 1", "message": "more"}]}),
    ("Optional\n# +nullable", "int", {**INT, "nullable": True}),
    ("Optional\n# +listType=set", "list[str]",
     {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}),
    ("Optional\n# +mapType=atomic", "dict[str, str]",
     {"type": "object", "additionalProperties": TEXT, "x-kubernetes-map-type": "atomic"}),
    ("Optional\n# +listType=map\n# +listMapKey=a", "list[Part]",
     {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
      "items": {"type": "object", "description": "A part.", "properties": {"a": TEXT},
                "required": ["a"]}}),
    ("Optional\n# +kubebuilder:title=A title\n# +kubebuilder:example=x", "str",
     {**TEXT, "title": "A title", "example": "x"}),
    ("Optional\n# +kubebuilder:externalDocs:url=\"https://example.com\"", "str",
     {**TEXT, "externalDocs": {"url": "https://example.com"}}),
    ("Optional\n# +immutable", "str",
     {**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf",
                                            "message": "it cannot be changed"}]}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("marker", "annotation", "schema"), MARKED, ids=[f"{m} {a}" for m, a, _ in MARKED]
)
def test_markers(tmp_path: Path, marker: str, annotation: str, schema: dict[str, Any]) -> None:
    text = f"# +kubebuilder:validation:{marker}\nx: {annotation}"
    assert spec_schema(tmp_path, text, before=PART)["properties"]["x"] == schema


def test_required_fields_follow_python_unless_a_marker_overrides(
    tmp_path: Path,
) -> None:
    text = """
a: str
b: str = ""
c: int | None = None
# +optional
d: str
# +required
e: str = ""
# +kubebuilder:validation:Required
f: str | None = None
g: list[str] = field(default_factory=list)
"""
    assert spec_schema(tmp_path, text)["required"] == ["a", "e", "f"]


def test_a_module_may_make_everything_optional(tmp_path: Path) -> None:
    source = module("a: str\n# +required\nb: str").replace(
        "# +groupName", "# +kubebuilder:validation:Optional\n# +groupName"
    )
    schema = definition(tmp_path, source)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["spec"]["required"] == ["b"]


DEFAULTS: list[tuple[str, Any]] = [
    ("int = 3", 3),
    ("float = 0.5", 0.5),
    ("bool = True", True),
    ("str = 'x'", "x"),
    ("bytes = b'x'", "eA=="),
    ("Literal['a', 'b'] = 'b'", "b"),
    ("Quantity = Quantity('100Mi')", "100Mi"),
    ("list[str] = field(default_factory=lambda: ['a'])", ["a"]),
    ("dict[str, int] = field(default_factory=lambda: {'a': 1})", {"a": 1}),
    ("Raw = Raw(b'{\"a\":1}')", {"a": 1}),
    ("Literal['fixed'] = constant('fixed')", "fixed"),
]
NO_DEFAULTS = (
    "int = 0",
    "int | None = None",
    "bool = False",
    "float = 0.0",
    "str = ''",
    "list[str] = field(default_factory=list)",
    "dict[str, str] = field(default_factory=dict)",
    "Raw = NO_RAW",
    "Loose = auto(Loose)",
    "str",
)


@pytest.mark.parametrize(("assignment", "default"), DEFAULTS, ids=[each[0] for each in DEFAULTS])
def test_defaults_that_are_left_off_the_wire_are_filled_in_by_the_server(
    tmp_path: Path, assignment: str, default: Any
) -> None:
    schema = spec_schema(tmp_path, f"x: {assignment}")
    assert schema["properties"]["x"]["default"] == default
    assert "required" not in schema


def test_none_beside_another_default_is_null_where_the_server_keeps_it(tmp_path: Path) -> None:
    schema = spec_schema(tmp_path, "# +nullable\nx: int | None = 3")
    assert schema["properties"]["x"] == {**INT, "nullable": True, "default": 3}


@pytest.mark.parametrize("assignment", NO_DEFAULTS)
def test_empty_defaults_are_what_absence_reads_as(tmp_path: Path, assignment: str) -> None:
    before = 'class Loose(Model):\n    """Empty."""\n    a: str = ""\n'
    assert (
        "default" not in spec_schema(tmp_path, f"x: {assignment}", before=before)["properties"]["x"]
    )


def test_an_object_that_cannot_be_empty_is_no_auto(tmp_path: Path) -> None:
    """What is left out reads as one that has no schedule, and would be written back so."""
    line = "x: Part = auto(Part)"
    told = f"{line} -> `ThingSpec.x` is made by `auto(Part)`, but there is no Part without `a`"
    assert wrong(tmp_path, line, before=PART) == [told]
    deep = "x: PodTemplateSpec = auto(PodTemplateSpec)\ny: PodSpec = auto(PodSpec)"
    before = "from kubeapi.core.v1 import PodSpec, PodTemplateSpec\n"
    (problem,) = wrong(tmp_path, deep, before=before)
    assert problem.endswith("but there is no PodSpec without `containers`")


def test_a_status_is_written_by_controllers_and_reads_as_zero_before(tmp_path: Path) -> None:
    more = "    status: Part = auto(Part)"
    crd = definition(tmp_path, module("x: int = 0", before=PART, more=more))
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["required"] == ["spec"]
    assert schema["properties"]["status"]["required"] == ["a"]


def test_a_marker_gives_a_default_where_python_has_none(tmp_path: Path) -> None:
    text = """
# +kubebuilder:default=3
a: int | None = None
# +default=["x"]
b: list[str] | None = None
# +kubebuilder:default={}
c: Empty = auto(Empty)
# +kubebuilder:default=5
d: int = 5
# +kubebuilder:default={}
e: list[str] | None = None
"""
    schema = spec_schema(tmp_path, text, before="class Empty(Model):\n    a: str = ''\n")
    defaults = {name: each["default"] for name, each in schema["properties"].items()}
    assert defaults == {"a": 3, "b": ["x"], "c": {}, "d": 5, "e": []}


def test_descriptions_are_docstrings_without_markers(tmp_path: Path) -> None:
    before = 'class Doc(Model):\n    """Of the class.\n\n    More.\n    """\n    a: str = ""\n'
    text = '''
a: str = ""
"""One line."""
b: str = ""
"""Several lines,
indented.

+marker
"""
c: Doc = auto(Doc)
d: Doc = auto(Doc)
"""Of the field."""
'''
    properties = spec_schema(tmp_path, text, before=before)["properties"]
    assert [properties[name]["description"] for name in "abcd"] == [
        "One line.", "Several lines,\nindented.", "Of the class.\n\nMore.", "Of the field.",
    ]  # fmt: skip


def test_type_meta_and_metadata_are_left_to_the_server(tmp_path: Path) -> None:
    crd = definition(tmp_path, module("a: str = ''"))
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"]["metadata"] == {"type": "object"}
    assert schema["properties"]["kind"]["type"] == "string"
    assert "enum" not in schema["properties"]["apiVersion"]


def test_markers_of_a_class_go_where_the_class_goes(tmp_path: Path) -> None:
    before = """
# +kubebuilder:validation:XValidation:rule="self.a != 'x'"
# +kubebuilder:validation:MinProperties=1
# +mapType=atomic
# +kubebuilder:validation:ExactlyOneOf=a;for
class Part(Model):
    a: str = ""
    for_: str = field(default="", name="for")
"""
    text = "# +kubebuilder:validation:XValidation:rule=has(self.a)\nx: Part = auto(Part)"
    schema = spec_schema(tmp_path, text, before=before)["properties"]["x"]
    assert schema["minProperties"] == 1
    assert schema["x-kubernetes-map-type"] == "atomic"
    assert schema["x-kubernetes-validations"] == [
        {"rule": "self.a != 'x'"},
        {
            "rule": "[has(self.a), has(self.__for__)].filter(x, x).size() == 1",
            "message": "exactly one of a, for has to be set",
        },
        {"rule": "has(self.a)"},
    ]


def test_list_keys_of_kubernetes_types_are_written(tmp_path: Path) -> None:
    text = """
selector: LabelSelector | None = None
# +listType=map
# +listMapKey=type
conditions: list[Condition] = field(default_factory=list)
"""
    properties = spec_schema(tmp_path, text)["properties"]
    assert properties["selector"]["x-kubernetes-map-type"] == "atomic"
    expressions = properties["selector"]["properties"]["matchExpressions"]
    assert expressions["x-kubernetes-list-type"] == "atomic"
    condition = properties["conditions"]["items"]
    assert condition["properties"]["status"]["enum"] == ["True", "False", "Unknown"]
    assert condition["properties"]["reason"]["minLength"] == 1
    assert condition["required"] == ["lastTransitionTime", "message", "reason", "status", "type"]


def test_a_used_package_is_inlined_with_the_keys_of_its_lists(tmp_path: Path) -> None:
    before = "from kubeapi.core.v1 import PodTemplateSpec\n"
    schema = spec_schema(tmp_path, "template: PodTemplateSpec", before=before)
    pod = schema["properties"]["template"]["properties"]
    containers = pod["spec"]["properties"]["containers"]
    assert containers["x-kubernetes-list-map-keys"] == ["name"]
    ports = containers["items"]["properties"]["ports"]
    assert ports["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert ports["items"]["properties"]["protocol"]["default"] == "TCP"
    assert ports["items"]["properties"]["containerPort"]["format"] == "int32"
    assert set(pod["metadata"]["properties"]) == {
        "annotations", "finalizers", "generateName", "labels", "name", "namespace",
        "ownerReferences",
    }  # fmt: skip


def test_an_embedded_object_keeps_its_type_meta_free(tmp_path: Path) -> None:
    before = """
# +kubebuilder:skip
class Inner(Model):
    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Inner"] = constant("Inner")
    metadata: ObjectMeta = auto(ObjectMeta)
    size: int = 1
"""
    text = "# +kubebuilder:validation:EmbeddedResource\nx: Inner = auto(Inner)"
    schema = spec_schema(tmp_path, text, before=before)["properties"]["x"]
    assert schema["x-kubernetes-embedded-resource"] is True
    assert schema["properties"]["metadata"] == {"type": "object"}
    assert "enum" not in schema["properties"]["kind"]
    assert "default" not in schema["properties"]["apiVersion"]
    assert schema["properties"]["size"]["default"] == 1


WRONG: list[tuple[str, str]] = [
    ("x: int | None = 5",
     "x: int | None = 5 -> `x` may be None, which servers replace with the default, 5"),
    ("# +kubebuilder:validation:Minimum=1\nx: str",
     ("# +kubebuilder:validation:Minimum=1 -> `+kubebuilder:validation:Minimum` is for a whole "
     "number or a number, and this is text")),
    ("# +kubebuilder:validation:MaxItems=1\nx: dict[str, str]",
     ("# +kubebuilder:validation:MaxItems=1 -> `+kubebuilder:validation:MaxItems` is for a list, "
     "and this is an object")),
    ("# +kubebuilder:validation:items:MaxLength=1\nx: str",
     ("# +kubebuilder:validation:items:MaxLength=1 -> `+kubebuilder:validation:items:MaxLength` "
     "applies to items, but the value is text")),
    ("# +listType=set\nx: str", "# +listType=set -> `+listType` is for a list, and this is text"),
    ("# +listType=map\nx: list[Part]",
     "x: list[Part] -> a list of type map needs at least one key"),
    ("# +listMapKey=a\nx: list[Part]",
     "x: list[Part] -> `+listMapKey` is for lists of type map"),
    ("# +listType=map\n# +listMapKey=z\nx: list[Part]",
     "x: list[Part] -> the key `z` is not a field of the items"),
    ("# +listType=map\n# +listMapKey=b\nx: list[Part]",
     "x: list[Part] -> the key `b` of the items is neither required nor defaulted"),
    ("# +kubebuilder:validation:Minimum=9\n# +kubebuilder:validation:Maximum=1\nx: int",
     "x: int -> no number is between 9 and 1"),
    ("# +kubebuilder:validation:MinLength=9\n# +kubebuilder:validation:MaxLength=1\nx: str",
     "x: str -> minLength is 9, and maxLength is 1"),
    ("# +kubebuilder:validation:MaxLength=-1\nx: str",
     ("# +kubebuilder:validation:MaxLength=-1 -> `+kubebuilder:validation:MaxLength`: a count "
     "cannot be -1")),
    ("# +kubebuilder:validation:MultipleOf=0\nx: int",
     ("# +kubebuilder:validation:MultipleOf=0 -> `+kubebuilder:validation:MultipleOf`: it must "
     "be greater than 0, not 0")),
    ("# +kubebuilder:validation:Minimum=0.5\nx: int",
     ("# +kubebuilder:validation:Minimum=0.5 -> `+kubebuilder:validation:Minimum`: 0.5 cannot "
     "limit an integer")),
    ("# +kubebuilder:validation:ExclusiveMinimum=true\nx: int",
     "x: int -> exclusiveMinimum has no effect without minimum"),
    ("# +kubebuilder:validation:Enum=1;2\nx: str",
     ("# +kubebuilder:validation:Enum=1;2 -> `+kubebuilder:validation:Enum`: `1`, `2` is not text; "
     "strings may need quotes")),
    ("# +kubebuilder:default=x\nx: int | None = None",
     '# +kubebuilder:default=x -> `+kubebuilder:default`: "x" is not of the field\'s type'),
    ("# +kubebuilder:default=3\nx: int = 1",
     "# +kubebuilder:default=3 -> `x` is 1 in Python and 3 for the server"),
    ("# +kubebuilder:default=3\nx: int = 0",
     "# +kubebuilder:default=3 -> `x` is 0 in Python and 3 for the server"),
    ("# +required\n# +optional\nx: int = 0",
     "# +optional -> it is marked as both required and optional"),
    ("x: Annotated[str, Meta(extra_json_schema={'foo': 1})]",
     ("x: Annotated[str, Meta(extra_json_schema={'foo': 1})] -> `Meta(extra_json_schema=...)`: "
     "`foo` is not a schema keyword")),
    ("# +kubebuilder:validation:Maximum=1\nx: int = 5",
     ("x: int = 5 -> an API server would refuse `spec.x.default`: Invalid value: 5:  in body "
     "should "
     "be less than or equal to 1")),
    ("# +kubebuilder:validation:Pattern=`(`\nx: str",
     "# +kubebuilder:validation:Pattern=`(` -> an API server would refuse `spec.x.pattern`: "),
    ("# +kubebuilder:validation:XValidation:rule=self.y\nx: str",
     ("# +kubebuilder:validation:XValidation:rule=self.y -> an API server would refuse "
     "`spec.x.x-kubernetes-validations.0.rule`: ")),
    ("# +listType=set\nx: list[Part]",
     "x: list[Part] -> an API server would refuse `spec.x.items.x-kubernetes-map-type`: "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "problem"), WRONG, ids=[each[0] for each in WRONG])
def test_contradictions_are_told_at_their_line(tmp_path: Path, text: str, problem: str) -> None:
    before = "class Part(Model):\n    a: str\n    b: str = ''\n"
    (message,) = wrong(tmp_path, text, before=before)
    assert message.startswith(problem)


OF_KIND: list[tuple[str, str]] = [
    ("# +kubebuilder:subresource:scale:specpath=.spec.replica,statuspath=.status.replicas",
     "`.spec.replica` leads nowhere: there is no field `replica`"),
    ("# +kubebuilder:subresource:scale:specpath=.spec.name,statuspath=.status.replicas",
     "`.spec.name` must be a whole number, not string"),
    ("# +kubebuilder:printcolumn:name=N,type=string,JSONPath=.status.phase",
     "`.status.phase` leads nowhere: there is no field `phase`"),
    ("# +kubebuilder:selectablefield:JSONPath=.spec.nme",
     "`.spec.nme` leads nowhere: there is no field `nme`"),
    ("# +kubebuilder:selectablefield:JSONPath=.spec.parts",
     "an API server would refuse `spec.versions.0.selectableFields.0.jsonPath`"),
    ("# +kubebuilder:validation:AtLeastOneOf=spec;stats",
     "`+kubebuilder:validation:AtLeastOneOf` names no field: `stats`"),
    ("# +kubebuilder:metadata:labels=x",
     "`+kubebuilder:metadata`: `x` has no value"),
    ("# +kubebuilder:metadata:labels=x=1\n# +kubebuilder:metadata:labels=x=2",
     "`x` of the labels has two values"),
]  # fmt: skip


@pytest.mark.parametrize(("markers", "problem"), OF_KIND, ids=[each[0] for each in OF_KIND])
def test_markers_of_a_kind_are_checked_against_its_fields(
    tmp_path: Path, markers: str, problem: str
) -> None:
    status = "class ThingStatus(Model):\n    replicas: int = 0\n"
    text = "replicas: int = 1\nname: str = ''\nparts: list[str] = field(default_factory=list)"
    more = "    status: ThingStatus = auto(ThingStatus)"
    problems = wrong(tmp_path, text, before=status, markers=markers, more=more)
    place, _, what = problems[-1].partition(" -> ")
    assert place == markers.splitlines()[-1]
    assert what.startswith(problem)


def test_metadata_of_a_kind_cannot_be_limited(tmp_path: Path) -> None:
    source = module("a: str = ''").replace(
        "    metadata: ObjectMeta",
        "    # +kubebuilder:validation:MinProperties=1\n    metadata: ObjectMeta",
    )
    _, problems = read(tmp_path, source)
    assert [each.partition(": ")[2] for each in problems] == [
        (
            "`+kubebuilder:validation:MinProperties` cannot be used on `metadata` of a kind\n"
            "    the server checks that field itself"
        )
    ]


def test_a_type_that_contains_itself_is_told_and_may_be_left_open(tmp_path: Path) -> None:
    before = """
class Node(Model):
    children: list["Node"] = field(default_factory=list)
"""
    (problem,) = wrong(tmp_path, "x: Node = auto(Node)", before=before)
    assert problem.startswith('children: list["Node"] = field(default_factory=list) -> ')
    assert "Node -> Node" in problem
    opened = before.replace(
        "    children",
        "    # +kubebuilder:validation:Schemaless\n"
        "    # +kubebuilder:pruning:PreserveUnknownFields\n    children",
    )
    found_schema = spec_schema(tmp_path, "x: Node = auto(Node)", before=opened)
    assert found_schema["properties"]["x"]["properties"]["children"] == ANY


# ---------------------------------------------------------------------------------- definitions


def versions(tmp_path: Path, *sources: str) -> tuple[list[tuple[str, bool, bool]], list[str]]:
    entries, problems = read(tmp_path, *sources)
    listed = [
        (each["name"], each["served"], each["storage"])
        for one in entries
        for each in one.definition["spec"]["versions"]
    ]
    return listed, [problem.partition(": ")[2] for problem in problems]


def test_versions_of_several_modules_are_one_definition_in_the_order_of_kubernetes(
    tmp_path: Path,
) -> None:
    stored = "# +kubebuilder:storageversion"
    unserved = "# +kubebuilder:unservedversion"
    entries, problems = versions(
        tmp_path,
        module("a: str = ''", version="v1beta1", markers=unserved),
        module("a: str = ''", version="v2", markers="# +kubebuilder:resource:shortName=th"),
        module("a: str = ''", version="v1alpha1", markers="# +kubebuilder:skipversion"),
        module("a: str = ''", version="v1", markers=stored),
    )
    assert problems == []
    assert entries == [("v2", True, False), ("v1", True, True), ("v1beta1", False, False)]


def test_one_version_is_stored(tmp_path: Path) -> None:
    stored = "# +kubebuilder:storageversion"
    one, two = module("a: str = ''", version="v1"), module("a: str = ''", version="v2")
    assert versions(tmp_path, one, two)[1] == [
        (
            "no version of Thing is marked as the stored one: v2, v1\n"
            "    put `+kubebuilder:storageversion` above one of them"
        )
    ]
    both = [module("a: str = ''", version=name, markers=stored) for name in ("v1", "v2")]
    (problem,) = versions(tmp_path, *both)[1]
    assert problem.startswith("a second version is marked as the stored one\n")


def test_versions_agree_on_what_they_share(tmp_path: Path) -> None:
    cluster = "# +kubebuilder:storageversion\n# +kubebuilder:resource:scope=Cluster,shortName=a"
    _, problems = versions(
        tmp_path,
        module("a: str = ''", version="v2", markers="# +kubebuilder:resource:shortName=b"),
        module("a: str = ''", version="v1", markers=cluster),
    )
    assert [each.partition("\n")[0] for each in problems] == [
        "the scope is Cluster here, and Namespaced in v2",
        "`shortName` differs from its value in another version",
    ]


def test_everything_a_definition_may_say(tmp_path: Path) -> None:
    markers = """
# +kubebuilder:resource:path=thingies,singular=thingy,shortName=t;th,categories=all,scope=Cluster
# +kubebuilder:subresource:status
# +kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n,selectorpath=.status.s
# +kubebuilder:printcolumn:name=N,type=integer,JSONPath=.spec.n,priority=1,description="How many"
# +kubebuilder:selectablefield:JSONPath=.spec.color
# +kubebuilder:deprecatedversion:warning="use v2"
# +kubebuilder:metadata:annotations="a=b=c",labels="x=y"
""".strip()
    crd = definition(
        tmp_path,
        module(
            "n: int = 1\ncolor: str = ''",
            before="class ThingStatus(Model):\n    n: int = 0\n    s: str = ''\n",
            markers=markers,
            more="    status: ThingStatus = auto(ThingStatus)",
        ),
    )
    assert crd["metadata"] == {
        "name": "thingies.example.com", "annotations": {"a": "b=c"}, "labels": {"x": "y"},
    }  # fmt: skip
    assert crd["spec"]["scope"] == "Cluster"
    assert crd["spec"]["names"] == {
        "kind": "Thing", "listKind": "ThingList", "plural": "thingies", "singular": "thingy",
        "shortNames": ["t", "th"], "categories": ["all"],
    }  # fmt: skip
    version = crd["spec"]["versions"][0]
    del version["schema"]
    assert version == {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": True,
        "deprecationWarning": "use v2",
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.n",
                "statusReplicasPath": ".status.n",
                "labelSelectorPath": ".status.s",
            },
        },
        "additionalPrinterColumns": [
            {"name": "N", "type": "integer", "jsonPath": ".spec.n", "priority": 1,
             "description": "How many"},
        ],
        "selectableFields": [{"jsonPath": ".spec.color"}],
    }  # fmt: skip


def test_a_skipped_module_has_no_definitions(tmp_path: Path) -> None:
    source = module("a: str = ''").replace("# +groupName", "# +kubebuilder:skip\n# +groupName")
    assert read(tmp_path, source) == ((), [])


def test_the_order_of_versions() -> None:
    names = ["foo", "v1alpha1", "v10", "v1", "v2beta1", "v1beta2", "v2", "v1beta10", "bar"]
    assert sorted(names, key=version_order) == [
        "v10", "v2", "v1", "v2beta1", "v1beta10", "v1beta2", "v1alpha1", "bar", "foo",
    ]  # fmt: skip


def test_names_in_rules() -> None:
    names = ["a", "for", "a-b", "a.b/c", "x__y", "$ref"]
    assert [cel_name(name) for name in names] == [
        "a", "__for__", "a__dash__b", "a__dot__b__slash__c", "x__underscores__y", None,
    ]  # fmt: skip
