"""Classes of the user: what their annotations, defaults, markers and base classes mean."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from clientgen._problems import ClientgenError
from clientgen.reference.modules import Modules
from clientgen.reference.records import Field
from clientgen.reference.type_reader import TypeReader

SOURCES = {
    "__init__.py": "",
    "base.py": '''
from typing import Annotated, Literal, Optional, Union
from msgspec import Meta
from clientgen.runtime.models import Model, field

Phase = Literal["New", "Old"]
Port = Annotated[int, Meta(ge=1, le=65535)]

class Part(Model):
    """A part."""

    name: str

class Common(Model):
    """What all have."""

    owner: str = ""
    """Who has it."""
    ports: list[Port] = field(default_factory=list)
''',
    "kinds.py": '''
from typing import TYPE_CHECKING, ClassVar
from . import base
from .base import *
from .base import Part as Piece
from clientgen.runtime.models import CustomResource, Quantity, Time, auto

if TYPE_CHECKING:
    from collections.abc import Mapping

class WidgetSpec(base.Common):
    """What it is."""

    registry: ClassVar[dict] = {}
    _hidden: int = 0
    phase: Phase = "New"
    """Its phase.

    Since 1.2.
    """
    port: Port
    # +kubebuilder:validation:MaxLength=10
    # +kubebuilder:validation:XValidation:rule="self != 'x'",message="not x"
    # +immutable
    text: "str | None" = None
    odd: Optional[int] = field(default=7, name="x-odd")
    either: Union[int, str] = 1
    parts: dict[str, list[Piece]] = field(default_factory=dict)
    other: base.Part = auto(base.Part)
    size: Quantity | None = None
    when: Time | None = None
    mystery: frozenset[complex] | undefined.Name[3] = None

class _Base(CustomResource, group="example.com", version="v1"):
    """A base."""

# +kubebuilder:resource:shortName=wd;w
class Widget(_Base, kind="Gadget"):
    """A widget."""

    spec: WidgetSpec
''',
}


def read(name: str, sources: Mapping[str, str] = SOURCES) -> dict[str, Field]:
    def source(path: str) -> bytes | None:
        return sources[path].encode() if path in sources else None

    modules = Modules(packages={"mine": source})
    reader = TypeReader(modules)
    return {each.name: each for each in reader.fields(modules.find("mine.kinds", name))}


def test_the_annotations_of_a_class_are_understood():
    fields = read("WidgetSpec")

    assert {name: each.shape.word for name, each in fields.items()} == {
        "owner": "string",
        "ports": "[]integer",
        "phase": "string",
        "port": "integer",
        "text": "string",
        "x-odd": "integer",
        "either": "IntOrString",
        "parts": "map[string][]Part",
        "other": "Part",
        "size": "Quantity",
        "when": "Time",
        "mystery": "Object",
    }
    assert fields["phase"].shape.values == ("New", "Old")
    assert (fields["parts"].shape.type, fields["parts"].shape.steps) == (
        fields["other"].shape.type,
        '["key"][0]',
    )
    assert fields["x-odd"].attribute == "odd"
    assert [name for name, each in fields.items() if each.required] == ["port"]


def test_defaults_and_limits_of_a_class_are_facts():
    facts = {name: each.facts for name, each in read("WidgetSpec").items()}

    assert facts["phase"].default == '"New"'
    assert facts["phase"].since == "1.2"
    assert facts["x-odd"].default == "7"
    assert facts["port"].limits == ("From 1 to 65535.",)
    assert facts["text"].limits == (
        "At most 10 characters.",
        "Rule: not x (`self != 'x'`).",
        "Immutable once set.",
    )
    assert read("WidgetSpec")["owner"].text == "Who has it."


def test_a_kind_has_the_group_of_its_base_class():
    fields = read("Widget")

    assert list(fields) == ["apiVersion", "kind", "metadata", "spec"]
    assert fields["apiVersion"].shape.values == ("example.com/v1",)
    assert fields["kind"].shape.values == ("Gadget",)


def test_imports_in_a_circle_end():
    sources = {
        "__init__.py": "",
        "kinds.py": "from .other import A",
        "other.py": "from .kinds import A",
    }

    assert read("A", sources) == {}


def test_a_class_in_a_circle_of_bases_has_its_own_fields():
    text = "class A(B):\n    a: int = 1\nclass B(A):\n    b: int = 2\n"

    assert read("A", {"__init__.py": "", "kinds.py": text}).keys() == {"a", "b"}


@pytest.mark.parametrize("text", ["class A(", "\0", "x = " + "(" * 1000, "#\xff"])
def test_what_is_no_python_is_a_problem(text: str):
    with pytest.raises(ClientgenError, match=r"mine\.kinds: this module is not Python"):
        read("A", {"__init__.py": "", "kinds.py": text} if text != "#\xff" else bad())


def bad() -> dict[str, str]:
    return {"__init__.py": "", "kinds.py": "# coding: nothing-like-it"}
