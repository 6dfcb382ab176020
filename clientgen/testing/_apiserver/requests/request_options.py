"""Query parameters and DeleteOptions, read and checked.

Facts: docs/internals/kubernetes-semantics.md, 1.2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import (
    Cause,
    Failure,
    bad_request,
    forbidden_value,
    invalid,
    invalid_value,
    not_supported,
    required,
    too_long,
)

from ..server_selectors import FieldTerm, LabelTest, field_terms, label_test
from ..shard_selectors import ShardTest, shard_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .api_request import Query, Request

_META: Final = "meta.k8s.io"
_NOT_OLDER: Final = "NotOlderThan"
_MATCHES: Final = ("Exact", _NOT_OLDER)
_POLICIES: Final = ("Foreground", "Background", "Orphan", "nil")
_VALIDATIONS: Final = ("Ignore", "Strict", "Warn")
_MAX_MANAGER_BYTES: Final = 128
_MAX_DIGITS: Final = 19
"""The most digits of a number of 64 bits; Python refuses to read thousands."""
_DURATION: Final = re.compile(
    r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+|[+-]?0"
).fullmatch
_UNIT: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def first(query: Mapping[str, Sequence[str]], name: str) -> str:
    """The value of a parameter; the first wins, as in Go."""
    values = query.get(name)
    return values[0] if values else ""


def integer(query: Mapping[str, Sequence[str]], name: str) -> int | None:
    """A whole number.

    Raises:
        Failure: 400, with the words of Go's parser.
    """
    values = query.get(name)
    if not values:
        return None
    text = values[0]
    matched = re.fullmatch(r"([+-]?)0*([0-9]+)", text)
    if matched is None:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    sign, digits = matched.groups()
    if len(digits) > _MAX_DIGITS or not -(2**63) <= int(sign + digits) < 2**63:
        raise bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
    return int(sign + digits)


def _optional(query: Mapping[str, Sequence[str]], name: str) -> str | None:
    """A text that may be left out, which is not the same as an empty one."""
    return first(query, name) if query.get(name) else None


def boolean(query: Mapping[str, Sequence[str]], name: str) -> bool | None:
    """A flag: anything but `false` and `0` means yes, an empty one too."""
    values = query.get(name)
    return None if not values else values[0].lower() not in ("false", "0")


def check_timeout(query: Mapping[str, Sequence[str]]) -> None:
    """Refuse a `timeout` that is no Go duration, whatever the request is for.

    Raises:
        Failure: 400.
    """
    text = first(query, "timeout")
    if text and not _DURATION(text):
        why = "invalid timeout specified in the request URL"
        raise bad_request(f'{why} - time: invalid duration "{text}"')


def _refused(kind: str, causes: Sequence[Cause]) -> Failure:
    return invalid(_META, kind, "", causes)


# --------------------------------------------------------------------------------- list


@dataclass(frozen=True, slots=True)
class ListOptions:
    """The selection of a list or watch, and its start."""

    labels: LabelTest | None
    fields: tuple[FieldTerm, ...]
    version: str
    match: str
    limit: int
    continue_: str
    timeout_seconds: int | None
    bookmarks: bool
    initial_events: bool | None
    shard_text: str = ""
    shard: ShardTest | None = None

    @property
    def selects(self) -> bool:
        """Whether there is a selector at all."""
        return self.has_terms or self.shard is not None

    @property
    def has_terms(self) -> bool:
        """Whether there is a label selector or a field selector."""
        return self.labels is not None or bool(self.fields)

    def with_shard(self, *, enabled: bool) -> ListOptions:
        """The options with the shard, if the server has the feature gate ShardedListAndWatch.

        Raises:
            Failure: 500 for a shard selector that cannot be parsed.
        """
        if not enabled or not self.shard_text:
            return self
        return replace(self, shard=shard_test(self.shard_text))


def list_options(query: Query, *, watch: bool) -> ListOptions:
    """Read the parameters of list, watch and deletecollection.

    Raises:
        Failure: 400 for values that cannot be parsed, 422 for values that exclude each other.
    """
    options = ListOptions(
        labels=label_test(first(query, "labelSelector")),
        fields=field_terms(first(query, "fieldSelector")),
        version=first(query, "resourceVersion"),
        match=first(query, "resourceVersionMatch"),
        limit=max(integer(query, "limit") or 0, 0),
        continue_=first(query, "continue"),
        timeout_seconds=integer(query, "timeoutSeconds"),
        bookmarks=bool(boolean(query, "allowWatchBookmarks")),
        initial_events=boolean(query, "sendInitialEvents"),
        shard_text=first(query, "shardSelector"),
    )
    causes = list(_watch_causes(options) if watch else _list_causes(options))
    if causes:
        raise _refused("ListOptions", causes)
    return options


_WITHOUT_VERSION: Final = "resourceVersionMatch is forbidden unless resourceVersion is provided"
_WITH_CONTINUE: Final = "resourceVersionMatch is forbidden when continue is provided"


def _list_causes(options: ListOptions) -> list[Cause]:
    causes: list[Cause] = []
    if options.match:
        if not options.version:
            causes.append(forbidden_value("resourceVersionMatch", _WITHOUT_VERSION))
        if options.continue_:
            causes.append(forbidden_value("resourceVersionMatch", _WITH_CONTINUE))
        if options.match not in _MATCHES:
            causes.append(not_supported("resourceVersionMatch", options.match, (*_MATCHES, "")))
        if options.match == "Exact" and options.version == "0":
            why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            causes.append(forbidden_value("resourceVersionMatch", why))
    if options.initial_events is not None:
        why = "sendInitialEvents is forbidden for list"
        causes.append(forbidden_value("sendInitialEvents", why))
    return causes


def _watch_causes(options: ListOptions) -> list[Cause]:
    causes: list[Cause] = []
    if options.initial_events is None and options.match:
        why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        causes.append(forbidden_value("resourceVersionMatch", why))
    if options.initial_events is not None and options.match != _NOT_OLDER:
        why = f"sendInitialEvents requires setting resourceVersionMatch to {_NOT_OLDER}"
        causes.append(forbidden_value("resourceVersionMatch", why))
    if options.match not in ("", _NOT_OLDER):
        causes.append(not_supported("resourceVersionMatch", options.match, (_NOT_OLDER,)))
    if options.continue_:
        causes.append(forbidden_value("resourceVersionMatch", _WITH_CONTINUE))
    return causes


# ------------------------------------------------------------------------------- writes


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The options of a write."""

    dry_run: bool = False
    manager: str = ""
    validation: str = "Warn"
    force: bool = False


