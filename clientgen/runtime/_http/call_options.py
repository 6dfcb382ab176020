"""Options of calls: flat keyword arguments in snake_case.

Every call takes `timeout`: the seconds the whole call may take, including retries. When they have
passed, the call raises RequestTimeout. The other options are the query parameters of
https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/, with their
names in snake_case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime  # noqa: TC003 - get_type_hints() looks it up here
from os import PathLike  # noqa: TC003 - as above
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from .._models.meta_v1 import LabelSelector
from .request import HttpRequest  # noqa: TC001 - as above
from .request_metrics import RequestMetrics  # noqa: TC001 - as above

DefaultT = TypeVar("DefaultT")
"""The type of the default of `get`. Without a default, checkers leave it out."""

Labels: TypeAlias = str | Mapping[str, str | Sequence[str] | None] | LabelSelector
"""A label selector, as text (`app=web,tier in (a,b),!legacy`), a mapping, or a LabelSelector.

`{"app": "web", "tier": ["a", "b"], "legacy": None}` selects objects whose label `app` is `web`,
whose `tier` is `a` or `b`, and that have no label `legacy`.

A LabelSelector is that of a spec, such as `deployment.spec.selector`. As in client-go's
LabelSelectorAsSelector, an empty one selects every object; `delete_collection` refuses it.
"""

NamespaceNames: TypeAlias = Sequence[str] | Labels
"""Several namespaces: names and patterns, or a label selector of the namespaces.

`["shop", "team-*"]` are the namespace `shop` and those whose names match; the wildcards are `*` and
`?`. `{"team": "web"}` or `team=web` selects by the labels of namespaces.
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
    """The seconds the whole call may take, including retries."""


class GetOptions(CallOptions, total=False):
    """Options of get. The object is at least as new as `resource_version`."""

    resource_version: str
    """Return a state at least as new as this version; `0` means any version."""


class SelectionOptions(CallOptions, total=False):
    """Options that select objects of a collection."""

    label_selector: Labels
    """The labels that the objects must have: `app=web`, or `{"app": "web"}`."""
    field_selector: Fields
    """The fields that the objects must have: `metadata.name=web`, or a dict."""
    resource_version: str
    """The version to read. `resource_version_match` decides how it applies."""
    resource_version_match: ResourceVersionMatch
    """How `resource_version` applies: `Exact` or `NotOlderThan`."""
    shard_selector: str
    """A range of hashes of a field. Works with all servers."""


class EachOptions(SelectionOptions, total=False):
    """Options of each. `limit` is the page size, 500 by default."""

    limit: int
    """The size of a page, 500 by default. With `limit`, `list` returns a single page."""
    timeout_seconds: int
    """The seconds after which the server ends the call."""


class ListOptions(EachOptions, total=False):
    """Options of list.

    Without `limit`, the whole collection is read, in pages of 500. With `limit`, a single page is
    read; `continue_` is the token from the previous page.
    """

    continue_: str
    """The token of the next page: `metadata.continue_` of the previous page."""


class WatchOptions(SelectionOptions, total=False):
    """Options of watch.

    The watch continues over as many connections as needed until it is stopped or `timeout_seconds`
    have passed. `allow_watch_bookmarks` (on by default) lets the server report its progress in
    bookmarks. With `bookmarks=True`, the watch also yields the bookmarks.
    """

    timeout_seconds: int
    """The seconds after which the server ends the call."""
    allow_watch_bookmarks: bool
    """Whether the server reports its progress; on by default."""
    bookmarks: bool
    """Whether to yield the bookmarks, as events of the type BOOKMARK."""
    send_initial_events: bool
    """Whether to yield the existing objects first."""


class WriteOptions(CallOptions, total=False):
    """Options of writes. With `dry_run=True`, the server does not store the result."""

    dry_run: bool
    """Run all checks, but store nothing."""
    field_manager: str
    """The owner of the fields that are set; by default the name of the program."""
    field_validation: FieldValidation
    """How the server treats unknown fields: `Strict`, `Warn` or `Ignore`."""


class EditOptions(WriteOptions, total=False):
    """Options of edit."""


