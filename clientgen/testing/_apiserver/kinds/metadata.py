"""Checks of the metadata that all objects share (API conventions, "Metadata").

A real server checks metadata more than once when an object is updated: once for every kind alike,
and again in the validation of most kinds. It lists a mistake each time it sees it. Clients that
count causes notice, so `MetadataChecks` tells which checks a kind repeats.

Facts: docs/internals/kubernetes-semantics.md, 1.4.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Any, Final, Protocol

from clientgen._apimachinery.failures import (
    Cause,
    forbidden_value,
    invalid_value,
    required,
)
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import (
    path_segment_problems,
    qualified_name_problems,
)
from clientgen._json import parts, texts

_OWN_FINALIZERS: Final = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_NEVER_OWNERS: Final = frozenset({("v1", "Event")})


class NameCauses(Protocol):
    """Checks a name, or with `prefix` the start of names that the server generates."""

    def __call__(self, name: str, *, prefix: bool) -> list[Cause]:
        """List the mistakes."""
        ...


class MetadataChecks(Flag):
    """Checks of the metadata that a kind adds to, or takes from, those of every update."""

    NONE = 0
    UPDATE_AGAIN = auto()
    """The comparison with the stored metadata is made twice."""
    WHOLE_AGAIN = auto()
    """The checks of new objects are made as well."""
    ANY_FINALIZER = auto()
    """Finalizers need no domain."""


def metadata_causes(
    new: dict[str, Any],
    old: dict[str, Any] | None,
    checks: MetadataChecks,
    name_causes: NameCauses,
) -> list[Cause]:
    """List the mistakes in an object's metadata, and in its change if there is an old object.

    Args:
        new: the object to store.
        old: the stored object; None for a new one.
        checks: what the kind adds.
        name_causes: checks a name, or with `prefix` the start of generated names.
    """
    plain = MetadataChecks.ANY_FINALIZER in checks
    if old is None:
        metadata = new["metadata"]
        named = _named(metadata, name_causes)
        return [*named, *_contents(metadata), *_domains(metadata, plain=plain)]
    before, after = old["metadata"], new["metadata"]
    contents, change = _contents(after), _change(after, before)
    causes = [*_segments(after), *contents, *change]
    if MetadataChecks.UPDATE_AGAIN in checks:
        causes += [*change, *_domains(after, plain=plain)]
    if MetadataChecks.WHOLE_AGAIN in checks:
        causes += [*_named(after, name_causes), *contents, *_domains(after, plain=plain)]
    return causes


def _named(metadata: dict[str, Any], name_causes: NameCauses) -> list[Cause]:
    causes: list[Cause] = []
    if prefix := metadata.get("generateName"):
        causes += name_causes(prefix, prefix=True)
    if name := metadata.get("name"):
        causes += name_causes(name, prefix=False)
    else:
        causes.append(required("metadata.name", "name or generateName is required"))
    return causes


def _segments(metadata: dict[str, Any]) -> list[Cause]:
    return [
        invalid_value(f"metadata.{field}", text, problem)
        for field in ("generateName", "name")
        for text in [metadata.get(field, "")]
        for problem in path_segment_problems(text)
    ]


def _contents(metadata: dict[str, Any]) -> list[Cause]:
    """The parts that are looked at alike whatever the kind."""
    generation = metadata.get("generation", 0)
    causes: list[Cause] = []
    if generation < 0:
        least = "must be greater than or equal to 0"
        causes.append(invalid_value("metadata.generation", generation, least))
    return [*causes, *_described(metadata), *_finalizers(metadata)]


def _described(metadata: dict[str, Any]) -> list[Cause]:
    return [
        *labels_causes(metadata.get("labels"), "metadata.labels"),
        *annotations_causes(metadata.get("annotations"), "metadata.annotations"),
        *_owners(parts(metadata, "ownerReferences")),
    ]


def _owners(references: list[dict[str, Any]]) -> list[Cause]:
    causes: list[Cause] = []
    controller: dict[str, Any] | None = None
    for reference in references:
        causes += _owner(reference)
        if not reference.get("controller"):
            continue
        if controller is not None:
            why = 'Only one reference can have Controller set to true. Found "true" in references'
            both = f"{_reference_text(controller)} and {_reference_text(reference)}"
            field = "metadata.ownerReferences"
            causes.append(invalid_value(field, references, f"{why} for {both}"))
        else:
            controller = reference
    return causes


def _reference_text(reference: dict[str, Any]) -> str:
    return f"{reference.get('kind', '')}/{reference.get('name', '')}"


def _owner(reference: dict[str, Any]) -> list[Cause]:
    field = "metadata.ownerReferences"
    api_version = reference.get("apiVersion", "")
    kind = reference.get("kind", "")
    causes: list[Cause] = []
    if not _version(api_version):
        why = "version must not be empty"
        causes.append(invalid_value(f"{field}.apiVersion", api_version, why))
    causes += [
        invalid_value(f"{field}.{member}", "", "must not be empty")
        for member in ("kind", "name", "uid")
        if not reference.get(member)
    ]
    if (api_version, kind) in _NEVER_OWNERS:
        why = f"/{api_version}, Kind={kind} is disallowed from being an owner"
        causes.append(invalid_value(field, reference, why))
    return causes


def _version(api_version: str) -> str:
    """The version of `group/version`; nothing when it cannot be told."""
    group, slash, version = api_version.partition("/")
    if not slash:
        return group
    return "" if "/" in version else version


def _finalizers(metadata: dict[str, Any]) -> list[Cause]:
    field = "metadata.finalizers"
    finalizers: list[str] = texts(metadata, "finalizers")
    causes = [
        invalid_value(field, name, problem)
        for name in finalizers
        for problem in qualified_name_problems(name)
    ]
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        why = "finalizer orphan and foregroundDeletion cannot be both set"
        causes.append(invalid_value(field, finalizers, why))
    return causes


def _domains(metadata: dict[str, Any], *, plain: bool) -> list[Cause]:
    """Finalizers of built-in kinds have a domain or are the server's own."""
    if plain:
        return []
    why = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid_value(f"metadata.finalizers[{index}]", name, why)
        for index, name in enumerate(texts(metadata, "finalizers"))
        if "/" not in name and name not in _OWN_FINALIZERS
    ]


def _change(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    causes = _new_finalizers(new, old)
    for field in (
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ):
        if new.get(field) != old.get(field):
            value = new.get(field)
            causes.append(invalid_value(f"metadata.{field}", value, "field is immutable"))
    return [*causes, *_described(new)]


def _new_finalizers(new: dict[str, Any], old: dict[str, Any]) -> list[Cause]:
    if not old.get("deletionTimestamp"):
        return []
    before = set(texts(old, "finalizers"))
    added = [name for name in texts(new, "finalizers") if name not in before]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    why = "no new finalizers can be added if the object is being deleted, found new finalizers "
    return [forbidden_value("metadata.finalizers", f"{why}[]string{{{listed}}}")]
