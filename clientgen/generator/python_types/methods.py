"""Classes that `+genclient:method=` names by their modules, beside those of the listed modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from clientgen._problems import Problems
from clientgen.generator.genclient import GenclientMethod, split_type
from clientgen.generator.ir import ModelId, PythonClass
from clientgen.generator.python_types.class_markers import markers_of_class
from clientgen.generator.python_types.class_reader import checked_class
from clientgen.generator.python_types.class_records import ApiKind
from clientgen.generator.python_types.module_loader import find, import_module_at, searching
from clientgen.runtime._models.model import Model


def named_by_methods(
    kinds: Iterable[ApiKind],
    known: Mapping[ModelId, PythonClass],
    root: Path,
    paths: Sequence[Path],
    problems: Problems,
) -> dict[ModelId, PythonClass]:
    """The classes of the user's packages that methods send or get, as models of their kinds.

    What is not found is left to who resolves markers: it may be a type of another source.

    Args:
        kinds: those with clients.
        known: the classes of the listed modules.
        root: the folder of the configuration.
        paths: further folders to find modules in.
        problems: takes modules that cannot be imported, and names that are taken.
    """
    classes: dict[ModelId, PythonClass] = {}
    with searching(root, paths):
        for kind in kinds:
            for method, wanted in _named(kind):
                if wanted in known.values() or not _is_model(wanted, root, problems):
                    continue
                model = ModelId(kind.group_version, wanted.name)
                first = {**known, **classes}.get(model, wanted)
                classes[model] = wanted
                if first != wanted:
                    what = f"`{wanted.name}` of {model.group_version} is defined twice"
                    hint = f"rename one; the first is in {first.module!r}"
                    problems.add(method.where, what, hint)
    return classes


def _named(kind: ApiKind) -> Iterator[tuple[GenclientMethod, PythonClass]]:
    """The classes of the user's own packages that methods name."""
    top = kind.module.name.partition(".")[0]
    for method in markers_of_class(kind.type, Problems()).genclient.methods:
        for name in filter(None, (method.input, method.result)):
            package, short = split_type(name)
            if package.partition(".")[0] == top and "/" not in package:
                yield method, PythonClass(package, short)


def _is_model(wanted: PythonClass, root: Path, problems: Problems) -> bool:
    module = _module(wanted.module, root, problems)
    cls = getattr(module, wanted.name, None)
    if not isinstance(cls, type) or not issubclass(cls, Model):
        return False
    checked_class(cls, problems)
    return True


def _module(name: str, root: Path, problems: Problems) -> ModuleType | None:
    location = find(name)
    return import_module_at(name, location, root, problems) if location and location.file else None
