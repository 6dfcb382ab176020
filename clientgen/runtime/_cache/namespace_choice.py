"""The namespaces of a list: names, patterns of names, or a label selector of the namespaces."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, cast

from .._http.path_segments import check_segment
from .informer_options import namespace_selector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._http.call_options import NamespaceNames

_is_pattern = re.compile(r"[a-z0-9*?-]+").fullmatch


class NamespaceChoice:
    """The namespaces that the argument `namespaces` of a list means.

    Args:
        namespaces: the argument.
        namespace: the argument `namespace` of the same call, which must be missing.

    Attributes:
        selector: the label selector of the namespaces; None if they are given by name.
        needs_list: whether the namespaces of the server must be listed.
        example: a name of a namespace, to check that a resource is in namespaces.

    Raises:
        TypeError: both arguments are given, or a value has a wrong type.
        ValueError: a name, a pattern or the selector is not valid, or there is none.
    """

    def __init__(self, namespaces: NamespaceNames, namespace: str | None) -> None:
        if namespace is not None:
            raise TypeError("give namespace or namespaces, not both")
        self.selector = namespace_selector(namespaces)
        names = [] if self.selector is not None else _checked(namespaces)
        self._patterns = [name for name in names if _has_wildcard(name)]
        self._names = set(names).difference(self._patterns)
        self.example = min(self._names, default="default")
        self.needs_list = bool(self.selector is not None or self._patterns)

    def of(self, listed: Iterable[str]) -> list[str]:
        """Return the chosen namespaces, sorted.

        Args:
            listed: the namespaces of the server that match the selector. A name without a wildcard
                is chosen even if it is missing there.
        """
        if self.selector is not None:
            return sorted(listed)
        matching = {
            name for name in listed if any(fnmatchcase(name, each) for each in self._patterns)
        }
        return sorted(self._names | matching)


def _checked(namespaces: object) -> list[str]:
    """Return the names and patterns."""
    if isinstance(namespaces, (str, bytes)) or not hasattr(namespaces, "__iter__"):
        namespaces = [namespaces]
    names = list(cast("Iterable[Any]", namespaces))
    if not names:
        raise ValueError("namespaces is empty; None means all namespaces")
    for name in names:
        _check(name)
    return names


def _check(name: object) -> None:
    if not isinstance(name, str) or not _has_wildcard(name):
        check_segment("namespace", cast("Any", name))
    elif not _is_pattern(name):
        raise ValueError(
            f"the pattern {name!r} of namespaces is not valid: it may have a-z, 0-9, -, and the"
            " wildcards * and ?"
        )


def _has_wildcard(name: str) -> bool:
    return not {"*", "?", "["}.isdisjoint(name)
