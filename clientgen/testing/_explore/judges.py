"""Rules that the end of every run has to follow, whatever the program does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .run_records import Violation
from .states import UNJUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .._apiserver.storage.store import Record, Store

__all__ = ["endless_failures", "foreign_owners", "is_garbage", "stuck_objects"]

_MOST_ENDS: Final = 5


def endless_failures(
    failures: Sequence[tuple[float, str]],
    ends: Sequence[Sequence[tuple[float, str]]],
    since: float,
) -> Iterator[Violation]:
    """What still fails though nothing disturbs the program any more."""
    late = [text for moment, text in failures if moment > since]
    if late:
        yield Violation("errors", f"the program fails again and again: {late[-1]}")
    for each in ends:
        last = [how for moment, how in each if moment > since]
        if last and len(each) >= _MOST_ENDS:
            yield Violation("ends", f"the program {last[-1]}, again and again")


def stuck_objects(store: Store, known: Mapping[str, int]) -> Iterator[Violation]:
    """Objects whose deletion does not end, and those whose owner does not exist."""
    homes = {record.uid: record.namespace for each in store.collections() for record in each.now()}
    for title, metadata in _objects(store, known):
        if metadata.get("deletionTimestamp"):
            left = ", ".join(metadata.get("finalizers") or ()) or "nothing"
            why = f"it waits for the finalizers {left}"
            yield Violation("deletion", f"{title} is never removed: {why}")
        owners = metadata.get("ownerReferences") or ()
        known_owners = [homes[owner["uid"]] for owner in owners if owner.get("uid") in homes]
        if owners and not known_owners:
            yield Violation("orphan", f"{title} belongs to an object that does not exist")
        elif known_owners and not any(
            home in ("", metadata.get("namespace", "")) for home in known_owners
        ):
            why = "it belongs to an object of another namespace, and stays when that is deleted"
            yield Violation("orphan", f"{title} has no owner that counts: {why}")


def is_garbage(store: Store, record: Record) -> bool:
    """Whether all owners of an object are gone, so that the garbage collector deletes it."""
    owners = {each.get("uid") for each in record.value()["metadata"].get("ownerReferences") or ()}
    return bool(owners) and not any(
        other.uid in owners for each in store.collections() for other in each.now()
    )


def foreign_owners(store: Store) -> Iterator[Violation]:
    """Objects that the garbage collector has deleted: their owner lives in another namespace."""
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
