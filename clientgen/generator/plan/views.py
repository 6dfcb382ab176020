"""The views of the configuration: a class for each, and for each object that it has a part of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import (
    Api,
    Field,
    ListType,
    ModelId,
    ModelType,
    TypeRef,
    View,
    ViewPart,
)
from clientgen.generator.plan.plan_records import (
    FieldPlan,
    FilePlan,
    ModelPlan,
    Modules,
    ViewPlan,
    shown,
)
from clientgen.generator.resolve.inline_names import Path, place_names

# The path of a view's metadata, behind the name of the view.
_METADATA = ("metadata",)


def view_classes(
    api: Api, names: python_names.ChosenNames, problems: Problems
) -> dict[ModelId, Path]:
    """The class of every view and part: the view's name, and the fields that lead to the part.

    Args:
        api: what to generate.
        names: names of the user's choice.
        problems: takes views that are called like a model.
    """
    classes: dict[ModelId, Path] = {}
    for gv in api.group_versions:
        home = gv.group_version
        taken = {names.class_name(home, model.id.name) for model in gv.models}
        taken |= {cls.name for model, cls in api.imported.items() if model.group_version == home}
        for view in gv.views:
            if view.name in taken:
                what = f"{shown(home)} has a type that is called `{view.name}`, too"
                problems.add(view.where, what, "give the view another name")
        parts = [path for view in gv.views for path in _paths(view)]
        inner = [path for path in parts if len(path) > 1]
        by_path = place_names(inner, taken.union(view.name for view in gv.views))
        by_path |= {(view.name,): view.name for view in gv.views}
        classes |= {ModelId(home, name): path for path, name in by_path.items()}
    return classes


def _paths(view: View) -> Iterator[Path]:
    """The view, and the fields that lead to each part of an object."""
    parts: list[tuple[Path, ViewPart]] = [((view.name,), view.part)]
    for path, part in parts:
        yield path
        parts += [((*path, name), inner) for name, inner in part.fields.items() if inner]


def views_files(api: Api, modules: Modules, files: Iterable[FilePlan]) -> Iterator[FilePlan]:
    """The files of the views of each group version.

    Args:
        api: what to generate.
        modules: where its models are, and which classes of views there are.
        files: those of the models, which know how their fields are declared.
    """
    plans = {
        (file.path.rpartition("/")[0], model.name): model for file in files for model in file.models
    }
    planner = _Planner(modules, plans)
    for gv in api.group_versions:
        if gv.views:
            home = gv.group_version
            views = tuple(plan for view in gv.views for plan in planner.classes(view))
            yield FilePlan(
                f"{modules.package(home)}/views.py",
                "views.py.j2",
                f"Views of the {shown(home)} API: classes with some fields of its kinds.",
                "the configuration",
                defines=tuple(view.name for view in views),
                views=views,
            )


class _Planner:
    """Plans the classes of views."""

    def __init__(self, modules: Modules, plans: Mapping[tuple[str, str], ModelPlan]) -> None:
        self._modules = modules
        self._plans = plans
        self._classes = {
            (model.group_version, path): model for model, path in modules.views.items()
        }

    def classes(self, view: View) -> list[ViewPlan]:
        """The classes of a view in the order they are defined in: parts before what has them."""
        return [*self._parts(view.part.of.id.group_version, (view.name,), view.part)]

    def _parts(self, home: GroupVersion, path: Path, part: ViewPart) -> Iterator[ViewPlan]:
        fields: list[FieldPlan] = []
        for plan in self._fields(part):
            at = (*path, plan.wire_name)
            inner = part.fields[plan.wire_name]
            if inner:
                yield from self._parts(home, at, inner)
                type_ = _with_model(plan.type, self._classes[home, at])
                plan = replace(plan, type=type_)  # noqa: PLW2901
            # All views have metadata: a class that has more of it overrides a default.
            default = "auto" if at[1:] == _METADATA else _default(plan)
            fields.append(replace(plan, default=default))
        of = None if path[1:] == _METADATA else part.of.id
        yield ViewPlan(self._classes[home, path].name, of, len(path) == 1, tuple(fields))

    def _fields(self, part: ViewPart) -> Iterator[FieldPlan]:
        """The fields of a part, in the order and with the names that they have in their class."""
        model = part.of.id
        if self._modules.is_elsewhere(model):
            yield from (_existing(field) for field in part.of.fields if field.name in part.fields)
            return
        folder = self._modules.package(model.group_version)
        plan = self._plans[folder, self._modules.class_name(model)]
        yield from (field for field in plan.fields if field.wire_name in part.fields)


def _existing(field: Field) -> FieldPlan:
    """A field of a class that exists already: it says itself what it is called."""
    assert field.attribute
    default = "none" if field.attribute.nullable else "required"
    return FieldPlan(field.attribute.name, field.name, field.type, default, field.description)


def _default(field: FieldPlan) -> str:
    """Whether a field may be None: all else of its default is the model's."""
    return "none" if field.default == "none" else "required"


def _with_model(type_: TypeRef, model: ModelId) -> TypeRef:
    """The type with another model: a list of parts in place of a list of objects."""
    if isinstance(type_, ListType):
        return ListType(_with_model(type_.item, model))
    return ModelType(model)
