"""Parses the names of resources: `deploy`, `deployments.v1.apps`, `apps/v1/Deployment`.

Facts: apimachinery's schema.ParseResourceArg and ParseKindArg, and kubectl's resource builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from clientgen._gvk import GroupVersion, GroupVersionKind, GroupVersionResource

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Reading", "readings", "spelled"]

# Enough for the longest names of a resource, a version and a group.
_MAX_LENGTH = 600


class Reading(Struct, frozen=True):
    """One interpretation of a name.

    Attributes:
        word: a resource or a kind.
        group: the group; None for any group, an empty string for the core group.
        version: the version; None for any version.
        is_exact: whether the group must match exactly; otherwise, the beginning of its name is
            enough.
    """

    word: str
    group: str | None = None
    version: str | None = None
    is_exact: bool = False


def readings(asked: object) -> Iterator[Reading]:
    """Yield the interpretations of a name, the most likely one first.

    Raises:
        TypeError: `asked` is of another type.
        ValueError: `asked` is empty or too long.
    """
    if isinstance(asked, GroupVersionKind):
        yield Reading(asked.kind, asked.group, asked.version or None, is_exact=True)
    elif isinstance(asked, GroupVersionResource):
        yield Reading(asked.resource, asked.group, asked.version, is_exact=True)
    elif isinstance(asked, str):
        yield from _readings_of_text(asked)
    else:
        raise TypeError(
            "a resource is named by a string such as 'deployments.apps', by a class or by a "
            f"GroupVersionKind, not by {type(asked).__name__}"
        )


def spelled(asked: object) -> str:
    """Return a name as text, for messages."""
    return asked if isinstance(asked, str) else str(asked)


def _readings_of_text(text: str) -> Iterator[Reading]:
    if not text.strip() or len(text) > _MAX_LENGTH:
        actual = "an empty name" if len(text) <= _MAX_LENGTH else f"{len(text)} characters"
        raise ValueError(f"a resource is named by a string such as 'deployments.apps': {actual}")
    text = text.strip()
    if "/" in text:
        api_version, _, word = text.rpartition("/")
        group_version = GroupVersion.parse(api_version)
        yield Reading(word, group_version.group, group_version.version, is_exact=True)
        return
    word, dot, group = text.partition(".")
    if not dot:
        yield Reading(word)
        return
    version, dot, rest = group.partition(".")
    if dot:  # `pods.v1.` is in the core group
        yield Reading(word, rest, version, is_exact=True)
    yield Reading(word, group)
