"""Classes of the user's that kinds are made of, in modules that are not listed as types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clientgen._problems import Problems
from clientgen.generator.python_types.class_reader import checked_class
from clientgen.generator.python_types.class_records import ApiKind, TypeClass, TypeModule
from clientgen.generator.python_types.field_annotations import models_in
from clientgen.runtime._models.model import Model


def check_reached(
    kinds: Iterable[ApiKind], modules: Iterable[TypeModule], problems: Problems
) -> None:
    """Check the fields of classes beside those of the modules, as those were checked.

    Args:
        kinds: whose fields lead to them.
        modules: those that were read; classes of their top-level packages are the user's.
        problems: takes the fields that no API can hold.
    """
    listed = {module.name for module in modules}
    tops = {name.partition(".")[0] for name in listed}
    done: set[type[Model]] = set()
    waiting = [kind.type.cls for kind in kinds]
    while waiting:
        cls = waiting.pop()
        if cls in done or cls.__module__.partition(".")[0] not in tops:
            continue
        done.add(cls)
        type_ = checked_class(cls, Problems() if cls.__module__ in listed else problems)
        waiting += _parts(type_)


def _parts(type_: TypeClass) -> Iterator[type[Model]]:
    """The models that a class is made of, and its bases."""
    for field in type_.fields:
        yield from models_in(field.annotation)
    yield from (base for base in type_.cls.__bases__ if issubclass(base, Model))
