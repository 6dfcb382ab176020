"""How people name resources: `deploy`, `deployments.v1.apps`, `apps/v1/Deployment`.

Facts: apimachinery's schema.ParseResourceArg and ParseKindArg, and kubectl's resource builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from clientgen._gvk import GroupVersion, GroupVersionKind, GroupVersionResource

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Reading", "readings", "spelled"]

# The longest name of a resource and of a group, and what stands between them.
_LONGEST = 600


class Reading(Struct, frozen=True):
    """One way to understand a name.

    Attributes:
        word: a resource or a kind.
        group: None for any; the empty string is the core group.
        version: None for any.
        is_exact: whether a part of the group's name is not enough.
    """

    word: str
    group: str | None = None
    version: str | None = None
    is_exact: bool = False


def readings(asked: object) -> Iterator[Reading]:
    """Go through the ways to understand what is asked for, best first.

    Raises:
        TypeError: it is none of these types.
        ValueError: it is no name.
    """
    if isinstance(asked, GroupVersionKind):
        yield Reading(asked.kind, asked.group, asked.version or None, is_exact=True)
    elif isinstance(asked, GroupVersionResource):
        yield Reading(asked.resource, asked.group, asked.version, is_exact=True)
    elif isinstance(asked, str):
        yield from _of_text(asked)
    else:
        raise TypeError(
            "a resource is named by a string such as 'deployments.apps', by a class or by a "
            f"GroupVersionKind, not by {type(asked).__name__}"
        )


def spelled(asked: object) -> str:
    """Spell what is asked for, for a message."""
    return asked if isinstance(asked, str) else str(asked)


def _of_text(text: str) -> Iterator[Reading]:
    if not text.strip() or len(text) > _LONGEST:
        problem = "an empty name" if len(text) <= _LONGEST else f"{len(text)} characters"
        raise ValueError(f"a resource is named by a string such as 'deployments.apps': {problem}")
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
