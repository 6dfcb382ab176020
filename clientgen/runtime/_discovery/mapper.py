"""Finds resources by name, with kubectl's rules.

A name is looked up among plurals and singulars, then among short names, then among kinds. Case is
ignored. If several groups have the name, the server's order decides: the core group comes first,
and the preferred version comes first in each group. client-go: restmapper (discovery.go,
shortcut.go, category_expansion.go), apimachinery's meta.PriorityRESTMapper, and the resource
builder of kubectl.

There are four differences from client-go:

- A resource is found by its own name, even if another resource has the same kind.
- A short name may be combined with a version.
- A group that has exactly the given name takes precedence over groups whose names begin with it.
- The kinds of lists, such as DeploymentList, have no resources.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clientgen._gvk import GroupVersionKind

from ..errors import AmbiguousResource, DiscoveryFailed, NoResourceMatch
from .resource_names import name_text, parse_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clientgen._gvk import GroupVersionResource

    from .discovered_resources import ApiResource, Discovered, DiscoveryFailure
    from .resource_names import Candidate

    Index = dict[str, list[ApiResource]]

_log = logging.getLogger("clientgen.discovery")

_MAX_SIMILAR = 3
# The maximum number of names that are compared with an unknown name.
_MAX_COMPARED = 10_000
# Error messages suggest names of at least this similarity, from 0 to 1 (difflib.get_close_matches).
_MIN_SIMILARITY = 0.7


class ResourceMapper:
    """Maps names to the resources that one discovery of a server has found."""

    def __init__(self, discovered: Discovered) -> None:
        self._all = discovered.resources
        self._failures = discovered.failures
        by_name: Index = {}
        by_short_name: Index = {}
        by_kind: Index = {}
        by_category: Index = {}
        for each in self._all:
            for name in {each.plural.lower(), each.singular.lower()}:
                by_name.setdefault(name, []).append(each)
            for name in {name.lower() for name in each.short_names}:
                by_short_name.setdefault(name, []).append(each)
            for name in {name.lower() for name in each.categories}:
                by_category.setdefault(name, []).append(each)
            by_kind.setdefault(each.kind.lower(), []).append(each)
        self._by_name, self._by_short_name = by_name, by_short_name
        self._by_kind, self._by_category = by_kind, by_category

    def resource(self, asked: str | GroupVersionKind | GroupVersionResource) -> ApiResource:
        """Find one resource.

        Args:
            asked: `deployments`, `deployment`, `Deployment`, `deploy`, `deployments.apps`,
                `deployments.v1.apps`, `Deployment.v1.apps`, `apps/v1/Deployment`; or the group,
                version and kind.

        Raises:
            NoResourceMatch: the server has no such resource.
            DiscoveryFailed: the resource may be in a group that is not available now.
            AmbiguousResource: several resources match, for example those of a category.
            ValueError, TypeError: `asked` is not a name.
        """
        candidates = list(parse_name(asked))
        searches = [self._find_by_kind]
        if not isinstance(asked, GroupVersionKind):
            searches.insert(0, self._find_by_name)
        for find in searches:
            for candidate in candidates:
                if (resource := find(candidate)) is not None:
                    return resource
        raise self._not_found_error(asked, candidates)

    def resources(self, asked: str) -> list[ApiResource]:
        """Find the resources of a category, or of several names separated by commas.

        As in kubectl, categories take precedence over names. Each resource is returned once, in its
        preferred version.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource, ValueError, TypeError: as
                `resource`.
        """
        resources: dict[tuple[str, str], ApiResource] = {}
        for name in asked.split(","):
            members = self._by_category.get(name.strip().lower())
            for each in members or [self.resource(name)]:
                resources.setdefault((each.group, each.plural), each)
        return list(resources.values())

    def preferred(self) -> list[ApiResource]:
        """Return each resource once, in its preferred version."""
        resources: dict[tuple[str, str], ApiResource] = {}
        for each in self._all:
            resources.setdefault((each.group, each.plural), each)
        return list(resources.values())

    # ---- the search ---------------------------------------------------------------------------

    def _find_by_name(self, candidate: Candidate) -> ApiResource | None:
        """Find a resource by its plural or singular name, or else by its short name."""
        word = candidate.word.lower()
        exact = _in_matching_group(self._by_name.get(word, ()), candidate)
        if exact:
            return _unambiguous(exact, candidate)
        short = _in_matching_group(self._by_short_name.get(word, ()), candidate)
        if not short:
            return None
        for other in {each.name for each in short if each.plural != short[0].plural}:
            _log.warning(
                "the short name %s matches %s and also %s; the first is used",
                word,
                short[0].name,
                other,
            )
        return short[0]

    def _find_by_kind(self, candidate: Candidate) -> ApiResource | None:
        """Find a resource by kind. As in client-go, the last resource of a kind is used."""
        matches = _in_group(self._by_kind.get(candidate.word.lower(), ()), candidate)
        matches = [each for each in matches if each.kind == candidate.word] or matches
        if not matches:
            return None
        first = matches[0]
        same = [e for e in matches if (e.group, e.version) == (first.group, first.version)]
        return same[-1]

    # ---- errors -------------------------------------------------------------------------------

    def _not_found_error(self, asked: object, candidates: list[Candidate]) -> Exception:
        text = name_text(asked)
        members = self._by_category.get(text.strip().lower())
        if members:
            names = sorted({each.name for each in members})
            hint = f"; the name is a category: use resources({text.strip()!r})"
            return AmbiguousResource(text, names, hint)
        broken = [each for each in self._failures if _may_be_in(each, candidates)]
        if broken:
            return DiscoveryFailed(text, (), [str(each) for each in broken])
        unread = [str(each) for each in self._failures if candidates[0].group is None]
        return NoResourceMatch(text, self._similar_names(candidates), unread)

    def _similar_names(self, candidates: Iterable[Candidate]) -> list[str]:
        words = [candidate.word.lower() for candidate in candidates]
        # The same name in another group is a better hint than a similar name.
        same = self._by_name.get(words[0]) or self._by_kind.get(words[0])
        if same:
            return [str(each) for each in same[:_MAX_SIMILAR]]
        known = [*self._by_name, *self._by_short_name, *self._by_kind][:_MAX_COMPARED]
        close = get_close_matches(words[0], dict.fromkeys(known), _MAX_SIMILAR, _MIN_SIMILARITY)
        return list(dict.fromkeys(self._first_match(name).name for name in close))

    def _first_match(self, name: str) -> ApiResource:
        return (self._by_name.get(name) or self._by_short_name.get(name) or self._by_kind[name])[0]


def _in_matching_group(matches: Iterable[ApiResource], candidate: Candidate) -> list[ApiResource]:
    """Return the resources in the group, or else in groups whose names begin with its name."""
    matches = list(matches)
    exact = _in_group(matches, candidate)
    if exact or candidate.is_exact or not candidate.group:
        return exact
    return [each for each in matches if each.group.startswith(candidate.group)]


def _in_group(matches: Iterable[ApiResource], candidate: Candidate) -> list[ApiResource]:
    return [
        each
        for each in matches
        if candidate.group in {None, each.group} and candidate.version in {None, each.version}
    ]


def _unambiguous(matches: list[ApiResource], candidate: Candidate) -> ApiResource:
    """Return the first match.

    Raises:
        AmbiguousResource: several resources in the group version of the first match have the name.
    """
    first = matches[0]
    same = [e for e in matches if (e.group, e.version) == (first.group, first.version)]
    # In a group version, the plural name of a resource takes precedence over the singular name of
    # another resource.
    plurals = [each for each in same if each.plural.lower() == candidate.word.lower()]
    if len(same) > 1 and len(plurals) != 1:
        raise AmbiguousResource(candidate.word, [str(each) for each in same])
    return plurals[0] if plurals else first


def _may_be_in(failure: DiscoveryFailure, candidates: Iterable[Candidate]) -> bool:
    """Return whether one of the candidates may be in a group version that is not available."""
    return any(
        candidate.group is not None
        and (
            failure.group == candidate.group
            or (
                bool(candidate.group and not candidate.is_exact)
                and failure.group.startswith(candidate.group)
            )
        )
        and (candidate.version in {None, failure.version} or not failure.version)
        for candidate in candidates
    )
