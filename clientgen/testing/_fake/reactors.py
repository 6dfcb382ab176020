"""Reactors: rules that answer, fail, delay or cut requests before the server gets them.

A rule has a pattern of requests, a number of times, and an effect. The effect may pass on the
request to the next rule, and finally to the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import json

from clientgen._apimachinery.failures import Cause, Failure
from clientgen.runtime import errors
from clientgen.runtime._http.path_segments import check_segment
from clientgen.runtime._models.model import Model
from clientgen.runtime._models.model_codec import encode
from clientgen.runtime.errors import ApiError, ConnectionLost

from .._apiserver.responses.answers import Response
from .network_faults import cut_response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._apiserver.responses.answers import Answer
    from .._apiserver.served_resources import Resource
    from .actions import Action

    Effect: TypeAlias = Callable[[Action, Callable[[], Answer]], Answer]

_VERBS: Final = (
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "*",
)

Error: TypeAlias = "type[ApiError | ConnectionLost] | ApiError | ConnectionLost | int"
Reaction: TypeAlias = "Error | Model | Mapping[str, Any] | Callable[[Action], object]"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of requests; `*` matches anything.

    `resource` is as in RBAC: `pods`, `deployments.apps` or `deployments` of any group,
    `pods/status`, `*/scale`, or `*` for everything with all subresources.
    """

    verb: str = "*"
    resource: str = "*"
    namespace: str = "*"
    name: str = "*"

    def check(self, resources: Sequence[Resource]) -> None:
        """Check that a pattern can match a request.

        Raises:
            ValueError: the verb, resource or subresource does not exist, or a name is not valid.
        """
        if self.namespace != "*":
            check_segment("namespace", self.namespace)
        if self.name != "*":
            check_segment("name", self.name)
        if self.verb not in _VERBS:
            raise ValueError(f"{self.verb!r} is not a verb; the verbs are {', '.join(_VERBS)}")
        resource, _, subresource = self.resource.partition("/")
        matches = [
            candidate
            for candidate in resources
            if resource in ("*", candidate.plural, candidate.group_resource)
        ]
        if not matches:
            raise ValueError(
                f"{self.resource!r}: no such resource is served; use `pods`, `deployments.apps` "
                "and so on, and define a custom resource first"
            )
        if subresource not in ("", "*") and not any(
            subresource in fitting.subresources for fitting in matches
        ):
            raise ValueError(f"{self.resource!r}: the resource has no such subresource")

    def matches(self, action: Action) -> bool:
        """Return whether an action matches."""
        return (
            self.verb in {"*", action.verb}
            and self.namespace in {"*", action.namespace}
            and self.name in {"*", action.name}
            and self._fits_resource(action)
        )

    def _fits_resource(self, action: Action) -> bool:
        if self.resource == "*":
            return True
        resource, _, subresource = self.resource.partition("/")
        matches = resource in {"*", action.resource, action.group_resource}
        return matches and subresource in (
            {action.subresource, "*"} if subresource else {action.subresource}
        )


class Trigger:
    """Applies to some requests or events, a limited number of times.

    Attributes:
        hits: how often the trigger has applied.
    """

    def __init__(
        self, pattern: Pattern, times: int | None, remove: Callable[[Any], object]
    ) -> None:
        if times is not None and times < 1:
            raise ValueError(f"times={times}: write 1 or more, or None for any number of times")
        self.hits = 0
        self._pattern = pattern
        self._times = times
        self._remove = remove

    def __repr__(self) -> str:
        remaining = "" if self._times is None else f", {self._times - self.hits} to go"
        return f"<{type(self).__name__} {self._pattern.verb} {self._pattern.resource}{remaining}>"

    def takes(self, action: Action) -> bool:
        """Return whether the trigger applies to an action, and count the hit."""
        if not self._pattern.matches(action) or (
            self._times is not None and self.hits >= self._times
        ):
            return False
        self.hits += 1
        return True

    def remove(self) -> None:
        """Remove this trigger, so that it no longer applies."""
        self._remove(self)


class Rule(Trigger):
    """An effect on some requests, a limited number of times.

    Attributes:
        hits: the number of requests to which the rule has applied.
    """

    def __init__(
        self, pattern: Pattern, times: int | None, effect: Effect, remove: Callable[[Any], object]
    ) -> None:
        super().__init__(pattern, times, remove)
        self.effect = effect


def reacting(reaction: Reaction) -> Effect:
    """Return the effect of a reaction.

    Raises:
        TypeError: the reaction cannot be a response.
    """
    if callable(reaction) and not isinstance(reaction, type):
        call = reaction
        return lambda action, proceed: _call_reaction(call, action, proceed)
    if not _can_be_response(reaction):
        raise TypeError(f"a reaction must be an error, an object or a function, not {reaction!r}")
    return lambda action, _: _response(reaction, action)


