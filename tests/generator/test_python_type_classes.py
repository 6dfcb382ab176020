"""Modules of model classes as they are read: markers, texts, annotations; nothing left behind."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
import pytest
from kubeapi.core.v1 import Container

from clientgen._gvk import GroupVersion
from clientgen._problems import ClientgenError, Problems
from clientgen.generator.ir import ModelId, PythonClass
from clientgen.generator.plurals import plural_of, with_article
from clientgen.generator.python_types.class_reader import read_class, read_module
from clientgen.generator.python_types.class_records import (
    NO_DEFAULT,
    ApiKind,
    TypeClass,
    TypeModule,
)
from clientgen.generator.python_types.declared_kinds import kinds
from clientgen.generator.python_types.source import gather, parse
from clientgen.runtime._models.meta_v1 import Condition, ObjectMeta

IMPORTS = """
from __future__ import annotations
from typing import Annotated
from msgspec import Meta
from clientgen.runtime import models
from clientgen.runtime._models.meta_v1 import Condition, ModelList, ObjectMeta
from clientgen.runtime._models.model import Literal, Model, Raw, Time, auto, constant, field
"""
KIND = """
class {kind}(Model):
    api_version: Literal["{gv}"] = constant("{gv}", name="apiVersion")
    kind: Literal["{kind}"] = constant("{kind}")
    metadata: ObjectMeta = auto(ObjectMeta)
