"""The differences between live objects and a manifest set, in the format of `kubectl diff`.

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

_MASK, _BEFORE, _AFTER = "***", "*** (before)", "*** (after)"
# Any other field of a Secret may contain secret values, even a misspelt one.
_SHOWN_FIELDS_OF_SECRETS: Final = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_CONTEXT_LINES: Final = 3
# In the worst case, difflib compares every line with every other line. difflib is not used above
# this number of comparisons.
_MAX_COMPARISONS: Final = 20_000_000


class ObjectDiff:
    """The live state of an object and its state after an apply. True if the states differ."""

    def __init__(
        self, key: ObjectKey, where: str, live: Unstructured | None, merged: Unstructured | None
    ) -> None:
        self.key = key
        self.where = where
        """The place of the object in the manifests; empty if pruning would delete the object."""
        self.live = live
        """The object in the cluster; None if the apply would create it."""
        self.merged = merged
        """The object after an apply; None if pruning would delete the object."""

    @cached_property
    def text(self) -> str:
        """The difference in the format of `kubectl diff`; empty if there is none.

        managedFields are left out, and values of Secrets are masked.
        """
        is_secret = self.key.group_kind == "Secret"
        live, merged = _masked(
            _without_managed_fields(self.live), _without_managed_fields(self.merged), is_secret
        )
        if live == merged:
            return ""
        name = self._file_name()
        lines = _unified_diff(
            _yaml_lines(live), _yaml_lines(merged), f"LIVE/{name}", f"MERGED/{name}"
        )
        return f"diff -u -N LIVE/{name} MERGED/{name}\n{lines}" if lines else ""

    def _file_name(self) -> str:
        """Return the name of the file to which kubectl writes the object."""
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
    """The differences of all objects of a set. `str` is the output of `kubectl diff`.

    The sequence has an `ObjectDiff` for every object in the order of an apply, followed by the
    objects that pruning would delete. It is true if any object differs.
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
        """Return the difference of one object.

        Args:
            kind: the kind; `Kind.group` if several groups have the kind.
            name: the name.
            namespace: the namespace; needed only if several namespaces have such an object.

        Raises:
            LookupError: no object, or more than one, has this name.
        """
        matches = [each for each in self._objects if _matches(each.key, kind, name, namespace)]
        if len(matches) != 1:
            count = "several objects are" if matches else "no object is"
            raise LookupError(f"{count} called {kind} {name} in the manifest set")
        return matches[0]

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


def _matches(key: ObjectKey, kind: str, name: str, namespace: str | None) -> bool:
    kinds = (key.group_kind, key.group_kind.partition(".")[0])
    return kind in kinds and name == key.name and namespace in (None, key.namespace)


# ---- hidden fields ----------------------------------------------------------------------------


def _without_managed_fields(obj: Unstructured | None) -> dict[str, Any] | None:
    if obj is None:
        return None
    shown = dict(obj)
    metadata = shown.get("metadata")
    if isinstance(metadata, dict):
        fields = cast("dict[str, Any]", metadata)
        shown["metadata"] = {name: fields[name] for name in fields if name != "managedFields"}
    return shown


def _group_version(*objects: Mapping[str, Any] | None) -> GroupVersion:
    api_versions = [str(obj.get("apiVersion")) for obj in objects if obj is not None]
    return GroupVersion.parse(api_versions[-1])


def _masked(
    live: dict[str, Any] | None, merged: dict[str, Any] | None, is_secret: bool
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Mask the values of a Secret. The masks show which values differ."""
    if not is_secret:
        return live, merged
    fields = {*(live or ()), *(merged or ())} - _SHOWN_FIELDS_OF_SECRETS
    for path in (*((field,) for field in fields), ("metadata", "annotations")):
        only = _LAST_APPLIED if len(path) > 1 else None
        _mask(_map_at(live, path), _map_at(merged, path), only)
    return live, merged


def _map_at(obj: dict[str, Any] | None, path: Sequence[str]) -> dict[str, Any]:
    """Replace a mapping in an object by a copy, and return the copy; empty if it is absent."""
    parent: dict[str, Any] = {} if obj is None else obj
    for name in path:
        inner = parent.get(name)
        if inner is not None and not isinstance(inner, dict):
            # A value of a wrong type may be secret, too. In a map, it is masked like other values.
            inner = parent[name] = {"": inner} if inner else {}
        if inner is None:
            return {}
        parent[name] = copy(cast("dict[str, Any]", inner))
        parent = parent[name]
    return parent


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


def _yaml_lines(obj: Mapping[str, Any] | None) -> list[str]:
    if obj is None:
        return []
    from clientgen._yaml.dumper import write_yaml  # imported late: PyYAML is large

    return write_yaml(obj, width=None).splitlines(keepends=True)


def _unified_diff(before: list[str], after: list[str], old: str, new: str) -> str:
    """Return a unified diff. A very large change is a single block of old and new lines."""
    start = _common_prefix_length(before, after)
    end = _common_prefix_length(before[start:][::-1], after[start:][::-1])
    changed = (len(before) - start - end) * (len(after) - start - end)
    if changed <= _MAX_COMPARISONS:
        return "".join(unified_diff(before, after, old, new, n=_CONTEXT_LINES))
    first = max(0, start - _CONTEXT_LINES)
    counts = f"-{first + 1},{len(before) - first} +{first + 1},{len(after) - first}"
    lines = [
        *(f" {line}" for line in before[first:start]),
        *(f"-{line}" for line in before[start : len(before) - end]),
        *(f"+{line}" for line in after[start : len(after) - end]),
        *(f" {line}" for line in before[len(before) - end :]),
    ]
    return "".join([f"--- {old}\n", f"+++ {new}\n", f"@@ {counts} @@\n", *lines])


def _common_prefix_length(one: list[str], other: list[str]) -> int:
    """Return the number of equal lines at the beginning."""
    same = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        same += 1
    return same