def write_options(request: Request, kind: str, *, apply: bool = False) -> WriteOptions:
    """Read the parameters of create, update and patch; `kind` is CreateOptions and so on.

    Raises:
        Failure: 422, for values that are not allowed.
    """
    query = request.query
    causes = list(_dry_run_causes(query.get("dryRun")))
    manager = first(query, "fieldManager")
    causes += _manager_causes(manager)
    force = boolean(query, "force")
    if apply and not manager:
        causes.append(required("fieldManager", "is required for apply patch"))
    if not apply and force is not None and kind == "PatchOptions":
        causes.append(forbidden_value("force", "may not be specified for non-apply patch"))
    validation = first(query, "fieldValidation")
    if validation and validation not in _VALIDATIONS:
        causes.append(not_supported("fieldValidation", validation, ("", *_VALIDATIONS)))
    if causes:
        raise _refused(kind, causes)
    return WriteOptions(
        dry_run=bool(query.get("dryRun")),
        manager=manager or default_manager(request.user_agent),
        validation=validation or "Warn",
        force=bool(force),
    )


def default_manager(user_agent: str) -> str:
    """Return the default field manager: the program of the User-Agent."""
    name = user_agent.partition("/")[0].encode()[:_MAX_MANAGER_BYTES].decode("utf-8", "ignore")
    return name or "unknown"


def _dry_run_causes(values: list[str] | None) -> list[Cause]:
    if any(value != "All" for value in values or ()):
        return [not_supported("dryRun", values, ("All",))]
    return []


def _manager_causes(manager: str) -> list[Cause]:
    if len(manager.encode()) > _MAX_MANAGER_BYTES:
        return [too_long("fieldManager", f"may not be more than {_MAX_MANAGER_BYTES} bytes")]
    if not manager.isprintable():
        return [invalid_value("fieldManager", manager, "should only contain printable characters")]
    return []


# ------------------------------------------------------------------------------- delete


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """The options of a delete."""

    dry_run: bool = False
    grace: int | None = None
    policy: str = ""
    orphan: bool | None = None
    preconditions: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


_DELETE_KINDS: Final = ("DeleteOptions", "")


def delete_options(query: Query, body: Mapping[str, Any] | None) -> DeleteOptions:
    """Read a DeleteOptions body, or the query when there is none (a body wins altogether).

    Raises:
        Failure: 400 for a body that is something else, 422 for values that are not allowed.
    """
    given: dict[str, Any]
    if body is not None:
        given = dict(body)
        if given.get("kind", "") not in _DELETE_KINDS:
            raise bad_request(
                f"converting ({given.get('kind')}) to (v1.DeleteOptions): unknown conversion"
            )
    else:
        given = {
            "dryRun": query.get("dryRun"),
            "gracePeriodSeconds": integer(query, "gracePeriodSeconds"),
            "propagationPolicy": _optional(query, "propagationPolicy"),
            "orphanDependents": boolean(query, "orphanDependents"),
            "preconditions": {
                "uid": _optional(query, "uid"),
                "resourceVersion": _optional(query, "resourceVersion"),
            },
        }
    causes = _delete_causes(given)
    if causes:
        raise _refused("DeleteOptions", causes)
    return DeleteOptions(
        dry_run=bool(given.get("dryRun")),
        grace=given.get("gracePeriodSeconds"),
        policy=given.get("propagationPolicy") or "",
        orphan=given.get("orphanDependents"),
        preconditions=given.get("preconditions") or {},
    )


def _delete_causes(given: Mapping[str, Any]) -> list[Cause]:
    causes: list[Cause] = []
    policy, orphan = given.get("propagationPolicy"), given.get("orphanDependents")
    if policy is not None and orphan is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(invalid_value("propagationPolicy", policy, why))
    if policy is not None and policy not in _POLICIES[:3]:
        causes.append(not_supported("propagationPolicy", policy, _POLICIES))
    return causes + _dry_run_causes(given.get("dryRun"))
