"""Accesses: the verbs and resources of requests, and the rules that allow them.

https://kubernetes.io/docs/reference/access-authn-authz/authorization/: each request is a verb on a
resource, or on a path that is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import texts

if TYPE_CHECKING:
    from collections.abc import Mapping

ALL: Final = "*"


@dataclass(frozen=True, slots=True, order=True)
class Access:
    """A requested access: a verb on a resource, or on a path if there is one."""

    verb: str
    resource: str = ""
    group: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def whole_resource(self) -> str:
        """`pods`, `pods/log`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    def refused(self, user: str, reason: str) -> Failure:
        """403 for it."""
        why = f": {reason}" if reason else ""
        if self.path:
            message = f'forbidden: User "{user}" cannot {self.verb} path "{self.path}"{why}'
            return Failure(403, "Forbidden", message)
        kind = f"{self.resource}.{self.group}" if self.group else self.resource
        named = f'{kind} "{self.name}"' if self.name else kind
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        message = (
            f'{named} is forbidden: User "{user}" cannot {self.verb} resource '
            f'"{self.whole_resource}" in API group "{self.group}" {where}{why}'
        )
        return Failure(
            403, "Forbidden", message, name=self.name, group=self.group, kind=self.resource
        )

    def fits(self, rule: Mapping[str, Any]) -> bool:
        """Return whether a rule allows it."""
        if not _any_of(self.verb, rule.get("verbs")):
            return False
        if self.path:
            return any(_path_fits(self.path, each) for each in texts(rule, "nonResourceURLs"))
        names = texts(rule, "resourceNames")
        return (
            _any_of(self.group, rule.get("apiGroups"))
            and self._resource_fits(texts(rule, "resources"))
            and (not names or self.name in names)
        )

    def _resource_fits(self, resources: list[str]) -> bool:
        return (
            ALL in resources
            or self.whole_resource in resources
            or bool(self.subresource and f"*/{self.subresource}" in resources)
        )


def _any_of(wanted: str, listed: list[str] | None) -> bool:
    return listed is not None and (wanted in listed or ALL in listed)


def _path_fits(path: str, allowed: str) -> bool:
    if allowed.endswith(ALL):
        return path.startswith(allowed[:-1])
    return path == allowed