class PatchOptions(WriteOptions, total=False):
    """Options of patch. `force` applies to ApplyPatch only."""

    force: bool
    """For ApplyPatch: take over fields that other field managers own."""


class ApplyOptions(WriteOptions, total=False):
    """Options of apply. `force=True` takes over fields owned by other field managers."""

    force: bool
    """Take over fields that other field managers own."""


class DeleteOptions(CallOptions, total=False):
    """Options of delete. `uid` and `resource_version` are preconditions."""

    dry_run: bool
    """Run all checks, but store nothing."""
    grace_period_seconds: int
    """The seconds the object has to shut down; 0 means immediately."""
    propagation_policy: PropagationPolicy
    """How dependents are deleted: `Background`, `Foreground` or `Orphan`."""
    orphan_dependents: bool
    """Deprecated: use `propagation_policy`."""
    uid: str
    """Delete the object only if it has this uid."""
    resource_version: str
    """Delete the object only if it has this resource version."""
    missing_ok: bool
    """Return the Status of the server if the object does not exist."""
    ignore_store_read_error_with_cluster_breaking_potential: bool
    """Delete an unreadable object."""


class DeleteCollectionOptions(CallOptions, total=False):
    """Options of delete_collection: which objects to delete, and how."""

    label_selector: Labels
    """The labels that the objects must have: `app=web`, or `{"app": "web"}`."""
    field_selector: Fields
    """The fields that the objects must have: `metadata.name=web`, or a dict."""
    resource_version: str
    """The version to read. `resource_version_match` decides how it applies."""
    resource_version_match: ResourceVersionMatch
    """How `resource_version` applies: `Exact` or `NotOlderThan`."""
    shard_selector: str
    """A range of hashes of a field. Refused if a server ignores it."""
    limit: int
    """The approximate maximum number of objects to delete."""
    continue_: str
    """The token of the next page: `metadata.continue_` of the previous page."""
    timeout_seconds: int
    """The seconds after which the server ends the call."""
    dry_run: bool
    """Run all checks, but store nothing."""
    grace_period_seconds: int
    """The seconds the object has to shut down; 0 means immediately."""
    propagation_policy: PropagationPolicy
    """How dependents are deleted: `Background`, `Foreground` or `Orphan`."""
    orphan_dependents: bool
    """Deprecated: use `propagation_policy`."""
    ignore_store_read_error_with_cluster_breaking_potential: bool
    """Delete unreadable objects."""


class LogOptions(CallOptions, total=False):
    """Options of logs. `container` is required for pods with several containers."""

    container: str
    """The container; required for pods with several containers."""
    previous: bool
    """Whether to read the log of the container before its last restart."""
    since_seconds: int
    """Only lines that are at most this many seconds old."""
    since_time: datetime
    """Only lines since this time."""
    timestamps: bool
    """Whether every line begins with its time."""
    tail_lines: int
    """Only this many lines at the end."""
    limit_bytes: int
    """Stop after this many bytes."""
    insecure_skip_tls_verify_backend: bool
    """Do not verify the kubelet's certificate."""
    stream: Literal["All", "Stdout", "Stderr"]
    """Which output to read: `All`, `Stdout` or `Stderr`."""


class TailOptions(TypedDict, total=False):
    """Options of `tail`. Options that select lines apply only to pods that exist at the start."""

    label_selector: Labels
    """Only pods whose labels match."""
    field_selector: Fields
    """Only pods whose fields match."""
    container: str
    """Only containers of this name."""
    since_seconds: int
    """Only lines that are at most this many seconds old."""
    since_time: datetime
    """Only lines since this time."""
    tail_lines: int
    """Only this many lines at the end of each log."""
    seconds: float | None
    """The seconds after which the iteration ends, without an error."""
    timeout: float | None
    """The seconds after which the call raises `RequestTimeout`."""


class ExecStreamOptions(TypedDict, total=False):
    """Options of streams to processes."""

    container: str
    """The container; required for pods with several containers."""
    stdin: bool
    """Whether the process gets an input."""
    tty: bool
    """Whether the process runs in a terminal. Its stderr is then part of its stdout."""
    timeout: float | None
    """The seconds within which the server must open the stream."""


