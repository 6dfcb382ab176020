"""Generated models, read back: a module of model classes to `Model` records.

The module is parsed and not run. Its annotations have the few forms that the generator writes. The
runtime's own meta/v1 is written in the same forms.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from clientgen._class_bodies import AnnotatedField, annotated_fields
from clientgen._gvk import GroupVersion, GroupVersionKind
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import (
    META_MODULE,
    META_V1,
    EnumType,
    Field,
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    PythonAttribute,
    PythonClass,
    Scalar,
    TypeRef,
    UnionType,
)
from clientgen.generator.sources.import_statements import imported_names

_PART = re.compile(r"models_\d+")

_BUILTINS: Mapping[str, Scalar] = {
    "str": Scalar.STRING,
    "int": Scalar.INTEGER,
    "float": Scalar.NUMBER,
    "bool": Scalar.BOOLEAN,
    "bytes": Scalar.BYTES,
}
_RUNTIME: Mapping[PythonClass, Scalar] = {
    PythonClass(META_MODULE, "Time"): Scalar.TIME,
    PythonClass(META_MODULE, "MicroTime"): Scalar.MICRO_TIME,
    PythonClass(META_MODULE, "Raw"): Scalar.JSON,
    PythonClass(META_MODULE, "IntOrString"): Scalar.INT_OR_STRING,
    PythonClass(META_MODULE, "Quantity"): Scalar.QUANTITY,
}
_QUANTITIES = PythonClass(META_MODULE, "Quantities")
_INT_OR_STRING = {Scalar.STRING, Scalar.INTEGER}
_PRIVATE = "clientgen.runtime._models."
_AGAIN = "Generate the package again with this version of clientgen."


@dataclass(frozen=True, slots=True)
class ModelModule:
    """A module of models: its import name, its group version and its source.

    `names` is what the API calls classes that have another name; of a part of the models, `whole`
    is the module that has them all.
    """

    name: str
    group_version: GroupVersion
    file: str
    tree: ast.Module
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    whole: str = ""

    def model(self, name: str) -> ModelId:
        """The model that a class of the module is."""
        return ModelId(self.group_version, self.names.get(name, name))


def defined(module: ModelModule) -> Iterator[tuple[ModelId, PythonClass, PythonClass]]:
    """The models a module defines: the class users import, and where it is."""
    for statement in _classes(module):
        users = PythonClass(module.whole or module.name, statement.name)
        yield module.model(statement.name), users, PythonClass(module.name, statement.name)


def parts_of(module: ModelModule) -> list[str]:
    """The modules beside it that a module of models takes its classes from."""
    relative_imports = (node for node in module.tree.body if isinstance(node, ast.ImportFrom))
    named = {node.module or "" for node in relative_imports if node.level == 1}
    return sorted(name for name in named if _PART.fullmatch(name))


def models_of(
    module: ModelModule, ids: Mapping[PythonClass, ModelId], problems: Problems
) -> tuple[Model, ...]:
    """The shapes of a module's models.

    Args:
        module: where they are defined.
        ids: the model that every class is which an annotation may name, those of meta/v1 included.
        problems: takes annotations that no generator wrote.
    """
    reader = _Reader(module, ids, problems)
    try:
        return tuple(reader.model(statement) for statement in _classes(module))
    except RecursionError:
        problems.add(module.file, "has a type that is nested too deeply", _AGAIN)
        return ()


def _classes(module: ModelModule) -> Iterator[ast.ClassDef]:
    for statement in module.tree.body:
        if isinstance(statement, ast.ClassDef) and {"Model", "ModelList"} & _bases(statement):
            yield statement


def _bases(statement: ast.ClassDef) -> set[str]:
    """The names of the base classes; the runtime's own `ModelList` is no model but a form of it."""
    named = [base.value if isinstance(base, ast.Subscript) else base for base in statement.bases]
    names = {base.id for base in named if isinstance(base, ast.Name)}
    return set() if "Generic" in names else names


def _public(cls: PythonClass) -> PythonClass:
    """A class of the runtime as users import it; meta/v1 itself imports the modules inside."""
    inside = cls.module.startswith(_PRIVATE)
    return PythonClass(META_MODULE, cls.name) if inside else cls


