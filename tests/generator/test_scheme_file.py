"""Which kinds a package registers with a scheme."""

from __future__ import annotations

from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen.generator.ir import Api, GroupVersionApi, Model, ModelId, PythonClass, Resource
from clientgen.generator.plan.plan_records import KindsPlan, Modules
from clientgen.generator.plan.scheme_entries import scheme_file

V1 = GroupVersion("example.com", "v1")
AUTOSCALING = GroupVersion("autoscaling", "v1")
MODULES = {"example.com": "example", "autoscaling": "autoscaling"}


def model(gv: GroupVersion, name: str, kind: str = "") -> Model:
    gvk = GroupVersionKind(gv.group, gv.version, kind) if kind else None
    return Model(ModelId(gv, name), (), gvk)


def resource(name: str, kind: str) -> Resource:
    listed = ModelId(V1, f"{name}List")
    return Resource(V1, "things", kind, True, ModelId(V1, name), listed, frozenset())


def kinds(api: Api) -> dict[str, dict[str, tuple[str, ...]]]:
    plans: tuple[KindsPlan, ...] = scheme_file(api, Modules(MODULES, api.imported)).kinds
    return {plan.api_version: dict(plan.modules) for plan in plans}


def test_kinds_are_those_of_the_apis_it_has_resources_of():
    things = GroupVersionApi(
        V1,
        (model(V1, "ThingList", "ThingList"), model(V1, "Thing", "Thing"), model(V1, "ThingSpec")),
        (resource("Thing", "Thing"),),
    )
    scales = GroupVersionApi(AUTOSCALING, (model(AUTOSCALING, "Scale", "Scale"),), ())
    wanted = {"example.com/v1": {".example.v1.models": ("Thing", "ThingList")}}
    assert kinds(Api((things, scales))) == wanted
    assert kinds(Api((scales, things))) == wanted
    assert kinds(Api((scales,))) == {}


def test_classes_of_the_user_are_registered_where_they_are():
    imported = {
        ModelId(V1, "Thing"): PythonClass("own.types", "ThingType"),
        ModelId(AUTOSCALING, "Scale"): PythonClass("kubeapi.autoscaling.v1.models", "Scale"),
    }
    things = GroupVersionApi(
        V1, (model(V1, "ThingList", "ThingList"),), (resource("Thing", "Thing"),)
    )
    assert kinds(Api((things,), imported=imported)) == {
        "example.com/v1": {".example.v1.models": ("ThingList",), "own.types": ("Thing:ThingType",)}
    }


def test_lists_of_the_user_are_too():
    imported = {
        ModelId(V1, "Thing"): PythonClass("own.types", "Thing"),
        ModelId(V1, "ThingList"): PythonClass("own.types", "Things"),
    }
    things = GroupVersionApi(V1, (), (resource("Thing", "Thing"),))
    assert kinds(Api((things,), imported=imported)) == {
        "example.com/v1": {"own.types": ("Thing", "ThingList:Things")}
    }


def test_a_class_may_have_another_name_than_its_kind():
    things = GroupVersionApi(V1, (model(V1, "class-like", "class-like"),), (resource("a", "A"),))
    assert kinds(Api((things,))) == {
        "example.com/v1": {".example.v1.models": ("class-like:class_like",)}
    }
