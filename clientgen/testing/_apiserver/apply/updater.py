"""Updates field ownership after writes.

Every write but apply takes the fields that it changes from their owners. Apply does so only with
force. It removes the fields that its manager applied before and no longer does, unless they have
another owner, too. What each manager owns is told in the version it wrote in, so old and new object
are compared in that version's schema. Conversion between versions changes nothing but their name
for most kinds; `convert` is for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .comparison import Comparison, compare
from .field_paths import Path, Set
from .managers import Managers, Owned
from .merge import merge
from .ownership_shapes import Map, Scalar
from .typed import Mistyped, field_set, named_fields_in, problems, removed, type_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .managers import Manager
    from .ownership_shapes import Type

TypeOf: TypeAlias = "Callable[[str], Type | None]"
Convert: TypeAlias = "Callable[[Any, str], Any]"
"""Returns an object in another version."""


class Conflicts(Exception):  # noqa: N818 - an answer, not a defect
    """Others own what was applied with other values."""

    def __init__(self, sets: Mapping[Manager, Set]) -> None:
        super().__init__("conflicts")
        self.sets = sets

    def without(self, allowed: Set) -> Conflicts:
        """Return the conflicts that are left without some paths."""
        left = {manager: paths - allowed for manager, paths in self.sets.items()}
        return Conflicts({manager: paths for manager, paths in left.items() if paths})

    def listed(self) -> list[tuple[Manager, Path]]:
        """Return all conflicts."""
        managers = sorted(self.sets, key=lambda manager: manager.rank)
        return [(manager, path) for manager in managers for path in self.sets[manager]]


@dataclass(frozen=True, slots=True)
class Updater:
    """Ownership of the objects of one kind.

    Attributes:
        type_of: the type of the kind in a version; None for versions that are gone.
        ignored: what writes of this sort cannot change, and so cannot own.
        ignored_everywhere: whether that goes for what is told in other versions, too.
        converts: whether an object loses on conversion what the other version does not have; one
            that does not cannot be compared in that version.
        convert: converts objects whose versions differ in more than their name.
    """

    type_of: TypeOf
    version: str
    ignored: Set
    ignored_everywhere: bool = True
    converts: bool = True
    convert: Convert | None = None

    def update(self, live: Any, new: Any, managers: Managers) -> tuple[Managers, Set]:
        """Return what each manager owns after `live` became `new`, and what its writer owns now."""
        left, comparison, _ = self._taken(live, new, self._reconciled(managers))
        return left, comparison.changed.without(self.ignored)

    def apply(
        self, live: Any, config: Any, managers: Managers, manager: Manager, *, force: bool
    ) -> tuple[Any, Managers]:
        """The object and its ownership after a configuration was applied.

        Raises:
            Conflicts: others own what it changes.
        """
        kind = self._own_type()
        kept = self._reconciled(managers)
        last = kept.get(manager)
        paths = field_set(config, kind).without(self.ignored)
        kept[manager] = Owned(paths, self.version, last.time if last else None)
        new = merge(live, config, kind)
        if last is not None and last.paths:
            new = self._pruned(new, kept, last)
        kept, _, conflicts = self._taken(live, new, kept, manager)
        if conflicts and not force:
            raise Conflicts(conflicts)
        return new, kept

    def _own_type(self) -> Type:
        kind = self.type_of(self.version)
        assert kind is not None  # requests in a version that is gone do not get here
        return kind

    # ------------------------------------------------------------- what others lose

    def _taken(
        self, live: Any, new: Any, managers: Managers, taker: Manager | None = None
    ) -> tuple[Managers, Comparison, dict[Manager, Set]]:
        """Return what each manager keeps, what changed, and the paths that each one lost."""
        compared: dict[str, Comparison] = {}
        left: Managers = {}
        conflicts: dict[Manager, Set] = {}
        mine = self._compared(compared, live, new, self.version)
        for each, owned in managers.items():
            if each != taker:
                comparison = self._compared(compared, live, new, owned.api_version)
                kept = owned.paths - comparison.changed
                if taker is not None and kept is not owned.paths:
                    conflicts[each] = owned.paths & comparison.changed
                owned = owned.with_paths(kept - comparison.removed)  # noqa: PLW2901
            if owned.paths:
                left[each] = owned
        return left, mine, conflicts

    def _compared(
        self, compared: dict[str, Comparison], live: Any, new: Any, version: str
    ) -> Comparison:
        found = compared.get(version)
        if found is None:
            kind = self.type_of(version)
            assert kind is not None  # reconciling has dropped those
            if version != self.version and self.convert is not None:
                live, new = self.convert(live, version), self.convert(new, version)
            if version != self.version and not self.converts:
                _check_typed(live, kind, "")
                _check_typed(new, kind, "failed to convert new object: ")
            counts = self.ignored_everywhere or version == self.version
            ignored = self.ignored if counts else Set()
            found = compared[version] = compare(live, new, kind).without(ignored)
        return found

    # ------------------------------------------------- what is no longer applied goes

    def _pruned(self, merged: Any, managers: Managers, last: Owned) -> Any:
        """The merged object without what its manager applied before and now does not.

        What anyone else owns stays, and what nobody owned stays as well.
        """
        if self._differs(last.api_version):
            last = Owned(_declared(last.paths, self._own_type()), self.version, last.time)
        kind = self.type_of(last.api_version)
        assert kind is not None  # reconciling has dropped those
        applied = named_fields_in(last.paths, kind)
        pruned = self._with_owned(merged, removed(merged, kind, applied), managers, last)
        gone = _mentioned(merged, kind) - _mentioned(pruned, kind)
        return removed(merged, kind, gone & applied)

    def _with_owned(self, merged: Any, pruned: Any, managers: Managers, last: Owned) -> Any:
        """Put back into the pruned object what is owned, version by version."""
        owned: dict[str, Set] = {last.api_version: Set()}
        for each in managers.values():
            version, paths = each.api_version, each.paths
            if self._differs(version):
                version, paths = self.version, _declared(paths, self._own_type())
            owned[version] = owned.get(version, Set()) | paths
        for version, paths in owned.items():
            kind = self.type_of(version)
            if kind is not None:
                kept = _mentioned(pruned, kind) | named_fields_in(paths, kind)
                pruned = removed(merged, kind, _mentioned(merged, kind) - kept)
        return pruned

    def _differs(self, version: str) -> bool:
        """Report whether objects have other members in a version.

        Paths in such a version count as far as the writer's version has them: a real server
        converts the object there and back, which loses nothing with its annotations.
        """
        return self.convert is not None and version != self.version

    # ------------------------------------------------------------ schemas that changed

    def _reconciled(self, managers: Managers) -> Managers:
        """Ownership in terms of today's schemas; entries of versions that are gone go."""
        made: Managers = {}
        for manager, owned in managers.items():
            kind = self.type_of(owned.api_version)
            if kind is not None:
                made[manager] = owned.with_paths(_reconciled(owned.paths, kind))
        return made


