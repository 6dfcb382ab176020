"""What admission functions get, and how they refuse a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from clientgen._gvk import GroupVersionResource

from .._models.model import Literal, Model, field
from .._models.unstructured import Object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._models.meta_v1 import StatusCause

__all__ = ["OPERATIONS", "AdmissionRequest", "Denied", "Operation", "UserInfo"]

M = TypeVar("M", bound=Object)

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
"""What is done to an object. `patch` and `apply` are UPDATE, or CREATE if there was no object."""

OPERATIONS: Final = ("CREATE", "UPDATE", "DELETE", "CONNECT")

# By which reason clients recognize an error, if nothing else is said: apimachinery's names.
_REASONS: Final = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    422: "Invalid",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
_CODES: Final = range(400, 600)
# The API server cuts single warnings after 256 characters when all are more than 4096 together,
# and drops those that do not fit (apiserver: endpoints/filters/warning.go).
_WARNING: Final = 256
_ALL_WARNINGS: Final = 4096
# Characters that a header of an HTTP response, in which warnings travel, cannot have.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")


class UserInfo(Model, sensitive=("extra",)):
    """Who sent a request, a UserInfo of authentication.k8s.io/v1."""

    username: str = ""
    """The name, such as `system:serviceaccount:shop:web`."""
    uid: str = ""
    groups: list[str] = field(default_factory=list)
    extra: dict[str, list[str]] = field(default_factory=dict)
    """What else the authenticator said."""


class Denied(Exception):  # noqa: N818 - what it says of the request
    """Raise it in a webhook function to refuse the request.

        raise Denied("spec.schedule must not be empty", code=422)

    The client gets the message after `admission webhook "NAME" denied the request: `.

    Args:
        message: Why, for the person who sent the request.
        code: The HTTP status code: 403 if the rules of the cluster forbid it, 422 if the object is
            not valid.
        reason: The reason of the Status, by which client libraries choose an error; by default
            the usual one of the code, such as `Forbidden` or `Invalid`.
        causes: The fields that are wrong.

    Raises:
        ValueError: The code is not one of an error.
    """

    def __init__(
        self,
        message: str,
        *,
        code: int = 403,
        reason: str = "",
        causes: Sequence[StatusCause] = (),
    ) -> None:
        if code not in _CODES:
            raise ValueError(f"a request is refused with a code from 400 to 599, not {code}")
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason or _REASONS.get(code, "")
        self.causes = list(causes)


class AdmissionRequest(Generic[M]):
    """A request to the API server, before it is done.

    Tests can make one: `AdmissionRequest(CronTab(...), operation="CREATE")`.

    Attributes:
        uid: The id of this call of the webhook.
        operation: CREATE, UPDATE, DELETE or CONNECT.
        old_object: The object as it is stored now; None for CREATE and CONNECT.
        name: The name of the object; empty for a CREATE for which the server will choose one.
        namespace: The namespace; empty for objects that are in none.
        resource: The resource of the request, such as `crontabs`.
        sub_resource: The subresource, such as `status`; empty for the object itself.
        user: Who sent the request.
        dry_run: Whether nothing will be stored. A function then must have no side effects.
        options: The options of the call, such as `CreateOptions`, as JSON.
        audit_annotations: What to add to the audit log; keys are short names such as `decision`.
    """

    def __init__(
        self,
        obj: M | None,
        *,
        old_object: M | None = None,
        operation: Operation = "CREATE",
        uid: str = "",
        name: str = "",
        namespace: str = "",
        resource: GroupVersionResource | None = None,
        sub_resource: str = "",
        user: UserInfo | None = None,
        dry_run: bool = False,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._object = obj
        self.old_object = old_object
        self.operation: Operation = operation
        self.uid = uid
        self.name = name
        self.namespace = namespace
        self.resource = resource or GroupVersionResource("", "", "")
        self.sub_resource = sub_resource
        self.user = user or UserInfo()
        self.dry_run = dry_run
        self.options = dict(options or {})
        self.audit_annotations: dict[str, str] = {}
        self._warnings: list[str] = []

    def __repr__(self) -> str:
        where = "/".join(filter(None, (self.namespace, self.name)))
        what = "/".join(filter(None, (self.resource.resource, self.sub_resource)))
        words = " ".join(filter(None, (self.operation, what, where)))
        return f"<{type(self).__name__} {words}>"

    @property
    def object(self) -> M:
        """The object as it would be stored. For CONNECT, the options of the connection.

        A defaulting function changes it, or assigns another one.

        Raises:
            LookupError: The operation is DELETE: `old_object` is what would be deleted.
        """
        if self._object is None:
            raise LookupError(f"{self.operation} has no object; use old_object")
        return self._object

    @object.setter
    def object(self, value: M) -> None:
        self._object = value

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings so far."""
        return tuple(self._warnings)

    def warn(self, text: str) -> None:
        """Show a warning to the person who sent the request; kubectl prints it.

        One warning has up to 256 characters, all of them 4096: what is longer is cut, what is too
        much is left out.
        """
        line = _CONTROL.sub(" ", text).strip()
        if len(line) > _WARNING:
            line = f"{line[: _WARNING - 3]}..."
        if line and sum(map(len, self._warnings)) + len(line) <= _ALL_WARNINGS:
            self._warnings.append(line)
