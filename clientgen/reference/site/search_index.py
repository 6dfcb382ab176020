"""The index of the search: a script that holds the names of types, fields and verbs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from clientgen.reference.site.client_sections import verb_anchors
from clientgen.reference.site.errors_page import ERRORS, MODULE, error_anchors
from clientgen.reference.site.file_names import anchors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clientgen.generator.ir import PythonClass
    from clientgen.reference.records import Client, ErrorClass, Type
    from clientgen.reference.site.file_names import Paths

_STABLE: Final = re.compile(r"v\d+")
_BETA: Final = re.compile(r"v\d+beta\d+")


def search_index(
    types: Sequence[Type],
    clients: Mapping[PythonClass, Client],
    paths: Paths,
    ranks: Mapping[PythonClass, int],
    errors: Sequence[ErrorClass],
) -> str:
    """The script.

    Args:
        types: all types that have a page.
        clients: the clients of kinds.
        paths: of the pages.
        ranks: how late the group of a type comes.
        errors: the exceptions that calls raise.
    """
    numbers = {each.id: number for number, each in enumerate(types)}
    entries = [
        _entry(each, clients.get(each.id), paths, numbers, ranks.get(each.id, 0)) for each in types
    ]
    entries += _errors(errors)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    # No text in it can be taken for the end of a script.
    data = f'{{"types":[\n{lines}\n]}}'.replace("<", "\\u003c")
    return f"// clientgen docs\nwindow.clientgenIndex={data};\n"


def _errors(errors: Sequence[ErrorClass]) -> list[dict[str, Any]]:
    ids = error_anchors(errors)
    return [
        {
            "name": each.name,
            "what": "Error",
            "where": MODULE,
            "page": f"{ERRORS}#{ids[each.name]}",
            "rank": 0,
            "fields": [],
        }
        for each in errors
    ]


def _entry(
    type_: Type,
    client: Client | None,
    paths: Paths,
    numbers: Mapping[PythonClass, int],
    rank: int,
) -> dict[str, Any]:
    ids = anchors("f", (each.name for each in type_.fields))
    fields = [
        [
            each.name,
            "" if each.attribute == each.name else each.attribute,
            numbers.get(each.shape.type, -1) if each.shape.type else -1,
            ids[each.name],
        ]
        for each in type_.fields
    ]
    entry: dict[str, Any] = {
        "name": type_.name,
        "where": str(type_.group_version or type_.import_from),
        "page": paths.of(type_.id),
        "rank": rank + _rank(type_),
        "fields": fields,
    }
    if client is not None:
        resource = client.resource
        names = [resource.plural, resource.singular, *resource.short_names]
        entry["names"] = list(dict.fromkeys(names))
        entry["verbs"] = [[name, anchor] for name, anchor in verb_anchors(client).items()]
    return entry


def _rank(type_: Type) -> int:
    """Stable versions come first, of their types what users write; lists come last."""
    version = type_.group_version.version if type_.group_version else "v1"
    late = 0 if _STABLE.fullmatch(version) else 5 if _BETA.fullmatch(version) else 10
    if type_.name.endswith("Spec"):
        late -= 4
    return late + (15 if type_.item else 0)
