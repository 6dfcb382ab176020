"""CustomResourceDefinitions: schemas, defaults, pruning, validation, CEL.

`read` makes a `Definition` of a valid CustomResourceDefinition; its `CustomVersion`s prune, default
and validate instances as the real server does. `validate_definition` tells what is wrong with a
definition, `status_of` whether its names are free; `installing`, `ending` and `ended` are its
status before and after.
"""

from .cel.activations import Activation, OutOfBudget, PolicyError
from .cel.authorizer_library import Decide, authorizer_of, deciding_by
from .cel.constructors import TYPE, type_problems, without_types
from .cel.cost import CostBudget
from .cel.policy_expressions import PolicyExpressions, expression_problem
from .crd_definitions import (
    Definition,
    default_definition,
    ended,
    ending,
    installing,
    read,
    status_of,
)
from .custom_scale import ScalePaths
from .custom_versions import CustomVersion
from .definition_rules import definition_warnings, validate_definition

__all__ = [
    "TYPE",
    "Activation",
    "CostBudget",
    "CustomVersion",
    "Decide",
    "Definition",
    "OutOfBudget",
    "PolicyError",
    "PolicyExpressions",
    "ScalePaths",
    "authorizer_of",
    "deciding_by",
    "default_definition",
    "definition_warnings",
    "ended",
    "ending",
    "expression_problem",
    "installing",
    "read",
    "status_of",
    "type_problems",
    "validate_definition",
    "without_types",
]
