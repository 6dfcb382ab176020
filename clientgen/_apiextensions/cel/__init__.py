"""Validation rules in the Common Expression Language (`x-kubernetes-validations`).

Expressions are parsed, checked and run by cel-expr-python, Google's C++ implementation: of the
libraries for Python it alone checks types, which definitions need, and it has RE2 and the newer
extensions. Each rule is checked against types made from its schema (`declarations`), and run on
values typed by the schema (`cel_values`).

What rules may use (Kubernetes' "CEL in Kubernetes"): the standard library and macros; optionals
(`?.`, `[?]`, `orValue`, ...); the strings extension; sets; lists (`slice`, `sort`, ...) and
Kubernetes' `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`; `find` and `findAll`; `url`;
`quantity`; `ip` and `cidr`; `semver`; comprehensions with two variables.

What they may not, though they could in Kubernetes: `transformMap` and `transformMapEntry`, the
`authorizer`. A rule or policy that does is refused when it is written; the `authorizer` is for
policies. Not done either: lists of type `set` being equal whatever their order.

A rule that may cost too much for an object is not run on it (`cost`), and the object is refused.
Definitions are not refused for what their rules may cost.
"""

from .cost import CostBudget
from .validation_rules import RuleTree, check_rules

__all__ = ["CostBudget", "RuleTree", "check_rules"]
