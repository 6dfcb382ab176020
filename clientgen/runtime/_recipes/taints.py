"""Taints of nodes, by the rules of `kubectl taint`.

kubectl: pkg/cmd/taint/utils.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from .._conditions.json_fields import Json, items, part, text
from ..errors import OperationRefused, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_parse: Final = re.compile(
    r"(?P<key>[^=:]+?)(?:(?:=(?P<value>[^=:]*))?:(?P<effect>[^=:]+?))?(?P<removes>-)?"
).fullmatch


class TaintChanges(Struct, frozen=True):
    """Changes of a node's taints.

    Attributes:
        added: The new taints.
        removed: The keys and effects of the taints to remove. Without an effect, all with the key.
        overwrite: Whether taints may be changed.
    """

    added: list[Json]
    removed: list[tuple[str, str]]
    overwrite: bool

    def apply(self, node: Json, name: str) -> None:
        """Change the taints of a node.

        Raises:
            OperationRefused: The node has a taint to add already, or has not a taint to remove.
        """
        present = list(items(node, "spec", "taints"))
        if not self.overwrite:
            self._check_new(present, name)
        new = [_identity(each) for each in self.added]
        taints = [*self.added, *(each for each in present if _identity(each) not in new)]
        for key, effect in self.removed:
            left = [each for each in taints if not _matches(each, key, effect)]
            if len(left) == len(taints):
                raise OperationRefused(f"Node {name} has no taint {_shown(key, effect)}")
            taints = left
        spec = {**part(node, "spec"), "taints": taints}
        if not taints:
            del spec["taints"]
        node["spec"] = spec

    def _check_new(self, present: list[Json], name: str) -> None:
        known = {_identity(each) for each in present}
        for key, effect in map(_identity, self.added):
            if (key, effect) in known:
                raise OperationRefused(
                    f"Node {name} has the taint {_shown(key, effect)} already:"
                    " overwrite=True changes it"
                )


def taint_changes(taints: str | Iterable[str], *, overwrite: bool) -> TaintChanges:
    """Parse taints as kubectl takes them: `key=value:effect`, `key:effect`, `key:effect-`, `key-`.

    Raises:
        ValueError: There is none, a text is not a taint, or taints contradict each other.
    """
    added: list[Json] = []
    removed: list[tuple[str, str]] = []
    for each in [taints] if isinstance(taints, str) else taints:
        key, value, effect, removes = _parts(each)
        if removes:
            removed.append((key, effect))
        else:
            added.append({"key": key, **({"value": value} if value else {}), "effect": effect})
    if not added and not removed:
        raise ValueError("taint: no taint is given")
    _check_contradictions([_identity(each) for each in added], removed)
    return TaintChanges(added, removed, overwrite)


def _parts(taint: object) -> tuple[str, str, str, bool]:
    found = _parse(taint) if isinstance(taint, str) else None
    if found is None:
        raise ValueError(
            f"taint: {one_line(repr(taint))} is not a taint: write key=value:effect, key:effect,"
            " key:effect- or key-"
        )
    key, value, effect = (found[name] or "" for name in ("key", "value", "effect"))
    removes = found["removes"] is not None
    if (effect or not removes) and effect not in _EFFECTS:
        raise ValueError(
            f"taint: {one_line(repr(taint))} needs one of the effects {', '.join(_EFFECTS)}"
        )
    return key, value, effect, removes


def _check_contradictions(added: list[tuple[str, str]], removed: list[tuple[str, str]]) -> None:
    for place, (key, effect) in enumerate(added):
        if (key, effect) in added[:place]:
            raise ValueError(f"taint: {_shown(key, effect)} is given twice")
        if (key, effect) in removed or (key, "") in removed:
            raise ValueError(f"taint: {_shown(key, effect)} is both added and removed")


def _identity(taint: Json) -> tuple[str, str]:
    return text(taint, "key"), text(taint, "effect")


def _matches(taint: Json, key: str, effect: str) -> bool:
    return text(taint, "key") == key and effect in ("", text(taint, "effect"))


def _shown(key: str, effect: str) -> str:
    return f"{key}:{effect}" if effect else key
