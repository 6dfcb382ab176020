"""The options of each page, and how pages become one list.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._models.meta_v1 import ModelList
from ..errors import ResponseBroken

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PAGE_SIZE", "Tokens", "as_whole", "first_page", "is_one_page", "next_page"]

PAGE_SIZE = 500

ListT = TypeVar("ListT", bound=ModelList[Any])


class Tokens:
    """The continue tokens of one list: with one that comes again it would never end."""

    def __init__(self) -> None:
        self._token_digests: set[int] = set()

    def take(self, token: str, path: str) -> str:
        """Give a token back that is new.

        Raises:
            ResponseBroken: It came before.
        """
        digest = hash(token)  # a token may be long
        if digest in self._token_digests:
            raise ResponseBroken(f"GET {path}: the server returned the same continue token again")
        self._token_digests.add(digest)
        return token


def is_one_page(options: Mapping[str, Any]) -> bool:
    """Tell whether the caller reads pages by hand."""
    return bool(options.get("limit") or options.get("continue_"))


def first_page(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the first page.

    With a limit, a resourceVersion alone would mean exactly that state, which is soon gone; the
    caller who gave no limit means one that is not older.
    """
    page = {**options, "limit": options.get("limit") or PAGE_SIZE}
    if options.get("resource_version", "0") not in {"", "0", None}:
        page.setdefault("resource_version_match", "NotOlderThan")
    return page


def next_page(options: Mapping[str, Any], token: str) -> dict[str, Any]:
    """The options of a following page: the token stands for the version."""
    page = first_page(options)
    page.pop("resource_version", None)
    page.pop("resource_version_match", None)
    page["continue_"] = token
    return page


def as_whole(first: ListT) -> ListT:
    """Let the first page, which has got everyone's items, no longer speak of pages."""
    if first.metadata.continue_:
        first.metadata.continue_ = ""
        first.metadata.remaining_item_count = None
    return first
