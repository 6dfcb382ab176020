"""Which kinds are generated: `include` and `exclude` of the configuration.

A pattern names a group, a version of it, or a kind; models go with the kinds that need them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems, did_you_mean
from clientgen.generator.config_records import PlacedText, Selection
from clientgen.generator.ir import (
    ListType,
    MapType,
    Model,
    ModelId,
    ModelType,
    Resource,
    TypeRef,
    UnionType,
)

_CORE = "core"
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?")


class KindSelection:
    """Selects kinds, and remembers which patterns have matched none."""

    def __init__(
        self, selection: Selection, unavailable: Collection[GroupVersion], problems: Problems
    ) -> None:
        self._selection = selection
        self._unavailable = unavailable
        self._problems = problems
        self._all_kinds: set[tuple[str, str, str]] = set()
        self._any_selected = False

    def takes(self, group_version: GroupVersion, kind: str) -> bool:
        """Return whether a kind is generated."""
        is_taken = self.keeps(group_version, kind)
        self._any_selected |= is_taken
        return is_taken

    def keeps(self, group_version: GroupVersion, kind: str) -> bool:
        """Return whether a kind without clients belongs to the package."""
        names = (group_version.group or _CORE, group_version.version, kind)
        self._all_kinds.add(names)
        include, exclude = self._selection.include, self._selection.exclude
        if include and not any(_fits(pattern.text, names) for pattern in include):
            return False
        return not any(_fits(pattern.text, names) for pattern in exclude)

    def report_unused(self) -> None:
        """Report patterns that match no kind, and a selection that leaves nothing."""
        patterns = (*self._selection.include, *self._selection.exclude)
        unused = [pattern for pattern in patterns if not self._fits_any(pattern)]
        for pattern in unused:
            self._problems.add(
                pattern.where, f"`{pattern.text}` matches no kind", self._hint(pattern)
            )
        if patterns and not unused and not self._any_selected:
            what = "`include` and `exclude` leave no kind to generate"
            self._problems.add(patterns[-1].where, what, "include more or exclude fewer")

    def _fits_any(self, pattern: PlacedText) -> bool:
        # The kinds of an unavailable group version are not known.
        hidden = any(
            _fits(pattern.text, _names(group_version)) for group_version in self._unavailable
        )
        return hidden or any(_fits(pattern.text, names) for names in self._all_kinds)

    def _hint(self, pattern: PlacedText) -> str:
        parts = pattern.text.split("/")
        if _VERSION.fullmatch(parts[0]):
            return f"the core group is called `{_CORE}`: `{_CORE}/{pattern.text}`"
        kinds = sorted({"/".join(names[: len(parts)]) for names in self._all_kinds})
        groups = sorted({names[0] for names in self._all_kinds})
        return did_you_mean(pattern.text, kinds, f"the groups are {', '.join(groups)}")


def is_wanted(selection: Selection, group_version: GroupVersion) -> bool:
    """Return whether any kind of a group version could be generated."""
    names = _names(group_version)
    excluded = (
        pattern.text for pattern in selection.exclude if pattern.text.count("/") < len(names)
    )
    if any(_fits(pattern, names) for pattern in excluded):
        return False
    return not selection.include or any(_fits(pattern.text, names) for pattern in selection.include)


def wanted_of(selection: Selection, group_versions: Collection[str]) -> Collection[str]:
    """Return the group versions that kinds could be generated of.

    If a pattern of `include` fits none, that is a mistake, and the message that tells it has to
    know every kind.
    """
    parsed = {name: GroupVersion.parse(name) for name in group_versions}
    names = [_names(group_version) for group_version in parsed.values()]
    if not all(any(_fits(pattern.text, one) for one in names) for pattern in selection.include):
        return group_versions
    return [name for name, group_version in parsed.items() if is_wanted(selection, group_version)]


def _names(group_version: GroupVersion) -> tuple[str, str]:
    return group_version.group or _CORE, group_version.version


def _fits(pattern: str, names: Sequence[str]) -> bool:
    parts = pattern.split("/")
    return all(fnmatchcase(name, part) for part, name in zip(parts, names, strict=False))


def needed_models(
    resources: Iterable[Resource], models: Sequence[Model], wanted: Iterable[ModelId] = ()
) -> list[Model]:
    """The models that are wanted or that resources speak of, and those in these, in order."""
    by_id = {model.id: model for model in models}
    todo = [*wanted, *(model for resource in resources for model in _spoken_of(resource))]
    needed: set[ModelId] = set()
    while todo:
        model = by_id.get(todo.pop())
        if model is None or model.id in needed:
            continue
        needed.add(model.id)
        todo += [model.item] if model.item else []
        todo += [target for field in model.fields for target in models_in(field.type)]
    return [model for model in models if model.id in needed]


def _spoken_of(resource: Resource) -> Collection[ModelId]:
    methods = (model for method in resource.methods for model in (method.input, method.result))
    parts = (part.model for part in resource.subresources)
    direct = (resource.model, resource.list_model, resource.create_result)
    return [model for model in (*direct, *parts, *methods) if model]


def models_in(type_: TypeRef) -> Iterable[ModelId]:
    """Every model a type speaks of."""
    if isinstance(type_, ModelType):
        yield type_.model
    elif isinstance(type_, ListType):
        yield from models_in(type_.item)
    elif isinstance(type_, MapType):
        yield from models_in(type_.value)
    elif isinstance(type_, UnionType):
        for member in type_.members:
            yield from models_in(member)
