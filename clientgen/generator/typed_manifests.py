"""Source of typed manifests: a `TypedDict` for each model, with the keys and values of YAML.

Every key may be left out, since a manifest may say a part of an object, and every value may be
None: a merge patch deletes it. Maps are `Mapping`, so that a `dict[str, str]` of the user is one.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from clientgen.generator.import_scope import KNOWN_NAMES
from clientgen.generator.ir import (
    EnumType,
    ListType,
    MapType,
    ModelId,
    ModelType,
    Scalar,
    TypeRef,
)
from clientgen.generator.layout import attribute, fold
from clientgen.generator.literals import identifier, quoted, word
from clientgen.generator.plan import ModelPlan
from clientgen.generator.python_names import manifest_class

_SCALARS: Mapping[Scalar, tuple[str, ...]] = {
    Scalar.STRING: ("str",),
    Scalar.INTEGER: ("int",),
    Scalar.NUMBER: ("float",),
    Scalar.BOOLEAN: ("bool",),
    Scalar.BYTES: ("str", "bytes"),
    Scalar.TIME: ("str", "datetime"),
    # A server takes exactly six digits, which a datetime in a dict may not be written with.
    Scalar.MICRO_TIME: ("str",),
    Scalar.QUANTITY: ("str", "int", "float", "Quantity"),
    Scalar.INT_OR_STRING: ("int", "str"),
    Scalar.JSON: ("Any",),
    Scalar.NULL: ("None",),
}
_IMPORTED = frozenset({"Any", "Quantity", "datetime"})
# A key of such a name would hide the type from the annotations after it.
_NEEDED = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "str", "Literal", "Mapping", *_IMPORTED}
)
_is_manifest = re.compile(r"\w*Manifest_*").fullmatch


class ManifestWriter:
    """Writes the manifests of one file.

    Args:
        use: imports a name of `KNOWN_NAMES`, or of the module that is given.
        manifest: imports the manifest of a model; None if it has none.
    """

    def __init__(
        self, use: Callable[[str, str], str], manifest: Callable[[ModelId], str | None]
    ) -> None:
        self._use = use
        self._manifest = manifest

    def source(self, model: ModelPlan) -> str:
        """The manifest of a model."""
        name = identifier(manifest_class(model.name))
        if model.open_ended:
            return f"{name}: {self._known('TypeAlias')} = {self._any_object()}"
        base = self._known("TypedDict")
        entries = list(self._entries(model))
        if all(_is_plain(key) for key, _ in entries):
            lines = [fold(f"class {name}({base}, total=False):")]
            lines.append(f'    """Manifest of {word(_model_title(model))}."""')
            lines += [""] if entries else []
            return "\n".join([*lines, *(attribute(key, type_) for key, type_ in entries)])
        lines = [f"{name} = {base}(", f"    {quoted(name)},", "    {"]
        lines += [f"        {quoted(key)}: {quoted(type_)}," for key, type_ in entries]
        return "\n".join([*lines, "    },", "    total=False,", ")"])

    def _entries(self, model: ModelPlan) -> Iterator[tuple[str, str]]:
        if model.kind:
            yield "apiVersion", self._literal([model.api_version])
            yield "kind", self._literal([model.kind])
        for field in model.fields:
            yield field.wire_name, _union([*self._alternatives(field.type), "None"])

    def _alternatives(self, type_: TypeRef) -> list[str]:
        """The types that a value may have."""
        if isinstance(type_, Scalar):
            return [self._known(n) if n in _IMPORTED else n for n in _SCALARS[type_]]
        if isinstance(type_, EnumType):
            return [self._literal(type_.values), "str"] if type_.values else ["str"]
        if isinstance(type_, ModelType):
            return [self._manifest(type_.model) or self._any_object()]
        if isinstance(type_, ListType):
            return [f"list[{_union(self._alternatives(type_.item))}]"]
        if isinstance(type_, MapType):
            value = _union([*self._alternatives(type_.value), "None"])
            return [f"{self._known('Mapping')}[str, {value}]"]
        return [each for member in type_.members for each in self._alternatives(member)]

    def _literal(self, values: Iterable[str]) -> str:
        return f"{self._use('typing', 'Literal')}[{', '.join(map(quoted, values))}]"

    def _any_object(self) -> str:
        return f"dict[str, {self._known('Any')}]"

    def _known(self, name: str) -> str:
        return self._use(KNOWN_NAMES[name], name)


def _is_plain(key: str) -> bool:
    """Return whether a key can be an attribute of a class without meaning something else there."""
    return (
        key.isascii()
        and key.isidentifier()
        and not key.startswith("__")
        and not keyword.iskeyword(key)
        and key not in _NEEDED
        and not _is_manifest(key)
    )


def _model_title(model: ModelPlan) -> str:
    return f"{model.api_version}/{model.kind}" if model.kind else model.name


def _union(alternatives: Iterable[str]) -> str:
    """A union with each member once. Any is all of them."""
    members = list(dict.fromkeys(alternatives))
    return "Any" if "Any" in members else " | ".join(members)
