"""How live objects differ from what a manifest set would make of them, as `kubectl diff` shows it.

k8s.io/kubectl: pkg/cmd/diff/diff.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from difflib import unified_diff
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast, overload

from msgspec import UNSET

from clientgen._gvk import GroupVersion

if TYPE_CHECKING:
    from .._models.unstructured import Unstructured
    from .apply_plan import ObjectKey

__all__ = ["ManifestDiff", "ObjectDiff"]

_MASK, _BEFORE, _AFTER = "***", "*** (before)", "*** (after)"
# All else that a Secret has may hold what is secret, also under a misspelt name.
_SHOWN_OF_SECRETS: Final = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_CONTEXT: Final = 3
# difflib compares every line with every other in the worst case; beyond this it is not asked.
_MOST_COMPARISONS: Final = 20_000_000


class ObjectDiff:
    """One object as it is and as it would be. True if the two differ."""

    def __init__(
        self, key: ObjectKey, where: str, live: Unstructured | None, merged: Unstructured | None
    ) -> None:
        self.key = key
        self.where = where
        """The place of the object in the manifests; empty if pruning would delete it."""
        self.live = live
        """The object in the cluster; None if it would be created."""
        self.merged = merged
        """The object after an apply; None if pruning would delete it."""

    @cached_property
    def text(self) -> str:
        """The difference as `kubectl diff` prints it; empty if there is none.

        It has no managedFields, and no values of Secrets.
        """
        is_secret = self.key.group_kind == "Secret"
        live, merged = _masked(_shown(self.live), _shown(self.merged), is_secret)
        if live == merged:
            return ""
        name = self._file_name()
        lines = _unified(_lines(live), _lines(merged), f"LIVE/{name}", f"MERGED/{name}")
        return f"diff -u -N LIVE/{name} MERGED/{name}\n{lines}" if lines else ""

    def _file_name(self) -> str:
        """The name of the file in which kubectl would write the object."""
        kind, dot, group = self.key.group_kind.partition(".")
        version = _group_version(self.live, self.merged).version
        prefix = f"{group}{dot}" if group else ""
        return f"{prefix}{version}.{kind}.{self.key.namespace}.{self.key.name}"

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        if self.live is None:
            state = "would be created"
        elif self.merged is None:
            state = "would be pruned"
        else:
            state = "would change" if self else "is the same"
        return f"<{type(self).__name__}: {self.key} {state}>"


class ManifestDiff(Sequence[ObjectDiff]):
    """The differences of all objects of a set; as text, what `kubectl diff` prints.

    It is true if any object differs. It has an `ObjectDiff` for every object, in the order of an
    apply; those that pruning would delete come last.
    """

    def __init__(self, objects: Sequence[ObjectDiff]) -> None:
        self._objects = tuple(objects)

    @overload
    def __getitem__(self, index: int) -> ObjectDiff: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ObjectDiff]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._objects[index]

    def __len__(self) -> int:
        return len(self._objects)

    def of(self, kind: str, name: str, namespace: str | None = None) -> ObjectDiff:
        """The difference of one object.

        Args:
            kind: its kind; `Kind.group` if another group has the same kind.
            name: its name.
            namespace: its namespace; needed only if several namespaces have such an object.

        Raises:
            LookupError: no object, or more than one, has this name.
        """
        found = [each for each in self._objects if _is(each.key, kind, name, namespace)]
        if len(found) != 1:
            what = "no object of the set is" if not found else "several objects of the set are"
            raise LookupError(f"{what} called {kind} {name}")
        return found[0]

    @property
    def changed(self) -> list[ObjectDiff]:
        """The objects that differ."""
        return [each for each in self._objects if each]

    def __bool__(self) -> bool:
        return any(self._objects)

    def __str__(self) -> str:
        return "".join(each.text for each in self._objects)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.changed)} of {len(self)} objects differ>"


def _is(key: ObjectKey, kind: str, name: str, namespace: str | None) -> bool:
    kinds = (key.group_kind, key.group_kind.partition(".")[0])
    return kind in kinds and name == key.name and namespace in (None, key.namespace)


# ---- what is shown ----------------------------------------------------------------------------


def _shown(obj: Unstructured | None) -> dict[str, Any] | None:
    if obj is None:
        return None
    shown = dict(obj)
    metadata = shown.get("metadata")
    if isinstance(metadata, dict):
        fields = cast("dict[str, Any]", metadata)
        shown["metadata"] = {name: fields[name] for name in fields if name != "managedFields"}
    return shown


def _group_version(*objects: Mapping[str, Any] | None) -> GroupVersion:
    found = [str(obj.get("apiVersion")) for obj in objects if obj is not None]
    return GroupVersion.parse(found[-1])


def _masked(
    live: dict[str, Any] | None, merged: dict[str, Any] | None, is_secret: bool
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Hide the values of a Secret, such that one can still see which of them differ."""
    if not is_secret:
        return live, merged
    fields = {*(live or ()), *(merged or ())} - _SHOWN_OF_SECRETS
    for path in (*((field,) for field in fields), ("metadata", "annotations")):
        only = _LAST_APPLIED if len(path) > 1 else None
        _mask(_map_at(live, path), _map_at(merged, path), only)
    return live, merged


def _map_at(obj: dict[str, Any] | None, path: Sequence[str]) -> dict[str, Any]:
    """A mapping in an object, copied so that it can be changed; one that is not there is empty."""
    here: dict[str, Any] = {} if obj is None else obj
    for name in path:
        inner = here.get(name)
        if inner is not None and not isinstance(inner, dict):
            inner = here[name] = {"": inner} if inner else {}  # nonsense may be secret, too
        if inner is None:
            return {}
        here[name] = copy(cast("dict[str, Any]", inner))
        here = here[name]
    return here


def _mask(live: dict[str, Any], merged: dict[str, Any], only: str | None) -> None:
    for name in (*live, *(name for name in merged if name not in live)):
        if only is not None and name != only:
            continue
        before, after = live.get(name, UNSET), merged.get(name, UNSET)
        differ = before is not UNSET and after is not UNSET and before != after
        if before is not UNSET:
            live[name] = _BEFORE if differ else _MASK
        if after is not UNSET:
            merged[name] = _AFTER if differ else _MASK


# ---- texts ------------------------------------------------------------------------------------


def _lines(obj: Mapping[str, Any] | None) -> list[str]:
    if obj is None:
        return []
    from clientgen._yaml.dumper import write_yaml  # PyYAML is more than start-up needs

    return write_yaml(obj, width=None).splitlines(keepends=True)


def _unified(before: list[str], after: list[str], old: str, new: str) -> str:
    """A unified diff, whose cost does not grow with the square of what a server sends."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    changed = (len(before) - start - end) * (len(after) - start - end)
    if changed <= _MOST_COMPARISONS:
        return "".join(unified_diff(before, after, old, new, n=_CONTEXT))
    first = max(0, start - _CONTEXT)
    counts = f"-{first + 1},{len(before) - first} +{first + 1},{len(after) - first}"
    lines = [
        *(f" {line}" for line in before[first:start]),
        *(f"-{line}" for line in before[start : len(before) - end]),
        *(f"+{line}" for line in after[start : len(after) - end]),
        *(f" {line}" for line in before[len(before) - end :]),
    ]
    return "".join([f"--- {old}\n", f"+++ {new}\n", f"@@ {counts} @@\n", *lines])


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same
