"""Authorization by the stored roles and bindings, as the RBAC authorizer decides.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/. Rules only ever add up, so the first
one that fits allows. A ClusterRole that aggregates others also has the rules of those: a cluster's
controller manager writes them into it, here they are looked up when somebody asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._apimachinery.optional_parts import part, parts, texts

from .callers import service_account

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..object_reader import ObjectReader
    from .callers import Caller

__all__ = [
    "GROUP",
    "Access",
    "Decision",
    "Grant",
    "authorize",
    "decide",
    "role_rules",
    "rules_of",
    "selects",
]

GROUP: Final = "rbac.authorization.k8s.io"
_ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Access:
    """An access that somebody asks for: a verb on a resource, or on a path when there is one."""

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

    def refused(self, caller: Caller, reason: str) -> Failure:
        """403 for it."""
        why = f": {reason}" if reason else ""
        if self.path:
            message = f'forbidden: User "{caller.user}" cannot {self.verb} path "{self.path}"{why}'
            return Failure(403, "Forbidden", message)
        kind = f"{self.resource}.{self.group}" if self.group else self.resource
        named = f'{kind} "{self.name}"' if self.name else kind
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        message = (
            f'{named} is forbidden: User "{caller.user}" cannot {self.verb} resource '
            f'"{self.whole_resource}" in API group "{self.group}" {where}{why}'
        )
        return Failure(
            403, "Forbidden", message, name=self.name, group=self.group, kind=self.resource
        )

    def fits(self, rule: Mapping[str, Any]) -> bool:
        """Tell whether a rule allows it."""
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
            _ALL in resources
            or self.whole_resource in resources
            or bool(self.subresource and f"*/{self.subresource}" in resources)
        )


def _any_of(wanted: str, listed: list[str] | None) -> bool:
    return listed is not None and (wanted in listed or _ALL in listed)


def _path_fits(path: str, allowed: str) -> bool:
    if allowed.endswith(_ALL):
        return path.startswith(allowed[:-1])
    return path == allowed


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether something is allowed, and why."""

    allowed: bool
    reason: str = ""


@dataclass(slots=True)
class Grant:
    """One rule that somebody has, with the words for where it comes from."""

    rule: Mapping[str, Any]
    reason: str


@dataclass(slots=True)
class _Errors:
    """Roles that bindings name and that are not there."""

    texts: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return self.texts[0] if len(self.texts) == 1 else f"[{', '.join(self.texts)}]"


def decide(caller: Caller, access: Access, reader: ObjectReader) -> Decision:
    """Tell whether `caller` may do it."""
    if caller.is_master:
        return Decision(True)
    errors = _Errors()
    for grant in _grants(caller, access.namespace, reader, errors):
        if access.fits(grant.rule):
            return Decision(True, f"RBAC: {grant.reason}")
    return Decision(False, f"RBAC: {errors}" if errors.texts else "")


def authorize(caller: Caller, access: Access, reader: ObjectReader) -> None:
    """Let a request pass.

    Raises:
        Failure: 403, when `caller` may not do it.
    """
    decision = decide(caller, access, reader)
    if not decision.allowed:
        raise access.refused(caller, decision.reason)


def rules_of(
    caller: Caller, namespace: str, reader: ObjectReader
) -> tuple[list[Mapping[str, Any]], str]:
    """All rules that somebody has in a namespace, and what went wrong when they were looked up."""
    errors = _Errors()
    rules = [grant.rule for grant in _grants(caller, namespace, reader, errors)]
    return rules, str(errors) if errors.texts else ""


def _grants(
    caller: Caller, namespace: str, reader: ObjectReader, errors: _Errors
) -> Iterator[Grant]:
    yield from _bound("clusterrolebindings", caller, "", reader, errors)
    if namespace:
        yield from _bound("rolebindings", caller, namespace, reader, errors)


def _bound(
    plural: str, caller: Caller, namespace: str, reader: ObjectReader, errors: _Errors
) -> Iterator[Grant]:
    for binding in reader.list(GROUP, plural, namespace):
        subject = _subject(binding, caller, namespace)
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


def _subject(binding: Mapping[str, Any], caller: Caller, namespace: str) -> str | None:
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
    reference: Mapping[str, Any], namespace: str, reader: ObjectReader
) -> list[Mapping[str, Any]] | None:
    """The rules of the role that a `roleRef` names; None when there is no such role."""
    name = reference.get("name") or ""
    if reference.get("kind") == "Role":
        role = reader.get(GROUP, "roles", namespace, name)
    else:
        role = reader.get(GROUP, "clusterroles", "", name)
    return None if role is None else list(_all_rules(role, reader, frozenset([name])))


def _all_rules(
    role: Mapping[str, Any], reader: ObjectReader, seen: frozenset[str]
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


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector means something with these labels."""
    wanted = part(selector, "matchLabels")
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _requirement_fits(each, labels) for each in parts(selector, "matchExpressions")
    )


def _requirement_fits(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(requirement["key"]), texts(requirement, "values")
    match requirement["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case _:
            return value is None
