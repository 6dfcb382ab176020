"""Rules of objects: functions that say whether an object is valid.

`clientgen crd` and `clientgen rules` translate their source into CEL. Here they are called.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar, cast, overload

from .._models.arguments import check_class, check_function
from .._models.meta_v1 import StatusCause
from .._models.model import Literal, Model
from .admission_requests import AdmissionRequest, Denied

if TYPE_CHECKING:
    from collections.abc import Callable

M = TypeVar("M", bound=Model)
M_contra = TypeVar("M_contra", bound=Model, contravariant=True)

RuleReason: TypeAlias = Literal[
    "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"
]
"""The reason of a refused field, with the names of CustomResourceDefinitions."""

RULE_REASONS: Final = (
    "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"
)  # fmt: skip
_FORBIDDEN: Final = 403
_INVALID: Final = 422
_MAX_MESSAGE: Final = 2048  # apiextensions: validateValidationRules


class _OfObject(Protocol[M_contra]):
    def __call__(self, obj: M_contra, /) -> bool: ...


class _OfChange(Protocol[M_contra]):
    def __call__(self, obj: M_contra, /, old: M_contra) -> bool: ...


class _OfRequest(Protocol[M]):
    def __call__(self, obj: M, /, request: AdmissionRequest[M]) -> bool: ...


class _OfChangeAndRequest(Protocol[M]):
    def __call__(self, obj: M, /, old: M, request: AdmissionRequest[M]) -> bool: ...


RuleFunction: TypeAlias = "_OfObject[M] | _OfChange[M] | _OfRequest[M] | _OfChangeAndRequest[M]"
"""The function of a rule: its arguments are the object, and `old` and `request` if it has them."""


class Rule(Generic[M]):
    """A function that says whether an object is valid, and what users read when it is not.

    `rule` makes it. Call it as the function, in tests: `rule(obj)`, `rule(obj, old)`. Called with
    an `AdmissionRequest`, it is a function of `webhooks.validate`: it raises `Denied`.

    Attributes:
        model: The class of the objects.
        function: The function.
        message: The message, or the function that makes it.
        reason: The reason of the refused field.
        field_path: The JSON path of the field that the message is about, such as `.spec.schedule`;
            empty for the object.
        is_of_changes: Whether the function reads the old object and therefore says nothing of new
            objects.
        takes: The names of the further parameters: `old`, `request`.
    """

    def __init__(
        self,
        model: type[M],
        function: RuleFunction[M],
        message: str | Callable[[M], str],
        reason: RuleReason = "FieldValueInvalid",
        field_path: str = "",
    ) -> None:
        self.model = model
        self.function = function
        self.message = message
        self.reason: RuleReason = reason
        self.field_path = field_path
        self.__name__ = str(getattr(function, "__name__", type(function).__name__))
        self.__doc__ = function.__doc__
        self.takes, self.is_of_changes = _parameters(self.__name__, function)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__name__} of {self.model.__name__}>"

    @overload
    def __call__(self, obj: AdmissionRequest[M], /) -> None: ...
    @overload
    def __call__(
        self, obj: M, /, old: M | None = None, request: AdmissionRequest[M] | None = None
    ) -> bool: ...
    def __call__(
        self,
        obj: M | AdmissionRequest[M],
        /,
        old: M | None = None,
        request: AdmissionRequest[M] | None = None,
    ) -> bool | None:
        """Return whether the object is valid; for a request, return nothing.

        Args:
            obj: The object, or a request with an object.
            old: The object as it is stored; None for a new object. A rule of changes is kept by
                every new object.
            request: The request, for functions that read it.

        Raises:
            Denied: The object of the request is not valid: code 422, or 403 for the reason
                FieldValueForbidden.
            TypeError: The function reads the request, and there is none.
        """
        if isinstance(obj, AdmissionRequest):
            self._judge(obj)
            return None
        if old is None and self.is_of_changes:
            return True
        arguments: dict[str, Any] = {"old": old} if "old" in self.takes else {}
        if "request" in self.takes:
            if request is None:
                raise TypeError(f"{self!r} reads the request: pass request=AdmissionRequest(...)")
            arguments["request"] = request
        function = cast("Callable[..., bool]", self.function)
        return bool(function(obj, **arguments))

    def _judge(self, request: AdmissionRequest[M]) -> None:
        if self(request.object, request.old_object, request):
            return
        message = self.message if isinstance(self.message, str) else self.message(request.object)
        code = _FORBIDDEN if self.reason == "FieldValueForbidden" else _INVALID
        field = self.field_path.removeprefix(".")
        cause = StatusCause(reason=self.reason, message=message, field=field or None)
        raise Denied(message, code=code, causes=[cause])


def rule(
    model: type[M],
    *,
    message: str | Callable[[M], str],
    reason: RuleReason = "FieldValueInvalid",
    field_path: str = "",
) -> Callable[[RuleFunction[M]], Rule[M]]:
    """Make a rule of a function that returns whether an object is valid.

        @rule(CronTab, message="spec.history must be less than 10")
        def short_history(tab: CronTab) -> bool:
            return tab.spec.history < 10

    Further parameters are chosen by their names. `old: CronTab` is the stored object, and the rule
    says nothing of new objects. `old: CronTab | None` is None for new objects.
    `request: AdmissionRequest[CronTab]` is the request, with its namespace and user.

    The function stays an ordinary one. `clientgen crd` and `clientgen rules` read its source and
    write the same rule in CEL, where this is possible without any difference.

    Args:
        model: The class of the objects: a type of yours, or a built-in kind.
        message: What users read if the object is not valid; or a function that makes it of the
            object: `lambda tab: f"..."`.
        reason: The reason of the refused field.
        field_path: The JSON path of the field that the message is about: `.spec.schedule`.

    Raises:
        TypeError: The class has no kind, or the function has other parameters.
        ValueError: The message is empty, too long, or has several lines; the reason is unknown; or
            the path does not start with a dot.
    """
    check_class(model)
    if isinstance(message, str):
        if not message.strip() or "\n" in message or len(message) > _MAX_MESSAGE:
            raise ValueError(f"message must be one line of up to {_MAX_MESSAGE} characters")
    else:
        check_function("message", message)
    if reason not in RULE_REASONS:
        raise ValueError(f"reason must be one of {', '.join(RULE_REASONS)}, not {reason!r}")
    if field_path and not field_path.startswith("."):
        raise ValueError(f"field_path must start with a dot, as in .spec.name, not {field_path!r}")

    def decorate(function: RuleFunction[M]) -> Rule[M]:
        check_function("the function of rule", function)
        return Rule(model, function, message, reason, field_path)

    return decorate


def _parameters(name: str, function: Callable[..., Any]) -> tuple[frozenset[str], bool]:
    """Return the names of the parameters after the first, and whether `old` is never None.

    Raises:
        TypeError: The function has other parameters.
    """
    if inspect.iscoroutinefunction(function):
        raise TypeError(f"the rule {name} must be an ordinary function, not a coroutine function")
    first, *others = inspect.signature(function).parameters.values() or (None,)
    named = {each.name: each for each in others if each.kind is each.POSITIONAL_OR_KEYWORD}
    if first is None or len(named) != len(others) or not set(named) <= {"old", "request"}:
        wanted = "the object, and then old, request or both"
        raise TypeError(f"the rule {name} must take {wanted}, not {inspect.signature(function)}")
    old = named.get("old")
    return frozenset(named), old is not None and not _may_be_none(old)


def _may_be_none(parameter: inspect.Parameter) -> bool:
    if parameter.default is not parameter.empty:
        return parameter.default is None
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else str(annotation)
    return "None" in text or "Optional" in text
