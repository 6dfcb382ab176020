"""Joins the source of a module of model classes with the classes themselves.

Names on the wire, defaults and what is required come from the classes, as msgspec has them; texts,
markers, lines and the full annotations come from the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar, cast, get_args, get_origin

import msgspec

from clientgen._problems import ClientgenError, Problems
from clientgen.generator.python_types.class_records import (
    NO_DEFAULT,
    TypeClass,
    TypeField,
    TypeModule,
)
from clientgen.generator.python_types.decodability import undecodable
from clientgen.generator.python_types.field_annotations import evaluate, unsupported
from clientgen.generator.python_types.loaded_modules import LoadedModule, keep, loaded
from clientgen.generator.python_types.module_loader import (
    find,
    import_module_at,
    missing,
    searching,
    shown,
)
from clientgen.generator.python_types.module_syntax import (
    ClassSource,
    FieldSource,
    read_source,
)
from clientgen.generator.sources.files import read_file
from clientgen.runtime._models.custom_resource import CustomResource
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.variants import Auto


def read_module(
    name: str, root: Path, problems: Problems, paths: Sequence[Path] = (), where: str = ""
) -> TypeModule | None:
    """Read a module of the user's.

    Args:
        name: its dotted name, found as Python would with `root` and `root/src` in front.
        root: the folder of the configuration.
        problems: takes everything that is wrong, with file and line.
        paths: further folders to find modules in, such as those of generated packages.
        where: who asks for the module, for messages.

    Returns:
        The module with its model classes; None if it cannot be imported.
    """
    with searching(root, paths):
        location = find(name)
        if location is None or location.file is None or location.file.suffix != ".py":
            problems.extend([missing(name, root, where)])
            return None
        file = shown(location.file, root)
        data = _bytes(location.file, file, problems)
        source = read_source(name, file, data, problems) if data is not None else None
        module = import_module_at(name, location, root, problems) if source else None
        if source is None or module is None:
            return None
        loaded = keep(module, source)
        classes = tuple(_classes(loaded, problems))
    return TypeModule(name, file, source.docstring, source.markers, classes, _homes(module))


def _homes(module: ModuleType) -> tuple[str, ...]:
    top = module.__name__.partition(".")[0]
    homes = {value.__module__ for value in vars(module).values() if _is_model(value)}
    own = (home for home in homes if home.partition(".")[0] == top)
    return tuple(sorted(home for home in own if home != module.__name__))


def _bytes(path: Path, file: str, problems: Problems) -> bytes | None:
    try:
        return read_file(path, file)
    except ClientgenError as error:
        problems.extend(error.problems)
        return None


def read_class(cls: type[Model], problems: Problems) -> TypeClass:
    """Read a model class wherever it is: of the runtime, of a generated package, of the user's.

    A field without a source (a class made on the fly) has no texts, and its annotation is what the
    class itself says.
    """
    module = loaded(cls.__module__)
    source = module.source.classes.get(cls.__qualname__) if module else None
    fields = tuple(_fields(cls, problems))
    if source is None:
        docstring = cls.__dict__["__doc__"] or ""
        return TypeClass(cls.__qualname__, cls, docstring, (), fields, cls.__module__)
    return TypeClass(source.name, cls, source.docstring, source.markers, fields, source.where)


def checked_class(cls: type[Model], problems: Problems) -> TypeClass:
    """Read a class of the user's, and tell which of the fields it declares no API can hold."""
    own_problems = Problems()
    type_ = read_class(cls, own_problems)
    reported = {problem.where for problem in own_problems}
    own = {
        type_field.attribute: type_field
        for type_field in type_.fields
        if _declared(cls, type_field.attribute)[0] is cls
    }
    for name, field in own.items():
        refused = None if field.where in reported else unsupported(field.annotation)
        if refused:
            own_problems.add(
                field.where, f"`{type_.name}.{name}` cannot be {refused[0]}", refused[1]
            )
    for name, what, hint in () if own_problems else undecodable(cls):
        if name in own:
            own_problems.add(own[name].where, f"`{type_.name}.{name}` {what}", hint)
        elif not name:
            own_problems.add(type_.where, f"`{type_.name}` {what}", hint)
    problems.extend(own_problems)
    return type_


def _classes(loaded: LoadedModule, problems: Problems) -> Iterator[TypeClass]:
    for source in loaded.source.classes.values():
        cls = _lookup(loaded.module, source.name)
        if _is_model(cls):
            yield checked_class(cls, problems)
        else:
            _refuse_markers(source, cls, problems)


def _is_model(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, Model)


def _lookup(module: ModuleType, qualified: str) -> Any:
    """A class by its name, if it is the one the module defines under that name."""
    value: Any = module
    for part in qualified.split("."):
        value = getattr(value, part, None)
    own = getattr(value, "__module__", None) == module.__name__
    return value if own and getattr(value, "__qualname__", None) == qualified else None


def _refuse_markers(source: ClassSource, cls: object, problems: Problems) -> None:
    """Markers of API types on a class that is none."""
    markers = [*source.markers, *(m for field in source.fields.values() for m in field.markers)]
    hint = "derive it from clientgen.runtime.models.Model"
    if markers and cls is None:
        hint = "define it once, where importing the module defines it"
    for line in markers[:1]:
        what = f"`{line.text}` is about `{source.name}`, which is not a Model"
        problems.add(line.where, what, hint)


