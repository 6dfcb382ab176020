"""Failures of requests, as the Status that an API server returns.

`reason` and `code` belong together, `details.kind` is the plural resource for most reasons but the
Kind for Invalid, and causes name fields.

Facts: docs/internals/kubernetes-semantics.md, 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that is wrong, with the field it is about (`spec.containers[0].name`)."""

    reason: str
    message: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message

    def as_json(self) -> dict[str, str]:
        """The cause as it stands in a Status."""
        parts = {"reason": self.reason, "message": self.message, "field": self.field}
        return {name: text for name, text in parts.items() if text}


class Failure(Exception):  # noqa: N818 - an answer, not a defect
    """Ends a request with a Status."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        *,
        name: str = "",
        group: str = "",
        kind: str = "",
        uid: str = "",
        causes: Iterable[Cause] = (),
        retry_after: int | None = None,
        continue_: str = "",
        details: bool = True,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.causes = tuple(causes)
        self.retry_after = retry_after
        self.continue_ = continue_
        self._details = details
        self._about = {"name": name, "group": group, "kind": kind, "uid": uid}

    def status(self) -> dict[str, Any]:
        """The Status object."""
        answer: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continue_} if self.continue_ else {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            answer["reason"] = self.reason
        if self._details:
            answer["details"] = self._detail()
        answer["code"] = self.code
        return answer

    def _detail(self) -> dict[str, Any]:
        detail: dict[str, Any] = {name: text for name, text in self._about.items() if text}
        if self.causes:
            detail["causes"] = [cause.as_json() for cause in self.causes]
        if self.retry_after is not None:
            detail["retryAfterSeconds"] = self.retry_after
        return detail


def _qualified(plural: str, group: str) -> str:
    return f"{plural}.{group}" if group else plural


def not_found(group: str, plural: str, name: str) -> Failure:
    """404: there is no such object."""
    message = f'{_qualified(plural, group)} "{name}" not found'
    return Failure(404, "NotFound", message, name=name, group=group, kind=plural)


def already_exists(
    group: str, plural: str, name: str, *, retry_after: int | None = None
) -> Failure:
    """409: an object of that name is there already."""
    message = f'{_qualified(plural, group)} "{name}" already exists'
    return Failure(
        409,
        "AlreadyExists",
        message,
        name=name,
        group=group,
        kind=plural,
        retry_after=retry_after,
    )


def conflict(
    group: str, plural: str, name: str, why: str, *, causes: Iterable[Cause] = ()
) -> Failure:
    """409: the object is not as the request takes it to be."""
    message = f'Operation cannot be fulfilled on {_qualified(plural, group)} "{name}": {why}'
    return Failure(409, "Conflict", message, name=name, group=group, kind=plural, causes=causes)


def invalid(group: str, kind: str, name: str, causes: Iterable[Cause]) -> Failure:
    """422: the object breaks rules; every cause is one of them."""
    listed = tuple(causes)
    texts = list(dict.fromkeys(map(str, listed)))  # what is found twice is told once
    text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    message = f'{_qualified(kind, group)} "{name}" is invalid: {text}'
    return Failure(422, "Invalid", message, name=name, group=group, kind=kind, causes=listed)


def unprocessable() -> Failure:
    """422 that does not tell why, as for JSON patches that cannot be applied."""
    message = "the server rejected our request due to an error in our request"
    return Failure(422, "Invalid", message)


def bad_request(message: str) -> Failure:
    """400: the request cannot be understood."""
    return Failure(400, "BadRequest", message, details=False)


def forbidden(
    group: str, plural: str, name: str, why: str, *, causes: Iterable[Cause] = ()
) -> Failure:
    """403: not allowed, whoever asks."""
    message = f'{_qualified(plural, group)} "{name}" is forbidden: {why}'
    return Failure(403, "Forbidden", message, name=name, group=group, kind=plural, causes=causes)


def method_not_allowed() -> Failure:
    """405: the path exists, this verb does not."""
    message = "the server does not allow this method on the requested resource"
    return Failure(405, "MethodNotAllowed", message)


def unsupported_media_type(message: str) -> Failure:
    """415: the body is in a format that is not taken here."""
    return Failure(415, "UnsupportedMediaType", message, details=False)


def internal_error(message: str) -> Failure:
    """500 InternalError."""
    return Failure(
        500,
        "InternalError",
        f"Internal error occurred: {message}",
        causes=(Cause("", message),),
    )


def unclassified(message: str) -> Failure:
    """500 with an empty reason, where the real server forgot to say one."""
    return Failure(500, "", message, details=False)


# ------------------------------------------------------------------ causes (field errors)


def required(field: str, detail: str = "") -> Cause:
    """A value that has to be there is not."""
    return Cause(
        "FieldValueRequired", f"Required value: {detail}" if detail else "Required value", field
    )


def invalid_value(field: str, value: object, detail: str) -> Cause:
    """A value that breaks a rule."""
    return Cause("FieldValueInvalid", f"Invalid value: {_value_text(value)}: {detail}", field)


def omitted(field: str, detail: str) -> Cause:
    """A value that breaks a rule and is not shown."""
    return Cause("FieldValueInvalid", f"Invalid value: {detail}", field)


def type_invalid(field: str, value: object, detail: str) -> Cause:
    """A value of the wrong type."""
    return Cause("FieldValueTypeInvalid", f"Invalid value: {_value_text(value)}: {detail}", field)


def not_supported(field: str, value: object, supported: Iterable[object]) -> Cause:
    """A value that is none of the known ones."""
    listed = ", ".join(_value_text(supported_value) for supported_value in supported)
    message = f"Unsupported value: {_value_text(value)}: supported values: {listed}"
    return Cause("FieldValueNotSupported", message, field)


def forbidden_value(field: str, detail: str) -> Cause:
    """A value that may not be here."""
    return Cause("FieldValueForbidden", f"Forbidden: {detail}", field)


def duplicate(field: str, value: object) -> Cause:
    """A value that stands twice where it may stand once."""
    return Cause("FieldValueDuplicate", f"Duplicate value: {_value_text(value)}", field)


def too_long(field: str, detail: str) -> Cause:
    """Too many characters."""
    return Cause("FieldValueTooLong", f"Too long: {detail}", field)


def too_many(field: str, actual: int, most: int) -> Cause:
    """Too many items."""
    return Cause("FieldValueTooMany", f"Too many: {actual}: must have at most {most} items", field)


_ESCAPED: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}
"""What Go escapes in the JSON of lists and objects."""


def _value_text(value: object) -> str:
    from msgspec import json

    text = json.encode(value).decode()
    return text if isinstance(value, str) else text.translate(_ESCAPED)


def status_success(
    code: int | None = None, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A Status that says that something was done."""
    answer: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
    }
    if details:
        answer["details"] = dict(details)
    if code is not None:
        answer["code"] = code
    return answer