def _check_typed(value: Any, kind: Type, prefix: str) -> None:
    if found := problems(value, kind, duplicates=True):
        raise Mistyped(prefix + found[0])


def _mentioned(item: Any, kind: Type) -> Set:
    return named_fields_in(field_set(item, kind), kind)


def _reconciled(paths: Set, kind: Type) -> Set:
    """Return the paths; below a value that has become atomic, the whole value instead."""
    if paths.fitting is None or paths.fitting[0] is not kind:
        paths.fitting = kind, _fitting(paths, kind)
    return paths.fitting[1]


def _fitting(paths: Set, kind: Type) -> Set:
    shape = kind.usual
    if isinstance(shape, Scalar) or (isinstance(shape, Map) and shape.is_deduced):
        return paths
    members: set[str] = set()
    children: dict[str, Set] = {}
    for element, below in paths.children.items():
        inner = type_at(kind, element) if isinstance(shape, Map) else shape.item
        if inner is not None and _is_atomic(inner):
            members.add(element)
        else:
            children[element] = below if inner is None else _fitting(below, inner)
    if not members and all(below is paths.children[each] for each, below in children.items()):
        return paths  # nothing has changed, as nearly always
    return Set(paths.members | members, children)


def _declared(paths: Set, kind: Type) -> Set:
    """Return the paths that a type has."""
    shape = kind.usual
    if isinstance(shape, Scalar):
        return Set(paths.members)
    children: dict[str, Set] = {}
    for element, below in paths.children.items():
        inner = type_at(kind, element) if isinstance(shape, Map) else shape.item
        if inner is not None and (known := _declared(below, inner)):
            children[element] = known
    return Set((each for each in paths.members if not _is_unknown(each, kind)), children)


def _is_unknown(element: str, kind: Type) -> bool:
    return isinstance(kind.usual, Map) and type_at(kind, element) is None


def _is_atomic(kind: Type) -> bool:
    return not isinstance(kind.usual, Scalar) and kind.usual.atomic
