"""Classes of models: their fields, with texts, defaults and limits."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, Final

from clientgen._class_bodies import annotated_fields
from clientgen._openapi.schema import Schema
from clientgen._problems import Problems
from clientgen.generator import python_names
from clientgen.generator.ir import PythonClass
from clientgen.generator.kubebuilder.kubebuilder_markers import parse_markers
from clientgen.generator.python_types.comments import Comments
from clientgen.generator.resolve.schema_sentences import of_field
from clientgen.reference.annotations import Annotations
from clientgen.reference.facts import split
from clientgen.reference.modules import META, VIEWS
from clientgen.reference.records import Facts, Field, Piece, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clientgen._class_bodies import AnnotatedField
    from clientgen.generator.genclient import MarkerLine
    from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker
    from clientgen.generator.kubebuilder.vocabulary import Level
    from clientgen.reference.modules import Found, Module, Modules

_ROOTS: Final = frozenset({"Model", "ModelBase", "Generic", "object"})
_ZEROS: Final[tuple[Any, ...]] = (None, False, 0, "", [], {})
_MAX_BASES: Final = 50
# `Widget of example.com/v1.` stands where a definition has no description.
_NAME_ONLY: Final = 3

_VIEW_META: Final = Field(
    "metadata",
    "metadata",
    Shape("ViewMeta", (Piece("ViewMeta"),)),
    required=False,
    text="Its name, namespace, uid, version, labels, owners and finalizers.",
)


class TypeReader:
    """Reads classes of models, from generated packages and from modules of the user."""

    def __init__(self, modules: Modules) -> None:
        """Read from these modules."""
        self._modules = modules
        self._comments: dict[str, Comments] = {}
        self._markers: dict[tuple[str, int], tuple[KubebuilderMarker, ...]] = {}

    def fields(self, found: Found) -> tuple[Field, ...]:
        """The fields of a class, those of its base classes first."""
        viewed = self._viewed(found)
        if viewed is not None:
            return tuple(self._fields_of_view(found, *viewed))
        fields: dict[str, Field] = {}
        for each in self._lineage(found):
            for field in self._own_fields(each, found):
                fields[field.name] = field
        item = self.item(found)
        if item and "items" in fields:
            python = (Piece("list["), Piece(item.name, item), Piece("]"))
            shape = Shape(f"[]{item.name}", python, item, "[0]")
            fields["items"] = replace(fields["items"], shape=shape)
        return tuple(fields.values())

    def item(self, found: Found) -> PythonClass | None:
        """The type of the items of a list class."""
        if self._viewed(found):
            return None
        for base in found.node.bases if found.node else ():
            if isinstance(base, ast.Subscript) and found.module:
                shape = Annotations(found.module, self._modules.find).read(base.slice)
                if shape.type:
                    return shape.type
        return None

    def _viewed(self, found: Found) -> tuple[str, PythonClass] | None:
        """The base class of a view or a part, and the model; None if the class is neither."""
        module = found.module
        for base in found.node.bases if found.node and module else ():
            assert module is not None
            written = base.value if isinstance(base, ast.Subscript) else base
            name = self._modules.find(module.name, ast.unparse(written)).name
            if name == PythonClass(VIEWS, "ViewMeta"):
                return name.name, PythonClass(META, "ObjectMeta")
            if name.module == VIEWS and isinstance(base, ast.Subscript):
                model = Annotations(module, self._modules.find).read(base.slice).type
                return (name.name, model) if model else None
        return None

    def _fields_of_view(self, found: Found, base: str, viewed: PythonClass) -> Iterator[Field]:
        """The fields of a view, with what the model says about them."""
        model = self._modules.find(viewed.module, viewed.name)
        known = {each.attribute: each for each in self.fields(model)}
        own = {each.attribute: each for each in self._own_fields(found, found)}
        if base == "View":
            own = {"metadata": _VIEW_META, **own}
        for attribute, each in own.items():
            of_model = known.get(attribute, each)
            yield replace(of_model, shape=each.shape, text=each.text, required=False)

    def declared_kind(self, found: Found) -> tuple[str, str]:
        """The apiVersion and the kind that a class of the user declares; empty without one."""
        keywords: dict[str, str] = {}
        for each in self._lineage(found):
            for keyword in each.node.keywords if each.node else ():
                if keyword.arg and isinstance(keyword.value, ast.Constant):
                    keywords[keyword.arg] = str(keyword.value.value)
        if "group" not in keywords or "version" not in keywords:
            return "", ""
        own = {k.arg: k.value for k in (found.node.keywords if found.node else ())}
        kind = keywords["kind"] if "kind" in own else found.name.name
        return f"{keywords['group']}/{keywords['version']}", kind

    def text(self, found: Found) -> tuple[str, Facts]:
        """The docstring of a class; the one that says nothing counts as none."""
        text = ast.get_docstring(found.node) or "" if found.node else ""
        words = text.split()
        is_name_only = len(words) == _NAME_ONLY and words[:2] == [found.name.name, "of"]
        return ("", Facts()) if is_name_only else split(text)

    def markers(self, found: Found) -> tuple[KubebuilderMarker, ...]:
        """The markers above a class of the user."""
        if found.node is None or found.module is None or found.module.is_generated:
            return ()
        starts = [found.node.lineno, *(each.lineno for each in found.node.decorator_list)]
        return self._markers_above(found.module, min(starts), "type")

    def _lineage(self, found: Found) -> list[Found]:
        """A class and its base classes, the roots first."""
        lineage: list[Found] = []
        waiting = [found]
        while waiting and len(lineage) < _MAX_BASES:
            each = waiting.pop(0)
            if each.node is None or each.module is None or each.name in {e.name for e in lineage}:
                continue
            lineage.append(each)
            for base in each.node.bases:
                written = base.value if isinstance(base, ast.Subscript) else base
                name = written.attr if isinstance(written, ast.Attribute) else ast.unparse(written)
                if name not in _ROOTS:
                    waiting.append(self._modules.find(each.module.name, name))
        return lineage[::-1]

    def _own_fields(self, found: Found, of: Found) -> Iterator[Field]:
        """The fields of a class in the lineage of another."""
        node, module = found.node, found.module
        assert node is not None
        assert module is not None
        if any(self._is_custom_resource(base, module) for base in node.bases):
            yield from self._type_meta(of)
        reader = Annotations(module, self._modules.find)
        for each in annotated_fields(node.body):
            annotation = each.statement.annotation
            if not each.name.startswith("_") and "ClassVar" not in ast.unparse(annotation):
                yield self._field(each, reader.read(annotation), module)

    def _is_custom_resource(self, base: ast.expr, module: Module) -> bool:
        if not isinstance(base, ast.Name):
            return False
        found = self._modules.find(module.name, base.id)
        return found.name.name == "CustomResource" and found.name.module.startswith("clientgen.")

    def _type_meta(self, found: Found) -> Iterator[Field]:
        """The fields that `CustomResource` adds."""
        api_version, kind = self.declared_kind(found)
        for name, attribute, value in (
            ("apiVersion", "api_version", api_version),
            ("kind", "kind", kind),
        ):
            shape = Shape("string", (Piece(f'Literal["{value}"]'),), values=(value,))
            yield Field(name, attribute, shape, required=False)
        meta = self._modules.find(META, "ObjectMeta")
        shape = Shape("ObjectMeta", (Piece("ObjectMeta", meta.name),), meta.name)
        text = "Its name, namespace, labels and annotations, and what the server adds."
        yield Field("metadata", "metadata", shape, required=False, text=text)

    def _field(self, read: AnnotatedField, shape: Shape, module: Module) -> Field:
        line = read.statement
        keywords = _keywords(line.value)
        written = keywords.get("name")
        name = python_names.camel(read.name)
        if isinstance(written, ast.Constant):
            name = str(written.value)
        prose, facts = split(read.text)
        if not module.is_generated:
            facts = self._with_own_limits(facts, line, shape, module)
        return Field(name, read.name, shape, _is_required(line.value, keywords), prose, facts)

    def _with_own_limits(
        self, facts: Facts, line: ast.AnnAssign, shape: Shape, module: Module
    ) -> Facts:
        """The facts, with what annotations and markers of the user's own class say."""
        schema = dict(shape.limits)
        default = _default(line.value)
        for marker in self._markers_above(module, line.lineno, "field"):
            if marker.name == "default":
                default = marker.value
            else:
                schema |= _keyword(marker, schema)
        limits = tuple(of_field(Schema(schema), custom=True, whole=True))
        shown = "" if default in _ZEROS else json.dumps(default, ensure_ascii=False)
        return replace(facts, default=facts.default or shown, limits=(*facts.limits, *limits))

    def _markers_above(
        self, module: Module, line: int, level: Level
    ) -> tuple[KubebuilderMarker, ...]:
        place = (module.name, line)
        if place not in self._markers:
            lines = self._marker_lines(module, line, level)
            chosen = [each for each in lines if not each.text.startswith("+genclient")]
            # What is wrong with a marker, `clientgen generate` tells.
            self._markers[place] = tuple(parse_markers(chosen, Problems(), level))
        return self._markers[place]

    def _marker_lines(self, module: Module, line: int, level: Level) -> list[MarkerLine]:
        if module.name not in self._comments:
            try:
                self._comments[module.name] = Comments(module.data)
            except (SyntaxError, TokenError):
                self._comments[module.name] = Comments(b"")
        comments = self._comments[module.name]
        blocks = [comments.above(line)]
        if level == "type":
            start = blocks[0].start if blocks[0] else line
            blocks.append(comments.second_above(start, 0))
        return [each for block in blocks if block for each in block.lines(module.name)]


