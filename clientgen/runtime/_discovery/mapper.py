"""Finds resources by name, with kubectl's rules.

A name is searched among plurals and singulars, then among short names, then among kinds. Case does
not matter. If several groups have the name, the server's order decides: the core group comes first,
and in each group its preferred version. client-go: restmapper (discovery.go, shortcut.go,
category_expansion.go), apimachinery's meta.PriorityRESTMapper, and the resource builder of kubectl.

There are four differences from client-go. A resource is found by its own name, even if another
resource has the same kind. A short name may be combined with a version. The full name of a group
takes precedence over groups whose names begin with it. The kinds of lists have no resources.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clientgen._gvk import GroupVersionKind

from ..errors import AmbiguousResource, DiscoveryFailed, NoResourceMatch
from .resource_names import readings, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clientgen._gvk import GroupVersionResource

    from .discovered_resources import ApiResource, Discovered, DiscoveryFailure
    from .resource_names import Reading

    Index = dict[str, list[ApiResource]]

__all__ = ["ResourceMapper"]

_log = logging.getLogger("clientgen.discovery")

_MAX_SIMILAR = 3
# The maximum number of names that are compared with an unknown one.
_MAX_COMPARED = 10_000
# The minimum similarity of a name for a hint, from 0 to 1 (difflib.get_close_matches).
_MIN_SIMILARITY = 0.7


class ResourceMapper:
    """Maps names to the resources of a server, as of one discovery."""

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
        candidates = list(readings(asked))
        by_name = not isinstance(asked, GroupVersionKind)
        for find in (self._find_by_name, self._find_by_kind) if by_name else (self._find_by_kind,):
            for reading in candidates:
                if (resource := find(reading)) is not None:
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

    def _find_by_name(self, reading: Reading) -> ApiResource | None:
        """Find a resource by plural or singular, else by short name."""
        word = reading.word.lower()
        exact = _in_matching_group(self._by_name.get(word, ()), reading)
        if exact:
            return _unambiguous(exact, reading)
        short = _in_matching_group(self._by_short_name.get(word, ()), reading)
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

    def _find_by_kind(self, reading: Reading) -> ApiResource | None:
        """Find a resource by kind. If several have the kind, the last counts, as in client-go."""
        matches = _in_group(self._by_kind.get(reading.word.lower(), ()), reading)
        cased = [each for each in matches if each.kind == reading.word] or matches
        if not cased:
            return None
        first = cased[0]
        same = [e for e in cased if (e.group, e.version) == (first.group, first.version)]
        return same[-1]

    # ---- errors -------------------------------------------------------------------------------

    def _not_found_error(self, asked: object, candidates: list[Reading]) -> Exception:
        text = spelled(asked)
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

    def _similar_names(self, candidates: Iterable[Reading]) -> list[str]:
        words = [reading.word.lower() for reading in candidates]
        # The same name in another group is a better hint than a similar name.
        same = self._by_name.get(words[0]) or self._by_kind.get(words[0])
        if same:
            return [str(each) for each in same[:_MAX_SIMILAR]]
        known = [*self._by_name, *self._by_short_name, *self._by_kind][:_MAX_COMPARED]
        close = get_close_matches(words[0], dict.fromkeys(known), _MAX_SIMILAR, _MIN_SIMILARITY)
        return list(dict.fromkeys(self._first_match(name).name for name in close))

    def _first_match(self, name: str) -> ApiResource:
        return (self._by_name.get(name) or self._by_short_name.get(name) or self._by_kind[name])[0]


def _in_matching_group(matches: Iterable[ApiResource], reading: Reading) -> list[ApiResource]:
    """Keep resources in the group or, if there are none, in groups that begin with its name."""
    matches = list(matches)
    exact = _in_group(matches, reading)
    if exact or reading.is_exact or not reading.group:
        return exact
    return [each for each in matches if each.group.startswith(reading.group)]


def _in_group(matches: Iterable[ApiResource], reading: Reading) -> list[ApiResource]:
    return [
        each
        for each in matches
        if reading.group in {None, each.group} and reading.version in {None, each.version}
    ]


def _unambiguous(matches: list[ApiResource], reading: Reading) -> ApiResource:
    """Choose the first match. Raises an AmbiguousResource if its group version has several."""
    first = matches[0]
    same = [e for e in matches if (e.group, e.version) == (first.group, first.version)]
    # In one group version, a plural takes precedence over a singular of another resource.
    plurals = [each for each in same if each.plural.lower() == reading.word.lower()]
    if len(same) > 1 and len(plurals) != 1:
        raise AmbiguousResource(reading.word, [str(each) for each in same])
    return plurals[0] if plurals else first


def _may_be_in(failure: DiscoveryFailure, candidates: Iterable[Reading]) -> bool:
    """Report whether a name may be in a group version that is not available."""
    return any(
        reading.group is not None
        and (
            failure.group == reading.group
            or (
                bool(reading.group and not reading.is_exact)
                and failure.group.startswith(reading.group)
            )
        )
        and (reading.version in {None, failure.version} or not failure.version)
        for reading in candidates
    )
