"""Fields of Python types, and what a server that has their definition takes and refuses."""

from __future__ import annotations

import re
from typing import Any

from support.crds import module

__all__ = ["CASES", "PART", "Case", "table_module"]

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

    def __init__(self, line: str, good: list[Any], bad: list[tuple[Any, str]]) -> None:
        self.line = line
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


def table_module() -> str:
    """The source of a module whose kind has the fields of all cases: `x0`, `x1`, ..."""
    lines = [re.sub("^x:", f"x{at}:", case.line, flags=re.M) for at, case in enumerate(CASES)]
    return module("\n".join(lines), before=PART)
