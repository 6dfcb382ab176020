"""CustomResourceDefinitions and their instances.

`read` makes a `Definition` of a valid CustomResourceDefinition; its `CustomVersion`s prune, default
and validate instances as the real server does. `validate_definition` tells what is wrong with a
definition, `status_of` whether its names are free; `installing`, `ending` and `ended` are its
status before and after.
"""

from .cel.policies import expression_problem
from .definition_rules import definition_warnings, validate_definition
from .definitions import (
    Definition,
    default_definition,
    ended,
    ending,
    installing,
    read,
    status_of,
)
from .scale import ScalePaths
from .versions import CustomVersion

__all__ = [
    "CustomVersion",
    "Definition",
    "ScalePaths",
    "default_definition",
    "definition_warnings",
    "ended",
    "ending",
    "expression_problem",
    "installing",
    "read",
    "status_of",
    "validate_definition",
]
