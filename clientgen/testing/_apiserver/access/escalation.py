"""Checks that callers grant no more rights than they have.

https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping:
who writes a role needs all of its rules or the verb `escalate`; who writes a binding needs all
rules of its role or the verb `bind`.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import forbidden, not_found
from clientgen._json import part, parts
from clientgen._rbac.access import Access
from clientgen._rbac.authorizer import GROUP, decide, role_rules, rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clientgen._rbac.callers import Caller

    from ..object_reader import ObjectReader
    from ..served_resources import Resource

_EVERYTHING: Final[tuple[Mapping[str, Any], ...]] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
_FIELDS: Final[Mapping[str, str]] = {
    "apiGroups": "APIGroups",
    "resources": "Resources",
    "resourceNames": "ResourceNames",
    "nonResourceURLs": "NonResourceURLs",
    "verbs": "Verbs",
}


def check_grants(
    resource: Resource,
    new: Mapping[str, Any],
    old: Mapping[str, Any] | None,
    caller: Caller,
    reader: ObjectReader,
) -> None:
    """Refuse a role or binding that gives more than `caller` has; any other object passes.

    Raises:
        Failure: 403 for too many rights, 404 for a binding to a role that is not there.
    """
    if resource.group != GROUP or caller.is_master or _same(new, old):
        return
    if resource.plural in ("roles", "clusterroles"):
        _check_role(resource, new, caller, reader)
    else:
        _check_binding(resource, new, caller, reader)


def _same(new: Mapping[str, Any], old: Mapping[str, Any] | None) -> bool:
    # Owner references and finalizers are the garbage collector's to change.
    return old is not None and _content(new) == _content(old)


def _content(obj: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in obj.items() if key != "metadata"}
    free = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")
    metadata = part(obj, "metadata")
    return kept | {"metadata": {k: v for k, v in metadata.items() if k not in free}}


def _check_role(
    resource: Resource, role: Mapping[str, Any], caller: Caller, reader: ObjectReader
) -> None:
    namespace, name = _place(role)
    may = Access("escalate", resource.plural, GROUP, namespace=namespace, name=name)
    if _allowed(caller, may, reader):
        return
    if role.get("aggregationRule") and not _covered(_EVERYTHING, caller, "", reader):
        _note(caller, may, allowed=False)
        why = "must have cluster-admin privileges to use the aggregationRule"
        raise forbidden(GROUP, resource.plural, name, why)
    _check_rules(resource, role, parts(role, "rules"), caller, reader, otherwise=may)


def _allowed(caller: Caller, access: Access, reader: ObjectReader) -> bool:
    """Return whether the caller has the verb. If not, the caller may still have all rules."""
    allowed = decide(caller, access, reader).allowed
    if allowed:
        _note(caller, access, allowed=True)
    return allowed


def _note(caller: Caller, access: Access, *, allowed: bool) -> None:
    if caller.witness is not None:
        caller.witness.note(access, allowed)


def _check_binding(
    resource: Resource, binding: Mapping[str, Any], caller: Caller, reader: ObjectReader
) -> None:
    namespace, _ = _place(binding)
    reference = part(binding, "roleRef")
    plural = "roles" if reference.get("kind") == "Role" else "clusterroles"
    bound = reference.get("name") or ""
    may = Access("bind", plural, GROUP, namespace=namespace, name=bound)
    if _allowed(caller, may, reader):
        return
    rules = role_rules(reference, namespace, reader)
    if rules is None:
        _note(caller, may, allowed=False)
        raise not_found(GROUP, resource.plural, bound)
    _check_rules(resource, binding, rules, caller, reader, otherwise=may)


def _check_rules(
    resource: Resource,
    obj: Mapping[str, Any],
    rules: Iterable[Mapping[str, Any]],
    caller: Caller,
    reader: ObjectReader,
    *,
    otherwise: Access,
) -> None:
    """Refuse rules that the caller does not hold; `otherwise` is what would have allowed them."""
    namespace, name = _place(obj)
    missing, trouble = _missing(rules, caller, namespace, reader)
    if not missing:
        return
    _note(caller, otherwise, allowed=False)
    groups = " ".join(f'"{each}"' for each in caller.groups)
    shown = "\n".join(map(_rule_text, missing))
    why = (
        f'user "{caller.user}" (groups=[{groups}]) is attempting to grant RBAC permissions '
        f"not currently held:\n{shown}"
    )
    if trouble:
        why += f"; resolution errors: [{trouble}]"
    raise forbidden(GROUP, resource.plural, name, why)


def _place(obj: Mapping[str, Any]) -> tuple[str, str]:
    metadata = part(obj, "metadata")
    return metadata.get("namespace") or "", metadata.get("name") or ""


def _covered(
    rules: Iterable[Mapping[str, Any]], caller: Caller, namespace: str, reader: ObjectReader
) -> bool:
    return not _missing(rules, caller, namespace, reader)[0]


def _missing(
    rules: Iterable[Mapping[str, Any]], caller: Caller, namespace: str, reader: ObjectReader
) -> tuple[list[dict[str, list[str]]], str]:
    held, trouble = rules_of(caller, namespace, reader)
    wanted: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for single in (each for rule in rules for each in _broken_up(rule)):
        if not any(_covers(rule, single) for rule in held):
            *target, verb = (f"{key}={value[0]}" for key, value in single.items())
            group = wanted.setdefault(tuple(target), {**single, "verbs": []})
            group["verbs"].append(verb.removeprefix("verbs="))
    return list(wanted.values()), trouble


def _broken_up(rule: Mapping[str, Any]) -> Iterator[dict[str, list[str]]]:
    """The rule as rules for one thing and one verb each; one that names neither grants nothing."""
    present = [key for key in _FIELDS if rule.get(key)]
    things = "nonResourceURLs" in present or {"apiGroups", "resources"} <= {*present}
    if not things or "verbs" not in present:
        return
    for values in product(*(rule[key] for key in present)):
        yield {key: [value] for key, value in zip(present, values, strict=True)}


def _covers(rule: Mapping[str, Any], single: Mapping[str, list[str]]) -> bool:
    """Return whether a rule allows all that a single rule allows; `*` is a plain verb here."""
    [verb] = single["verbs"]
    if "nonResourceURLs" in single:
        return Access(verb, path=single["nonResourceURLs"][0]).fits(rule)
    resource, _, subresource = single["resources"][0].partition("/")
    name = single.get("resourceNames", [""])[0]
    access = Access(verb, resource, single["apiGroups"][0], subresource, name=name)
    return access.fits(rule)


def _rule_text(rule: Mapping[str, list[str]]) -> str:
    parts = (
        f"{shown}:[{' '.join(f'{chr(34)}{each}{chr(34)}' for each in rule[key])}]"
        for key, shown in _FIELDS.items()
        if key in rule
    )
    return f"{{{', '.join(parts)}}}"
