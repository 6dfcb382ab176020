"""Review of roles: rights that they lack, and rights that are not needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clientgen._apimachinery.labels import selects
from clientgen._json import part, parts

from .authorizer import GROUP, decide, subject_of
from .default_rules import is_free
from .derivation import PLAIN, derived_rights
from .rights import rights_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .access import Access
    from .callers import Account
    from .derivation import Needs, Style
    from .rights import Right
    from .roles import Roles


class Unbound(NamedTuple):
    """An account that no binding names."""

    account: Account
    bound: tuple[str, ...]

    def __str__(self) -> str:
        others = f"; there are bindings for {', '.join(self.bound)}" if self.bound else ""
        return f"missing: no binding names the ServiceAccount {self.account}{others}"


class Missing(NamedTuple):
    """A request that no rule allows."""

    account: Account
    access: Access

    def __str__(self) -> str:
        return f"missing: ServiceAccount {self.account} needs {shown(self.access)}"


@dataclass(frozen=True, slots=True)
class Excess:
    """A right that is not needed."""

    role: str
    rule: int
    right: Right
    why: str

    def __str__(self) -> str:
        return f"too much: {self.role}, rules[{self.rule}]: {self.right}: {self.why}"


class _Grant(NamedTuple):
    """A role that an account has, in a namespace or ("") in all."""

    account: Account
    namespace: str
    role: tuple[str, str, str]


class _Held(NamedTuple):
    """A right in a rule of a role."""

    role: tuple[str, str, str]
    rule: int
    right: Right


def shown(access: Access) -> str:
    """An access in words: `update deployments.apps/scale in namespace shop`."""
    if access.path:
        return f"{access.verb} {access.path}"
    group = f".{access.group}" if access.group else ""
    part_of = f"/{access.subresource}" if access.subresource else ""
    what = f"{access.verb} {access.resource}{group}{part_of}"
    named = f" {access.name}" if access.name else ""
    where = f" in namespace {access.namespace}" if access.namespace else ""
    return f"{what}{named}{where}"


def review(
    roles: Roles, needs: Mapping[Account, Needs], style: Style = PLAIN
) -> list[Missing | Unbound | Excess]:
    """Everything that is missing in some roles, and everything that is too much."""
    return [*missing_rights(roles, needs), *superfluous_rights(roles, needs, style)]


def missing_rights(roles: Roles, needs: Mapping[Account, Needs]) -> Iterator[Missing | Unbound]:
    """The requests and markers that the roles do not allow."""
    bindings = (*roles.list(GROUP, "clusterrolebindings"), *roles.list(GROUP, "rolebindings"))
    for account, needed in sorted(needs.items(), key=lambda item: item[0]):
        caller = account.caller()
        missing = [
            Missing(account, access)
            for access in sorted({*needed.requests, *needed.marked})
            if not is_free(access) and not decide(caller, access, roles).allowed
        ]
        places = ((each, each["metadata"].get("namespace") or "") for each in bindings)
        if missing and not any(subject_of(binding, caller, home) for binding, home in places):
            yield Unbound(account, _accounts_in(bindings))
        else:
            yield from missing


def _accounts_in(bindings: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    subjects = (subject for binding in bindings for subject in parts(binding, "subjects"))
    accounts = (each for each in subjects if each["kind"] == "ServiceAccount")
    return tuple(sorted({f"{each['namespace']}/{each['name']}" for each in accounts}))


def superfluous_rights(
    roles: Roles, needs: Mapping[Account, Needs], style: Style = PLAIN
) -> Iterator[Excess]:
    """The rights of these accounts without which every request would be allowed as well.

    Rights that are wider than needed are among them.
    """
    grants = [*_grants(roles, needs)]
    held = [*_held(roles, {grant.role for grant in grants})]
    users = _users(grants, held, needs)
    by_request: Counter[tuple[Account, Access]] = Counter(
        request for requests in users.values() for request in requests
    )
    wider = _wider(grants, held, needs, style)
    found: dict[_Held, str] = {}
    # Of two equal rights the later one is too much.
    for each in reversed(held):
        requests = users[each]
        if all(by_request[request] > 1 for request in requests):
            by_request.subtract(requests)
            found[each] = "another rule allows it too" if requests else "no request needs it"
        elif each in wider:
            found[each] = wider[each]
    yield from (
        Excess(_name(each.role), each.rule, each.right, found[each])
        for each in held
        if each in found
    )


def _name(role: tuple[str, str, str]) -> str:
    plural, namespace, name = role
    kind = "Role" if plural == "roles" else "ClusterRole"
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _grants(roles: Roles, needs: Mapping[Account, Needs]) -> Iterator[_Grant]:
    """Which of the accounts has which of the roles, where."""
    for binding in (*roles.list(GROUP, "clusterrolebindings"), *roles.list(GROUP, "rolebindings")):
        namespace: str = binding["metadata"].get("namespace") or ""
        reference = part(binding, "roleRef")
        is_role = reference.get("kind") == "Role"
        role = (
            ("roles", namespace, reference["name"])
            if is_role
            else ("clusterroles", "", reference["name"])
        )
        for account in needs:
            if subject_of(binding, account.caller(), namespace):
                yield from (_Grant(account, namespace, each) for each in _with_parts(roles, role))


def _with_parts(
    roles: Roles, role: tuple[str, str, str], seen: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str, str]]:
    """A role, and those that it aggregates."""
    plural, namespace, name = role
    obj = roles.get(GROUP, plural, namespace, name)
    if obj is None or name in seen:
        return
    yield role
    selectors = parts(part(obj, "aggregationRule"), "clusterRoleSelectors")
    for other in roles.list(GROUP, "clusterroles") if selectors else ():
        labels = part(other["metadata"], "labels")
        if any(selects(selector, labels) for selector in selectors):
            found = (plural, "", other["metadata"]["name"])
            yield from _with_parts(roles, found, seen | {name})


def _held(roles: Roles, bound: set[tuple[str, str, str]]) -> Iterator[_Held]:
    for role in sorted(bound):
        plural, namespace, name = role
        obj = roles.get(GROUP, plural, namespace, name) or {}
        for index, rule in enumerate(parts(obj, "rules")):
            yield from (_Held(role, index, right) for right in rights_of(rule))


def _users(
    grants: list[_Grant], held: list[_Held], needs: Mapping[Account, Needs]
) -> dict[_Held, set[tuple[Account, Access]]]:
    """The requests that each right allows."""
    users: dict[_Held, set[tuple[Account, Access]]] = {each: set() for each in held}
    by_role: dict[tuple[str, str, str], list[_Held]] = {}
    for each in held:
        by_role.setdefault(each.role, []).append(each)
    rules: dict[_Held, Mapping[str, Any]] = {each: each.right.rule() for each in held}
    for grant in set(grants):
        needed = needs[grant.account]
        for access in {*needed.requests, *needed.marked}:
            if grant.namespace not in ("", access.namespace) or is_free(access):
                continue
            for each in by_role.get(grant.role, ()):
                if access.fits(rules[each]):
                    users[each].add((grant.account, access))
    return users


def _wider(
    grants: list[_Grant], held: list[_Held], needs: Mapping[Account, Needs], style: Style
) -> dict[_Held, str]:
    """The rights that the least roles do not have, each with the reason."""
    least = {account: derived_rights(account, needed, style) for account, needed in needs.items()}
    found: dict[_Held, str] = {}
    for each in held:
        places = [grant for grant in grants if grant.role == each.role]
        needed = {
            (namespace, right)
            for grant in places
            for namespace, rights in least[grant.account].items()
            for right in rights
            if "" in (grant.namespace, namespace) or grant.namespace == namespace
            if each.right.covers(right)
        }
        if not any(
            right.covers(each.right) and namespace in ("", *(grant.namespace for grant in places))
            for namespace, right in needed
        ):
            found[each] = _least(each.right, needed)
    return found


def _least(right: Right, needed: set[tuple[str, Right]]) -> str:
    namespaces = sorted({namespace for namespace, _ in needed})
    if all(namespaces) and all(other.covers(right) for _, other in needed):
        return f"only needed in namespace {', '.join(namespaces)}"
    return f"only needed: {', '.join(sorted({str(other) for _, other in needed}))}"
