"""Parses the names of resources: `deploy`, `deployments.v1.apps`, `apps/v1/Deployment`.

The forms are those of apimachinery's schema.ParseResourceArg and ParseKindArg, and of kubectl's
resource builder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from clientgen._gvk import GroupVersion, GroupVersionKind, GroupVersionResource

if TYPE_CHECKING:
    from collections.abc import Iterator

# Enough for the longest names of a resource, a version and a group together.
_MAX_NAME_CHARACTERS = 600


class Candidate(Struct, frozen=True):
    """A possible meaning of a name: in `deployments.v1.apps`, the group is `apps` or `v1.apps`.

    Attributes:
        word: the name of a resource, or a kind.
        group: the group; None for any group, an empty string for the core group.
        version: the version; None for any version.
        is_exact: whether `group` is the whole name of the group, and not only its beginning.
    """

    word: str
    group: str | None = None
    version: str | None = None
    is_exact: bool = False


def parse_name(asked: object) -> Iterator[Candidate]:
    """Yield the possible meanings of a name, the most likely first.

    Raises:
        TypeError: `asked` is of another type.
        ValueError: `asked` is empty or too long.
    """
    if isinstance(asked, GroupVersionKind):
        yield Candidate(asked.kind, asked.group, asked.version or None, is_exact=True)
    elif isinstance(asked, GroupVersionResource):
        yield Candidate(asked.resource, asked.group, asked.version, is_exact=True)
    elif isinstance(asked, str):
        yield from _parse_text(asked)
    else:
        raise TypeError(
            "a resource is named by a string such as 'deployments.apps', by a class or by a "
            f"GroupVersionKind, not by {type(asked).__name__}"
        )


def name_text(asked: object) -> str:
    """Return a name as text, for messages."""
    return asked if isinstance(asked, str) else str(asked)


def _parse_text(text: str) -> Iterator[Candidate]:
    if not text.strip() or len(text) > _MAX_NAME_CHARACTERS:
        actual = "an empty name" if len(text) <= _MAX_NAME_CHARACTERS else f"{len(text)} characters"
        raise ValueError(f"a resource is named by a string such as 'deployments.apps': {actual}")
    text = text.strip()
    if "/" in text:
        api_version, _, word = text.rpartition("/")
        group_version = GroupVersion.parse(api_version)
        yield Candidate(word, group_version.group, group_version.version, is_exact=True)
        return
    word, dot, group = text.partition(".")
    if not dot:
        yield Candidate(word)
        return
    version, dot, rest = group.partition(".")
    if dot:  # `pods.v1.` has an empty group, the core group
        yield Candidate(word, rest, version, is_exact=True)
    yield Candidate(word, group)
