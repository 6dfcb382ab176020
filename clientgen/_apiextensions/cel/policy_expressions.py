"""Expressions of admission policies, webhooks and devices, checked when they are written.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ..libraries import MissingLibrary, cel
from ..structure import Structure
from .compile_errors import compile_errors
from .constructors import Constructed, as_functions
from .declarations import declare_all
from .escaped_names import declared_names
from .expressions import BadExpression, check_names, check_types, compiled_type, config
from .functions import checked_policy_functions

if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "integer"}
_TIME: Final = {"type": "string", "format": "date-time"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_ANY: Final = {"x-kubernetes-int-or-string": True}


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def _map(values: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


_KIND: Final = _object(group=_TEXT, version=_TEXT, kind=_TEXT)
_RESOURCE: Final = _object(group=_TEXT, version=_TEXT, resource=_TEXT)
_REQUEST: Final = _object(
    kind=_KIND,
    resource=_RESOURCE,
    subResource=_TEXT,
    requestKind=_KIND,
    requestResource=_RESOURCE,
    requestSubResource=_TEXT,
    name=_TEXT,
    namespace=_TEXT,
    operation=_TEXT,
    userInfo=_object(username=_TEXT, uid=_TEXT, groups=_TEXTS, extra=_map(_TEXTS)),
    dryRun=_FLAG,
    options=_ANY,
)
_CONDITION: Final = _object(
    status=_TEXT, type=_TEXT, lastTransitionTime=_TIME, message=_TEXT, reason=_TEXT
)
_NAMESPACE: Final = _object(
    metadata=_object(
        name=_TEXT,
        generateName=_TEXT,
        namespace=_TEXT,
        labels=_map(_TEXT),
        annotations=_map(_TEXT),
        UID=_TEXT,
        creationTimestamp=_TIME,
        deletionGracePeriodSeconds=_NUMBER,
        deletionTimestamp=_TIME,
        generation=_NUMBER,
        resourceVersion=_TEXT,
        finalizers=_TEXTS,
    ),
    spec=_object(finalizers=_TEXTS),
    status=_object(conditions={"type": "array", "items": _CONDITION}, phase=_TEXT),
)


@cache
def _known() -> Any:
    """The types of the variables that have some, in a pool."""
    return declare_all({"request": Structure(_REQUEST), "namespaceObject": Structure(_NAMESPACE)})


class PolicyExpressions:
    """Checks the expressions of one policy or webhook; nothing where CEL's library is missing.

    Args:
        params: whether the policy has a `paramKind`.
        composed: whether it has variables.
    """

    def __init__(self, *, params: bool, composed: bool = False) -> None:
        self._params = params
        self._composed = composed
        self._variables: dict[str, Any] = {}

    def add_variable(self, name: str, text: str) -> str:
        """Add a variable for the expressions after it; return the problem of its expression."""
        try:
            result = self._type(text)
        except BadExpression as problem:
            self._variables[name] = cel().Type.DYN
            return str(problem)
        except MissingLibrary:
            return ""
        self._variables[name] = result if _is_plain(repr(result)) else cel().Type.DYN
        return ""

    def problem(
        self, text: str, *wanted: str, authorizer: bool = True, patches: bool = False
    ) -> str:
        """Return the problem of an expression; empty if there is none.

        Args:
            text: the expression.
            wanted: the types that it may have, in the words of Kubernetes (`bool`, `string`).
            authorizer: whether it may ask the authorizer.
            patches: whether it may construct objects and JSON patches.
        """
        try:
            found = go_type(repr(self._type(text, authorizer=authorizer, patches=patches)))
        except BadExpression as problem:
            return str(problem)
        except MissingLibrary:
            return ""
        if found in wanted:
            return ""
        expected = wanted[0] if len(wanted) == 1 else f"one of [{' '.join(wanted)}]"
        return f"must evaluate to {expected} but got {found}"

    def _type(self, text: str, *, authorizer: bool = True, patches: bool = False) -> Any:
        check_names(text)
        types = cel().Type
        pool, known = _known()
        names = {"object": types.DYN, "oldObject": types.DYN, **known}
        if self._params:
            names["params"] = types.DYN
        if authorizer:
            names["authorizer"] = types.AbstractType("kubernetes.authorization.Authorizer")
            check = types.AbstractType("kubernetes.authorization.ResourceCheck")
            names["authorizer.requestResource"] = check
        for variable, kind in self._variables.items():
            names |= {f"variables.{name}": kind for name in declared_names(variable)}
        constructed = as_functions(text) if patches else Constructed(text)
        functions = checked_policy_functions(patches=patches)
        try:
            environment = cel().NewEnv(
                descriptor_pool=pool,
                config=config(runs=False),
                variables=names,
                functions=[*functions, *_constructors(constructed.types)],
            )
            return compiled_type(environment, constructed.text)
        except BadExpression as error:
            why = compile_errors(str(error), text, constructed, composed=self._composed)
            raise BadExpression(why) from None


def _constructors(names: list[str]) -> list[Any]:
    types = cel().Type
    members = types.Map(types.STRING, types.DYN)
    return [
        cel().FunctionDecl(
            f"construct{at}",
            [
                cel().Overload(
                    id=f"construct{at}",
                    return_type=types.AbstractType(name),
                    parameters=[members],
                )
            ],
        )
        for at, name in enumerate(names)
    ]


_GO_TYPES: Final = {
    "NULL": "null_type",
    "TIMESTAMP": "google.protobuf.Timestamp",
    "DURATION": "google.protobuf.Duration",
}
_PLAIN: Final = re.compile(r"[A-Z<>, ]+")


def _is_plain(text: str) -> bool:
    """Return whether variables can have a type; those of any other type have any, as with Go."""
    return bool(_PLAIN.fullmatch(text))


def go_type(text: str) -> str:
    """Return the name of a type as API servers write it."""
    words = re.sub(r"\b[A-Z]+\b", lambda word: _GO_TYPES.get(word[0], word[0].lower()), text)
    return words.replace("<", "(").replace(">", ")")


def expression_problem(text: str, names: Iterable[str], wanted: tuple[str, ...]) -> str:
    """Return the problem of an expression on these variables that must have a `wanted` type.

    The result is empty if the expression is right, or if CEL's library is not installed.
    """
    try:
        check_types(text, names, wanted)
    except BadExpression as problem:
        return str(problem)
    except MissingLibrary:
        return ""
    return ""
