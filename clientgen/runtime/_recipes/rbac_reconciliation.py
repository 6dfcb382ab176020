"""Reconciliation of roles and their bindings, by the rules of `kubectl auth reconcile`.

component-helpers: auth/rbac/reconciliation, auth/rbac/validation/policy_comparator.go.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar, cast

from msgspec import Struct, field

from .._conditions.json_fields import Json, items, part, text
from .._http.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

RBAC_GROUP: Final = "rbac.authorization.k8s.io"
RECONCILED: Final = {
    (f"{RBAC_GROUP}/v1", kind): Resource(
        RBAC_GROUP, "v1", f"{kind.lower()}s", kind, namespaced=not kind.startswith("Cluster")
    )
    for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
}
RECONCILED_MESSAGE: Final = (
    "only a Role, ClusterRole, RoleBinding or ClusterRoleBinding of rbac.authorization.k8s.io/v1"
    " is reconciled"
)
MAX_ATTEMPTS: Final = 3

_PROTECTED: Final = "rbac.authorization.kubernetes.io/autoupdate"
_ALL: Final = "*"
_RULE_LISTS: Final = ("apiGroups", "resources", "resourceNames", "nonResourceURLs", "verbs")

ObjectT = TypeVar("ObjectT")
ReconcileOutcome: TypeAlias = Literal["created", "recreated", "configured", "unchanged"]


class Reconciled(Struct, Generic[ObjectT], frozen=True, eq=False):
    """What `auth_reconcile` has done to a role or binding.

    Attributes:
        outcome: `created`, `recreated`, `configured` or `unchanged`. A binding to another role is
            recreated, because the role of a binding cannot change.
        obj: The object as the server has it now.
        missing: The rules or subjects that the object did not have.
        extra: The other rules or subjects that the object had.
        protected: Whether the object forbids changes by its annotation
            `rbac.authorization.kubernetes.io/autoupdate: "false"`. Then nothing was changed.
    """

    outcome: ReconcileOutcome
    obj: ObjectT
    missing: list[dict[str, Any]]
    extra: list[dict[str, Any]]
    protected: bool

    def __repr__(self) -> str:
        hint = ", protected" if self.protected else ""
        return f"<{type(self).__name__}: {self.outcome}{hint}>"


class Reconciliation(Struct):
    """The steps that make an object of the server like the expected one.

    Attributes:
        outcome: What is to do.
        body: The object to write; or the object of the server, if there is nothing to write.
        missing: The expected rules or subjects that the object does not have.
        extra: The rules or subjects of the object that are not expected.
        protected: Whether the object forbids changes.
    """

    outcome: ReconcileOutcome
    body: Json
    missing: list[Json] = field(default_factory=list[Json])
    extra: list[Json] = field(default_factory=list[Json])
    protected: bool = False


def with_defaults(obj: Json) -> Json:
    """Return a role or binding with the defaults that the server puts into it."""
    if "roleRef" not in obj:
        return obj
    subjects = [_subject_with_defaults(each) for each in items(obj, "subjects")]
    role = {"apiGroup": RBAC_GROUP, **_set_fields(part(obj, "roleRef"))}
    return {**obj, "roleRef": role, "subjects": subjects}


def reconcile(
    existing: Json | None, expected: Json, *, remove_permissions: bool, remove_subjects: bool
) -> Reconciliation:
    """Return what is to do.

    Args:
        existing: The object of the server; None if there is none.
        expected: The expected object, with the defaults of the server.
        remove_permissions: Whether to remove rules that are not expected.
        remove_subjects: Whether to remove subjects that are not expected.
    """
    what = "subjects" if "roleRef" in expected else "rules"
    if existing is None:
        return Reconciliation("created", expected, missing=[*items(expected, what)])
    if what == "subjects":
        found = _reconcile_binding(existing, expected, remove=remove_subjects)
    else:
        found = _reconcile_role(existing, expected, remove=remove_permissions)
    annotations = part(existing, "metadata", "annotations")
    found.protected = text(annotations, _PROTECTED) == "false"
    return found


def _reconcile_binding(existing: Json, expected: Json, *, remove: bool) -> Reconciliation:
    if expected["roleRef"] != part(existing, "roleRef"):
        return Reconciliation("recreated", expected)
    body, changed = _with_metadata(existing, expected)
    wanted, present = [*items(expected, "subjects")], [*items(existing, "subjects")]
    missing, extra = _unique(wanted, present), _unique(present, wanted)
    if remove and (missing or extra):
        body["subjects"], changed = wanted, True
    elif missing:
        body["subjects"], changed = [*present, *missing], True
    return Reconciliation("configured" if changed else "unchanged", body, missing, extra)


def _reconcile_role(existing: Json, expected: Json, *, remove: bool) -> Reconciliation:
    body, changed = _with_metadata(existing, expected)
    wanted, present = [*items(expected, "rules")], [*items(existing, "rules")]
    missing = uncovered(present, wanted)
    # The rules of an aggregated role come from other roles.
    aggregated = all("aggregationRule" in each for each in (existing, expected))
    extra = [] if aggregated else uncovered(wanted, present)
    if remove and (missing or extra):
        body["rules"], changed = wanted, True
    elif missing:
        body["rules"], changed = [*present, *missing], True
    changed |= _reconcile_aggregation(body, existing, expected, remove=remove)
    return Reconciliation("configured" if changed else "unchanged", body, missing, extra)


def _reconcile_aggregation(body: Json, existing: Json, expected: Json, *, remove: bool) -> bool:
    """Set the aggregation rule in `body`. Returns whether it has changed."""
    if "aggregationRule" not in expected:
        return body.pop("aggregationRule", None) is not None
    path = ("aggregationRule", "clusterRoleSelectors")
    wanted, present = [*items(expected, *path)], [*items(existing, *path)]
    missing, extra = _unique(wanted, present), _unique(present, wanted)
    if remove and (missing or extra):
        body["aggregationRule"] = expected["aggregationRule"]
    elif missing:
        body["aggregationRule"] = {"clusterRoleSelectors": [*present, *missing]}
    else:
        return False
    return True


def _with_metadata(existing: Json, expected: Json) -> tuple[Json, bool]:
    """Return a copy with the expected labels and annotations, and whether it differs.

    Labels and annotations that the server has keep their values.
    """
    metadata = dict(part(existing, "metadata"))
    changed = False
    for name in ("annotations", "labels"):
        present = part(metadata, name)
        merged = {**part(expected, "metadata", name), **present}
        if merged != present:
            metadata[name], changed = merged, True
    return {**existing, "metadata": metadata}, changed


def _unique(these: Sequence[Json], others: Sequence[Json]) -> list[Json]:
    """Return the objects that are not among the others, each once."""
    found: list[Json] = []
    for each in these:
        if each not in others and each not in found:
            found.append(each)
    return found


def _subject_with_defaults(subject: Json) -> Json:
    subject = _set_fields(subject)
    is_account = text(subject, "kind") == "ServiceAccount"
    return subject if is_account else {"apiGroup": RBAC_GROUP, **subject}


def _set_fields(obj: Json) -> Json:
    return {name: value for name, value in obj.items() if value}


# ---- which rules cover which --------------------------------------------------------------------


def uncovered(owned: Iterable[Json], wanted: Iterable[Json]) -> list[Json]:
    """Return the smallest parts of the wanted rules that no owned rule allows."""
    owners = [{name: _texts(rule, name) for name in _RULE_LISTS} for rule in map(_sound, owned)]
    parts = (each for rule in wanted for each in _parts(_sound(rule)))
    return [each for each in parts if not any(_covers(owner, each) for owner in owners)]


def check_rules(obj: Json) -> None:
    """Check that the lists of rules are lists of texts.

    `resourceNames: web` would otherwise count as no names, which allows all names.

    Raises:
        ValueError: One is not.
    """
    for place, rule in enumerate(items(obj, "rules")):
        for name in _RULE_LISTS:
            if not _is_list_of_texts(rule.get(name)):
                raise ValueError(f"auth_reconcile: rules[{place}].{name} must be a list of texts")


def _sound(rule: Json) -> Json:
    """Return a rule; or an empty rule, which allows nothing, if its lists are no lists of texts."""
    return rule if all(_is_list_of_texts(rule.get(name)) for name in _RULE_LISTS) else {}


def _is_list_of_texts(value: object) -> bool:
    if not isinstance(value, list):
        return value is None
    return all(isinstance(each, str) for each in cast("list[object]", value))


def _texts(rule: Json, name: str) -> list[str]:
    return rule.get(name) or []


def _parts(rule: Json) -> Iterator[Json]:
    """Yield the rules with one verb, one resource and at most one name; or with one path."""
    lists = {name: _texts(rule, name) for name in _RULE_LISTS}
    names: list[str | None] = [*lists["resourceNames"]] or [None]
    for group, resource, verb, name in product(
        lists["apiGroups"], lists["resources"], lists["verbs"], names
    ):
        small: Json = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        yield small if name is None else {**small, "resourceNames": [name]}
    for url, verb in product(lists["nonResourceURLs"], lists["verbs"]):
        yield {"nonResourceURLs": [url], "verbs": [verb]}


def _covers(owner: dict[str, list[str]], small: Json) -> bool:
    """Return whether a rule allows what a rule of one part allows."""
    if small["verbs"][0] not in owner["verbs"] and _ALL not in owner["verbs"]:
        return False
    names = owner["resourceNames"]
    if "nonResourceURLs" in small:
        url = small["nonResourceURLs"][0]
        return not names and any(_covers_url(each, url) for each in owner["nonResourceURLs"])
    return (
        bool({small["apiGroups"][0], _ALL} & {*owner["apiGroups"]})
        and _covers_resource(owner["resources"], small["resources"][0])
        and (not names or (small.get("resourceNames") or [None])[0] in names)
    )


def _covers_resource(resources: list[str], wanted: str) -> bool:
    _, slash, subresource = wanted.partition("/")
    return (
        wanted in resources
        or _ALL in resources
        or bool(slash and f"{_ALL}/{subresource}" in resources)
    )


def _covers_url(owned: str, wanted: str) -> bool:
    return owned == wanted or (owned.endswith(_ALL) and wanted.startswith(owned.rstrip(_ALL)))
