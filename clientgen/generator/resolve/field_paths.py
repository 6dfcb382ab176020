"""Paths of fields, as kubectl writes them: `spec.containers[*].image`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from clientgen._problems import ClientgenError, Problem, most_similar
from clientgen.generator.config_records import PlacedText
from clientgen.generator.ir import (
    Field,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    Scalar,
    TypeRef,
    UnionType,
)

Names: TypeAlias = tuple[str, ...]
"""The names of the fields that a path leads through, without the lists."""

# Far more than objects are nested. Each step may become a class.
_MAX_STEPS = 32
_MAX_LISTED = 8
_NAME = r"(?:\\.|[^\s.\[\](){}'\"\\,|*])+"
_STEP = re.compile(
    rf"(?:\.(?P<plain>{_NAME})|\['(?P<single>[^']+)'\]|\[\"(?P<double>[^\"]+)\"\])"
    r"(?P<lists>(?:\[\*?\])*)"
)
_ESCAPE = re.compile(r"\\(.)")
_is_index = re.compile(r"\[[-\d:,]+\]").match
_WRITE = "write the names of fields in JSON: `spec.containers.image` is the image of each container"


@dataclass(frozen=True, slots=True)
class _Step:
    """A field, and the number of lists that the path names in it: two in `rows[*][*]`."""

    name: str
    lists: int


class PathReader:
    """Reads paths through the models of an API.

    Args:
        models: every model that paths may lead through.
    """

    def __init__(self, models: Mapping[ModelId, Model]) -> None:
        self._models = models

    def names(self, kind: Model, path: PlacedText) -> Names:
        """Return the names of the fields that a path leads through.

        A dot in front is optional, and so is the `[*]` of a list. A name with dots is in quotes,
        `data['tls.crt']`, or has a backslash before each dot.

        Raises:
            ClientgenError: the text is not a path, or there are no such fields.
        """
        type_: TypeRef = ModelType(kind.id)
        names: Names = ()
        for step in _steps(path):
            field = self._field(kind, type_, names, step.name, path.where)
            names, type_ = (*names, step.name), field.type
            _check_lists(step, type_, names, path.where)
        return names

    def model_in(self, type_: TypeRef) -> Model | None:
        """Return the model of an object, or of the objects in lists."""
        inner = _without_lists(type_)
        return self._models.get(inner.model) if isinstance(inner, ModelType) else None

    def _field(self, kind: Model, type_: TypeRef, names: Names, name: str, where: str) -> Field:
        model = self.model_in(type_)
        if model is None:
            _refuse(where, _why_whole(type_, names), f"write `{shown_path(names)}`")
        field = model.field(name)
        if field is None:
            owner = f"`{shown_path(names)}`" if names else f"a {kind.id.name}"
            hint = self._hint(kind, model, names, name)
            _refuse(where, f"{owner} has no field `{name}`", hint)
        if not names and name in {"apiVersion", "kind"}:
            _refuse(where, f"every view has `{name}`", "remove it")
        if field.attribute and not field.attribute.has_names:
            what = f"the class of `{shown_path((*names, name))}` is not one that a view can import"
            hint = "define it at the top of a module of `types`, or add its package to `uses`"
            _refuse(where, what, hint)
        return field

    def _hint(self, kind: Model, model: Model, names: Names, wrong: str) -> str:
        """The path that may be meant, or the fields that are there."""
        similar = most_similar(wrong, (field.name for field in model.fields))
        meant: list[Names] = [(*names, similar)] if similar else []
        meant += ((*names, *path) for path in self._below(model, wrong))
        meant += self._below(kind, wrong)
        if meant:
            return f"did you mean `{shown_path(meant[0])}`?"
        listed = ", ".join(field.name for field in model.fields[:_MAX_LISTED])
        more = len(model.fields) - _MAX_LISTED
        return f"it has {listed or 'no fields'}" + (f" and {more} more" if more > 0 else "")

    def _below(self, model: Model, name: str) -> Iterator[Names]:
        """The fields of that name one level below."""
        for field in model.fields:
            inner = self.model_in(field.type)
            if inner and inner.field(name):
                yield field.name, name


def shown_path(names: Names) -> str:
    """Return a path as messages show it."""
    return ".".join(name.replace(".", "\\.") for name in names)


def _steps(path: PlacedText) -> Iterator[_Step]:
    text = path.text
    rest = text if text.startswith((".", "[")) else f".{text}"
    steps = 0
    while rest:
        step = _STEP.match(rest)
        if step is None:
            is_index = _is_index(rest)
            what = "selects some items of a list" if is_index else "is not a path of fields"
            _refuse(path.where, f"`{text}` {what}", _WRITE)
        steps += 1
        if steps > _MAX_STEPS:
            _refuse(path.where, f"the path has more than {_MAX_STEPS} fields", _WRITE)
        name = step["single"] or step["double"] or _ESCAPE.sub(r"\1", step["plain"])
        yield _Step(name, step["lists"].count("["))
        rest = rest[step.end() :]


def _check_lists(step: _Step, type_: TypeRef, names: Names, where: str) -> None:
    depth = 0
    while isinstance(type_, ListType):
        type_, depth = type_.item, depth + 1
    if step.lists <= depth:
        return
    path = shown_path(names)
    is_ = f"is a list of depth {depth}, not {step.lists}" if depth else "is not a list"
    _refuse(where, f"`{path}` {is_}", f"write `{path}`")


def _why_whole(type_: TypeRef, names: Names) -> str:
    """Why no path leads into a field."""
    inner, path = _without_lists(type_), f"`{shown_path(names)}`"
    if isinstance(inner, MapType):
        return f"{path} is a map: a view has all of it"
    if isinstance(inner, UnionType) or inner is Scalar.JSON:
        return f"{path} may hold anything: a view has all of it"
    return f"{path} has no fields"


def _without_lists(type_: TypeRef) -> TypeRef:
    while isinstance(type_, ListType):
        type_ = type_.item
    return type_


def _refuse(where: str, what: str, hint: str) -> NoReturn:
    raise ClientgenError([Problem(where, what, hint)])
