"""Views of the configuration: the fields that their paths name, checked against the models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from clientgen._problems import ClientgenError, Problem, Problems, did_you_mean
from clientgen.generator.config_records import PlacedText, ViewConfig
from clientgen.generator.ir import META_V1, Model, ModelId, ModelType, View, ViewPart
from clientgen.generator.resolve.field_paths import Names, PathReader, shown_path

_Tree: TypeAlias = dict[str, "_Tree"]
"""The fields of an object that paths lead through; no fields are below one that is taken whole."""
_Fields: TypeAlias = Mapping[str, ViewPart | None]

_OBJECT_META = ModelId(META_V1, "ObjectMeta")
STANDARD_METADATA = frozenset(
    (
        *("name", "namespace", "uid", "resourceVersion", "labels", "ownerReferences"),
        *("generation", "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers"),
    )
)
"""The fields of the runtime's `ViewMeta`: the metadata that all views have."""


def views_of(
    wanted: Mapping[str, ViewConfig], models: Iterable[Model], problems: Problems
) -> list[View]:
    """The views in order of their names.

    Args:
        wanted: what the configuration says of each, by the name of its class.
        models: every model of the package, and those it imports.
        problems: takes kinds and fields that are not there.
    """
    if not wanted:
        return []
    reader = _ViewReader({model.id: model for model in models}, problems)
    views = (reader.view(name, config) for name, config in sorted(wanted.items()))
    return [view for view in views if view]


class _ViewReader:
    """Reads views of the configuration."""

    def __init__(self, models: Mapping[ModelId, Model], problems: Problems) -> None:
        self._metadata = models[_OBJECT_META]
        self._paths = PathReader(models)
        self._problems = problems
        self._kinds = {
            f"{model.id.group_version}/{model.id.name}": model
            for model in models.values()
            if model.gvk and not model.item
        }

    def view(self, name: str, config: ViewConfig) -> View | None:
        kind = self._kind(config.of)
        if kind is None:
            return None
        part = self._part(kind, self._tree(kind, config.fields))
        return View(name, replace(part, fields=self._without_standard(part.fields)), config.where)

    def _kind(self, of: PlacedText) -> Model | None:
        kind = self._kinds.get(of.text)
        if kind is None:
            hint = did_you_mean(of.text, self._kinds, "no such kind is generated")
            self._problems.add(of.where, f"there is no kind `{of.text}`", hint)
            return None
        metadata = kind.field("metadata")
        if metadata is None or metadata.type != ModelType(_OBJECT_META):
            what = f"`{of.text}` has no `metadata` of the type ObjectMeta"
            hint = "views are of kinds whose objects have a name and a resourceVersion"
            self._problems.add(of.where, what, hint)
            return None
        return kind

    def _tree(self, kind: Model, paths: Iterable[PlacedText]) -> _Tree:
        """The fields of paths that are right, and that say something new."""
        tree: _Tree = {}
        taken: dict[Names, PlacedText] = {}
        for path in paths:
            try:
                names = self._paths.names(kind, path)
                _check_new(tree, names, path, taken)
            except ClientgenError as error:
                self._problems.extend(error.problems)
                continue
            taken[names] = path
            _add(tree, names)
        return tree

    def _part(self, model: Model, tree: _Tree) -> ViewPart:
        fields: dict[str, ViewPart | None] = {}
        for name, inner in tree.items():
            field = model.field(name)
            below = self._paths.model_in(field.type) if field and inner else None
            fields[name] = self._part(below, inner) if below else None
        return ViewPart(model, fields)

    def _without_standard(self, fields: _Fields) -> _Fields:
        """The fields of a view, without the metadata that all views have."""
        if "metadata" not in fields:
            return fields
        asked = fields["metadata"]
        every = dict.fromkeys(field.name for field in self._metadata.fields)
        wanted = asked.fields if asked else every
        more = {name: part for name, part in wanted.items() if name not in STANDARD_METADATA}
        others = {name: part for name, part in fields.items() if name != "metadata"}
        return {**others, "metadata": ViewPart(self._metadata, more)} if more else others


def _add(tree: _Tree, names: Names) -> None:
    for name in names:
        tree = tree.setdefault(name, {})


def _check_new(
    tree: _Tree, names: Names, path: PlacedText, taken: Mapping[Names, PlacedText]
) -> None:
    """Refuse a path if another one takes a part of it, or all of it.

    Raises:
        ClientgenError: another one does.
    """
    other = _overlapping(tree, names, taken)
    if not other:
        return
    whole, inner = (shown_path(each) for each in sorted((names, other), key=len))
    what = f"`{inner}` is a part of `{whole}`, which is there as a whole"
    if other == names:
        what = f"`{whole}` is named twice"
    first = taken[other].where.rpartition(".")[2]
    raise ClientgenError([Problem(path.where, what, f"remove this path or `{first}`")])


def _overlapping(tree: _Tree, names: Names, taken: Mapping[Names, PlacedText]) -> Names:
    """The earlier path that takes a part of a path, or all of it; empty if there is none."""
    for end, name in enumerate(names, 1):
        if names[:end] in taken:
            return names[:end]
        if name not in tree:
            return ()
        tree = tree[name]
    while tree:
        name, tree = next(iter(tree.items()))
        names = (*names, name)
    return names
