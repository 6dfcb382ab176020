"""Finds resources by name, by kubectl's rules.

A name is a plural or a singular, else a short name, else a kind; in upper or lower case. Of several
groups that have it, the server's order decides: the core group first, and of a group the version
that it prefers. client-go: restmapper (discovery.go, shortcut.go, category_expansion.go),
apimachinery's meta.PriorityRESTMapper, and the resource builder of kubectl.

It differs from client-go in four things. A resource is found by its own name, even if another one
has the same kind. A short name keeps the version that was asked for. A group's full name wins over
other groups whose names begin so. And there are no resources for the kinds of lists.
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

_MOST_SIMILAR = 3
# The most names to compare with one that is not there.
_MOST_COMPARED = 10_000
# How much two names have in common, from 0 to 1, for one to be a misspelling of the other.
_ALIKE = 0.7


class ResourceMapper:
    """Names and resources of one server at one time."""

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
            NoResourceMatch: there is none.
            DiscoveryFailed: it would be in a group that is not available now.
            AmbiguousResource: there are several, such as for a category.
            ValueError, TypeError: it is no name.
        """
        ways = list(readings(asked))
        by_name = not isinstance(asked, GroupVersionKind)
        for tier in (self._named, self._of_kind) if by_name else (self._of_kind,):
            for reading in ways:
                if (resource := tier(reading)) is not None:
                    return resource
        raise self._missing(asked, ways)

    def resources(self, asked: str) -> list[ApiResource]:
        """Find the resources of a category, or of several names divided by commas.

        Categories go first, as in kubectl. Each resource is there once, in its best version.

        Raises:
            NoResourceMatch, DiscoveryFailed, AmbiguousResource, ValueError, TypeError: as
                `resource`.
        """
        found: dict[tuple[str, str], ApiResource] = {}
        for name in asked.split(","):
            members = self._by_category.get(name.strip().lower())
            for each in members or [self.resource(name)]:
                found.setdefault((each.group, each.plural), each)
        return list(found.values())

    def preferred(self) -> list[ApiResource]:
        """Return each resource once, in its best version."""
        found: dict[tuple[str, str], ApiResource] = {}
        for each in self._all:
            found.setdefault((each.group, each.plural), each)
        return list(found.values())

    # ---- the ways to be found -----------------------------------------------------------------

    def _named(self, reading: Reading) -> ApiResource | None:
        """Find by plural or singular, else by short name."""
        word = reading.word.lower()
        exact = _narrowed(self._by_name.get(word, ()), reading)
        if exact:
            return _one(exact, reading)
        short = _narrowed(self._by_short_name.get(word, ()), reading)
        if not short:
            return None
        for other in {each.name for each in short if each.plural != short[0].plural}:
            _log.warning("the short name %s of %s is also that of %s", word, short[0].name, other)
        return short[0]

    def _of_kind(self, reading: Reading) -> ApiResource | None:
        """Find by kind. If several resources have it, the last counts, as in client-go."""
        matches = _in_group(self._by_kind.get(reading.word.lower(), ()), reading)
        cased = [each for each in matches if each.kind == reading.word] or matches
        if not cased:
            return None
        first = cased[0]
        same = [e for e in cased if (e.group, e.version) == (first.group, first.version)]
        return same[-1]

    # ---- what to say if there is none ---------------------------------------------------------

    def _missing(self, asked: object, ways: list[Reading]) -> Exception:
        text = spelled(asked)
        members = self._by_category.get(text.strip().lower())
        if members:
            names = sorted({each.name for each in members})
            hint = f"; it is a category, for which there is resources({text.strip()!r})"
            return AmbiguousResource(text, names, hint)
        broken = [each for each in self._failures if _may_be_in(each, ways)]
        if broken:
            return DiscoveryFailed(text, (), [str(each) for each in broken])
        unread = [str(each) for each in self._failures if ways[0].group is None]
        return NoResourceMatch(text, self._similar(ways), unread)

    def _similar(self, ways: Iterable[Reading]) -> list[str]:
        words = [reading.word.lower() for reading in ways]
        # The same name elsewhere is more helpful than a similar one here.
        same = self._by_name.get(words[0]) or self._by_kind.get(words[0])
        if same:
            return [str(each) for each in same[:_MOST_SIMILAR]]
        known = [*self._by_name, *self._by_short_name, *self._by_kind][:_MOST_COMPARED]
        close = get_close_matches(words[0], dict.fromkeys(known), _MOST_SIMILAR, _ALIKE)
        return list(dict.fromkeys(self._any(name).name for name in close))

    def _any(self, name: str) -> ApiResource:
        return (self._by_name.get(name) or self._by_short_name.get(name) or self._by_kind[name])[0]


def _narrowed(matches: Iterable[ApiResource], reading: Reading) -> list[ApiResource]:
    """Keep what is in the group, or failing that in one whose name begins so."""
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


def _one(matches: list[ApiResource], reading: Reading) -> ApiResource:
    """Choose the best, unless the best group version has several of the name."""
    first = matches[0]
    same = [e for e in matches if (e.group, e.version) == (first.group, first.version)]
    plurals = [each for each in same if each.plural.lower() == reading.word.lower()]
    if len(same) > 1 and len(plurals) != 1:
        raise AmbiguousResource(reading.word, [str(each) for each in same])
    return plurals[0] if plurals else first


def _may_be_in(failure: DiscoveryFailure, ways: Iterable[Reading]) -> bool:
    """Tell whether what is asked for may be in a group version that is not available."""
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
        for reading in ways
    )
