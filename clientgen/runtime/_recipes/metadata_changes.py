"""Labels and annotations, selectors and subjects, by the rules of kubectl.

kubectl: pkg/cmd/label, pkg/cmd/annotate, pkg/cmd/set/set_selector.go, set_subject.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .._conditions.json_fields import Json, items, part, text
from ..errors import OperationRefused, one_line
from .texts import check_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_RBAC: Final = "rbac.authorization.k8s.io"
# `kubectl annotate` may always change this annotation.
_CHANGE_CAUSE: Final = "kubernetes.io/change-cause"


def check_not_changed(
    obj: Json, field: str, changes: Mapping[str, str | None], subject: str
) -> None:
    """Check that labels or annotations have no other values yet. None removes a value.

    Raises:
        OperationRefused: Some have other values.
    """
    present = part(obj, "metadata", field)
    taken = [
        name
        for name, value in changes.items()
        if value is not None and present.get(name, value) != value
        if (field, name) != ("annotations", _CHANGE_CAUSE)
    ]
    if taken:
        shown = one_line(", ".join(f"{name}={present[name]}" for name in taken))
        raise OperationRefused(
            f"{subject} has other {field} already: {shown}; overwrite=True changes them"
        )


def change_texts(obj: Json, field: str, changes: Mapping[str, str | None]) -> None:
    """Set labels or annotations of an object. None removes one."""
    metadata = {**part(obj, "metadata")}
    texts = {**part(metadata, field), **changes}
    left = {name: value for name, value in texts.items() if value is not None}
    if left or field in metadata:
        metadata[field] = left
    obj["metadata"] = metadata


def subjects_of(
    users: Iterable[str], groups: Iterable[str], service_accounts: Iterable[str], namespace: str
) -> list[Json]:
    """Return the subjects of a binding, as `kubectl set subject` makes them.

    Args:
        users: The names of users.
        groups: The names of groups.
        service_accounts: Service accounts as `namespace:name`, or `:name`.
        namespace: The namespace of `:name`; empty if there is none.

    Raises:
        TypeError: An argument is not a list of texts.
        ValueError: There is no subject, or a service account is not `namespace:name`.
    """
    subjects: list[Json] = []
    for kind, names in (("User", users), ("Group", groups)):
        checked = check_names("set_subject", f"{kind.lower()}s", names)
        subjects += [{"kind": kind, "apiGroup": _RBAC, "name": each} for each in sorted({*checked})]
    accounts = check_names("set_subject", "service_accounts", service_accounts)
    for each in sorted({*accounts}):
        given, colon, name = each.partition(":")
        where = given or namespace
        if not colon or not name or not where or ":" in name:
            raise ValueError(f"set_subject: a service account is namespace:name, not {each!r}")
        subjects.append({"kind": "ServiceAccount", "namespace": where, "name": name})
    if not subjects:
        raise ValueError("set_subject: name a user, a group or a service account")
    return subjects


def add_subjects(binding: Json, subjects: Iterable[Json]) -> None:
    """Add the subjects that a binding does not have yet."""
    present = list(items(binding, "subjects"))
    known = {_identity(each) for each in present}
    binding["subjects"] = [*present, *(each for each in subjects if _identity(each) not in known)]


def _identity(subject: Json) -> tuple[str, ...]:
    return tuple(text(subject, name) for name in ("kind", "apiGroup", "namespace", "name"))
