"""The history of StatefulSets and DaemonSets: a ControllerRevision for each template."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clientgen._apimachinery.failures import Failure
from clientgen._json import part

from .objects import key, owner_reference
from .played_kinds import REVISIONS
from .template_hashes import template_hash

if TYPE_CHECKING:
    from collections.abc import Collection

    from .control_plane import ControlPlane

_CONFLICT: Final = 409


@dataclass(frozen=True, slots=True)
class History:
    """The ControllerRevisions of an object.

    Attributes:
        newest: the one of its template.
        older: the others, the oldest first.
        collisions: how many hashes were taken by other templates.
    """

    newest: dict[str, Any]
    older: list[dict[str, Any]]
    collisions: int

    def named(self, name: str) -> dict[str, Any] | None:
        """Return the revision of that name."""
        for each in (self.newest, *self.older):
            if each["metadata"]["name"] == name:
                return each
        return None


def history_of(plane: ControlPlane, owner: dict[str, Any], label: str) -> History:
    """Return the history of an object, with a revision for its template as it is.

    Args:
        plane: reads and writes.
        owner: the object.
        label: the label of the revision that has its hash.
    """
    metadata = owner["metadata"]
    data = {"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}}
    known = plane.objects.controlled(REVISIONS, metadata["uid"], metadata["namespace"])
    ordered = sorted(known, key=_number)
    collisions: int = part(owner, "status").get("collisionCount") or 0
    number = _number(ordered[-1])[0] + 1 if ordered else 1
    equal = [each for each in ordered if each.get("data") == data]
    if equal and equal[-1] is ordered[-1]:
        newest = equal[-1]
    elif equal:
        changed = deepcopy(equal[-1])
        changed["revision"] = number
        # The server compares the bytes of `data`; those of the real controller never change.
        plane.objects.put(REVISIONS, changed)
        newest = changed
    else:
        newest, collisions = _create(plane, owner, data, number, label, collisions)
    name = newest["metadata"]["name"]
    return History(
        newest, [each for each in ordered if each["metadata"]["name"] != name], collisions
    )


def _create(  # noqa: PLR0917
    plane: ControlPlane,
    owner: dict[str, Any],
    data: dict[str, Any],
    number: int,
    label: str,
    collisions: int,
) -> tuple[dict[str, Any], int]:
    metadata, template = owner["metadata"], owner["spec"]["template"]
    while True:
        digest = template_hash(template, collisions)
        labels = {**part(part(template, "metadata"), "labels"), label: digest}
        revision: dict[str, Any] = {
            "metadata": {
                "name": f"{metadata['name'][: 252 - len(digest)]}-{digest}",
                "namespace": metadata["namespace"],
                "labels": labels,
                "ownerReferences": [owner_reference(owner)],
            },
            "data": deepcopy(data),
            "revision": number,
        }
        if annotations := part(metadata, "annotations"):
            revision["metadata"]["annotations"] = dict(annotations)
        try:
            return plane.objects.create(REVISIONS, revision), collisions
        except Failure as failure:
            if failure.code != _CONFLICT:
                raise
            collisions += 1


def template_in(revision: dict[str, Any]) -> dict[str, Any]:
    """Return the template that a revision has kept."""
    template = part(part(part(revision, "data"), "spec"), "template")
    return {name: value for name, value in template.items() if name != "$patch"}


def prune(
    plane: ControlPlane, history: History, owner: dict[str, Any], used: Collection[str]
) -> None:
    """Delete the oldest revisions that are not in use, as many as the history is too long."""
    limit = owner["spec"].get("revisionHistoryLimit")
    unused = [each for each in history.older if each["metadata"]["name"] not in used]
    if limit is None or len(unused) <= limit:
        return
    for each in unused[: len(unused) - limit]:
        if plane.objects.get(REVISIONS, key(each)) is not None:
            plane.objects.delete(REVISIONS, each)


def _number(revision: dict[str, Any]) -> tuple[int, str, str]:
    metadata = revision["metadata"]
    number: int = revision.get("revision") or 0
    return (number, metadata.get("creationTimestamp", ""), metadata["name"])
