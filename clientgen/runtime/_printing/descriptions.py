"""Descriptions of objects, with what people read most. The text is not that of kubectl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import conditions, flag, items, kind_of, part, text, texts
from .ages import moment_text, since_or_invalid
from .entries import Block, Rows, Words, entries_of, pairs, written
from .event_texts import event_cells, sort_events
from .kind_details import DETAILS
from .secret_details import SECRET, describe_secret, public_annotation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from .._conditions.json_fields import Json

# Annotations that repeat the whole object.
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_KNOWN: Final = frozenset({"apiVersion", "kind", "metadata"})


def describe_object(obj: Json, events: Sequence[Mapping[str, Any]] | None, now: datetime) -> str:
    """Return the description of an object.

    Args:
        obj: the JSON of the object.
        events: the events about the object; None if they must not be read.
        now: the time that ages are counted to.

    Raises:
        ValueError: the object is nested too deeply.
    """
    try:
        return "".join(f"{line}\n" for line in written(_description(obj, events, now)))
    except RecursionError:
        raise ValueError("the object is nested too deeply to be described") from None


def _description(obj: Json, events: Sequence[Mapping[str, Any]] | None, now: datetime) -> Block:
    kind = kind_of(obj)
    block = _metadata(obj, now)
    if kind == SECRET:
        block += describe_secret(obj)
    elif kind in DETAILS:
        block += DETAILS[kind](obj, now)
    else:
        block += _fields(obj)
    if found := _conditions(obj, now):
        block.append(("Conditions", found))
    block.append(("Events", "<forbidden>" if events is None else _events(events, now)))
    return block


def _metadata(obj: Json, now: datetime) -> Block:
    metadata = part(obj, "metadata")
    block = Block([("Name", text(metadata, "name"))])
    if namespace := text(metadata, "namespace"):
        block.append(("Namespace", namespace))
    block += [
        ("Kind", f"{text(obj, 'kind')} ({text(obj, 'apiVersion')})"),
        ("Labels", pairs(part(metadata, "labels"))),
        ("Annotations", _annotations(obj)),
        ("Created", moment_text(text(metadata, "creationTimestamp"), now)),
    ]
    if deleted := text(metadata, "deletionTimestamp"):
        block.append(("Terminating", f"since {moment_text(deleted, now)}"))
    if owners := [_owner(each) for each in items(metadata, "ownerReferences")]:
        block.append(("Owners", Words(owners)))
    if finalizers := texts(metadata, "finalizers"):
        block.append(("Finalizers", Words(finalizers)))
    return block


def _annotations(obj: Json) -> Words:
    annotations = dict(part(obj, "metadata", "annotations"))
    annotations.pop(_LAST_APPLIED, None)
    if kind_of(obj) == SECRET:
        annotations = {name: public_annotation(value, obj) for name, value in annotations.items()}
    return pairs(annotations, ": ")


def _owner(owner: Json) -> str:
    suffix = " (controller)" if flag(owner, "controller") else ""
    return f"{text(owner, 'kind')}/{text(owner, 'name')}{suffix}"


def _fields(obj: Json) -> Block:
    """Return all fields but the metadata and the conditions, which are shown elsewhere."""
    fields = {name: value for name, value in obj.items() if name not in _KNOWN}
    status = part(fields, "status")
    if status:
        rest = {name: value for name, value in status.items() if name != "conditions"}
        fields["status"] = rest
        if not rest:
            del fields["status"]
    return entries_of(fields)


def _conditions(obj: Json, now: datetime) -> Rows:
    rows = Rows([["TYPE", "STATUS", "SINCE", "REASON", "MESSAGE"]])
    for each in conditions(obj):
        since = since_or_invalid(text(each, "lastTransitionTime"), now)
        words = (text(each, name) for name in ("type", "status"))
        rows.append([*words, since, text(each, "reason"), text(each, "message")])
    return rows if len(rows) > 1 else Rows()


def _events(events: Sequence[Mapping[str, Any]], now: datetime) -> Rows:
    rows = Rows([["LAST SEEN", "TYPE", "REASON", "FROM", "MESSAGE"]])
    for each in sort_events(events):
        seen, kind, reason, _, message = event_cells(dict(each), now)
        source = text(each, "reportingComponent") or text(each, "source", "component")
        rows.append([seen, kind, reason, source, message])
    return rows if len(rows) > 1 else Rows()
