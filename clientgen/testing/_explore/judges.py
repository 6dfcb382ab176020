"""Rules that the end of every run has to follow, whatever the program does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .records import Violation
from .states import UNJUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .._apiserver.storage.store import Store

__all__ = ["endless_failures", "stuck_objects"]

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
    uids = {record.uid for each in store.collections() for record in each.now()}
    for title, metadata in _objects(store, known):
        if metadata.get("deletionTimestamp"):
            left = ", ".join(metadata.get("finalizers") or ()) or "nothing"
            why = f"it waits for the finalizers {left}"
            yield Violation("deletion", f"{title} is never removed: {why}")
        owners = metadata.get("ownerReferences") or ()
        if owners and not any(owner.get("uid") in uids for owner in owners):
            yield Violation("orphan", f"{title} belongs to an object that does not exist")


def _objects(store: Store, known: Mapping[str, int]) -> Iterator[tuple[str, dict[str, Any]]]:
    for collection in store.collections():
        if collection.name not in UNJUDGED:
            for record in collection.now():
                title = f"{collection.name} {record.key}"
                if known.get(title) != record.version:
                    yield title, record.value()["metadata"]
