"""Effects on clients and stored objects when one definition replaces another.

A change is breaking when something that worked before may be refused, be dropped or mean something
else: a client's request, an object that is stored, a manager's claim on a field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clientgen._json import is_object
from clientgen.generator.crds.schema_changes import Change, schema_changes

__all__ = ["Change", "changes"]

_SHARED: Final = {
    ("spec", "group"): "group",
    ("spec", "scope"): "scope",
    ("spec", "names", "kind"): "kind",
    ("spec", "names", "plural"): "plural",
    ("spec", "names", "singular"): "singular",
    ("spec", "names", "listKind"): "listKind",
}


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Compare two CustomResourceDefinitions; what is breaking comes first."""
    all_changes = [*_shared(old, new), *_versions(_by_name(old), _by_name(new))]
    return tuple(sorted(all_changes, key=lambda change: not change.breaking))


def _shared(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for path, name in _SHARED.items():
        first, other = _at(old, path), _at(new, path)
        if first != other and first is not None:
            yield Change(name, f"is {other}, was {first}", breaking=True)
    for name in ("shortNames", "categories"):
        before: list[str] = _at(old, ("spec", "names", name)) or []
        after: list[str] = _at(new, ("spec", "names", name)) or []
        for each in before:
            if each not in after:
                yield Change(name, f"`{each}` is gone", breaking=True)
        for each in after:
            if each not in before:
                yield Change(name, f"`{each}` is new")


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        value = value.get(part) if is_object(value) else None
    return value


def _by_name(definition: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    versions: list[dict[str, Any]] = _at(definition, ("spec", "versions")) or []
    return {str(version.get("name")): version for version in versions}


def _versions(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[Change]:
    for name, before in old.items():
        if name not in new:
            yield Change(name, "the version is gone", breaking=bool(before.get("served")))
        else:
            for change in _version(before, new[name]):
                yield change.below(name)
    for name in new:
        if name not in old:
            yield Change(name, "the version is new")
    was, now = _stored(old), _stored(new)
    if was != now:
        yield Change("storage", f"objects are stored as {now}, were as {was}")


def _stored(versions: Mapping[str, Mapping[str, Any]]) -> str:
    return next((name for name, version in versions.items() if version.get("storage")), "nothing")


def _version(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    if old.get("served") != new.get("served"):
        is_served = bool(new.get("served"))
        what = "is served" if is_served else "is no longer served"
        yield Change("", what, breaking=not is_served)
    if bool(old.get("deprecated")) != bool(new.get("deprecated")):
        yield Change("", "is deprecated" if new.get("deprecated") else "is no longer deprecated")
    yield from _subresources(old.get("subresources") or {}, new.get("subresources") or {})
    yield from _selectable(old, new)
    columns = "additionalPrinterColumns"
    if old.get(columns) != new.get(columns):
        yield Change("columns", "are others")
    path = ("schema", "openAPIV3Schema")
    yield from schema_changes(_at(old, path) or {}, _at(new, path) or {})


def _subresources(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for name in ("status", "scale"):
        if name in old and name not in new:
            yield Change(f"/{name}", "the subresource is gone", breaking=True)
        elif name in new and name not in old:
            # Writes to the object itself no longer change its status.
            lost = name == "status"
            why = ": writes to the object leave `status` as it is" if lost else ""
            yield Change(f"/{name}", f"the subresource is new{why}", breaking=lost)
        elif name in new and old[name] != new[name]:
            what = f"is {json.dumps(new[name])}, was {json.dumps(old[name])}"
            yield Change(f"/{name}", what, breaking=True)


def _selectable(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = (
        [selectable.get("jsonPath") for selectable in version.get("selectableFields") or ()]
        for version in (old, new)
    )
    for path in before:
        if path not in after:
            yield Change(path, "can no longer be selected by", breaking=True)
    for path in after:
        if path not in before:
            yield Change(path, "can be selected by")