def _keywords(value: ast.expr | None) -> dict[str, ast.expr]:
    if not isinstance(value, ast.Call):
        return {}
    return {keyword.arg: keyword.value for keyword in value.keywords if keyword.arg}


def _is_required(value: ast.expr | None, keywords: Iterable[str]) -> bool:
    if value is None:
        return True
    is_field = isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field")
    return is_field and not {"default", "default_factory"} & set(keywords)


def _default(value: ast.expr | None) -> Any:
    """The value that a field of the user's own class has if nobody sets it; None if not known."""
    if isinstance(value, ast.Call):
        value = _keywords(value).get("default")
    if value is None:
        return None
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


def _keyword(marker: KubebuilderMarker, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword of a schema that a marker stands for."""
    bare = marker.name.removeprefix("validation:")
    if bare in {"XValidation", "immutable"}:
        rule = marker.value if bare == "XValidation" else {"rule": "self == oldSelf"}
        return {"x-kubernetes-validations": [*schema.get("x-kubernetes-validations", ()), rule]}
    if marker.name.startswith("validation:") and ":" not in bare:
        return {bare[0].lower() + bare[1:]: marker.value}
    if marker.name == "listType":
        return {"x-kubernetes-list-type": marker.value}
    if marker.name == "listMapKey":
        keys = [*schema.get("x-kubernetes-list-map-keys", ()), marker.value]
        return {"x-kubernetes-list-map-keys": keys}
    return {"nullable": True} if marker.name == "nullable" else {}
