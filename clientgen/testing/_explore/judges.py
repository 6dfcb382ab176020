"""Rules for the end of every run, independent of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .run_records import Violation
from .states import UNJUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .._apiserver.storage.store import Record, Store

_MIN_ENDS: Final = 5


def endless_failures(
    failures: Sequence[tuple[float, str]],
    ends: Sequence[Sequence[tuple[float, str]]],
    since: float,
) -> Iterator[Violation]:
    """Yield what still fails long after the last fault, at the moment `since` or later."""
    late = [text for moment, text in failures if moment > since]
    if late:
        yield Violation("errors", f"the program fails again and again: {late[-1]}")
    for each in ends:
        last = [how for moment, how in each if moment > since]
        if last and len(each) >= _MIN_ENDS:
            yield Violation("ends", f"the program {last[-1]}, again and again")


def stuck_objects(store: Store, known: Mapping[str, int]) -> Iterator[Violation]:
    """Yield objects that are never removed, and objects without an existing owner."""
    namespaces_by_uid = {
        record.uid: record.namespace for each in store.collections() for record in each.now()
    }
    for title, metadata in _objects(store, known):
        if metadata.get("deletionTimestamp"):
            left = ", ".join(metadata.get("finalizers") or ()) or "nothing"
            yield Violation("deletion", f"{title} is never removed: its finalizers are {left}")
        owners = metadata.get("ownerReferences") or ()
        owner_namespaces = [
            namespaces_by_uid[owner["uid"]]
            for owner in owners
            if owner.get("uid") in namespaces_by_uid
        ]
        if owners and not owner_namespaces:
            yield Violation("orphan", f"{title} belongs to an object that does not exist")
        elif owner_namespaces and not any(
            owner_namespace in ("", metadata.get("namespace", ""))
            for owner_namespace in owner_namespaces
        ):
            why = "its owner is in another namespace, so garbage collection will not remove it"
            yield Violation("orphan", f"{title} has no valid owner: {why}")


def is_garbage(store: Store, record: Record) -> bool:
    """Whether the garbage collector deletes an object: all its owners are gone."""
    owners = {each.get("uid") for each in record.value()["metadata"].get("ownerReferences") or ()}
    return bool(owners) and not any(
        other.uid in owners for each in store.collections() for other in each.now()
    )


def foreign_owners(store: Store) -> Iterator[Violation]:
    """Yield objects that the garbage collector deletes because of an owner in another namespace."""
    for record in store.collection("events").now():
        if b"OwnerRefInvalidNamespace" in record.data:
            event = record.value()
            about = event["involvedObject"]
            where = "/".join(filter(None, (about.get("namespace"), about["name"])))
            what = f"{about['kind']} {where} has an owner in another namespace"
            yield Violation("orphan", f"{what}, and Kubernetes deletes it: {event['message']}")


def _objects(store: Store, known: Mapping[str, int]) -> Iterator[tuple[str, dict[str, Any]]]:
    for collection in store.collections():
        if collection.name not in UNJUDGED:
            for record in collection.now():
                title = f"{collection.name} {record.key}"
                if known.get(title) != record.version:
                    yield title, record.value()["metadata"]
