"""Derivation: the least roles that allow what service accounts have requested.

- A request without a namespace, or in a foreign namespace, needs a ClusterRole. One in the
  account's own namespace needs a Role there, unless the account lists or watches that resource in
  all namespaces: then it works with the objects of all of them.
- A rule is on named objects where names belong to the program and not to the test: Leases, the
  definitions and configurations of the API server, and verbs that hand out rights. Never for
  create, list, watch and deletecollection, which have no name.
- No rule has a wildcard, and no right is in two rules.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from .authorizer import GROUP
from .rights import Right, rules_of_rights

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .access import Access
    from .callers import Account

_OF_ALL: Final = ("list", "watch", "deletecollection")
_NAMELESS: Final = ("create", *_OF_ALL)
_GRANTING: Final = ("approve", "attest", "bind", "escalate", "impersonate", "sign", "use")
"""Verbs that hand out rights: without names they would be rights to everything."""

_NAMED: Final = frozenset(
    {
        "apiservices.apiregistration.k8s.io",
        "customresourcedefinitions.apiextensions.k8s.io",
        "leases.coordination.k8s.io",
        "mutatingadmissionpolicies.admissionregistration.k8s.io",
        "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
        "mutatingwebhookconfigurations.admissionregistration.k8s.io",
        "validatingadmissionpolicies.admissionregistration.k8s.io",
        "validatingadmissionpolicybindings.admissionregistration.k8s.io",
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
    }
)
"""Resources whose objects a program names itself."""


@dataclass(frozen=True, slots=True)
class Style:
    """How roles are derived.

    Attributes:
        namespaced: every request in a namespace gets a Role there, instead of a ClusterRole.
        named: further resources (`secrets`, `deployments.apps`) whose rules name their objects.
    """

    namespaced: bool = False
    named: frozenset[str] = frozenset()


@dataclass(slots=True)
class Needs:
    """What an account needs.

    Attributes:
        requests: what it has requested.
        marked: what markers say, exactly as they say it.
    """

    requests: list[Access] = field(default_factory=list["Access"])
    marked: list[Access] = field(default_factory=list["Access"])


PLAIN: Final = Style()


def derived_roles(needs: Mapping[Account, Needs], style: Style = PLAIN) -> list[dict[str, Any]]:
    """The ServiceAccounts, roles and bindings, in a fixed order."""
    names = [account.name for account in needs]
    objects: list[dict[str, Any]] = []
    for account in sorted(needs):
        # No name of an account has a colon.
        name = account.name if names.count(account.name) == 1 else str(account).replace("/", ":")
        objects += _objects(account, name, derived_rights(account, needs[account], style))
    return objects


def derived_rights(account: Account, needs: Needs, style: Style) -> dict[str, set[Right]]:
    """The rights that an account needs, by namespace; those of "" are for all namespaces."""
    everywhere = {
        _target(each) for each in needs.requests if each.verb in _OF_ALL and not each.namespace
    }
    scoped = [(_scope(each, account, everywhere, style), each) for each in needs.requests]
    listed = {(scope, _target(each)) for scope, each in scoped if each.verb in _OF_ALL}
    rights: defaultdict[str, set[Right]] = defaultdict(set)
    for scope, each in scoped:
        named = _is_named(each, style) and (
            each.verb in _GRANTING or not listed & {(scope, _target(each)), ("", _target(each))}
        )
        rights[scope].add(Right.of(each, named=named))
    for each in needs.marked:
        rights[each.namespace].add(Right.of(each, named=True))
    return _without_repeated(rights)


def _target(access: Access) -> tuple[str, str]:
    return access.group, access.resource


def _scope(access: Access, account: Account, everywhere: set[tuple[str, str]], style: Style) -> str:
    """The namespace of the Role that is to allow it; "" for a ClusterRole."""
    if access.path or _target(access) == ("", "namespaces"):
        return ""
    if style.namespaced:
        return access.namespace
    is_home = access.namespace == account.namespace and _target(access) not in everywhere
    return access.namespace if is_home else ""


def _is_named(access: Access, style: Style) -> bool:
    if not access.name or access.verb in _NAMELESS:
        return False
    resource = f"{access.resource}.{access.group}" if access.group else access.resource
    return access.verb in _GRANTING or resource in _NAMED or resource in style.named


def _without_repeated(rights: Mapping[str, set[Right]]) -> dict[str, set[Right]]:
    """Drop each right that another one covers, in its namespace or in all."""
    left: dict[str, set[Right]] = {}
    for namespace in sorted(rights):
        wider = _Covering(left.get("", set())) if namespace else None
        own = _Covering(rights[namespace])
        kept = {
            right
            for right in rights[namespace]
            if not own.has(right, besides=True) and not (wider and wider.has(right))
        }
        if kept:
            left[namespace] = kept
    return left


class _Covering:
    """Rights, to look up what they cover."""

    def __init__(self, rights: Iterable[Right]) -> None:
        self._rights = frozenset(rights)
        self._wild = [right for right in self._rights if right.is_wild]

    def has(self, right: Right, *, besides: bool = False) -> bool:
        """Return whether one of them covers a right; with `besides`, another one than it."""
        if not besides and right in self._rights:
            return True
        if right.name and right._replace(name="") in self._rights:
            return True
        return any(wild != right and wild.covers(right) for wild in self._wild)


# ---- objects ----------------------------------------------------------------------------------


def _objects(
    account: Account, name: str, rights: Mapping[str, set[Right]]
) -> Iterator[dict[str, Any]]:
    yield {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": account.name, "namespace": account.namespace},
    }
    subject = {"kind": "ServiceAccount", "name": account.name, "namespace": account.namespace}
    for namespace, held in rights.items():
        kind = "Role" if namespace else "ClusterRole"
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        about = {"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": metadata}
        yield {**about, "rules": rules_of_rights(held)}
        yield {
            **about,
            "kind": f"{kind}Binding",
            "roleRef": {"apiGroup": GROUP, "kind": kind, "name": name},
            "subjects": [subject],
        }
