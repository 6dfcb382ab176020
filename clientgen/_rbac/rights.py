"""Rights: the smallest parts of rules, and the rules that they make."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from clientgen._json import texts

from .access import ALL, Access

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping


class Right(NamedTuple):
    """One verb on one resource, on one object if there is a name; or on one path.

    Attributes:
        resource: with its subresource: `pods/log`.
    """

    group: str
    resource: str
    name: str
    verb: str
    path: str = ""

    @classmethod
    def of(cls, access: Access, *, named: bool) -> Right:
        """The right that allows an access."""
        if access.path:
            return cls("", "", "", access.verb, access.path)
        name = access.name if named else ""
        return cls(access.group, access.whole_resource, name, access.verb)

    @property
    def is_wild(self) -> bool:
        """Whether it has a wildcard."""
        return ALL in (self.group, self.verb) or ALL in f"{self.resource}{self.path}"

    def rule(self) -> dict[str, Any]:
        """The rule with this right and no other."""
        return _path_rule([self.path], [self.verb]) if self.path else _rule(self)

    def access(self) -> Access:
        """What it allows, wildcards as they are."""
        if self.path:
            return Access(self.verb, path=self.path)
        resource, _, subresource = self.resource.partition("/")
        return Access(self.verb, resource, self.group, subresource, "", self.name)

    def covers(self, other: Right) -> bool:
        """Return whether it allows all that the other one allows."""
        return other.access().fits(self.rule())

    def __str__(self) -> str:
        if self.path:
            return f"{self.verb} {self.path}"
        resource, slash, subresource = self.resource.partition("/")
        group = f".{self.group}" if self.group else ""
        return f"{self.verb} {resource}{group}{slash}{subresource} {self.name}".rstrip()


def rights_of(rule: Mapping[str, Any]) -> Iterator[Right]:
    """The rights that a rule is made of."""
    for verb in dict.fromkeys(texts(rule, "verbs")):
        for path in dict.fromkeys(texts(rule, "nonResourceURLs")):
            yield Right("", "", "", verb, path)
        for group in dict.fromkeys(texts(rule, "apiGroups")):
            for resource in dict.fromkeys(texts(rule, "resources")):
                for name in dict.fromkeys(texts(rule, "resourceNames") or [""]):
                    yield Right(group, resource, name, verb)


def rules_of_rights(rights: Iterable[Right]) -> list[dict[str, Any]]:
    """The fewest rules with exactly these rights, in a fixed order.

    Names, resources and groups are put together where everything else is equal.
    """
    on_resources, on_paths = list[Right](), list[Right]()
    for right in set(rights):
        (on_paths if right.path else on_resources).append(right)
    verbs = _merged(((r.group, r.resource, r.name), r.verb) for r in on_resources)
    names = _merged(((g, r, v, bool(n)), n) for (g, r, n), v in verbs)
    resources = _merged(((g, n, v), r) for (g, r, v, _), n in names)
    groups = _merged(((r, n, v), g) for (g, n, v), r in resources)
    rules = [_rule_of(g, r, n, v) for (r, n, v), g in groups]
    rules.sort(key=lambda rule: [rule[key] for key in ("apiGroups", "resources", "verbs")])
    paths = _merged((v, p) for p, v in _merged((r.path, r.verb) for r in on_paths))
    return rules + sorted((_path_rule(p, v) for v, p in paths), key=str)


def _merged(pairs: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """Each first with all its seconds."""
    merged: defaultdict[Hashable, set[str]] = defaultdict(set)
    for first, second in pairs:
        merged[first].add(second)
    yield from ((first, tuple(sorted(seconds))) for first, seconds in merged.items())


def _rule(right: Right) -> dict[str, Any]:
    return _rule_of((right.group,), (right.resource,), (right.name,), (right.verb,))


def _rule_of(
    groups: Iterable[str], resources: Iterable[str], names: Iterable[str], verbs: Iterable[str]
) -> dict[str, Any]:
    rule: dict[str, Any] = {"apiGroups": [*groups], "resources": [*resources]}
    if any(names):
        rule["resourceNames"] = [*names]
    return rule | {"verbs": [*verbs]}


def _path_rule(paths: Iterable[str], verbs: Iterable[str]) -> dict[str, Any]:
    return {"nonResourceURLs": [*paths], "verbs": [*verbs]}
