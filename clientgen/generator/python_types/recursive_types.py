"""Types that hold themselves: no schema of a CustomResourceDefinition can be recursive."""

from __future__ import annotations

import contextlib
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clientgen._problems import Problems
from clientgen.generator.python_types.class_records import ApiKind, TypeClass, TypeField, TypeModule
from clientgen.generator.python_types.field_annotations import models_in
from clientgen.generator.python_types.module_syntax import tag_of
from clientgen.runtime._models.model import Model

# The author describes the field by other markers; what its type is does not matter.
_SCHEMALESS = "kubebuilder:validation:Schemaless"
_HINT = "write `Raw` where the cycle should end, or refer to the other object by its name"


@dataclass(frozen=True, slots=True)
class _Edge:
    """A field of a model that holds another model."""

    owner: type[Model]
    field: str
    target: type[Model]
    where: str = ""

    def __str__(self) -> str:
        return f"{self.owner.__qualname__}.{self.field}"

    def key(self) -> tuple[str, str, str]:
        """Return the sort key of an edge."""
        return self.owner.__module__, self.owner.__qualname__, self.field


def report_circles(
    kinds: Iterable[ApiKind], modules: Iterable[TypeModule], problems: Problems
) -> None:
    """Report every circle that a kind leads to, once, by the fields it goes through.

    Of circles among types that are not the user's one is enough, at the field that leads to it.
    """
    type_classes = {type_.cls: type_ for module in modules for type_ in module.classes}
    reported: set[object] = set()
    for kind in kinds:
        for way, circle in _Walk(type_classes).circles(kind.type.cls):
            turned = _turned(circle)
            own = next((edge.where for edge in turned if edge.where), "")
            led = next((edge.where for edge in reversed(way) if edge.where), kind.type.where)
            key: object = tuple(edge.key() for edge in turned) if own else led
            if key not in reported:
                reported.add(key)
                shown = " -> ".join(map(str, [*turned, turned[0]]))
                what = f"`{kind.kind}` contains a cycle, which no schema can express: {shown}"
                problems.add(own or led, what, _HINT)


def _turned(circle: Sequence[_Edge]) -> list[_Edge]:
    """A circle from its first field in order, wherever it was entered."""
    first = min(range(len(circle)), key=lambda n: circle[n].key())
    return [*circle[first:], *circle[:first]]


class _Walk:
    """Follows the fields of one kind; each model is left for good once."""

    def __init__(self, type_classes: Mapping[type[Model], TypeClass]) -> None:
        self._type_classes = type_classes
        self._path: list[_Edge] = []
        self._done: set[type[Model]] = set()

    def circles(self, model: type[Model]) -> Iterator[tuple[list[_Edge], list[_Edge]]]:
        """The circles among what a model holds, each behind the way to it."""
        for edge in self._edges(model):
            on_path = [step.owner for step in self._path] + [model]
            self._path.append(edge)
            if edge.target in on_path:
                start = on_path.index(edge.target)
                yield self._path[:start], self._path[start:]
            elif edge.target not in self._done:
                yield from self.circles(edge.target)
            self._path.pop()
        self._done.add(model)

    def _edges(self, model: type[Model]) -> Iterator[_Edge]:
        type_class = self._type_classes.get(model)
        if type_class:
            for field in type_class.fields:
                if not _is_schemaless(field):
                    for target in models_in(field.annotation):
                        yield _Edge(model, field.attribute, target, field.where)
            return
        # Of the runtime and of generated packages the types are enough.
        with contextlib.suppress(Exception):
            for name, annotation in typing.get_type_hints(model).items():
                for target in models_in(annotation):
                    yield _Edge(model, name, target)


def _is_schemaless(field: TypeField) -> bool:
    return any(tag_of(marker.text) == _SCHEMALESS for marker in field.markers)
