"""What a call may be told besides its object: flat, snake_case keywords.

Every call takes `timeout`, the seconds it may take as a whole, retries included; when they are
over, RequestTimeout is raised. The others are the query parameters of
https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/ and keep
their names, in snake_case.
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
"""What labels should be, as text (`app=web,tier in (a,b),!legacy`) or as a mapping.

In `{"app": "web", "tier": ["a", "b"], "legacy": None}` the label has that value, one of several, or
is not there.
"""

Fields: TypeAlias = str | Mapping[str, str]
"""What fields should be: `metadata.name=web`, or `{"metadata.name": "web"}`."""

FieldValidation: TypeAlias = Literal["Ignore", "Warn", "Strict"]
PropagationPolicy: TypeAlias = Literal["Background", "Foreground", "Orphan"]
ResourceVersionMatch: TypeAlias = Literal["Exact", "NotOlderThan"]
WarningHandler: TypeAlias = Callable[[str], object]


class CallOptions(TypedDict, total=False):
    """What every call takes: `timeout`, its deadline in seconds."""

    timeout: float


class GetOptions(CallOptions, total=False):
    """`resource_version`: not older than that; "0" is whatever the server has at hand."""

    resource_version: str


class SelectionOptions(CallOptions, total=False):
    """What narrows a collection down."""

    label_selector: Labels
    field_selector: Fields
    resource_version: str
    resource_version_match: ResourceVersionMatch
    shard_selector: str


class EachOptions(SelectionOptions, total=False):
    """Which objects to go through; `limit` is the size of a page, 500 if not given."""

    limit: int
    timeout_seconds: int


class ListOptions(EachOptions, total=False):
    """Which objects to list.

    Without `limit` the whole collection is read, in pages of 500. With `limit` one page is read;
    `continue_` is the token of the page before.
    """

    continue_: str


class WatchOptions(SelectionOptions, total=False):
    """Which changes to watch.

    The watch goes on, over as many connections as it takes, until it is stopped or
    `timeout_seconds` are over. `allow_watch_bookmarks` (sent by default) lets the server tell how
    far it is; with `bookmarks=True` those events are handed on.
    """

    timeout_seconds: int
    allow_watch_bookmarks: bool
    bookmarks: bool
    send_initial_events: bool


class WriteOptions(CallOptions, total=False):
    """How to write; `dry_run=True` does everything but store it."""

    dry_run: bool
    field_manager: str
    field_validation: FieldValidation


class EditOptions(WriteOptions, total=False):
    """How to write an edited object."""


class PatchOptions(WriteOptions, total=False):
    """How to patch; `force` is for ApplyPatch only."""

    force: bool


class ApplyOptions(WriteOptions, total=False):
    """How to apply; `force=True` takes fields over from other field managers."""

    force: bool


class DeleteOptions(CallOptions, total=False):
    """How to delete; `uid` and `resource_version` must be those of the object, or it stays."""

    dry_run: bool
    grace_period_seconds: int
    propagation_policy: PropagationPolicy
    orphan_dependents: bool
    uid: str
    resource_version: str
    ignore_store_read_error_with_cluster_breaking_potential: bool


class DeleteCollectionOptions(CallOptions, total=False):
    """Which objects to delete, and how."""

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
    """Which lines of which container; `container` is needed where a pod has several."""

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
    """What `Rest.stream` is told of a stream, beside its times."""

    is_watch: bool
    can_resume: bool


class ClientOptions(TypedDict, total=False):
    """How a client as a whole behaves.

    `timeout` is the deadline of calls that give none, but for watches and followed logs, which are
    meant to last; there is no such deadline by default.
    `qps` and `burst` limit the rate of requests; they are not limited by default, since the
    server's priority and fairness does that better. `max_retries` is how often a request is
    repeated when the server asks for it (10). `warning_handler` is given the text of each Warning
    header; by default each text is logged once. `impersonate_*` act as somebody else
    (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation).
    `connect_timeout` is in seconds (30). `pool_size` is how many connections are kept for requests
    (100); with asyncio there are never more, with threads more are closed after use. Watches and
    followed logs have connections of their own. After `silence_timeout` seconds (40) in which
    nothing came over any of these, and the server does not answer either when it is asked for
    `/version`, they are given up; 0 is never. `max_response_bytes` is how
    large a single answer may be, decompressed (1 GiB).
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
