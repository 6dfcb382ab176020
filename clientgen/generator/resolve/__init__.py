"""Specs to an `Api`: which models, resources and verbs there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems
from clientgen.generator.config_records import Selection, ViewConfig
from clientgen.generator.genclient import MarkerLine
from clientgen.generator.ir import (
    Api,
    GroupVersionApi,
    Imported,
    Model,
    ModelId,
    Resource,
    Skipped,
    View,
)
from clientgen.generator.resolve.kind_selection import KindSelection, needed_models
from clientgen.generator.resolve.marker_overrides import MarkerOverrides
from clientgen.generator.resolve.resource_endpoints import Endpoint, endpoints, resource_of
from clientgen.generator.resolve.types import Types
from clientgen.generator.resolve.views import views_of
from clientgen.generator.sources.spec import Definition, Precedence, Spec
from clientgen.generator.sources.used_packages import is_shared, meta_models

__all__ = ["resolve"]

_NOTHING_IMPORTED = Imported()
_EVERYTHING = Selection()
_NO_VIEWS: Mapping[str, ViewConfig] = MappingProxyType({})
_SCOPES = {True: "namespaced", False: "of the whole cluster"}


def resolve(
    specs: Sequence[Spec],
    markers: Sequence[Mapping[str, Sequence[MarkerLine]]],
    *,
    imported: Imported = _NOTHING_IMPORTED,
    inlined: str = "older",
    selection: Selection = _EVERYTHING,
    unavailable: Collection[GroupVersion] = (),
    views: Mapping[str, ViewConfig] = _NO_VIEWS,
) -> Api:
    """Put documents together and decide what is generated from them.

    Args:
        specs: the documents; what is equal in two of them counts once.
        markers: by `str(GroupVersionKind)`, from the configuration and then from each source that
            has some; the earliest wins.
        imported: models that are classes already.
        inlined: which copies of known types become that type: "older", "equal" or "never".
        selection: the kinds that are generated; with a selection, only the models that these need.
        unavailable: group versions that are served, but nothing is known of them just now.
        views: by the names of their classes.

    Raises:
        ClientgenError: the documents contradict each other, or a marker or a view does.
    """
    problems = Problems()
    types = Types(_definitions(specs, problems), problems, imported, inlined)
    problems.raise_if_any()
    models = types.models()
    skipped = [Skipped(*ignored) for spec in specs for ignored in spec.ignored]
    skipped += types.skipped
    endpoints = _endpoints(specs, problems)
    marking = MarkerOverrides(markers, types, problems)
    selecting = KindSelection(selection, unavailable, problems)
    resources = list(_resources(endpoints, types, marking, selecting, skipped))
    skipped += marking.report_unused()
    kept_models = frozenset(_kept(imported, selecting))
    selecting.report_unused()
    problems.raise_if_any()
    resources = list(_not_provided(resources, imported, skipped))
    emitted = [model for model in models if model.id not in imported.classes]
    wanted = () if selection else (m.id for m in emitted if m.id not in types.stand_ins)
    emitted = needed_models(resources, emitted, wanted)
    own = tuple(_selected(imported, kept_models))
    described = (*emitted, *meta_models(), *imported.models, *own)
    resolved_views = views_of(views, described, problems)
    problems.raise_if_any()
    return Api(
        tuple(_by_group_version(emitted, resources, own, resolved_views)),
        tuple(sorted(set(skipped))),
        imported.classes,
        types.older_copies(),
        kept_models,
        frozenset(model for models in imported.kinds.values() for model in models) - kept_models,
        (*(note for spec in specs for note in spec.notes), *marking.notes),
        frozenset(model.id for model in imported.models if not model.item),
    )


def _kept(imported: Imported, selecting: KindSelection) -> Iterable[ModelId]:
    """The classes of the user's kinds that are selected."""
    for gvk, models in imported.kinds.items():
        if selecting.keeps(gvk.group_version, gvk.kind):
            yield from models


def _not_provided(
    resources: Iterable[Resource], imported: Imported, skipped: list[Skipped]
) -> Iterable[Resource]:
    """The resources that no package in use has clients of."""
    for resource in resources:
        package = imported.provided.get(resource.group_version)
        if package and resource.model in imported.classes:
            skipped.append(Skipped(str(resource.group_version), f"in {package} already"))
        else:
            yield resource


def _resources(
    endpoints: Iterable[Endpoint],
    types: Types,
    marking: MarkerOverrides,
    selecting: KindSelection,
    skipped: list[Skipped],
) -> Iterable[Resource]:
    """The resources of endpoints, but for those that are not selected."""
    for endpoint in endpoints:
        passed_over: list[Skipped] = []
        resource = resource_of(endpoint, types, passed_over)
        if resource and not selecting.takes(resource.group_version, resource.kind):
            marking.pass_over(resource.group_version, resource.kind)
            continue
        skipped += passed_over
        if resource:
            yield marking.apply(resource, endpoint)


