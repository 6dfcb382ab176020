# Derived from _async/shard_check.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Checks that a server obeys shard selectors, before it deletes a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._http.representations import asking_for
from .._http.request import LIST, HttpRequest, build
from .._http.response import read_list
from .._http.shard_filter import GATE
from ..errors import ApiError, OperationRefused

if TYPE_CHECKING:
    from .rest import Rest

# A server that obeys shard selectors refuses this one.
_NO_SELECTOR = "none"


def check_shards(
    rest: Rest,
    deletion: HttpRequest,
    list_model: type[Any],
    selector: str,
    deadline: float | None,
) -> None:
    """Check that the server obeys the shard selector of a deletion.

    Raises:
        OperationRefused: The server ignores it. It would delete the objects of all shards.
    """
    path = deletion.target.partition("?")[0]
    request = build("GET", path, {"shard_selector": selector, "limit": 1}, LIST)
    request = asking_for(list_model, request, rest.codec)
    listed = read_list(rest.send(request, deadline), list_model, request, rest.codec)
    if listed.metadata.shard_info is None and not _refuses(rest, path, deadline):
        raise OperationRefused(
            f"{deletion.info}: nothing was deleted, because the server ignores shard selectors and"
            f" would delete the objects of all shards; {GATE}. To delete a shard without it, list"
            " with the selector, and delete each object with its uid"
        )


def _refuses(rest: Rest, path: str, deadline: float | None) -> bool:
    """Return whether the server refuses a wrong shard selector. Otherwise, it ignores all.

    Lists of custom resources do not say that the server has selected.
    """
    try:
        rest.send(HttpRequest("GET", f"{path}?limit=1&shardSelector={_NO_SELECTOR}"), deadline)
    except ApiError as error:
        if "shard selector" in error.message:
            return True
        raise
    return False
