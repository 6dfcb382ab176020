"""Authorization by the stored roles and bindings, as the RBAC authorizer decides.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/. Rules only ever add up, so the first
one that fits allows. A ClusterRole that aggregates others also has the rules of those: a cluster's
controller manager writes them into it, here they are looked up for each request.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import json

from clientgen._apimachinery.labels import selects
from clientgen._json import part, parts

from .callers import service_account

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .access import Access
    from .callers import Caller

GROUP: Final = "rbac.authorization.k8s.io"


class RoleReader(Protocol):
    """Reads roles and bindings. Every object it returns is a copy."""

    def get(self, group: str, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return one object, or None. Cluster-scoped objects have the namespace ""."""
        ...

    def list(self, group: str, plural: str, namespace: str = "") -> list[dict[str, Any]]:
        """Return all objects of a kind, or those of one namespace."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is allowed, and why."""

    allowed: bool
    reason: str = ""


@dataclass(slots=True)
class Grant:
    """A rule that a user has, and a description of its origin."""

    rule: Mapping[str, Any]
    reason: str


@dataclass(slots=True)
class _Errors:
    """Roles that bindings name and that are not there."""

    texts: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return self.texts[0] if len(self.texts) == 1 else f"[{', '.join(self.texts)}]"


def decide(caller: Caller, access: Access, reader: RoleReader) -> Decision:
    """Return whether `caller` may do it."""
    if caller.is_unrestricted:
        return Decision(True)
    errors = _Errors()
    for grant in _grants(caller, access.namespace, reader, errors):
        if access.fits(grant.rule):
            return Decision(True, f"RBAC: {grant.reason}")
    return Decision(False, f"RBAC: {errors}" if errors.texts else "")


def authorize(caller: Caller, access: Access, reader: RoleReader) -> None:
    """Authorize a request, and tell the witness of `caller`.

    Raises:
        Failure: 403, when `caller` may not do it.
    """
    decision = ask(caller, access, reader)
    if not decision.allowed:
        raise access.refused(caller.user, decision.reason)


def ask(caller: Caller, access: Access, reader: RoleReader) -> Decision:
    """Return whether `caller` may do it, and the witness of `caller`, too."""
    decision = decide(caller, access, reader)
    if caller.witness is not None:
        caller.witness.note(access, decision.allowed)
    return decision


def rules_of(
    caller: Caller, namespace: str, reader: RoleReader
) -> tuple[list[Mapping[str, Any]], str]:
    """Return all rules that a user has in a namespace, and the problems of the lookup."""
    errors = _Errors()
    rules = [grant.rule for grant in _grants(caller, namespace, reader, errors)]
    return rules, str(errors) if errors.texts else ""


def _grants(caller: Caller, namespace: str, reader: RoleReader, errors: _Errors) -> Iterator[Grant]:
    yield from _bound("clusterrolebindings", caller, "", reader, errors)
    if namespace:
        yield from _bound("rolebindings", caller, namespace, reader, errors)


def _bound(
    plural: str, caller: Caller, namespace: str, reader: RoleReader, errors: _Errors
) -> Iterator[Grant]:
    for binding in reader.list(GROUP, plural, namespace):
        subject = subject_of(binding, caller, namespace)
        if subject is None:
            continue
        reference = part(binding, "roleRef")
        rules = role_rules(reference, namespace, reader)
        if rules is None:
            kind, name = str(reference.get("kind")).lower(), reference.get("name")
            errors.texts.append(f'{kind}.{GROUP} "{name}" not found')
            continue
        reason = _reason(binding, reference, subject, namespace)
        yield from (Grant(rule, reason) for rule in rules)


def _reason(
    binding: Mapping[str, Any], reference: Mapping[str, Any], subject: str, namespace: str
) -> str:
    name = binding["metadata"]["name"]
    bound = f'RoleBinding "{name}/{namespace}"' if namespace else f'ClusterRoleBinding "{name}"'
    return f'allowed by {bound} of {reference.get("kind")} "{reference.get("name")}" to {subject}'


def subject_of(binding: Mapping[str, Any], caller: Caller, namespace: str) -> str | None:
    for subject in parts(binding, "subjects"):
        name = subject.get("name")
        match subject.get("kind"):
            case "User" if name == caller.user:
                return f'User "{name}"'
            case "Group" if name in caller.groups:
                return f'Group "{name}"'
            case "ServiceAccount":
                home = subject.get("namespace") or namespace
                if service_account(caller.user) == (home, name):
                    return f'ServiceAccount "{name}/{home}"'
            case _:
                pass
    return None


def role_rules(
    reference: Mapping[str, Any], namespace: str, reader: RoleReader
) -> list[Mapping[str, Any]] | None:
    """The rules of the role that a `roleRef` names; None when there is no such role."""
    name = reference.get("name") or ""
    if reference.get("kind") == "Role":
        role = reader.get(GROUP, "roles", namespace, name)
    else:
        role = reader.get(GROUP, "clusterroles", "", name)
    return None if role is None else list(_all_rules(role, reader, frozenset([name])))


def _all_rules(
    role: Mapping[str, Any], reader: RoleReader, seen: frozenset[str]
) -> Iterator[Mapping[str, Any]]:
    yield from parts(role, "rules")
    selectors = parts(part(role, "aggregationRule"), "clusterRoleSelectors")
    if not selectors:
        return
    for other in reader.list(GROUP, "clusterroles"):
        name = other["metadata"]["name"]
        labels = part(other["metadata"], "labels")
        if name not in seen and any(selects(each, labels) for each in selectors):
            yield from _all_rules(other, reader, seen | {name})


def aggregated_rules(
    role: Mapping[str, Any], roles: Iterable[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the rules of the roles that an aggregated role selects, each once."""
    rules: dict[bytes, Mapping[str, Any]] = {}
    name = role["metadata"]["name"]
    for selector in parts(part(role, "aggregationRule"), "clusterRoleSelectors"):
        for other in roles:
            metadata = other["metadata"]
            if metadata["name"] != name and selects(selector, part(metadata, "labels")):
                for rule in parts(other, "rules"):
                    rules.setdefault(json.encode(rule), rule)
    return list(rules.values())
