"""Plans to text: the jinja environment, and the words that templates have.

A name that a template uses is imported: see `import_scope`. The layout is black's, so black has
nothing left to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from clientgen._shipped import shipped
from clientgen.generator.import_scope import KNOWN_NAMES, Scope, twin_of
from clientgen.generator.ir import (
    EnumType,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Resource,
    Scalar,
    TypeRef,
)
from clientgen.generator.layout import (
    attribute,
    fold,
    import_order,
    inner_import,
    strings,
)
from clientgen.generator.literals import attribute_docstring, docstring, identifier, quoted, word
from clientgen.generator.option_texts import option_lines
from clientgen.generator.package_manifest import header
from clientgen.generator.plan import (
    ClientPlan,
    FieldPlan,
    FilePlan,
    MethodPlan,
    Modules,
    Symbol,
)
from clientgen.generator.plan.method_shapes import METHOD_SHAPES, MethodShape
from clientgen.generator.python_names import manifest_class
from clientgen.generator.typed_manifests import ManifestWriter
from clientgen.generator.unasync import release, to_sync

_INDENT = " " * 8  # of the body of a method

# pyright parses the strings of a `Literal` that is not typing's as annotations. Strings with
# brackets or with these keywords may look like mistakes to it, so they are left out.
_reads_as_code = re.compile(r"[()\[\]{}]|\b(?:await|lambda|yield)\b").search
_QUANTITIES = MapType(Scalar.QUANTITY)
# The function that makes a list or map that servers fill in when it is absent.
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
    filters["fold"] = fold
    return found


# A gap of a method's source, or a word that may be a name of the runtime.
_GAPS = re.compile(r"\{(\w+)\}|\b([A-Z]\w*)")


# The TypedDict of a method's options.
_OPTIONS = re.compile(r"\*\*options: Unpack\[(\w+)\]").search


def _patches(resource: Resource) -> tuple[str, ...]:
    """The kinds of patches that an API server takes for a resource."""
    return ("Patch",) if resource.strategic_merge else ("JsonPatch", "MergePatch", "ApplyPatch")


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
        scope = _Names(file, self._modules)
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


class _Names(Scope):
    """The functions for templates in one file: its names, and the types and fields of models."""

    def __init__(self, file: FilePlan, modules: Modules) -> None:
        super().__init__(file)
        self._file = file
        self._modules = modules
        self._class_names: dict[ModelId, str] = {}
        self._manifest_names: dict[ModelId, str] = {}

    def functions(self) -> dict[str, Any]:
        """Return the functions that templates have besides the plan of their file."""
        return {
            # names, which are imported where they are used
            "use": self.use,
            "use_from": self.use_from,
            "use_beside": self.use_beside,
            "use_in_annotations": self.use_in_annotations,
            "class_of": self.model,
            "manifest_of_kind": self.manifest_of_kind,
            "manifest": ManifestWriter(self.use_from, self.manifest).source,
            "local_import": inner_import,
            # what the API calls something, as a name, a string, a module or a word of a docstring
            "name": self.name,
            "string": self.string,
            "module": self.module,
            "word": self.word,
            # texts of both flavours
            "quoted": quoted,
            "strings": strings,
            # attributes and methods
            "attribute": self.attribute,
            "declaration": self.declaration,
            "shapes": METHOD_SHAPES,
            "code": self.code,
            "prose": self.prose,
        }

    def name(self, name: str) -> str:
        """A name that comes from the API."""
        return self.same_in_sync(identifier(name))

    def string(self, text: str) -> str:
        """A string that comes from the API."""
        return self.same_in_sync(quoted(text))

    def word(self, text: str) -> str:
        """A word of the API in a docstring."""
        return self.same_in_sync(word(text))

    def code(self, text: str, client: ClientPlan, method: MethodPlan) -> str:
        """Source of a method: a text of its shape with the gaps filled."""

        def filled(match: re.Match[str]) -> str:
            gap, name = match.groups()
            if gap:
                return self._gap(gap, client.resource, method)
            return self.use(name) if name in KNOWN_NAMES else name

        return _GAPS.sub(filled, text)

    def prose(self, shape: MethodShape, client: ClientPlan, method: MethodPlan) -> str:
        """The docstring of a method."""
        text = (method.subresource and shape.docstring_of_subresource) or shape.docstring
        kind = self.word(client.resource.kind)
        part = self.word(method.subresource) if method.subresource else ""
        whole = f"the {part} of the {kind}" if part else f"the {kind}"
        text = text.format(kind=kind, subresource=part, object=whole)
        summary, _, detail = text.partition("\n")
        options = _OPTIONS(shape.head)
        sections = [detail, f"Args:\n{option_lines(options[1])}" if options else ""]
        more = "".join(f"\n\n{_INDENT}{section}" for section in sections if section)
        return f"{summary}{more}\n{_INDENT}" if more else summary

    def _gap(self, gap: str, resource: Resource, method: MethodPlan) -> str:
        return _FILL[gap](self, resource, method)

    def model(self, model: ModelId) -> str:
        """The class of a model."""
        known = self._class_names.get(model)
        if known is None:
            symbol = self._file.resolved(self._modules.symbol(model))
            known = self._class_names[model] = self.ref(self._same_in_sync(symbol))
        return known

    def _same_in_sync(self, symbol: Symbol) -> Symbol:
        own = symbol.module.startswith(".")
        module = symbol.module if own else self.same_in_sync(symbol.module)
        return Symbol(module, self.same_in_sync(symbol.name))

    def manifest(self, model: ModelId) -> str | None:
        """The manifest of a model; None if it has none."""
        symbol = self._modules.manifest(model)
        return None if symbol is None else self.ref(self._file.resolved(symbol))

    def manifest_of_kind(self, class_: str) -> str:
        """The manifest of a class of this module, for annotations."""
        return self.ref_in_annotations(Symbol(f"{self._package}.manifests", manifest_class(class_)))

    def manifest_in_annotations(self, model: ModelId) -> str:
        """The manifest of a model; any dict if it has none."""
        known = self._manifest_names.get(model)
        if known is None:
            symbol = self._modules.manifest(model)
            if symbol is None:
                known = f"{self.use('Mapping')}[str, {self.use('Any')}]"
            else:
                known = self.ref_in_annotations(self._same_in_sync(symbol))
            self._manifest_names[model] = known
        return known

    def type(self, type_: TypeRef) -> str:
        """The annotation of a type."""
        if isinstance(type_, Scalar):
            name, imported = _SCALARS[type_]
            return self.use(name) if imported else name
        if isinstance(type_, EnumType):
            values = ", ".join(quoted(each) for each in type_.values if not _reads_as_code(each))
            return f"{self.use('Literal')}[{values}] | str" if values else "str"
        if isinstance(type_, ModelType):
            return self.model(type_.model)
        if isinstance(type_, ListType):
            return f"list[{self.type(type_.item)}]"
        if isinstance(type_, MapType):
            return f"dict[str, {self.type(type_.value)}]"
        return " | ".join(self.type(member) for member in type_.members)

    def _annotation(self, type_: TypeRef) -> str:
        """The annotation of an attribute: that of its type, if there is no better one."""
        return self.use("Quantities") if type_ == _QUANTITIES else self.type(type_)

    def attribute(self, field: FieldPlan) -> str:
        """An attribute of a model."""
        return self._attribute(field, self._value(field))

    def declaration(self, field: FieldPlan) -> str:
        """An attribute of a view. Its default is that of the model, but for other metadata."""
        return self._attribute(field, self._value(field) if field.default == "auto" else "")

    def _attribute(self, field: FieldPlan, value: str) -> str:
        annotation = self._annotation(field.type)
        if field.default == "none":
            annotation += " | None"
        return attribute(identifier(field.attribute), annotation, value)

    def _value(self, field: FieldPlan) -> str:
        """Return the source of the value that an attribute is set to; "" for none."""
        default = self._default(field)
        if not field.named and field.default in {"required", "none"}:
            return "None" if field.default == "none" else ""
        function = self.use("auto" if field.default == "auto" else "field")
        name = f"name={quoted(field.wire_name)}" if field.named else ""
        return f"{function}({', '.join(filter(None, (default, name)))})"

    def _default(self, field: FieldPlan) -> str:
        if field.default == "auto" and isinstance(field.type, ModelType):
            return self._auto(field.type)
        if field.default == "json":
            return f"default={self.use('NO_RAW')}"
        if field.default == "unset zero":
            return f"default={self.use('UNSET_ZERO')}"
        if field.default in _UNSETS:
            return f"default_factory={self.use(_UNSETS[field.default])}"
        return {
            "required": "",
            "none": "default=None",
            "list": "default_factory=list",
            "dict": "default_factory=dict",
        }[field.default]

    def _auto(self, type_: ModelType) -> str:
        return self.model(type_.model)


def _part(names: _Names, _: Resource, method: MethodPlan) -> str:
    return f", subresource={names.string(method.subresource)}" if method.subresource else ""


# What fills the gaps of methods, by their names; see `method_shapes`.
_FILL: Mapping[str, Callable[[_Names, Resource, MethodPlan], str]] = {
    "method": lambda names, _, method: names.name(method.name),
    "model": lambda names, _, method: names.model(method.model),
    "input": lambda names, _, method: names.model(method.input or method.model),
    "manifest": lambda names, _, method: names.manifest_in_annotations(
        method.input or method.model
    ),
    "patches": lambda names, resource, _: " | ".join(map(names.use, _patches(resource))),
    "subresource_string": lambda names, _, method: names.string(method.subresource),
    "part": _part,
}