class ExecOptions(CallOptions, total=False):
    """Options of commands. `timeout` limits the whole command.

    The `timeout` of the client limits only the start of the command.
    """

    container: str
    """The container; required for pods with several containers."""
    stdin: bytes | str
    """The input of the command. This needs Kubernetes 1.30 or later."""
    check: bool
    """Whether an exit code other than 0 raises `ExecFailed`."""
    limit: int
    """The maximum size of the output in bytes. A larger output is an error."""


class CopyOptions(CallOptions, total=False):
    """Options of copies. `timeout` limits the whole copy.

    The `timeout` of the client limits only the start of the copy.
    """

    container: str
    """The container; required for pods with several containers."""
    limit: int
    """The maximum number of bytes to copy. A larger copy is an error."""
    on_progress: Callable[[int], object]
    """Called with the number of copied bytes. In `sync`, another thread calls it."""


class RawStreamOptions(TypedDict, total=False):
    """Options of responses that come piece by piece."""

    query: Mapping[str, Any]
    """The parameters of the query; values may be lists."""
    headers: Mapping[str, str]
    """More headers."""
    body: bytes | str
    """The body."""
    timeout: float | None
    """The seconds within which the response must begin."""


class RawOptions(CallOptions, total=False):
    """Options of requests to any path."""

    query: Mapping[str, Any]
    """The parameters of the query; values may be lists."""
    headers: Mapping[str, str]
    """More headers."""
    body: bytes | str
    """The body."""


class ProxyOptions(RawOptions, total=False):
    """Options of requests to programs in the cluster."""

    check: bool
    """Whether a status of 400 or more raises `ProxyFailed`."""


class ProxyStreamOptions(RawStreamOptions, total=False):
    """Options of responses of programs that come piece by piece."""


class StreamOptions(TypedDict, total=False):
    """Options of `Rest.stream`, except its timeouts."""

    is_watch: bool
    can_resume: bool


class ClientOptions(TypedDict, total=False):
    """Options of a client.

    `timeout` is the default timeout of calls, in seconds. For calls that send many requests
    (manifest sets), it limits each request. For calls that open a stream (exec, attach, copies), it
    limits the opening. If `timeout` is passed to such a call, it limits the whole call, except for
    `exec_stream` and `attach`, whose streams stay open. It does not apply to watches and followed
    logs. By default there is no timeout.

    `qps` and `burst` limit the rate of requests, but not of watches, commands and ports. Rates are
    unlimited by default, because the server's priority and fairness works better. `max_retries` is
    the maximum number of retries of a request, if the server asks for retries (10).

    `warning_handler` is called with the text of each Warning header. By default, each text is
    logged once, with the call and the object. `impersonate_*` make requests as another user
    (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation).

    `connect_timeout` is in seconds (30). `pool_size` is the number of pooled connections (100):
    asyncio clients never open more; synchronous clients open more if needed and close them after
    use. Watches and followed logs use connections of their own.

    `page_size` is the number of objects per request (500) in lists of whole collections, `each` and
    informers.

    If no watch and no followed log of the client receives data, the client requests `/version`. If
    there is no response, it drops the connections of watches and logs. `silence_timeout` is the
    total time in seconds (40: 32 s of silence, then 8 s for the response). 0 disables the request.
    `max_response_bytes` limits the size of a single response after decompression (1 GiB).

    `headers` are sent with every request. `middleware` is a list of functions around every request
    (`AsyncMiddleware`, `Middleware`). `metrics` is told about each attempt; there is
    `PrometheusRequestMetrics`.

    `discovery_cache` is whether to keep the results of discovery on disk for ten minutes: below the
    user's cache directory, or in the given folder. By default, results that came over TLS are kept.
    With `insecure-skip-tls-verify`, nothing is kept and nothing is read. Only `dynamic` and kinds
    that no package registers need discovery.
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
    page_size: int
    silence_timeout: float
    max_response_bytes: int
    headers: Mapping[str, str]
    middleware: Sequence[Callable[[HttpRequest, Any], Any]]
    metrics: RequestMetrics
    discovery_cache: bool | str | PathLike[str]
