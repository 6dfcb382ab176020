"""Plans to text: the jinja environment, and the words that templates have.

Naming a thing is what imports it: see `scope`. The layout is black's own, so that formatting has
nothing left to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from clientgen._shipped import shipped
from clientgen.generator.import_scope import Scope, twin_of
from clientgen.generator.ir import (
    EnumType,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Scalar,
    TypeRef,
)
from clientgen.generator.layout import (
    attribute,
    fold,
    import_order,
    inner_import,
    naming_attributes,
)
from clientgen.generator.literals import attribute_docstring, docstring, identifier, quoted, word
from clientgen.generator.manifest import header
from clientgen.generator.plan import FieldPlan, FilePlan, Modules, Symbol
from clientgen.generator.unasync import release, to_sync

__all__ = ["Renderer"]

# pyright parses the strings of a `Literal` that is not typing's as annotations. Strings with
# brackets or with these keywords may look like mistakes to it, so they are left out.
_reads_as_code = re.compile(r"[()\[\]{}]|\b(?:await|lambda|yield)\b").search
_QUANTITIES = MapType(Scalar.QUANTITY)
# What makes the value of a list or map that servers fill in when it is absent.
_UNSETS: Mapping[str, str] = {"unset list": "UnsetList", "unset dict": "UnsetDict"}
_SCALARS: Mapping[Scalar, tuple[str, bool]] = {
    Scalar.STRING: ("str", False),
    Scalar.INTEGER: ("int", False),
    Scalar.NUMBER: ("float", False),
    Scalar.BOOLEAN: ("bool", False),
    Scalar.BYTES: ("bytes", False),
    Scalar.TIME: ("Time", True),
    Scalar.MICRO_TIME: ("MicroTime", True),
    Scalar.QUANTITY: ("Quantity", True),
    Scalar.INT_OR_STRING: ("int | str", False),
    Scalar.JSON: ("Raw", True),
    Scalar.NULL: ("None", False),
}


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(shipped("templates")),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - this is Python; `docstring` and `quoted` escape
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = found.filters
    filters["docstring"] = docstring
    filters["attribute_docstring"] = attribute_docstring
    return found


class Renderer:
    """Renders the files of one package."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules

    def render(self, files: Iterable[FilePlan]) -> dict[str, str]:
        """The texts of a package by path; synchronous modules are derived from asyncio ones."""
        texts: dict[str, str] = {}
        for file in files:
            text = self._render(file)
            twin = twin_of(file.path)
            texts[file.path] = release(text) if twin else text
            if twin:
                texts[twin] = release(to_sync(text))
        return texts

    def _render(self, file: FilePlan) -> str:
        scope = _Words(file, self._modules)
        exported = [*file.defines, *map(scope.ref, file.reexports)]
        body = self._template(file.template).render(file=file, **scope.functions())
        return self._template("module.py.j2").render(
            header=header(" ".join(map(word, file.source.split(" ")))),
            docstring=docstring(file.docstring, 0),
            imports=scope.imports(),
            lazy_imports=scope.lazy_imports(),
            late_imports=scope.late_imports(),
            names=sorted(exported, key=import_order),
            quoted=quoted,
            body=body,
        )

    def _template(self, name: str) -> Template:
        return _environment().get_template(name)


class _Words(Scope):
    """What templates may say in one file: its names, and the types and fields of models."""

    def __init__(self, file: FilePlan, modules: Modules) -> None:
        super().__init__(file)
        self._file = file
        self._modules = modules

    def functions(self) -> dict[str, Callable[..., str]]:
        """What templates call."""
        return {
            "runtime": self.runtime,
            "class_of": self.model,
            "field_line": self.field,
            "ref": self.name_in,
            "beside": self.beside,
            "lazy": self.lazy,
            "options": self.options,
            "fold": fold,
            "import_line": inner_import,
            "quoted": quoted,
            "naming_attributes": naming_attributes,
            "kept": self.kept,
            "kept_folders": self.kept_folders,
            "word": self.word,
            "identifier": identifier,
        }

    def word(self, text: str) -> str:
        """A word of the API in a docstring."""
        return self.kept(word(text))

    def options(self, name: str) -> str:
        """The keyword arguments of a call, as one of the runtime's option types lists them."""
        return f"**options: {self.runtime('Unpack')}[{self.runtime(name)}]"

    def model(self, model: ModelId) -> str:
        """The class of a model."""
        symbol = self._file.resolved(self._modules.symbol(model))
        own = symbol.module.startswith(".")
        module = symbol.module if own else self.kept(symbol.module)
        return self.ref(Symbol(module, self.kept(symbol.name)))

    def type(self, type_: TypeRef) -> str:
        """The annotation of a type."""
        if isinstance(type_, Scalar):
            name, imported = _SCALARS[type_]
            return self.runtime(name) if imported else name
        if isinstance(type_, EnumType):
            values = ", ".join(quoted(each) for each in type_.values if not _reads_as_code(each))
            return f"{self.runtime('Literal')}[{values}] | str" if values else "str"
        if isinstance(type_, ModelType):
            return self.model(type_.model)
        if isinstance(type_, ListType):
            return f"list[{self.type(type_.item)}]"
        if isinstance(type_, MapType):
            return f"dict[str, {self.type(type_.value)}]"
        return " | ".join(self.type(member) for member in type_.members)

    def _annotation(self, type_: TypeRef) -> str:
        """The annotation of an attribute: that of its type, if there is no better one."""
        return self.runtime("Quantities") if type_ == _QUANTITIES else self.type(type_)

    def field(self, field: FieldPlan) -> str:
        """The line of a model's attribute."""
        annotation = self._annotation(field.type)
        if field.default == "none":
            annotation += " | None"
        name = identifier(field.attribute)
        return attribute(name, annotation, self._value(field, f"    {name}: {annotation} = "))

    def _value(self, field: FieldPlan, declaration: str) -> str:
        """What an attribute is set to, as it is laid out behind its declaration."""
        default = self._default(field)
        if not field.named and field.default in {"required", "none"}:
            return "None" if field.default == "none" else ""
        function = self.runtime("auto" if field.default == "auto" else "field")
        name = f"name={quoted(field.wire_name)}" if field.named else ""
        return fold(declaration + function, [default, name]).removeprefix(declaration)

    def _default(self, field: FieldPlan) -> str:
        if field.default == "auto" and isinstance(field.type, ModelType):
            return self._auto(field.type)
        if field.default == "json":
            return f"default={self.runtime('NO_RAW')}"
        if field.default == "unset zero":
            return f"default={self.runtime('UNSET_ZERO')}"
        if field.default in _UNSETS:
            return f"default_factory={self.runtime(_UNSETS[field.default])}"
        return {
            "required": "",
            "none": "default=None",
            "list": "default_factory=list",
            "dict": "default_factory=dict",
        }[field.default]

    def _auto(self, type_: ModelType) -> str:
        return self.model(type_.model)
