"""Parts of objects that a write cannot change: they are taken from the stored object."""

from __future__ import annotations

from typing import Any, Final

_HEAD: Final = frozenset(["apiVersion", "kind", "metadata"])


def restore(new: dict[str, Any], old: dict[str, Any], name: str) -> None:
    """Give one member the value that is stored."""
    new.pop(name, None)
    if name in old:
        new[name] = old[name]


def restore_all_but(new: dict[str, Any], old: dict[str, Any], name: str) -> None:
    """Give all members but one, and but the metadata, the values that are stored."""
    for other in {*new, *old}.difference(_HEAD, {name}):
        restore(new, old, other)


def restore_all_but_status(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Keep only the status, and the owners of fields, of a new object."""
    status = new.get("status")
    metadata = dict(old["metadata"])
    metadata.pop("managedFields", None)
    if "managedFields" in new["metadata"]:
        metadata["managedFields"] = new["metadata"]["managedFields"]
    new.clear()
    new.update({**old, "metadata": metadata})
    new.pop("status", None)
    if status is not None:
        new["status"] = status


def count_generation(new: dict[str, Any], old: dict[str, Any], *, with_status: bool) -> None:
    """Increase the generation if anything but the metadata, or the status, changes."""
    apart = _HEAD if with_status else _HEAD | {"status"}

    def content(whole: dict[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in whole.items() if name not in apart}

    if content(new) != content(old):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
