"""Objects described in place: which of them are one class, and what it is called."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from clientgen._gvk import GroupVersion
from clientgen._openapi import schema as openapi
from clientgen.generator.ir import ListType, MapType, Model, ModelId, ModelType, TypeRef
from clientgen.generator.resolve import resolve
from clientgen.generator.resolve.inline_names import place_names
from clientgen.generator.sources.custom_operations import ServedKind, custom_spec
from clientgen.generator.sources.spec import Precedence

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
Schema = dict[str, Any]


def obj(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def listed(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def kind(name: str, **spec: Schema) -> ServedKind:
    schema, plural = openapi.Schema(obj(spec=obj(**spec))), f"{name.lower()}s"
    return ServedKind("x.io", "v1", name, f"{name}List", plural, True, schema, plural)


def classes(*kinds: ServedKind, version: str = "v1") -> dict[str, Model]:
    api = resolve([custom_spec("x.yaml", kinds, Precedence.MANIFEST)], [], inlined="never")
    home = GroupVersion("x.io", version)
    models = [model for gv in api.group_versions for model in gv.models]
    return {model.id.name: model for model in models if model.id.group_version == home}


def at(models: dict[str, Model], kind: str, *path: str) -> str:
    """The class of the object at a place."""
    name = kind
    for step in path:
        types = {field.name: field.type for field in models[name].fields}
        name = class_in(types[step])
    return name


def class_in(type_: TypeRef) -> str:
    while isinstance(type_, ListType | MapType):
        type_ = type_.item if isinstance(type_, ListType) else type_.value
    assert isinstance(type_, ModelType)
    return type_.model.name


ENGINE = obj(power=NUMBER, fuel=TEXT, parts=listed(obj(name=TEXT, weight=NUMBER, spare=TEXT)))


def test_equal_objects_are_one_class_whatever_holds_them() -> None:
    held = {"type": "object", "additionalProperties": listed(ENGINE)}
    models = classes(kind("Ship", bow=ENGINE, all=held), kind("Boat", deep=obj(engine=ENGINE)))

    places = [("Ship", "spec", "bow"), ("Ship", "spec", "all"), ("Boat", "spec", "deep", "engine")]
    assert {at(models, *place) for place in places} == {"ShipSpecAll"}
    assert {at(models, *place, "parts") for place in places} == {"ShipSpecAllParts"}


@pytest.mark.parametrize(
    "other",
    [
        {**ENGINE, "required": ["power"]},
        {**ENGINE, "x-kubernetes-preserve-unknown-fields": True},
        {**ENGINE, "x-kubernetes-validations": [{"rule": "self.power > 1"}]},
        obj(**{**ENGINE["properties"], "more": TEXT}),
        obj(**{**ENGINE["properties"], "fuel": {**TEXT, "enum": ["coal", "oil"]}}),
        obj(**{**ENGINE["properties"], "power": {"type": "number"}}),
        obj(**{**ENGINE["properties"], "parts": obj(name=TEXT, weight=NUMBER, spare=TEXT)}),
    ],
)
def test_objects_that_differ_become_separate_classes(other: Schema) -> None:
    models = classes(kind("Ship", bow=ENGINE, stern=other))

    assert at(models, "Ship", "spec", "bow") == "ShipSpecBow"
    assert at(models, "Ship", "spec", "stern") == "ShipSpecStern"


def test_versions_share_no_class() -> None:
    new = kind("Ship", bow=ENGINE)
    old = replace(new, version="v1beta1", where="older")

    assert "ShipSpecBow" in classes(old, new, version="v1")
    assert "ShipSpecBow" in classes(old, new, version="v1beta1")


def test_a_kind_keeps_its_own_spec_and_gives_it_to_what_looks_like_it() -> None:
    spec: Schema = ENGINE["properties"]
    models = classes(kind("Engine", **spec), kind("Motor", **spec), kind("Ship", engine=ENGINE))

    assert at(models, "Engine", "spec") == "EngineSpec"
    assert at(models, "Motor", "spec") == "MotorSpec"
    assert at(models, "Ship", "spec", "engine") == "MotorSpec"


def test_small_objects_are_merged_only_under_one_name() -> None:
    reference = obj(name=TEXT)
    models = classes(
        kind("Ship", portRef=reference, crewRef=reference, tender=obj(portRef=reference))
    )

    assert at(models, "Ship", "spec", "portRef") == "ShipSpecPortRef"
    assert at(models, "Ship", "spec", "tender", "portRef") == "ShipSpecPortRef"
    assert at(models, "Ship", "spec", "crewRef") == "ShipSpecCrewRef"


def test_only_what_is_said_of_all_is_said_of_the_class() -> None:
    bow = {**ENGINE, "description": "In front."}
    stern = obj(
        **{**ENGINE["properties"], "fuel": {**TEXT, "description": "Coal.", "maxLength": 9}}
    )
    parts: Schema = ENGINE["properties"]
    bow["properties"] = {**parts, "fuel": {**TEXT, "description": "Coal."}}
    ship = classes(kind("Ship", bow=bow, stern=stern))["ShipSpecBow"]

    assert ship.description == ""
    assert {field.name: field.description for field in ship.fields}["fuel"] == "Coal."


def test_the_nearest_place_names_a_class_and_then_the_shortest_word() -> None:
    models = classes(
        kind("ClusterShip", engine=ENGINE), kind("Ship", tender=obj(a=ENGINE), engine=ENGINE)
    )

    assert at(models, "ClusterShip", "spec", "engine") == "ShipSpecEngine"
    assert at(models, "Ship", "spec", "tender", "a") == "ShipSpecEngine"


GROWN: list[dict[str, Schema]] = [
    {"another": TEXT},
    {"anotherObject": obj(a=TEXT, b=TEXT, c=TEXT)},
    {"aRef": obj(name=TEXT)},
    {"portRef2": obj(name=TEXT, key=TEXT)},
    {"zDeep": obj(engine=ENGINE, deeper=obj(engine=ENGINE))},
    {"tender_boat": obj(oars=NUMBER, crew=NUMBER, name=TEXT)},
]


@pytest.mark.parametrize("more", GROWN)
def test_names_are_stable_when_types_are_added(more: dict[str, Schema]) -> None:
    spec: dict[str, Schema] = {
        "bow": ENGINE,
        "tender": obj(boat=ENGINE, oars=NUMBER),
        "portRef": obj(name=TEXT),
    }
    before, after = classes(kind("Ship", **spec)), classes(kind("Ship", **spec, **more))

    for place in [("bow",), ("bow", "parts"), ("tender",), ("tender", "boat"), ("portRef",)]:
        assert at(after, "Ship", "spec", *place) == at(before, "Ship", "spec", *place)


def test_a_name_never_comes_to_mean_another_place() -> None:
    """Places that would be called alike are all called otherwise: an import fails, and says so."""
    spec: dict[str, Schema] = {"ab": obj(c=obj(x=TEXT, y=TEXT, z=TEXT)), "w": TEXT}
    before = classes(kind("Ship", **spec))
    after = classes(kind("Ship", **spec, abC=obj(x=NUMBER, y=TEXT, z=TEXT)))

    assert at(before, "Ship", "spec", "ab", "c") == "ShipSpecAbC"
    assert "ShipSpecAbC" not in after
    one, other = at(after, "Ship", "spec", "ab", "c"), at(after, "Ship", "spec", "abC")
    assert {name.rpartition("_")[0] for name in (one, other)} == {"ShipSpecAbC"}
    assert one != other


def test_names_are_bounded() -> None:
    deck = "deckAboveTheWaterline"
    paths = [("Ship", *[deck] * depth) for depth in range(1, 40)] + [("Ship", "spec", "x" * 900)]
    names = place_names([*paths, ("Sh" + "i" * 61, "spec")])

    assert max(map(len, names.values())) <= 69
    assert len(set(names.values())) == len(names)
    assert names["Ship", deck, deck] == "ShipDeckAboveTheWaterlineDeckAboveTheWaterline"
    assert names["Ship", *[deck] * 4].startswith("Ship_")
    assert names["Ship", *[deck] * 4].endswith("_DeckAboveTheWaterlineDeckAboveTheWaterline")
    assert names["Sh" + "i" * 61, "spec"] == "Sh" + "i" * 61 + "Spec"


def test_names_do_not_depend_on_the_order_of_what_is_named() -> None:
    paths = [("Ship", "a-b"), ("Ship", "a_b"), ("Ship", "c"), ("ShipC",), ("Ship", "long" * 30)]

    forward, backward = place_names(paths, ["ShipC"]), place_names(paths[::-1], ["ShipC"])
    assert forward == backward
    assert forward["Ship", "c"] not in ("ShipC", forward["ShipC",])


def test_a_definition_keeps_its_name() -> None:
    models = classes(kind("Ship", bow=ENGINE), kind("ShipSpec", bow=TEXT))

    assert models["ShipSpec"].gvk
    assert at(models, "Ship", "spec") == "ShipSpec2"
    assert models["ShipSpecBow"].id == ModelId(GroupVersion("x.io", "v1"), "ShipSpecBow")


def test_a_long_name_says_the_kind_and_what_is_nearest() -> None:
    middle = [f"part{number}" for number in range(9)]
    path = ("ShipOfTheLine", "spec", *middle, "sails", "main", "rope")
    other = (*path[:-4], "masts", *path[-3:])
    names = place_names([path, other])
    assert {re.sub("_[0-9a-f]{4}_", "_", name) for name in names.values()} == {
        "ShipOfTheLine_SailsMainRope"
    }
    assert len(set(names.values())) == 2
    assert place_names([path])[path] == names[path], "whatever else there is"
    deep = ("Ship" * 5, "spec", *(["nest" * 4] * 3))
    assert max(map(len, place_names([deep]).values())) <= 60
