"""Builds HTTP requests from verbs, paths and options.

The parameters are those of
https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from msgspec import Struct

from .._models.arguments import check_object, type_of, unexpected_option
from .._models.meta_v1 import LabelSelector
from ..errors import RequestInfo
from .patches import ApplyPatch, patch_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .codec import Codec

Headers: TypeAlias = tuple[tuple[str, str], ...]

_PLAIN = re.compile(r"[A-Za-z0-9_.-]*").fullmatch
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
# Characters that a request cannot contain: control characters, and halves of surrogate pairs.
_UNSENDABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]").search


def check_headers(headers: Headers) -> None:
    """Check that headers can be sent.

    Raises:
        ValueError: a name or a value has a character that HTTP does not allow. The message does not
            show the value, which may be secret.
    """
    for name, value in headers:
        if not _HEADER_NAME(name):
            raise ValueError(f"{name!r} cannot be the name of a header")
        if _UNSENDABLE(value):
            raise ValueError(
                f"the header {name} contains a character that HTTP headers do not allow"
            )


class HttpRequest(Struct):
    """A request to the API server.

    Attributes:
        method: The method, such as GET.
        target: The path and query below the server's base URL.
        headers: The headers, as pairs, because names may repeat.
        body: The body; None if there is none.
        attempt: 1 for the first attempt, 2 for the first retry.
    """

    method: str
    target: str
    headers: Headers = ()
    body: bytes | None = None
    attempt: int = 1

    @property
    def info(self) -> RequestInfo:
        """The method and path of this request, for errors."""
        return RequestInfo(self.method, self.target.partition("?")[0])

    def with_header(self, name: str, value: str) -> HttpRequest:
        """Return a copy with a header. It replaces the headers of the same name.

        Raises:
            ValueError: The name or the value has a character that HTTP does not allow.
        """
        added = ((name, value),)
        check_headers(added)
        kept = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        return HttpRequest(self.method, self.target, kept + added, self.body, self.attempt)

    def __repr__(self) -> str:
        # The headers contain credentials, and the body may be a Secret.
        return f"{type(self).__name__}({self.info})"


class HttpResponse(Struct):
    """A response.

    Attributes:
        status: The status code.
        headers: The headers. Names are lower case, and the values of a repeated header are joined
            by commas.
        body: The body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    def __repr__(self) -> str:
        # The headers and the body may be secret.
        return f"{type(self).__name__}(status={self.status}, {len(self.body)} bytes)"


# The options of each verb, and their query parameters. An option with an empty text is not sent as
# a parameter.
_SELECTION = {
    "label_selector": "labelSelector",
    "field_selector": "fieldSelector",
    "resource_version": "resourceVersion",
    "resource_version_match": "resourceVersionMatch",
    "shard_selector": "shardSelector",
    "timeout_seconds": "timeoutSeconds",
    "timeout": "",
}
GET = {"resource_version": "resourceVersion", "timeout": ""}
LIST = {**_SELECTION, "limit": "limit", "continue_": "continue"}
TABLE = {**LIST, "include_object": "includeObject"}
WATCH = {
    **_SELECTION,
    "allow_watch_bookmarks": "allowWatchBookmarks",
    "send_initial_events": "sendInitialEvents",
    "watch": "watch",
    "bookmarks": "",
}
WRITE = {
    "dry_run": "dryRun",
    "field_manager": "fieldManager",
    "field_validation": "fieldValidation",
    "timeout": "",
}
PATCH = {**WRITE, "force": "force"}
LOGS = {
    "container": "container",
    "follow": "follow",
    "previous": "previous",
    "since_seconds": "sinceSeconds",
    "since_time": "sinceTime",
    "timestamps": "timestamps",
    "tail_lines": "tailLines",
    "limit_bytes": "limitBytes",
    "insecure_skip_tls_verify_backend": "insecureSkipTLSVerifyBackend",
    "stream": "stream",
    "timeout": "",
}
# These options are sent in a DeleteOptions body. If there is a body, the server ignores the query.
_DELETE_BODY = {
    "dry_run": "dryRun",
    "grace_period_seconds": "gracePeriodSeconds",
    "propagation_policy": "propagationPolicy",
    "orphan_dependents": "orphanDependents",
    "ignore_store_read_error_with_cluster_breaking_potential": (
        "ignoreStoreReadErrorWithClusterBreakingPotential"
    ),
}
_PRECONDITIONS = {"uid": "uid", "resource_version": "resourceVersion"}
_MAPPED = frozenset({"label_selector", "field_selector"})
_SELECTORS = ("label_selector", "field_selector", "shard_selector")
DELETE_COLLECTION = {**LIST, **dict.fromkeys(_DELETE_BODY, "")}


