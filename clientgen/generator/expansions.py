"""The classes a user mixes into generated ones, as the configuration names them.

    [tool.clientgen.expansions]
    "v1/Pod" = "myops.pods:PodExpansion"              # the client; AsyncPodExpansion in asyncio's
    "v1/Node" = { lister = "myops.nodes:NodeListerExpansion" }

client-go finds such files by their names (`pod_expansion.go`); here nothing is guessed.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clientgen.generator.config_file import Table

_CLASS = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The classes mixed into those of one kind, each as `module.path:ClassName`, or empty."""

    client: str = ""
    lister: str = ""
    namespace_lister: str = ""

    def classes(self) -> tuple[str, ...]:
        """List the classes that are set."""
        return tuple(filter(None, (self.client, self.lister, self.namespace_lister)))


def read_expansion(table: Table, key: str) -> Expansion:
    """Read the value of a kind: a class for its client, or a table with one for each part."""
    if not isinstance(table.values[key], dict):
        return Expansion(_class(table, key))
    parts = table.table(key)
    names = tuple(field.name for field in fields(Expansion))
    parts.allow_only(names)
    return Expansion(**{name: _class(parts, name) for name in names})


def _class(table: Table, key: str) -> str:
    name = table.text(key)
    if name is not None and not (_CLASS.fullmatch(name) and _is_importable(name)):
        what = f"`{name}` does not name a class"
        table.problems.add(str(table.place / key), what, "write `module.path:ClassName`")
    return name or ""


def _is_importable(name: str) -> bool:
    return not any(map(keyword.iskeyword, name.replace(":", ".").split(".")))
