"""Options of calls: flat keyword arguments in snake_case.

Every call takes `timeout`: the seconds the whole call may take, including retries. When they have
passed, the call raises RequestTimeout. The other options are the query parameters of
https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/, with their
names in snake_case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime  # noqa: TC003 - get_type_hints() looks it up here
from typing import Literal, TypeAlias, TypedDict

__all__ = [
    "ApplyOptions",
    "ClientOptions",
    "DeleteCollectionOptions",
    "DeleteOptions",
    "EachOptions",
    "EditOptions",
    "FieldValidation",
    "Fields",
    "GetOptions",
    "Labels",
    "ListOptions",
    "LogOptions",
    "PatchOptions",
    "PropagationPolicy",
    "ResourceVersionMatch",
    "WarningHandler",
    "WatchOptions",
    "WriteOptions",
]

Labels: TypeAlias = str | Mapping[str, str | Sequence[str] | None]
"""A label selector, as text (`app=web,tier in (a,b),!legacy`) or as a mapping.

`{"app": "web", "tier": ["a", "b"], "legacy": None}` selects objects whose label `app` is `web`,
whose `tier` is `a` or `b`, and that have no label `legacy`.
"""

Fields: TypeAlias = str | Mapping[str, str]
"""A field selector: `metadata.name=web`, or `{"metadata.name": "web"}`."""

FieldValidation: TypeAlias = Literal["Ignore", "Warn", "Strict"]
PropagationPolicy: TypeAlias = Literal["Background", "Foreground", "Orphan"]
ResourceVersionMatch: TypeAlias = Literal["Exact", "NotOlderThan"]
WarningHandler: TypeAlias = Callable[[str], object]


class CallOptions(TypedDict, total=False):
    """Options of every call. `timeout` limits the whole call, in seconds."""

    timeout: float


class GetOptions(CallOptions, total=False):
    """Options of get. The object is at least as new as `resource_version`; "0" means any."""

    resource_version: str


class SelectionOptions(CallOptions, total=False):
    """Options that select objects of a collection."""

    label_selector: Labels
    field_selector: Fields
    resource_version: str
    resource_version_match: ResourceVersionMatch
    shard_selector: str


class EachOptions(SelectionOptions, total=False):
    """Options of each. `limit` is the page size, 500 by default."""

    limit: int
    timeout_seconds: int


class ListOptions(EachOptions, total=False):
    """Options of list.

    Without `limit`, the whole collection is read, in pages of 500. With `limit`, a single page is
    read; `continue_` is the token of the previous page.
    """

    continue_: str


class WatchOptions(SelectionOptions, total=False):
    """Options of watch.

    The watch continues over as many connections as needed until it is stopped or `timeout_seconds`
    have passed. `allow_watch_bookmarks` (on by default) lets the server report its progress;
    `bookmarks=True` also yields these events.
    """

    timeout_seconds: int
    allow_watch_bookmarks: bool
    bookmarks: bool
    send_initial_events: bool


class WriteOptions(CallOptions, total=False):
    """Options of writes. With `dry_run=True`, the server does not store the result."""

    dry_run: bool
    field_manager: str
    field_validation: FieldValidation


class EditOptions(WriteOptions, total=False):
    """Options of edit."""


class PatchOptions(WriteOptions, total=False):
    """Options of patch. `force` applies to ApplyPatch only."""

    force: bool


class ApplyOptions(WriteOptions, total=False):
    """Options of apply. `force=True` takes over fields owned by other field managers."""

    force: bool


class DeleteOptions(CallOptions, total=False):
    """Options of delete. `uid` and `resource_version` are preconditions."""

    dry_run: bool
    grace_period_seconds: int
    propagation_policy: PropagationPolicy
    orphan_dependents: bool
    uid: str
    resource_version: str
    ignore_store_read_error_with_cluster_breaking_potential: bool


class DeleteCollectionOptions(CallOptions, total=False):
    """Options of delete_collection: which objects to delete, and how."""

    label_selector: Labels
    field_selector: Fields
    resource_version: str
    resource_version_match: ResourceVersionMatch
    shard_selector: str
    limit: int
    continue_: str
    timeout_seconds: int
    dry_run: bool
    grace_period_seconds: int
    propagation_policy: PropagationPolicy
    orphan_dependents: bool
    ignore_store_read_error_with_cluster_breaking_potential: bool


class LogOptions(CallOptions, total=False):
    """Options of logs. `container` is required for pods with several containers."""

    container: str
    previous: bool
    since_seconds: int
    since_time: datetime
    timestamps: bool
    tail_lines: int
    limit_bytes: int
    insecure_skip_tls_verify_backend: bool
    stream: Literal["All", "Stdout", "Stderr"]


class StreamOptions(TypedDict, total=False):
    """Options of `Rest.stream`, apart from its times."""

    is_watch: bool
    can_resume: bool


class ClientOptions(TypedDict, total=False):
    """Options of a client.

    `timeout` is the default deadline of calls, in seconds. It does not apply to watches and
    followed logs. There is no deadline by default.

    `qps` and `burst` limit the rate of requests. Rates are unlimited by default, because the
    server's priority and fairness works better. `max_retries` is how often a request is repeated
    when the server asks for it (10).

    `warning_handler` is called with the text of each Warning header. By default, each text is
    logged once. `impersonate_*` make requests as another user
    (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation).

    `connect_timeout` is in seconds (30). `pool_size` is the number of pooled connections (100):
    asyncio clients never open more; synchronous clients open more if needed and close them after
    use. Watches and followed logs use connections of their own.

    If none of its watches and followed logs receives data, the client requests `/version`, and
    drops their connections if there is no response. `silence_timeout` is the total time for this in
    seconds (40: 32 s of silence, then 8 s for the response). 0 disables this.
    `max_response_bytes` limits the size of a single response after decompression (1 GiB).
    """

    user_agent: str
    timeout: float
    qps: float
    burst: int
    max_retries: int
    warning_handler: WarningHandler | None
    impersonate_user: str
    impersonate_groups: Sequence[str]
    impersonate_uid: str
    impersonate_extra: Mapping[str, Sequence[str]]
    connect_timeout: float
    pool_size: int
    silence_timeout: float
    max_response_bytes: int
