"""Divides models that are too many for one module.

Type checkers give up on a module at some size: pyright after about 30,000 steps of its analysis, of
which a field is up to three, and then knows none of its classes. `models` stays the module that has
all classes to users; it takes them from its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter

from clientgen.generator.ir import Model, ModelId
from clientgen.generator.plan.plan_records import FilePlan, ModelPlan, Symbol
from clientgen.generator.plan.reference_cycles import circles
from clientgen.generator.resolve.kind_selection import models_in

# A half of what pyright takes, in its steps.
MAX_STEPS_PER_MODULE = 15_000
_STEPS_PER_CLASS = 3


def in_parts(file: FilePlan, models: Sequence[Model]) -> list[FilePlan]:
    """The file of a group version's models, or several.

    Args:
        file: the file with all of them.
        models: the models of its classes, in the same order.
    """
    # Modules with circular imports need their classes before any import is done.
    if file.late or sum(map(_steps, file.models)) <= MAX_STEPS_PER_MODULE:
        return [file]
    plans = dict(zip((model.id for model in models), file.models, strict=True))
    parts = list(_filled(_together(models), plans))
    if len(parts) == 1:
        return [file]
    where = {plan.name: f"models_{n}" for n, part in enumerate(parts, 1) for plan in part}
    files = [_part(file, part, where) for part in parts]
    folder = file.module.rpartition(".")[0]
    reexports = tuple(Symbol(f"{folder}.{where[name]}", name) for name in file.defines)
    index_module = replace(file, template="parts.py.j2", defines=(), models=(), reexports=reexports)
    return [index_module, *files]


def _part(file: FilePlan, models: Sequence[ModelPlan], where: Mapping[str, str]) -> FilePlan:
    names = tuple(model.name for model in models)
    path = file.path.replace("models.py", f"{where[names[0]]}.py")
    return replace(file, path=path, defines=names, models=tuple(models), parts=where)


def _steps(model: ModelPlan) -> int:
    return _STEPS_PER_CLASS * (len(model.fields) + 2)


def _filled(
    groups: Iterable[Sequence[ModelId]], plans: Mapping[ModelId, ModelPlan]
) -> Iterator[list[ModelPlan]]:
    """Parts as large as they may be, of groups that stay together."""
    order = {model: number for number, model in enumerate(plans)}
    part: list[ModelPlan] = []
    steps = 0
    for group in groups:
        models = [plans[model] for model in sorted(group, key=order.__getitem__)]
        more = sum(map(_steps, models))
        if part and steps + more > MAX_STEPS_PER_MODULE:
            yield part
            part, steps = [], 0
        part += models
        steps += more
    if part:
        yield part


def _together(models: Sequence[Model]) -> Iterator[list[ModelId]]:
    """Models in groups that refer to each other in circles; each group after those it refers to."""
    ids = {model.id for model in models}
    needs = {model.id: _needed(model, ids) for model in models}
    circle_of = circles(needs)
    members: dict[frozenset[ModelId], list[ModelId]] = {}
    for model in models:
        members.setdefault(circle_of[model.id], []).append(model.id)
    graph = {
        circle: [
            circle_of[need] for model_id in group for need in needs[model_id] if need not in circle
        ]
        for circle, group in members.items()
    }
    yield from (members[circle] for circle in TopologicalSorter(graph).static_order())


def _needed(model: Model, ids: Collection[ModelId]) -> list[ModelId]:
    """The models of the same file that a class speaks of."""
    spoken_of = [target for field in model.fields for target in models_in(field.type)]
    spoken_of += [model.item] if model.item else []
    return sorted({target for target in spoken_of if target in ids})
