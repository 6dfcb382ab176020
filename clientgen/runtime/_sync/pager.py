# Derived from _async/pager.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Reads collections page by page.

https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._http import paging
from .._http.representations import asking_for
from .._http.request import LIST, TABLE, build
from .._http.response import read_list
from .._models.meta_v1 import ModelList
from .._models.tables import Table
from ..errors import Expired

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .rest import Rest

ListT = TypeVar("ListT", bound=ModelList[Any])


def list_pages(rest: Rest, path: str, list_model: type[ListT], options: Mapping[str, Any]) -> ListT:
    """Return the whole collection at one resource version; with `limit`, a single page.

    If the continue token expires, this reads the whole collection again without pages, as
    client-go's pager does.
    """
    deadline = rest.deadline(options)
    if paging.is_one_page(options):
        return _read(rest, path, list_model, options, deadline)
    first = page = _read(
        rest, path, list_model, paging.first_page(options, rest.page_size), deadline
    )
    tokens = paging.Tokens()
    while token := page.metadata.continue_:
        following = paging.next_page(options, tokens.check(token, path), rest.page_size)
        try:
            page = _read(rest, path, list_model, following, deadline)
        except Expired:
            return _read(rest, path, list_model, options, deadline)
        first.items.extend(page.items)
    return paging.as_whole(first)


def each_page(
    rest: Rest, path: str, list_model: type[ListT], options: Mapping[str, Any]
) -> Iterator[ListT]:
    """Yield the pages of a collection.

    If the continue token expires, the remaining pages are of a newer resource version: an object
    that was changed meanwhile may be missing or new, but no object comes twice.
    """
    deadline = rest.deadline(options)
    page = _read(rest, path, list_model, paging.first_page(options, rest.page_size), deadline)
    yield page
    tokens = paging.Tokens()
    while token := page.metadata.continue_:
        following = paging.next_page(options, tokens.check(token, path), rest.page_size)
        try:
            page = _read(rest, path, list_model, following, deadline)
        except Expired as expired:
            if not expired.continue_:
                raise
            following = paging.next_page(options, expired.continue_, rest.page_size)
            page = _read(rest, path, list_model, following, deadline)
        yield page


def _read(
    rest: Rest,
    path: str,
    list_model: type[ListT],
    options: Mapping[str, Any],
    deadline: float | None,
) -> ListT:
    names = TABLE if list_model is Table else LIST
    request = asking_for(list_model, build("GET", path, options, names), rest.codec)
    response = rest.send(request, deadline)
    listed = read_list(response, list_model, request, rest.codec)
    if options.get("shard_selector") is not None:
        from .._http.shard_filter import ShardFilter  # imported late: few programs use shards

        ShardFilter(options["shard_selector"], rest.shared, request.info).reduce(listed)
    return listed
