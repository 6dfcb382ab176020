"""The request that an admission function receives, and the exception that refuses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from clientgen._gvk import GroupVersionResource

from .._models.model import Literal, Model, field
from .._models.unstructured import WholeObject

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._models.meta_v1 import StatusCause

M = TypeVar("M", bound=WholeObject)

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT"]
"""The operation on an object. `patch` and `apply` are UPDATE, or CREATE of a new object."""

OPERATIONS: Final = ("CREATE", "UPDATE", "DELETE", "CONNECT")

# The default reason of each code, with apimachinery's names. Clients choose the class of an error
# by its reason.
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
# The API server truncates each warning to 256 characters if all warnings together have more than
# 4096, and drops warnings that do not fit (apiserver: endpoints/filters/warning.go).
_MAX_WARNING_CHARACTERS: Final = 256
_MAX_WARNINGS_CHARACTERS: Final = 4096
# Warnings are sent in an HTTP header, which cannot contain these characters.
_CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x1f\x7f]+")


class UserInfo(Model, sensitive=("extra",)):
    """The sender of a request: UserInfo of authentication.k8s.io/v1."""

    username: str = ""
    """The name, such as `system:serviceaccount:shop:web`."""
    uid: str = ""
    groups: list[str] = field(default_factory=list)
    extra: dict[str, list[str]] = field(default_factory=dict)
    """Further information from the authenticator."""


class Denied(Exception):  # noqa: N818 - a public name
    """Raise this exception in a webhook function to refuse the request.

        raise Denied("spec.schedule must not be empty", code=422)

    The client gets the message after `admission webhook "NAME" denied the request: `.

    Args:
        message: The reason, for the user who sent the request.
        code: The HTTP status code: 403 if a rule of the cluster forbids the request, 422 if the
            object is not valid.
        reason: The reason of the Status, by which client libraries choose an error class; by
            default the reason of the code, such as `Forbidden` or `Invalid`.
        causes: The fields that are wrong.

    Raises:
        ValueError: The code is not between 400 and 599.
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
            raise ValueError(f"code must be a number from 400 to 599, not {code}")
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason or _REASONS.get(code, "")
        self.causes = list(causes)


class AdmissionRequest(Generic[M]):
    """A request to the API server that has not taken effect yet.

    In tests, create it directly: `AdmissionRequest(CronTab(...), operation="CREATE")`.

    Attributes:
        uid: The id of this call of the webhook.
        operation: CREATE, UPDATE, DELETE or CONNECT.
        old_object: The object as it is stored now; None for CREATE and CONNECT.
        name: The name of the object; empty for a CREATE whose name the server will generate.
        namespace: The namespace; empty for cluster-scoped objects.
        resource: The resource of the request, such as `crontabs`.
        sub_resource: The subresource, such as `status`; empty for the object itself.
        user: The user who sent the request.
        dry_run: Whether the request is a dry run, for which a function must have no side effects.
        options: The options of the call, such as `CreateOptions`, as JSON.
        audit_annotations: Annotations for the audit log; keys are short names such as `decision`.
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
        """The object that would be stored. For CONNECT, the options of the connection.

        A defaulting function changes this object, or assigns another object.

        Raises:
            LookupError: The operation is DELETE. Use `old_object`.
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
        """Send a warning to the client; kubectl prints it.

        A warning is truncated to 256 characters. Warnings beyond 4096 characters in total are
        dropped.
        """
        line = _CONTROL_CHARACTERS.sub(" ", text).strip()
        if len(line) > _MAX_WARNING_CHARACTERS:
            line = f"{line[: _MAX_WARNING_CHARACTERS - 3]}..."
        if line and sum(map(len, self._warnings)) + len(line) <= _MAX_WARNINGS_CHARACTERS:
            self._warnings.append(line)
