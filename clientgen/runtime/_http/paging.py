"""The options of each page of a list, and the list of all pages.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._models.meta_v1 import ModelList
from ..errors import ResponseBroken

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE_SIZE = 500

ListT = TypeVar("ListT", bound=ModelList[Any])


class Tokens:
    """The continue tokens of one list. Detects a repeated token, which would repeat the list."""

    def __init__(self) -> None:
        self._token_digests: set[int] = set()

    def check(self, token: str, path: str) -> str:
        """Record a token and return it.

        Raises:
            ResponseBroken: the server has sent the same token before.
        """
        digest = hash(token)  # the hash is stored, because a token may be long
        if digest in self._token_digests:
            raise ResponseBroken(f"GET {path}: the server returned the same continue token again")
        self._token_digests.add(digest)
        return token


def is_one_page(options: Mapping[str, Any]) -> bool:
    """Return whether the caller asks for a single page."""
    return bool(options.get("limit") or options.get("continue_"))


def checked_page_size(size: object) -> int:
    """Return the page size of a client.

    Raises:
        ValueError: It is not a positive whole number.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    raise ValueError(f"page_size must be a positive whole number, not {size!r}")


def first_page(options: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Return the options of the first page.

    A resourceVersion without a limit means "not older than". With a limit, it would mean exactly
    this version, which soon expires. So this function adds the match for "not older than".
    """
    page = {**options, "limit": options.get("limit") or size}
    if options.get("resource_version", "0") not in {"", "0", None}:
        page.setdefault("resource_version_match", "NotOlderThan")
    return page


def next_page(options: Mapping[str, Any], token: str, size: int) -> dict[str, Any]:
    """Return the options of a later page. The token replaces the resource version."""
    page = first_page(options, size)
    page.pop("resource_version", None)
    page.pop("resource_version_match", None)
    page["continue_"] = token
    return page


def as_whole(first: ListT) -> ListT:
    """Remove the paging fields of a first page to which the items of all pages were added."""
    if first.metadata.continue_:
        first.metadata.continue_ = ""
        first.metadata.remaining_item_count = None
    return first
