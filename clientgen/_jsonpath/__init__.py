r"""JSONPath in kubectl's dialect.

The dialect is described on kubectl's page "JSONPath Support": `.spec.tags[0]`, `.items[*].name`,
`..name`, `[1:3]`, `['a','b']`, filters such as `[?(@.type=="Ready")]`, and templates such as
`{range .items[*]}{.metadata.name}{"\n"}{end}`. k8s.io/client-go/util/jsonpath is the original.

A path is a sequence of steps. Each step maps values to new values. A path to a missing field
selects no value, and is not an error.
"""

from __future__ import annotations

from .evaluation import evaluate
from .parser import parse, parse_template, relaxed
from .steps import Budget, run
from .templates import Action, Node, Range, Text

__all__ = [
    "Action",
    "Budget",
    "Node",
    "Range",
    "Text",
    "evaluate",
    "parse",
    "parse_template",
    "relaxed",
    "run",
]
