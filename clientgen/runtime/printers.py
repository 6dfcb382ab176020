r"""What kubectl prints: JSONPath, tables.

    print_table(pods, "NAME:.metadata.name,NODE:.spec.nodeName", sort_by=".spec.nodeName")
    print(json_path(pods, '{range .items[*]}{.metadata.name}{"\n"}{end}'), end="")

The functions take models, views, `Unstructured` and dicts. They send no requests.
"""

from __future__ import annotations

from ._printing.ages import age
from ._printing.columns import Columns
from ._printing.json_path_text import json_path, json_path_values
from ._printing.object_json import Objects
from ._printing.sorting import sort_by
from ._printing.tables import print_table, table

__all__ = [
    "Columns",
    "Objects",
    "age",
    "json_path",
    "json_path_values",
    "print_table",
    "sort_by",
    "table",
]