def query_string(options: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the query string for options, with the question mark; empty without parameters.

    Options that are None are left out.

    Raises:
        TypeError: the verb does not have the option, as for any unexpected keyword argument.
    """
    parts: list[str] = []
    for name, value in options.items():
        parameter = names.get(name)
        if parameter is None:
            raise unexpected_option(name, names)
        if parameter and value is not None and (text := _query_value(name, value)):
            parts.append(f"{parameter}={text}")
    return f"?{'&'.join(parts)}" if parts else ""


def selector_text(name: str, value: object) -> str:
    """Return the text of a selector. `name` is the option, for messages.

    Raises:
        TypeError: the value is neither a string nor a mapping.
        ValueError: a key or a value is not valid.
    """
    if isinstance(value, str):
        return str(value)  # a plain str: a FieldTerm in a condition raises
    if isinstance(value, LabelSelector) and name == "label_selector":
        from .selectors import label_selector_text  # imported late: rarely needed

        return label_selector_text(value)
    if not isinstance(value, Mapping):
        example = '"app=web" or {"app": "web"}'
        if name != "label_selector":
            example = '"metadata.name=web" or {"metadata.name": "web"}'
        raise TypeError(f"{name} must be a string or a mapping, {example}, not {type_of(value)}")
    from .selectors import field_selector, label_selector  # imported late: rarely needed

    to_text = label_selector if name == "label_selector" else field_selector
    return to_text(cast("Mapping[str, str]", value))


def _query_value(name: str, value: object) -> str:
    if name in _MAPPED:
        value = selector_text(name, value)
    elif name == "shard_selector":
        from .shard_ranges import shard_text  # imported late: rarely needed

        value = shard_text(value)
    if value is True:
        return "All" if name == "dry_run" else "true"
    if value is False:
        return "" if name == "dry_run" else "false"
    if isinstance(value, datetime):
        moment = value.astimezone(UTC)
        value = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    if not isinstance(value, (str, int)):
        raise TypeError(
            f"{name} cannot be a {type(value).__name__}: use a string, number, bool or datetime"
        )
    return _quote(str(value))


def _quote(text: str) -> str:
    if _PLAIN(text):
        return text
    from urllib.parse import quote  # imported late: plain text needs no quotes

    return quote(text, safe="")


def build(
    method: str, path: str, options: Mapping[str, Any], names: Mapping[str, str]
) -> HttpRequest:
    """Build a request without a body."""
    return HttpRequest(method, path + query_string(options, names) if options else path)


def build_write(
    method: str, path: str, body: object, options: Mapping[str, Any], codec: Codec
) -> HttpRequest:
    """Build the request of a create or an update.

    Raises:
        TypeError: the body is not an object.
    """
    check_object("create()" if method == "POST" else "update()", body)
    target = path + query_string(options, WRITE) if options else path
    return HttpRequest(method, target, _content_type(codec), codec.encode(body))


def build_patch(path: str, patch: object, options: Mapping[str, Any], codec: Codec) -> HttpRequest:
    """Build the request of a patch. A dict is a merge patch.

    Raises:
        TypeError: `patch` is not a patch.
        ValueError: `force` is given for another patch than an ApplyPatch.
    """
    patch = patch_of(patch)
    if options.get("force") and not isinstance(patch, ApplyPatch):
        raise ValueError(f"force is for ApplyPatch only, not for {type(patch).__name__}")
    target = path + query_string(options, PATCH) if options else path
    content_type, body = codec.encode_patch(patch)
    return HttpRequest("PATCH", target, (("Content-Type", content_type),), body)


def build_delete(
    path: str, options: Mapping[str, Any], codec: Codec, *, collection: bool = False
) -> HttpRequest:
    """Build the request of a delete: selectors in the query, other options in a DeleteOptions body.

    Raises:
        ValueError: a selector or a precondition is empty: the server would delete other objects,
            too.
    """
    if not options:
        return HttpRequest("DELETE", path)
    _check_limits(options, _SELECTORS if collection else _PRECONDITIONS)
    if collection:
        target, preconditions = path + query_string(options, DELETE_COLLECTION), {}
    else:
        query_string(options, {**_NOT_SENT, **dict.fromkeys(_PRECONDITIONS, "")})
        target, preconditions = path, _renamed(options, _PRECONDITIONS)
    body = _renamed(options, _DELETE_BODY)
    if body.pop("dryRun", False):
        body["dryRun"] = ["All"]
    if preconditions:
        body["preconditions"] = preconditions
    if not body:
        return HttpRequest("DELETE", target)
    body = {"apiVersion": "v1", "kind": "DeleteOptions", **body}
    return HttpRequest("DELETE", target, _content_type(codec), codec.encode(body))


def _content_type(codec: Codec) -> Headers:
    return (("Content-Type", codec.content_type),)


def _check_limits(options: Mapping[str, Any], limits: Iterable[str]) -> None:
    for name in limits:
        value = options.get(name, "unlimited")
        if isinstance(value, LabelSelector):
            value = selector_text(name, value)
        # For servers, a selector of blanks and commas selects everything.
        if not (str(value).strip(" \t\r\n,") if isinstance(value, str) else value):
            raise ValueError(
                f"{name} must not be {options[name]!r}: leave it out to delete without this limit"
            )


_NOT_SENT = {**dict.fromkeys(_DELETE_BODY, ""), "missing_ok": "", "timeout": ""}


def _renamed(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {wire: options[name] for name, wire in names.items() if options.get(name) is not None}
