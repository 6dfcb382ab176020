"""Callers: users with their groups, and the service accounts that user names stand for.

Facts: docs/internals/kubernetes-semantics.md, 1.9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.name_syntax import label_problems, subdomain_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .access import Access

MASTERS: Final = "system:masters"
"""Members of this group may do everything, without roles."""

AUTHENTICATED: Final = "system:authenticated"
_PREFIX: Final = "system:serviceaccount:"
_GROUP: Final = "system:serviceaccounts"


@dataclass(frozen=True, slots=True)
class Witness:
    """Records the requests of a caller.

    Attributes:
        note: called with each access, and whether it was allowed.
        is_restricted: whether roles apply; if not, everything is allowed.
    """

    note: Callable[[Access, bool], None]
    is_restricted: bool = True


@dataclass(frozen=True, slots=True)
class Caller:
    """A user, as authentication tells him."""

    user: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    witness: Witness | None = field(default=None, repr=False, compare=False)

    @property
    def is_master(self) -> bool:
        """Whether everything is allowed to him."""
        return MASTERS in self.groups

    @property
    def is_unrestricted(self) -> bool:
        """Whether roles do not matter: for masters, and in tests that only record requests."""
        return self.is_master or (self.witness is not None and not self.witness.is_restricted)

    def user_info(self) -> dict[str, Any]:
        """The caller as a UserInfo of authentication/v1."""
        parts = {
            "username": self.user,
            "uid": self.uid,
            "groups": list(self.groups),
            "extra": {key: list(values) for key, values in self.extra.items()},
        }
        return {name: value for name, value in parts.items() if value}


@dataclass(frozen=True, slots=True, order=True)
class Account:
    """A ServiceAccount."""

    namespace: str
    name: str

    @classmethod
    def of(cls, text: str) -> Account:
        """Read `namespace/name`.

        Raises:
            ValueError: it is something else.
        """
        namespace, _, name = text.partition("/")
        problems = label_problems(namespace) + subdomain_problems(name)
        if problems:
            raise ValueError(f'a service account is "namespace/name", not {text!r}: {problems[0]}')
        return cls(namespace, name)

    @property
    def user(self) -> str:
        """Its user name."""
        return f"{_PREFIX}{self.namespace}:{self.name}"

    def caller(self) -> Caller:
        """The account as the sender of requests."""
        groups = (*service_account_groups(self.namespace), AUTHENTICATED)
        return Caller(self.user, groups=groups)

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    """The groups that every service account of a namespace is in."""
    return (_GROUP, f"{_GROUP}:{namespace}")


def service_account(user: str) -> tuple[str, str] | None:
    """Return the namespace and name of the service account of a user name, if it is one."""
    namespace, colon, name = user.removeprefix(_PREFIX).partition(":")
    if not user.startswith(_PREFIX) or not colon or not namespace or not name:
        return None
    return namespace, name