def failing(error: Error, message: str = "", retry_after: int | None = None) -> Effect:
    """Return the effect of an error.

    Raises:
        TypeError: `error` is not an error.
        ValueError: the number is not an HTTP error code.
    """
    if not _is_error(error):
        raise TypeError(f"an error must be a class, an instance or an HTTP code, not {error!r}")
    return lambda action, _: _error_response(error, action, message, retry_after)


def _call_reaction(
    reaction: Callable[[Action], object], action: Action, proceed: Callable[[], Answer]
) -> Answer:
    try:
        result = reaction(action)
    except (ApiError, ConnectionLost) as error:
        result = error
    if result is None:
        return proceed()
    if not _can_be_response(result):
        raise TypeError(
            f"the reaction to {action} must return an object, an error or None, not {result!r}"
        )
    return _response(result, action)


def _can_be_response(result: object) -> bool:
    return _is_error(result) or isinstance(result, (Model, dict))


def _is_error(result: object) -> bool:
    if isinstance(result, type):
        return issubclass(result, (ApiError, ConnectionLost))
    if isinstance(result, int) and not _MIN_ERROR_CODE <= result <= _MAX_ERROR_CODE:
        raise ValueError(f"{result} is not an HTTP error code")
    return isinstance(result, (ApiError, ConnectionLost, int))


def _response(result: Any, action: Action) -> Response:
    if _is_error(result):
        return _error_response(result, action)
    return Response(201 if action.verb == "create" else 200, encode(result))


# ---- errors -----------------------------------------------------------------------------------

_MIN_ERROR_CODE, _MAX_ERROR_CODE = 400, 599
_CLASS_OF_CODE: Final[Mapping[int, type[ApiError]]] = {
    400: errors.BadRequest,
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    406: errors.NotAcceptable,
    409: errors.Conflict,
    410: errors.Expired,
    413: errors.RequestEntityTooLarge,
    415: errors.UnsupportedMediaType,
    422: errors.Invalid,
    429: errors.TooManyRequests,
    500: errors.InternalError,
    503: errors.ServiceUnavailable,
    504: errors.Timeout,
}
_CODE_OF_CLASS: Final[Mapping[type[ApiError], int]] = {
    **{each: code for code, each in _CLASS_OF_CODE.items()},
    errors.AlreadyExists: 409,
    errors.ApplyConflict: 409,
    errors.Gone: 410,
    errors.ServerTimeout: 500,
    errors.StorageReadError: 500,
}
_MESSAGES: Final[Mapping[type[ApiError], str]] = {
    errors.AlreadyExists: '{what} "{name}" already exists',
    errors.ApplyConflict: "Apply failed with 1 conflict",
    errors.Conflict: (
        'Operation cannot be fulfilled on {what} "{name}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    ),
    errors.Expired: "too old resource version",
    errors.Forbidden: '{what} "{name}" is forbidden',
    errors.Invalid: '{what} "{name}" is invalid',
    errors.NotFound: '{what} "{name}" not found',
    errors.TooManyRequests: "too many requests, please try again later",
    errors.Unauthorized: "Unauthorized",
}
_FIELD_CONFLICT: Final = Cause("FieldManagerConflict", "conflict with another field manager")


def _error_response(
    error: Error, action: Action, message: str = "", retry_after: int | None = None
) -> Response:
    """Return the response that makes a client raise this error."""
    if isinstance(error, ConnectionLost) or error is ConnectionLost:
        return cut_response(Response(0), None)
    if isinstance(error, ApiError):
        code = error.status.code or _code_of(type(error))
        return _response_with_retry(code, encode(error.status), error.retry_after)
    failure = _failure(error, action, message, retry_after)
    return _response_with_retry(failure.code, json.encode(failure.status()), retry_after)


def _response_with_retry(code: int, body: bytes, retry_after: int | None) -> Response:
    response = Response(code, body)
    if retry_after is not None:
        response.headers.append(("retry-after", str(retry_after)))
    return response


def _failure(error: Any, action: Action, message: str, retry_after: int | None) -> Failure:
    kind, code = _kind_and_code(error)
    what, name = action.group_resource, action.name
    template = _MESSAGES.get(kind, "the test makes this request fail")
    text = message or template.format(what=what, name=name)
    return Failure(
        code,
        _reason(kind),
        text,
        name=name,
        group=action.group,
        kind=action.resource,
        causes=[_FIELD_CONFLICT] if kind is errors.ApplyConflict else [],
        retry_after=retry_after,
    )


def _kind_and_code(error: Any) -> tuple[type[ApiError], int]:
    if isinstance(error, type):
        return error, _code_of(error)
    return _CLASS_OF_CODE.get(error, ApiError), error


def _code_of(kind: type[ApiError]) -> int:
    for base in kind.__mro__:
        if base in _CODE_OF_CLASS:
            return _CODE_OF_CLASS[base]
    return 500


def _reason(kind: type[ApiError]) -> str:
    if kind is ApiError:
        return ""
    return "Conflict" if kind is errors.ApplyConflict else kind.__name__
