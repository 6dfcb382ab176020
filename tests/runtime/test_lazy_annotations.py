"""Models in modules without `from __future__ import annotations`.

Python evaluates their annotations with the class, and from 3.14 on when they are asked for: then
they may name what is defined later, and what is local.
"""

import sys
from datetime import datetime
from types import ModuleType

import pytest

from clientgen.runtime._models.class_annotations import annotations_of
from clientgen.runtime.models import (
    CustomResource,
    Model,
    ObjectMeta,
    Quantity,
    auto,
    decode,
    encode,
    field,
)


class Limits(Model):
    """Limits."""

    memory: Quantity | None = field(default=None)
    others: dict[str, Quantity] = field(default_factory=dict)


class TabSpec(Model):
    """What is wanted."""

    schedule: str
    names: list[str] = field(default_factory=list)
    limits: Limits = auto(Limits)
    at: datetime | None = field(default=None)


class Tab(CustomResource, group="lazy.example.com", version="v1"):
    """A kind."""

    spec: TabSpec


def test_a_kind_is_made_written_and_read() -> None:
    tab = Tab(metadata=ObjectMeta(name="a"), spec=TabSpec(schedule="*"))
    assert encode(tab) == (
        b'{"apiVersion":"lazy.example.com/v1","kind":"Tab","metadata":{"name":"a"},'
        b'"spec":{"schedule":"*"}}'
    )
    assert decode(encode(tab), Tab) == tab
    with pytest.raises(TypeError, match="Tab needs 'spec'"):
        Tab(metadata=ObjectMeta(name="a"))  # type: ignore[call-arg]


def test_texts_become_quantities() -> None:
    limits = Limits(memory="1Gi", others={"cpu": "1"})  # type: ignore[arg-type, dict-item]
    assert (limits.memory, limits.others) == (Quantity("1Gi"), {"cpu": Quantity("1")})
    limits.memory = "2Gi"  # type: ignore[assignment]
    assert limits.memory == Quantity("2Gi")


def test_what_was_sent_empty_is_sent_back_empty() -> None:
    assert encode(decode(b'{"schedule":"*","names":[]}', TabSpec)) == b'{"schedule":"*","names":[]}'
    assert encode(decode(b'{"schedule":"*","names":null}', TabSpec)) == b'{"schedule":"*"}'


def test_a_kind_that_is_declared_twice_is_refused() -> None:
    with pytest.raises(TypeError, match="Twice declares its api_version or kind twice"):

        class Twice(  # pyright: ignore[reportUnusedClass]
            CustomResource, group="lazy.example.com", version="v1"
        ):
            kind: int  # type: ignore[assignment]


def test_annotations_of_a_class_are_found() -> None:
    class Plain:
        at: datetime

    assert annotations_of(Plain) == {"at": datetime}
    assert set(annotations_of(Tab)) == {"api_version", "kind", "spec"}
    assert annotations_of(type("Bare", (Plain,), {})) == {}


LATER = """
from clientgen.runtime.models import CustomResource, Model, Quantity, auto, field

class Tree(CustomResource, group="lazy.example.com", version="v1"):
    spec: Node

class Node(Model):
    children: list[Node] = field(default_factory=list)
    names: Names = field(default_factory=list)
    leaf: Leaf | None = field(default=None)

Names = list[str]

class Leaf(Model):
    weight: Quantity | None = field(default=None)

def local():
    class Branch(Model):
        twigs: list[Twig] = field(default_factory=list)
        main: Twig | None = field(default=None)

    class Twig(Model):
        length: int

    return Branch
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="names have to be defined before")
def test_annotations_may_name_what_is_defined_later(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("defined_later")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(LATER, "defined_later.py", "exec", dont_inherit=True), vars(module))
    sent = (
        b'{"apiVersion":"lazy.example.com/v1","kind":"Tree","spec":{"children":[{"leaf":'
        b'{"weight":"1"}},{"names":["a"]},{"children":[]},{"names":[]}]}}'
    )
    tree = decode(sent, module.Tree)
    assert tree.spec.children[0].leaf.weight == Quantity(1)
    assert encode(tree) == sent
    branch = module.local()
    sent = b'{"twigs":[{"length":1}],"main":{"length":2}}'
    assert encode(decode(sent, branch)) == sent
    assert decode(sent, branch).twigs[0].length == 1
