"""The defaults of fields: Python's, and those of markers.

A client leaves a field off the wire that has its default. So the server has to fill in the same
value, and a marker that names another one is a problem: a value would come back changed.
"""

from __future__ import annotations

import json
from typing import Any, Final

from clientgen._problems import Problems
from clientgen.generator.crds.annotation_schemas import Schema, allows_none
from clientgen.generator.crds.constraints import kinds_of
from clientgen.generator.kubebuilder.kubebuilder_markers import KubebuilderMarker
from clientgen.generator.python_types.class_records import NO_DEFAULT, TypeField
from clientgen.runtime._models.encoder import encode

# The values of absent fields: a server need not fill them in.
_EMPTY: Final[tuple[Any, ...]] = (None, "", 0, False, [], {})


def put_default(
    schema: Schema, type_field: TypeField, marker: KubebuilderMarker | None, problems: Problems
) -> None:
    """Put the default of a field into its schema, in place.

    Args:
        schema: of the field, complete but for the default.
        type_field: the field.
        marker: its `+default` or `+kubebuilder:default`, if it has one.
        problems: takes what is wrong with the marker.
    """
    of_python = _json(type_field.default)
    if (
        of_python not in _EMPTY
        and allows_none(type_field.annotation)
        and not schema.get("nullable")
    ):
        shown = json.dumps(of_python)
        name = type_field.attribute
        what = f"`{name}` may be None, which servers replace with the default, {shown}"
        problems.add(type_field.where, what, "leave out `| None`, or put `# +nullable` above it")
    if marker is None:
        if of_python not in _EMPTY:
            schema["default"] = of_python
        return
    value: Any = marker.value
    if value == {} and schema.get("type") == "array":  # both are written `{}`
        value = []
    if not _is_of(value, kinds_of(schema)):
        what = f"`+{marker.written}`: {json.dumps(value)} is not of the field's type"
        problems.add(marker.where, what, "strings may need quotes")
    elif of_python is not None and of_python != value:
        shown, filled_in = json.dumps(of_python), json.dumps(value)
        what = f"`{type_field.attribute}` is {shown} in Python and {filled_in} for the server"
        hint = (
            f"a client leaves {shown} off the wire, and the server would make {filled_in} of it: "
            "write the same default, or `| None = None`"
        )
        problems.add(marker.where, what, hint)
    schema["default"] = value


def _json(default: object) -> Any:
    """A default of Python's as it would be on the wire; None of those that are never there."""
    if default is NO_DEFAULT or default is None:
        return None
    data = encode(default)
    return json.loads(data) if data else None


def _is_of(value: object, kinds: frozenset[str]) -> bool:
    for of, names in (
        (bool, {"boolean"}),
        (int, {"integer", "number"}),
        (float, {"number"}),
        (str, {"string"}),
        (list, {"array"}),
    ):
        if isinstance(value, of):
            return bool(kinds & names)
    return "object" in kinds
