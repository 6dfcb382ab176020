"""The classes of a group version's models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import (
    Api,
    Field,
    GroupVersionApi,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    Scalar,
)
from clientgen.generator.plan.plan_records import (
    FieldPlan,
    ModelPlan,
    Modules,
    check_distinct,
    shown,
)
from clientgen.generator.plan.reference_cycles import circles
from clientgen.generator.resolve.kind_selection import models_in

# The forms of an absent scalar, other than None.
_SCALARS = {Scalar.JSON: "json", Scalar.INTEGER: "unset zero"}
_AUTO = frozenset({"metadata", "spec", "status"})
# Fields that must not appear in a log: reprs hide their values.
_SENSITIVE = {
    ("v1", "Secret"): ("data", "stringData"),
    ("authentication.k8s.io/v1", "TokenRequestStatus"): ("token",),
    ("authentication.k8s.io/v1", "TokenReviewSpec"): ("token",),
}


def model_plans(
    api: GroupVersionApi, modules: Modules, late_modules: frozenset[str], problems: Problems
) -> tuple[ModelPlan, ...]:
    """The classes in the order they are defined in.

    Args:
        api: the group version.
        modules: where other models are.
        late_modules: the folders whose models are imported after these classes exist.
        problems: takes clashes of names.
    """
    defined: set[ModelId] = set()

    def available(model: ModelId) -> bool:
        if modules.is_elsewhere(model):
            return True
        if model.group_version == api.group_version:
            return model in defined
        return modules.package(model.group_version) not in late_modules

    plans: list[ModelPlan] = []
    for model in defined_first(api.models):
        plans.append(_model(model, modules.class_name(model.id), available))
        defined.add(model.id)
    named = [(modules.class_name(model.id), model.id.name) for model in api.models]
    check_distinct(named, shown(api.group_version), "types", problems)
    return tuple(plans)


def own_plans(api: GroupVersionApi, modules: Modules) -> tuple[ModelPlan, ...]:
    """The classes that the user wrote, as far as manifests need them."""
    return tuple(
        _model(model, modules.symbol(model.id).name, modules.is_elsewhere) for model in api.own
    )


def _model(model: Model, name: str, available: Callable[[ModelId], bool]) -> ModelPlan:
    gv = model.id.group_version
    fields = [f for f in model.fields if not _is_constant(model, f) and not _is_item(model, f)]
    ordered = sorted(fields, key=lambda f: (_rank(f), f.name))
    attributes = python_names.attributes(field.name for field in ordered)
    plans = tuple(_field(field, attributes[field.name], available) for field in ordered)
    sensitive = _SENSITIVE.get((gv.api_version, model.id.name), ())
    return ModelPlan(
        name=name,
        summary=model.description or f"{model.id.name} of {shown(gv)}.",
        fields=plans,
        api_version=model.gvk.group_version.api_version if model.gvk else "",
        kind=model.gvk.kind if model.gvk else "",
        item=model.item,
        sensitive=tuple(python_names.attribute(wire_name) for wire_name in sensitive),
        open_ended=model.open_ended,
        partial=tuple(attributes[field.name] for field in ordered if field.partial),
    )


def _is_constant(model: Model, field: Field) -> bool:
    return model.gvk is not None and field.name in {"apiVersion", "kind"}


def _is_item(model: Model, field: Field) -> bool:
    """Lists take `metadata` and `items` from their base class."""
    return model.item is not None and field.name in {"metadata", "items"}


def _rank(field: Field) -> int:
    """Metadata, spec and status come first, as in manifests; then what is required."""
    order = {"metadata": 0, "spec": 1, "status": 2}
    return order.get(field.name, 3 if field.required else 4)


def _field(field: Field, attribute: str, available: Callable[[ModelId], bool]) -> FieldPlan:
    default = _default(field)
    if default == "auto" and not all(map(available, models_in(field.type))):
        default = "none"
    return FieldPlan(attribute, field.name, field.type, default, field.description)


def _default(field: Field) -> str:
    if field.required:
        return "required"
    if isinstance(field.type, ListType):
        return "unset list" if field.has_default else "list"
    if isinstance(field.type, MapType):
        return "unset dict" if field.has_default else "dict"
    if field.type is Scalar.JSON or (field.type is Scalar.INTEGER and field.has_default):
        return _SCALARS[field.type]
    if isinstance(field.type, ModelType) and field.name in _AUTO:
        return "auto"
    return "none"


def defined_first(models: Sequence[Model]) -> list[Model]:
    """Models in order of name, but after those their class bodies need: list items and the like."""
    by_id = {model.id: model for model in models}
    order: dict[ModelId, Model] = {}
    begun: set[ModelId] = set()
    todo = [model.id for model in reversed(models)]
    while todo:
        model = by_id[todo[-1]]
        if model.id in begun:
            order.setdefault(todo.pop(), model)
            continue
        begun.add(model.id)
        needed = (model_id for model_id in _needed_by_body(model) if model_id in by_id)
        todo += reversed([model_id for model_id in needed if model_id not in begun])
    return list(order.values())


def _needed_by_body(model: Model) -> list[ModelId]:
    autos = [m for f in model.fields if _default(f) == "auto" for m in models_in(f.type)]
    return [model.item, *autos] if model.item else autos


def late_imports(api: Api, modules: Modules) -> dict[str, frozenset[str]]:
    """Per folder of a group version: the model modules it shares an import circle with.

    Kubernetes' own API has no such circle; custom resources may.
    """
    edges = {
        modules.package(gv.group_version): {
            modules.package(target.group_version)
            for model in gv.models
            for target in _targets(model)
            if not modules.is_elsewhere(target) and target.group_version != gv.group_version
        }
        for gv in api.group_versions
    }
    components = circles(edges)
    return {start: components[start] - {start} for start in edges}


def _targets(model: Model) -> Iterable[ModelId]:
    for field_ in model.fields:
        yield from models_in(field_.type)
