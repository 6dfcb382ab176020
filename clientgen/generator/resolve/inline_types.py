"""Objects described in place: which of them are one class, and the name of that class.

A CustomResourceDefinition says at every place what stands there, so one type of its author is in it
many times. Objects of a group version that have the same structure become one class: the same
properties, types and requirements, and the same rules for the object as a whole. Descriptions may
differ; the class then has none. Objects such as `{name}` and `{key, name}` are everywhere, so these
are one class only if the property that holds them has the same name, too.

A class is called after the place of the object: `CronTabSpecJobTemplate`. Of several places the
shortest counts, so that the class of a name always is the class of the object at that place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from clientgen._gvk import GroupVersion
from clientgen.generator.ir import (
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    TypeRef,
    UnionType,
)
from clientgen.generator.resolve.inline_names import Path, place_names
from clientgen.generator.resolve.kind_selection import models_in
from clientgen.generator.resolve.schema_sentences import Description

# Types with fewer properties are alike by chance.
_MIN_PROPERTIES = 3

_Names: TypeAlias = Mapping[ModelId, ModelId]


@dataclass(frozen=True, slots=True)
class DescribedModel:
    """An object as its schema has it: a model without descriptions, and those of its parts."""

    model: Model
    description: Description
    fields: Mapping[str, Description]


@dataclass(frozen=True, slots=True)
class InlineObject:
    """An object that is described where it is used.

    `path` leads to it, from the definition on. A `pinned` object has a class of its own, even if
    others are equal.
    """

    described: DescribedModel
    path: Path
    pinned: bool


def merge(
    in_place: Mapping[ModelId, InlineObject], used: Iterable[ModelId]
) -> dict[ModelId, Model]:
    """The classes of objects described in place, by the objects that they are the classes of.

    Args:
        in_place: the objects; what is inside of another one comes before it.
        used: models, whose names are taken.
    """
    classes = _classes(in_place)
    firsts = {first: in_place[first] for first in dict.fromkeys(classes.values())}
    names = _names(firsts, used)
    renamed = {key: names[first] for key, first in classes.items()}
    members = {first: [each.described] for first, each in firsts.items()}
    for key, first in classes.items():
        if key != first:
            members[first].append(in_place[key].described)
    models = {
        first: retyped(in_words(each, names[first]), renamed) for first, each in members.items()
    }
    return {key: models[first] for key, first in classes.items()}


def retyped(model: Model, names: _Names) -> Model:
    """A model whose fields speak of other models by their new names."""
    fields = tuple(replace(field, type=_type(field.type, names)) for field in model.fields)
    return model if fields == model.fields else replace(model, fields=fields)


def _type(type_: TypeRef, names: _Names) -> TypeRef:
    if isinstance(type_, ModelType):
        new = names.get(type_.model)
        return ModelType(new) if new else type_
    if isinstance(type_, ListType):
        return ListType(_type(type_.item, names))
    if isinstance(type_, MapType):
        return MapType(_type(type_.value, names))
    if isinstance(type_, UnionType):
        return UnionType(tuple(_type(member, names) for member in type_.members))
    return type_


def _classes(in_place: Mapping[ModelId, InlineObject]) -> dict[ModelId, ModelId]:
    """For each object the one that names its class."""
    alike: dict[object, list[ModelId]] = {}
    first_of: dict[ModelId, ModelId] = {}
    sizes: dict[ModelId, int] = {}
    for key, each in in_place.items():
        model = each.described.model
        sizes[key] = sum(1 + _size(field.type, sizes) for field in model.fields)
        holder = each.path[-1] if sizes[key] < _MIN_PROPERTIES else ""
        members = alike.setdefault((holder, _structure(each.described, first_of)), [])
        members.append(key)
        first_of[key] = members[0]
    classes: dict[ModelId, ModelId] = {}
    for members in alike.values():
        best = min(members, key=lambda key: _precedence(in_place[key]))
        classes |= {key: key if in_place[key].pinned else best for key in members}
    return {key: classes[key] for key in in_place}


def _size(type_: TypeRef, sizes: Mapping[ModelId, int]) -> int:
    """Return the number of properties of a value, on all levels that are described in place."""
    return sum(sizes.get(model, 0) for model in models_in(type_))


def _structure(described: DescribedModel, first_of: _Names) -> object:
    """Return a comparable form of what objects of one class have in common."""
    model = described.model
    fields = tuple(
        (f.name, _type(f.type, first_of), f.required, f.has_default, f.partial)
        for f in model.fields
    )
    return model.id.group_version, fields, model.open_ended, described.description.sentences


def _precedence(in_place: InlineObject) -> tuple[bool, int, int, Path]:
    """Parts of kinds go first, then what is nearest to its kind and has the shortest name."""
    return not in_place.pinned, len(in_place.path), sum(map(len, in_place.path)), in_place.path


def _names(
    firsts: Mapping[ModelId, InlineObject], used: Iterable[ModelId]
) -> dict[ModelId, ModelId]:
    by_home: dict[GroupVersion, dict[ModelId, Path]] = {}
    for key, first in firsts.items():
        by_home.setdefault(key.group_version, {})[key] = first.path
    names_by_home: dict[GroupVersion, set[str]] = {}
    for model in used:
        names_by_home.setdefault(model.group_version, set()).add(model.name)
    ids: dict[ModelId, ModelId] = {}
    for home, paths in by_home.items():
        names = place_names(paths.values(), names_by_home.get(home, ()))
        ids |= {key: ModelId(home, names[path]) for key, path in paths.items()}
    return ids


def in_words(members: Sequence[DescribedModel], name: ModelId) -> Model:
    """The class of equal objects, with the descriptions that all of them share."""
    model = members[0].model
    description = _common(member.description for member in members)
    if description.sentences and not description.text:
        description = replace(description, text=f"{name.name} of {name.group_version}.")
    fields = tuple(
        replace(field, description=str(_common(member.fields[field.name] for member in members)))
        for field in model.fields
    )
    return replace(model, id=name, fields=fields, description=str(description))


def _common(descriptions: Iterable[Description]) -> Description:
    """Return the parts that are equal in all descriptions."""
    first, *rest = dict.fromkeys(descriptions)
    text = first.text if all(description.text == first.text for description in rest) else ""
    same = all(description.sentences == first.sentences for description in rest)
    return Description(text, first.sentences if same else "")
