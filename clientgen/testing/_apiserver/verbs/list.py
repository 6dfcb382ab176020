"""Lists: the current one, that of a version, and page by page.

Facts: docs/internals/kubernetes-semantics.md, 1.2.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import DecodeError, json

from clientgen._apimachinery.failures import Failure, bad_request

from ..feature_gates import SHARDED_LIST_AND_WATCH
from ..requests.request_options import ListOptions, list_options
from .object_selection import check_fields, selected
from .read_versions import version_number, when_version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..requests.request_info import RequestInfo
    from ..responses.answers import Answer
    from ..responses.rendering import Rendering
    from ..storage.cluster_state import ClusterState
    from ..storage.store import Collection, Record, Store
    from ..storage.versioned_view import VersionedView

_Listed: TypeAlias = "tuple[Sequence[Record], dict[str, Any]]"
_FORMAT: Final = "meta.k8s.io/v1"
_TOO_OLD: Final = "The resourceVersion for the provided list is too old."
_DEAD: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results, which may not be consistent."
)


def _listed_version(text: str) -> int:
    """The version a list names.

    Raises:
        Failure: 400.
    """
    try:
        return version_number(text)
    except Failure as failure:
        raise bad_request(f"invalid resource version: {failure}") from None


@dataclass(frozen=True, slots=True)
class _Token:
    """The position where a list continues: the key, and the version (-1: now)."""

    version: int
    start: str

    def text(self) -> str:
        value = {"v": _FORMAT, "rv": self.version, "start": self.start}
        return base64.urlsafe_b64encode(json.encode(value)).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str) -> _Token:
        why = "invalid continue token: continue key is not valid: "
        try:
            value: Any = json.decode(base64.b64decode(text + "=" * (-len(text) % 4), b"-_"))
        except (binascii.Error, DecodeError, ValueError, RecursionError) as error:
            raise bad_request(f"{why}{error}") from None
        fields: dict[str, Any] = {**value} if isinstance(value, dict) else {}
        if fields.get("v") != _FORMAT:
            raise bad_request(f"{why}server does not recognize this encoded version")
        version, start = fields.get("rv") or 0, fields.get("start") or ""
        if not isinstance(version, int) or not isinstance(start, str):
            raise bad_request(f"{why}it is of other types")
        token = cls(version, start)
        if problem := token.problem():
            raise bad_request(f"{why}{problem}")
        return token

    def problem(self) -> str:
        """Return the problem of a token, which may not lead out of its collection."""
        if not self.version:
            return f"incorrect encoded start resourceVersion (version {_FORMAT})"
        if not self.start:
            return f"encoded start key empty (version {_FORMAT})"
        path = f"/{self.start.removeprefix('/')}"
        return "" if normpath(path) == path else self.start


def list_(cluster: ClusterState, info: RequestInfo, rendering: Rendering) -> Answer:
    """The objects of a collection that are selected, or a page of them."""
    return page(cluster, info, rendering.view, rendering.records)


def page(
    cluster: ClusterState,
    info: RequestInfo,
    view: VersionedView,
    then: Callable[[Sequence[Record], dict[str, Any]], Answer],
) -> Answer:
    """Answer with `then`, called with the objects of a list and the list's metadata.

    Raises:
        Failure: 400, 410 or 422, for a list that cannot be had.
    """
    options = list_options(info.request.query, watch=False)
    check_fields(view, options.fields)
    options = options.with_shard(enabled=cluster.has_gate(SHARDED_LIST_AND_WATCH))
    store = cluster.store
    collection = store.collection(info.strategy.collection)
    pages = _Page(store, collection, view, options, info.namespace)
    if options.continue_:
        return then(*pages.continued())
    version = _listed_version(options.version)
    return when_version(store, version, lambda: then(*pages.first(version)))


@dataclass(frozen=True, slots=True)
class _Page:
    """The objects of a page, and its metadata."""

    store: Store
    collection: Collection
    view: VersionedView
    options: ListOptions
    namespace: str

    def first(self, version: int) -> _Listed:
        """Return the first page."""
        options = self.options
        limit = 0 if options.version == "0" else options.limit
        if version and (options.match == "Exact" or (not options.match and limit)):
            records = self.collection.at(version, self.namespace)
            if records is None:
                raise Failure(410, "Expired", _TOO_OLD, details=False)
            return self._listed(records, version, limit)
        return self._listed(self.collection.now(self.namespace), self.store.version, limit)

    def continued(self) -> _Listed:
        """Return the page at a token."""
        options = self.options
        token = _Token.parse(options.continue_)
        if options.version not in ("", "0"):
            raise bad_request("specifying resource version is not allowed when using continue")
        version = token.version if token.version > 0 else self.store.version
        records = self.collection.at(version, self.namespace)
        if records is None:
            fresh = _Token(-1, token.start).text()
            raise Failure(410, "Expired", _DEAD, continue_=fresh, details=False)
        start = self._prefix + token.start
        rest = [record for record in records if record.key >= start]
        return self._listed(rest, version, 0 if options.version == "0" else options.limit)

    @property
    def _prefix(self) -> str:
        """The part of the keys that tokens leave out."""
        return f"{self.namespace}/" if self.namespace else ""

    def _listed(self, records: Sequence[Record], version: int, limit: int) -> _Listed:
        self.view.prepare(records)
        chosen = selected(self.view, self.options, records)
        metadata: dict[str, Any] = {"resourceVersion": str(version)}
        if limit and len(chosen) >= limit and not self._names_one:
            chosen = chosen[:limit]
            last = chosen[-1]
            if last is not records[-1]:
                start = last.key.removeprefix(self._prefix) + "\0"
                metadata["continue"] = _Token(version, start).text()
                if not self.options.has_terms:
                    metadata["remainingItemCount"] = len(records) - limit
        if self.options.shard is not None:
            metadata["shardInfo"] = {"selector": self.options.shard.text}
        return chosen, metadata

    @property
    def _names_one(self) -> bool:
        """Return whether at most one object can match."""
        named = any(term.field == "metadata.name" and term.equal for term in self.options.fields)
        scoped = bool(self.namespace) or not self.view.resource.namespaced
        return named and scoped and not self.options.continue_
