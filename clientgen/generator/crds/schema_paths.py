"""JSON paths of columns, of scale and of selectable fields, checked against the schema of the kind.

The API server takes a path that leads nowhere, and shows an empty column for ever.
"""

from __future__ import annotations

import re
from typing import Final

from clientgen._problems import Problems, did_you_mean
from clientgen.generator.crds.annotation_schemas import ANYTHING, Schema
from clientgen.generator.crds.constraints import kinds_of

_SIMPLE: Final = re.compile(r"(?:\.[A-Za-z_][A-Za-z0-9_-]*)+")
_CALLED: Final = {"integer": "a whole number", "string": "text"}


def check_path(
    path: str, schema: Schema, where: str, problems: Problems, *, kind: str | None = None
) -> None:
    """Find a path that leads to nothing, or to something of another type.

    Args:
        path: as in `.spec.replicas`; what is more than a row of names is not looked at.
        schema: of the kind.
        where: where the path is said.
        problems: takes what is wrong.
        kind: the type that has to be there, if it has to be one.
    """
    if not _SIMPLE.fullmatch(path):
        return
    target = _follow(path, schema, where, problems)
    if target is not None and kind is not None and kind not in kinds_of(target):
        shown = " or ".join(sorted(kinds_of(target)))
        problems.add(where, f"`{path}` must be {_CALLED[kind]}, not {shown}")


def _follow(path: str, schema: Schema, where: str, problems: Problems) -> Schema | None:
    """The schema at the end; None if it is not known, or the way there is a problem."""
    for depth, name in enumerate(path[1:].split(".")):
        if depth == 0 and name == "metadata":  # the server knows what is in it
            return None
        properties: Schema = schema.get("properties", {})
        if name in properties:
            schema = properties[name]
        elif isinstance(schema.get("additionalProperties"), dict):
            schema = schema["additionalProperties"]
        elif schema.get(ANYTHING):
            return None
        else:
            hint = did_you_mean(name, properties, _known(properties))
            problems.add(where, f"`{path}` leads nowhere: there is no field `{name}`", hint)
            return None
    return schema


def _known(properties: Schema) -> str:
    return f"its fields are {', '.join(properties)}" if properties else "it has no fields"