def _definitions(specs: Sequence[Spec], problems: Problems) -> dict[str, Definition]:
    definitions: dict[str, Definition] = {}
    for spec in specs:
        for name, definition in spec.definitions.items():
            first = definitions.setdefault(name, definition)
            if definition.precedence != first.precedence:
                definitions[name] = max(
                    first, definition, key=lambda candidate: candidate.precedence
                )
            elif first is not definition and not _same(first, definition):
                problems.add(
                    definition.where,
                    f"differs from the definition of that name at {first.where}",
                    "Take both documents from the same API server.",
                )
    return definitions


def _same(first: Definition, second: Definition) -> bool:
    # The shared types name every group version that takes them, so they differ between servers.
    return first.schema == second.schema or first.name.startswith("io.k8s.apimachinery.")


def _endpoints(specs: Sequence[Spec], problems: Problems) -> list[Endpoint]:
    by_name: dict[tuple[GroupVersion, str], Endpoint] = {}
    for spec in sorted(specs, key=lambda spec: -spec.precedence):
        for endpoint in endpoints(spec.operations, spec.precedence):
            first = by_name.setdefault((endpoint.group_version, endpoint.plural), endpoint)
            known_better = first.precedence > spec.precedence
            if first is not endpoint and not known_better and not _same_calls(first, endpoint):
                problems.add(
                    endpoint.operations[0].where,
                    f"{endpoint.plural} of {endpoint.group_version} is also described at "
                    f"{first.operations[0].where}",
                    "Leave it out of one of the documents.",
                )
            if known_better:
                _check_agrees(first, endpoint, problems)
    _check_plurals(by_name.values(), problems)
    return [by_name[key] for key in sorted(by_name)]


def _check_agrees(first: Endpoint, other: Endpoint, problems: Problems) -> None:
    """Check that a user's class agrees with the document on where its objects live."""
    if first.precedence is Precedence.CLASS and first.namespaced != other.namespaced:
        scopes = [_SCOPES[endpoint.namespaced] for endpoint in (first, other)]
        what = f"{first.plural} of {first.group_version} are {scopes[0]} in their class, and "
        hint = "make them agree: the class sets the scope with `+kubebuilder:resource:scope=`"
        problems.add(
            first.operations[0].where, f"{what}{scopes[1]} at {other.operations[0].where}", hint
        )


def _check_plurals(endpoints: Iterable[Endpoint], problems: Problems) -> None:
    """A class and a manifest of the same kind name the same plural."""
    classes = {
        gvk: endpoint
        for endpoint in endpoints
        if endpoint.precedence is Precedence.CLASS
        for gvk in endpoint.kinds
    }
    for other in endpoints:
        for gvk in other.kinds if other.precedence is not Precedence.CLASS else ():
            first = classes.get(gvk)
            if first:
                what = f"the plural of {gvk} is `{first.plural}` in its class, and "
                hint = f"make them agree: write `+resourceName={other.plural}` above the class"
                place = other.operations[0].where
                problems.add(first.operations[0].where, f"{what}`{other.plural}` at {place}", hint)


def _same_calls(first: Endpoint, second: Endpoint) -> bool:
    ids = ({op.operation_id for op in endpoint.operations} for endpoint in (first, second))
    return next(ids) == next(ids)


def _selected(imported: Imported, kept: Collection[ModelId]) -> Iterable[Model]:
    """The shapes of the user's classes, but for kinds that are not selected."""
    kinds = {model for models in imported.kinds.values() for model in models}
    return (model for model in imported.own if model.id in kept or model.id not in kinds)


def _by_group_version(
    models: Iterable[Model],
    resources: Iterable[Resource],
    own: Iterable[Model],
    views: Iterable[View],
) -> Iterable[GroupVersionApi]:
    by_model: dict[GroupVersion, list[Model]] = {}
    by_resource: dict[GroupVersion, list[Resource]] = {}
    by_own: dict[GroupVersion, list[Model]] = {}
    by_view: dict[GroupVersion, list[View]] = {}
    for view in views:
        by_view.setdefault(view.part.of.id.group_version, []).append(view)
    for model in own:
        by_own.setdefault(model.id.group_version, []).append(model)
    for model in models:
        if not is_shared(model.id):
            by_model.setdefault(model.id.group_version, []).append(model)
    for resource in resources:
        by_resource.setdefault(resource.group_version, []).append(resource)
    for group_version in sorted(by_model.keys() | by_resource.keys() | by_view.keys()):
        yield GroupVersionApi(
            group_version,
            tuple(by_model.get(group_version, ())),
            tuple(by_resource.get(group_version, ())),
            tuple(by_own.get(group_version, ())),
            tuple(by_view.get(group_version, ())),
        )