"""


@pytest.fixture(autouse=True)
def forget() -> Any:
    """What tests import under short names is theirs alone."""
    before = set(sys.modules)
    yield
    for name in sys.modules.keys() - before:
        if name.startswith("tt_"):
            del sys.modules[name]


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def kind(name: str = "Thing", gv: str = "things.example.com/v1", *markers: str) -> str:
    lines = [f"# {marker}" for marker in markers]
    return "\n\n" + "\n".join(lines) + KIND.format(kind=name, gv=gv)


def read(root: Path, source: str, name: str = "tt_types") -> TypeModule:
    write(root, **{name: IMPORTS + source})
    problems = Problems()
    module = read_module(name, root, problems)
    assert list(map(str, problems)) == []
    assert module
    return module


def a_class(root: Path, source: str) -> TypeClass:
    """The last class of a source."""
    return read(root, dedent(source)).classes[-1]


def a_kind(root: Path, *markers: str, top: str = "") -> ApiKind:
    problems = Problems()
    module = read(root, top + kind("Thing", "things.example.com/v1", *markers))
    (read_kind,) = kinds([module], problems)
    assert list(map(str, problems)) == []
    return read_kind


def annotation(root: Path, written: str, before: str = "") -> Any:
    source = f"{before}\nclass Holder(Model):\n    x: {written}\n"
    (field,) = a_class(root, source).fields
    return field.annotation


# ---- classes and fields -----------------------------------------------------------------------


def test_fields_are_read_from_the_class_and_texts_from_the_source(tmp_path: Path) -> None:
    type_class = a_class(
        tmp_path,
        '''
        class Spec(Model):
            """What is to be.

            At length.
            """

            # +kubebuilder:validation:Pattern=`a|b`
            # not a marker
            name: str
            """The name,
            of two lines."""
            count: int = field(default=3, name="howMany")
            words: list[str] = field(default_factory=lambda: ["a"])
            extra: Raw = Raw()
            kind: Literal["Spec"] = constant("Spec")
            inner: Condition | None = None
            meta: ObjectMeta = auto(ObjectMeta)
        ''',
    )

    assert (type_class.name, type_class.docstring) == ("Spec", "What is to be.\n\nAt length.")
    name, count, words, _, constant, inner, meta = type_class.fields
    assert [marker.text for marker in name.markers] == ["+kubebuilder:validation:Pattern=`a|b`"]
    assert name.markers[0].where == f"{tmp_path}/tt_types.py:15"
    assert (name.docstring, name.required, name.default) == (
        "The name,\nof two lines.",
        True,
        NO_DEFAULT,
    )
    assert (count.attribute, count.wire_name, count.default) == ("count", "howMany", 3)
    assert (words.required, words.default) == (False, ["a"])
    assert (constant.default, get_args(constant.annotation)) == ("Spec", ("Spec",))
    assert (inner.default, get_args(inner.annotation)[0]) == (None, Condition)
    assert (meta.default, meta.required, meta.annotation) == (NO_DEFAULT, False, ObjectMeta)


def test_fields_of_bases_come_first_wherever_they_are(tmp_path: Path) -> None:
    write(
        tmp_path,
        tt_pkg__base=IMPORTS
        + "Phase = Literal['A', 'B']\nclass Base(Model):\n    first: Phase\n    again: int = 1\n",
        tt_pkg__types=IMPORTS
        + "from .base import Base, Phase\n"
        + "class Derived(Base):\n    phase: Phase | str = ''\n    again: int = 2\n",
    )
    problems = Problems()
    module = read_module("tt_pkg.types", tmp_path, problems)

    assert module
    assert list(problems) == []
    (derived,) = module.classes
    fields = {field.attribute: field for field in derived.fields}
    assert derived.fields[0].attribute == "first"
    assert get_args(fields["first"].annotation) == ("A", "B")
    assert fields["first"].where == f"{tmp_path}/tt_pkg/base.py:10"
    assert fields["again"].default == 2
    assert get_origin(get_args(fields["phase"].annotation)[0]) is Literal


@pytest.mark.parametrize(
    ("written", "before", "expected"),
    [
        ("Literal['a', 'b']", "", Literal["a", "b"]),
        ("models.Literal['a']", "", Literal["a"]),
        ("Phase", "Phase = Literal['a']", Literal["a"]),
        ("list[Phases]", "Phase = Literal['a']\nPhases = list[Phase]", list[list[Literal["a"]]]),
        ("'list[Literal[\"a\"]]'", "", list[Literal["a"]]),
        ("Annotated['int', Meta(ge=0)]", "", Annotated[int, msgspec.Meta(ge=0)]),
        ("dict[str, 'Condition']", "", dict[str, Condition]),
    ],
)
def test_annotations_are_evaluated_with_their_literals(
    tmp_path: Path, written: str, before: str, expected: Any
) -> None:
    assert annotation(tmp_path, written, before) == expected


def test_classes_inside_classes_are_found(tmp_path: Path) -> None:
    module = read(
        tmp_path,
        "class Outer(Model):\n"
        "    class Inner(Model):\n"
        "        again: list[Outer.Inner] = field(default_factory=list)\n"
        "    inner: Outer.Inner | None = None\n",
    )

    outer, inner = module.classes
    assert (outer.name, inner.name) == ("Outer", "Outer.Inner")
    assert get_args(outer.fields[0].annotation)[0] is inner.cls
    assert inner.fields[0].annotation == list[inner.cls]  # type: ignore[name-defined]


def test_generated_classes_are_read_too() -> None:
    problems = Problems()
    type_class = read_class(Container, problems)

    policy = type_class.field("imagePullPolicy")
    assert policy
    assert policy.attribute == "image_pull_policy"
    assert "IfNotPresent" in str(policy.annotation)
    assert list(problems) == []


# ---- where markers stand ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("above", "markers"),
    [
        ("# +a\n", ["+a"]),
        ("# +a\n\n", ["+a"]),
        ("# +a\n\n\n", ["+a"]),
        ("# +a\n\n# +b\n", ["+a", "+b"]),
        ("# +a\n# text\n# +b\n", ["+a", "+b"]),
        ("# +a\n\n# text\n", ["+a"]),
        ("#+a\n", ["+a"]),
    ],
)
def test_the_two_blocks_above_a_class_are_its_own(
    tmp_path: Path, above: str, markers: list[str]
) -> None:
    type_class = a_class(tmp_path, f"x = 1\n\n\n{above}class Holder(Model): ...\n")

    assert [marker.text for marker in type_class.markers] == markers


def test_module_markers_are_at_the_top(tmp_path: Path) -> None:
    module = read(tmp_path, "# +groupName=a.example.com\n\n\nclass Holder(Model): ...\n")

    assert [marker.text for marker in module.markers] == ["+groupName=a.example.com"]
    assert module.classes[0].markers == ()


# ---- kinds ------------------------------------------------------------------------------------


def test_a_kind_is_put_together_from_all_its_markers(tmp_path: Path) -> None:
    kind = a_kind(
        tmp_path,
        "+kubebuilder:resource:path=thingies,singular=thingy,scope=Cluster",
        "+kubebuilder:subresource:status",
        "+kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n",
    )

    assert str(kind.gvk) == "things.example.com/v1/Thing"
    assert (kind.plural, kind.singular, kind.list_kind) == ("thingies", "thingy", "ThingList")
    assert (kind.namespaced, kind.status, kind.scale) == (False, True, True)


@pytest.mark.parametrize(
    ("markers", "namespaced"),
    [
        ([], True),
        (["+genclient:nonNamespaced"], False),
        (["+kubebuilder:resource:scope=Cluster"], False),
        (["+kubebuilder:resource:scope=Namespaced"], True),
        (["+genclient:nonNamespaced", "+kubebuilder:resource:scope=Cluster"], False),
    ],
)
def test_scope_comes_from_either_grammar(
    tmp_path: Path, markers: list[str], namespaced: bool
) -> None:
    assert a_kind(tmp_path, *markers).namespaced is namespaced


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("CronTab", "crontabs"),
        ("Ingress", "ingresses"),
        ("Box", "boxes"),
        ("Quiz", "quizes"),
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("Batch", "batches"),
        ("Mesh", "meshes"),
        ("Knife", "knives"),
        ("Shelf", "shelves"),
        ("Y", "y"),
    ],
)
def test_plurals_are_guessed_as_go_does(kind: str, plural: str) -> None:
    assert plural_of(kind) == plural


@pytest.mark.parametrize(
    "text",
    [
        *("a Widget", "an Ingress", "an EphemeralVolumeClaim", "an HTTPRoute", "a UDPRoute"),
        *("a User", "a Unit", "an Uninstall", "an Update", "a OneTimeJob", "an HourlyJob"),
        *("a House", "a URLMap", "an XRay", "a Xenon", "an S3Bucket", "a B", "an A"),
    ],
)
def test_kinds_have_the_article_that_they_are_spoken_with(text: str):
    assert with_article(text.split()[1]) == text


# ---- the source -------------------------------------------------------------------------------


def test_the_sources_that_a_module_is_made_of_are_inputs(tmp_path: Path) -> None:
    write(
        tmp_path,
        src__tt_pkg__common="from . import deeper\n",
        src__tt_pkg__deeper="",
        src__tt_pkg__other="",
        src__tt_pkg__types="import json\nfrom .common import x\nraise SystemExit\n",
    )

    (tmp_path / "src/tt_pkg/__init__.py").touch()

    inputs = gather(["tt_pkg.types"], tmp_path)

    names = ["__init__", "common", "deeper", "types"]
    assert [one.name for one in inputs] == [f"src/tt_pkg/{name}.py" for name in names]


def test_types_of_two_folders_do_not_mix(tmp_path: Path) -> None:
    path = list(sys.path)
    homes = [tmp_path / "one", tmp_path / "two"]
    for home in homes:
        gv = f"{home.name}.example.com/v1"
        write(
            home, tt_types=IMPORTS + "from tt_shared import x\n" + kind("Thing", gv, "+genclient")
        )
        write(home, tt_shared=f"x = {home.name!r}\n")

    for home in (*homes, *homes):
        parsed = parse(["tt_types"], home)
        assert list(parsed.markers) == [f"{home.name}.example.com/v1/Thing"]
        assert sys.modules["tt_shared"].x == home.name
    assert sys.path == path
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_module_that_changed_is_imported_again(tmp_path: Path) -> None:
    for gv in ("a.example.com/v1", "b.example.com/v1"):
        write(tmp_path, tt_types=IMPORTS + kind("Thing", gv, "+genclient"))
        assert list(parse(["tt_types"], tmp_path).markers) == [f"{gv}/Thing"]


def test_classes_are_known_in_the_group_version_of_their_module(tmp_path: Path) -> None:
    source = "class Part(Model): ...\n\n\nclass _Own(Model): ...\n"
    write(tmp_path, tt_types=IMPORTS + source + kind("Thing", "a.example.com/v1", "+genclient"))

    classes = parse(["tt_types"], tmp_path).imported.classes

    home = GroupVersion("a.example.com", "v1")
    assert classes == {
        ModelId(home, name): PythonClass("tt_types", name) for name in ("Part", "Thing")
    }


def test_a_kind_without_genclient_is_left_out_and_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        tt_types=IMPORTS
        + kind("Thing", "a.example.com/v1", "+genclient")
        + kind("Quiet", "a.example.com/v1", "+kubebuilder:object:root=true")
        + kind("Past", "a.example.com/v1", "+genclient", "+kubebuilder:unservedversion"),
    )

    spec = parse(["tt_types"], tmp_path).spec

    assert {operation.plural for operation in spec.operations} == {"things"}
    assert [what for what, _ in spec.ignored] == [
        "a.example.com/v1/Past",
        "a.example.com/v1/Quiet",
    ]


def test_modules_in_which_nobody_asks_for_a_client_are_a_problem(tmp_path: Path) -> None:
    write(tmp_path, tt_types=IMPORTS + kind("Thing", "a.example.com/v1"))

    with pytest.raises(ClientgenError, match="no class of 'tt_types' has a client"):
        parse(["tt_types"], tmp_path)


def test_the_output_of_an_imported_module_is_suppressed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, tt_types=IMPORTS + "print('hello')\n" + kind("A", "a.b/v1", "+genclient"))
    parse(["tt_types"], tmp_path)

    assert capsys.readouterr() == ("", "hello\n")


# ---- what is decoded ---------------------------------------------------------------------------


def test_numbers_of_an_enumeration_are_read_as_numbers_those_of_newer_servers_too(
    tmp_path: Path,
) -> None:
    part = a_class(tmp_path, "class Part(Model):\n    level: Literal[1, 2] = 1\n")

    assert msgspec.to_builtins(msgspec.json.decode(b'{"level": 3}', type=part.cls)) == {"level": 3}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"level": "3"}', type=part.cls)