def _fields(cls: type[Model], problems: Problems) -> Iterator[TypeField]:
    """Every field in msgspec's order: those of bases first."""
    names, wires = cls.__struct_fields__, cls.__struct_encode_fields__
    values = cls.__struct_defaults__
    defaults = (*[msgspec.NODEFAULT] * (len(names) - len(values)), *values)
    arguments = _arguments(cls)
    for name, wire_name, default in zip(names, wires, defaults, strict=True):
        owner, module, source = _declared(cls, name)
        where = source.where if source else _place(cls)
        annotation = _annotation(owner, module, source, name)
        value = default
        if isinstance(annotation, _Failure):
            if owner is cls:
                problems.add(where, *annotation.told(cls, name))
            annotation = Any
        try:
            value = _default(default)
        except Exception as error:  # noqa: BLE001 - the user's factory may raise anything
            what = f"the default of `{cls.__qualname__}.{name}` raises {_error_text(error)}"
            problems.add(where, what, "a `default_factory` takes no argument")
        yield TypeField(
            attribute=name,
            wire_name=wire_name,
            annotation=_substituted(annotation, arguments),
            required=default is msgspec.NODEFAULT,
            default=value,
            markers=source.markers if source else (),
            docstring=source.docstring if source else "",
            where=where,
        )


def _declared(cls: type, name: str) -> tuple[type, LoadedModule | None, FieldSource | None]:
    """The class that declares a field, or declares it again, and how."""
    for base in cls.__mro__:
        module = loaded(base.__module__) if _is_model(base) and base is not Model else None
        source = module.source.classes.get(base.__qualname__) if module else None
        written = name.removeprefix(f"_{base.__name__.lstrip('_')}")  # of `__name`
        field = (source.fields.get(name) or source.fields.get(written)) if source else None
        if field:
            return base, module, field
    return cls, None, None


def _place(cls: type) -> str:
    """Return the file and line of a class, or its module if it has no source."""
    module = loaded(cls.__module__)
    source = module.source.classes.get(cls.__qualname__) if module else None
    return source.where if source else cls.__module__


@dataclass(frozen=True, slots=True)
class _Failure:
    """An annotation that cannot be evaluated."""

    text: str
    error: Exception

    def told(self, cls: type, name: str) -> tuple[str, str]:
        what = f"the annotation `{self.text}` of `{cls.__qualname__}.{name}` cannot be evaluated"
        hint = "import the types at run time, not only under `TYPE_CHECKING`"
        return f"{what}: {_error_text(self.error)}", hint


def _error_text(error: Exception) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _annotation(
    owner: type, module: LoadedModule | None, source: FieldSource | None, name: str
) -> Any:
    if source is None and issubclass(owner, CustomResource) and name in ("api_version", "kind"):
        value = owner.__constants__.get(name)  # of the keywords of the class; a base has none
        return Literal[value] if value else str
    if module is None or source is None:
        return getattr(owner, "__annotations__", {}).get(name, Any)
    try:
        return evaluate(source.annotation, module.names, _around(owner, module))
    except Exception as error:  # noqa: BLE001 - whatever stands there may be raised
        return _Failure(ast.unparse(source.annotation), error)


def _around(owner: type, module: LoadedModule) -> dict[str, Any]:
    """The classes inside a class, and inside those around it."""
    names: dict[str, Any] = {}
    scope: Any = module.module
    for part in owner.__qualname__.split("."):
        scope = getattr(scope, part, None)
        members: Mapping[str, Any] = vars(scope) if isinstance(scope, type) else {}
        names.update((k, v) for k, v in members.items() if isinstance(v, type))
    return names


def _default(default: object) -> object:
    """The value of a field that is not set."""
    if default is msgspec.NODEFAULT:
        return NO_DEFAULT
    factory = getattr(default, "factory", None) if _is_factory(default) else None
    if factory is None:
        return default
    return NO_DEFAULT if isinstance(factory, Auto) else factory()


def _is_factory(default: object) -> bool:
    return type(default).__module__.startswith("msgspec") and hasattr(default, "factory")


def _arguments(cls: type) -> dict[Any, Any]:
    """Map the parameters of generic bases to types: of `ModelList[CronTab]`, T is CronTab."""
    arguments: dict[Any, Any] = {}
    for base in cls.__mro__:
        for generic in base.__dict__.get("__orig_bases__", ()):
            origin = get_origin(generic)
            if origin is not None and origin is not Generic:
                parameters = getattr(origin, "__parameters__", ())
                values = (arguments.get(value, value) for value in get_args(generic))
                arguments.update(zip(parameters, values, strict=False))
    return arguments


def _substituted(annotation: Any, arguments: Mapping[Any, Any]) -> Any:
    """An annotation with the parameters of generic bases replaced: `list[T]` of a list class."""
    if not arguments:
        return annotation
    if isinstance(annotation, TypeVar):
        return arguments.get(annotation, annotation)
    if isinstance(annotation, type):
        return cast("Any", annotation)
    parameters: tuple[Any, ...] = getattr(annotation, "__parameters__", ())
    values = tuple(arguments.get(parameter, parameter) for parameter in parameters)
    return annotation[values] if values else annotation