class _Reader:
    """Reads the classes of one module."""

    def __init__(
        self, module: ModelModule, ids: Mapping[PythonClass, ModelId], problems: Problems
    ) -> None:
        self._module = module
        self._ids = ids
        self._problems = problems
        self._names = dict(imported_names(module.tree, module.name.rpartition(".")[0]))

    def model(self, statement: ast.ClassDef) -> Model:
        lines = list(annotated_fields(statement.body))
        fields = [self._field(line) for line in lines]
        constants = {
            field.name: _constant(line.statement) for field, line in zip(fields, lines, strict=True)
        }
        item = self._item(statement)
        return Model(
            self._module.model(statement.name),
            tuple(sorted([*fields, *_list_fields(item)], key=lambda field: field.name)),
            _gvk(constants),
            item=item,
        )

    def _field(self, line: AnnotatedField) -> Field:
        annotation, value = line.statement.annotation, line.statement.value
        keywords = _keywords(value)
        written = keywords.get("name")
        name = _annotation_text(written) if written else python_names.camel(line.name)
        constant = _constant(line.statement) is not None
        type_ = Scalar.STRING if constant else self._type(annotation)
        attribute = PythonAttribute(line.name, any(map(_is_none, _members(annotation))))
        return Field(name, type_, _is_required(value, keywords), line.text, attribute=attribute)

    def _item(self, statement: ast.ClassDef) -> ModelId | None:
        for base in statement.bases:
            if isinstance(base, ast.Subscript):
                type_ = self._type(base.slice)
                return type_.model if isinstance(type_, ModelType) else None
        return None

    def _type(self, node: ast.expr) -> TypeRef:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._quoted(node, node.value)
        if isinstance(node, ast.BinOp):
            return self._union(list(_members(node)))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self._subscript(node.value.id, node)
        if isinstance(node, ast.Name):
            return self._named(node)
        return self._unknown(node)

    def _quoted(self, node: ast.expr, text: str) -> TypeRef:
        try:
            inner = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return self._unknown(node)
        return self._unknown(node) if isinstance(inner, ast.Constant) else self._type(inner)

    def _subscript(self, name: str, node: ast.Subscript) -> TypeRef:
        inner = node.slice
        if name == "Literal":
            values = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return EnumType(tuple(sorted(map(_annotation_text, values))))
        if name == "list":
            return ListType(self._type(inner))
        if name == "dict" and isinstance(inner, ast.Tuple) and inner.elts:
            return MapType(self._type(inner.elts[-1]))
        return self._unknown(node)

    def _named(self, node: ast.Name) -> TypeRef:
        if node.id in _BUILTINS:
            return _BUILTINS[node.id]
        cls = _public(self._names.get(node.id, PythonClass(self._module.name, node.id)))
        if cls in _RUNTIME:
            return _RUNTIME[cls]
        if cls == _QUANTITIES:
            return MapType(Scalar.QUANTITY)
        if cls.module == META_MODULE:
            return ModelType(ModelId(META_V1, cls.name))
        model = self._ids.get(cls)
        return self._unknown(node) if model is None else ModelType(model)

    def _union(self, nodes: list[ast.expr]) -> TypeRef:
        members = [self._type(node) for node in nodes if not _is_none(node)]
        enums = [member for member in members if isinstance(member, EnumType)]
        if enums:
            return enums[0]
        if len(members) == 1:
            return members[0]
        if {m for m in members if isinstance(m, Scalar)} == _INT_OR_STRING:
            return Scalar.INT_OR_STRING
        return UnionType(tuple(members))

    def _unknown(self, node: ast.expr) -> TypeRef:
        self._problems.add(
            f"{self._module.file}:{node.lineno}",
            f"`{ast.unparse(node)}` is not a type that clientgen writes",
            _AGAIN,
        )
        return Scalar.JSON


def _members(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from _members(node.left)
        yield from _members(node.right)
    else:
        yield node


def _keywords(value: ast.expr | None) -> dict[str, ast.expr]:
    if not isinstance(value, ast.Call):
        return {}
    return {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}


def _is_required(value: ast.expr | None, keywords: Mapping[str, ast.expr]) -> bool:
    if value is None:
        return True
    made_by = value.func if isinstance(value, ast.Call) else None
    if not (isinstance(made_by, ast.Name) and made_by.id == "field"):
        return False
    return not {"default", "default_factory"} & keywords.keys()


def _constant(line: ast.AnnAssign) -> str | None:
    """The value of a field that is `constant`."""
    call = line.value
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "constant"
    ):
        return _annotation_text(call.args[0]) if call.args else None
    return None


def _gvk(constants: Mapping[str, str | None]) -> GroupVersionKind | None:
    api_version, kind = constants.get("apiVersion"), constants.get("kind")
    if not api_version or not kind:
        return None
    return GroupVersion.parse(api_version).with_kind(kind)


def _list_fields(item: ModelId | None) -> Iterable[Field]:
    """Return the fields that lists take from their base class."""
    if item is None:
        return ()
    metadata = ModelType(ModelId(META_V1, "ListMeta"))
    return (Field("items", ListType(ModelType(item)), required=True), Field("metadata", metadata))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _annotation_text(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
