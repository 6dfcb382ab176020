"""Applies markers to resources: they remove and rename verbs, and add methods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from clientgen._gvk import GroupVersion
from clientgen._problems import Problems, did_you_mean
from clientgen.generator.genclient import Genclient, GenclientMethod, MarkerLine, split_type
from clientgen.generator.genclient_markers import extract_markers, parse_markers
from clientgen.generator.ir import Method, ModelId, Resource, Skipped, Verb
from clientgen.generator.overrides import contradictions, merge, select_verbs
from clientgen.generator.python_names import marked_method_name
from clientgen.generator.resolve.resource_endpoints import Endpoint
from clientgen.generator.resolve.types import Types

_IN_LIST = re.compile(r"\[\d+\]$")


class MarkerOverrides:
    """Applies markers: if several are about the same, that of the earliest source counts.

    The descriptions of the API's own definitions come last.
    """

    def __init__(
        self,
        sources: Sequence[Mapping[str, Sequence[MarkerLine]]],
        types: Types,
        problems: Problems,
    ) -> None:
        self._sources = tuple(sources)
        self._types = types
        self._problems = problems
        self._keys: list[str] = []
        self.notes = Problems()
        """Markers that are passed over, filled by `report_unused`."""

    def apply(self, resource: Resource, endpoint: Endpoint) -> Resource:
        """The resource as its markers leave it; what is wrong with them is a problem."""
        genclient = self._markers(resource)
        if genclient == Genclient():
            return resource
        self._problems.extend(
            contradictions(
                genclient,
                group=resource.group_version.group,
                plural=resource.plural,
                namespaced=resource.namespaced,
            )
        )
        verbs, problems = select_verbs(genclient, resource.verbs, endpoint.subresource_verbs())
        self._problems.extend(problems)
        return self._rebuilt(resource, genclient, frozenset(cast("tuple[Verb, ...]", verbs)))

    def pass_over(self, group_version: GroupVersion, kind: str) -> None:
        """Note a kind that is not generated, because it may have markers."""
        self._keys.append(f"{group_version}/{kind}")

    def report_unused(self) -> Iterator[Skipped]:
        """Report markers of kinds that do not exist.

        Go sources keep versions that are served no more, and kinds that have no definition yet:
        these are ignored. A source with no kind of the API at all is reported. The configuration,
        which is the first source, has to be right.
        """
        all_keys = set(self._keys)
        served = {_without_version(key) for key in all_keys}
        for number, source in enumerate(self._sources):
            fits = number > 0 and not served.isdisjoint(map(_without_version, source))
            for key in sorted(source.keys() - all_keys):
                if number and _without_version(key) in served:
                    yield Skipped(f"markers of {key}", "no source has this version")
                else:
                    self._report_unused(key, source[key], self.notes if fits else self._problems)

    def _report_unused(self, key: str, lines: Sequence[MarkerLine], to: Problems) -> None:
        otherwise = "No source of this run has it. Write a kind like 'apps/v1/Deployment'."
        hint = did_you_mean(key, self._keys, otherwise)
        # Of the configuration it is the key that is wrong, and none of its lines.
        where = _IN_LIST.sub("", lines[0].where) if lines else ""
        to.add(where, f"{key!r} is not a kind with an endpoint in the spec", hint)

    def _markers(self, resource: Resource) -> Genclient:
        key = f"{resource.group_version}/{resource.kind}"
        self._keys.append(key)
        description, where = self._types.described(resource.model)
        genclient = parse_markers(extract_markers(description, where), self._problems)
        for source in reversed(self._sources):
            genclient = merge(parse_markers(source.get(key, ()), self._problems), genclient)
        return genclient

    def _rebuilt(
        self, resource: Resource, genclient: Genclient, verbs: frozenset[Verb]
    ) -> Resource:
        if genclient.no_verbs or "client" in genclient.disabled:
            return replace(
                resource, verbs=frozenset[Verb](), subresources=(), methods=(), streams=()
            )
        resource = replace(
            resource,
            has_lister=resource.has_lister and "lister" not in genclient.disabled,
            has_informer=resource.has_informer and "informer" not in genclient.disabled,
        )
        added = tuple(
            method for marker in genclient.methods for method in self._method(marker, resource)
        )
        listed = bool(genclient.only_verbs or genclient.readonly)
        if listed:
            # Whoever lists the verbs lists all there shall be.
            return replace(resource, verbs=verbs, subresources=(), methods=added, streams=())
        whole_status = {"updateStatus", "applyStatus"} <= verbs
        parts = [part for part in resource.subresources if part.name != "status" or whole_status]
        return replace(
            resource,
            verbs=verbs,
            subresources=tuple(parts),
            methods=(*resource.methods, *added),
        )

    def _method(self, marker: GenclientMethod, resource: Resource) -> Iterable[Method]:
        sent = self._model(marker.input, marker, resource, "input")
        answered = self._model(marker.result, marker, resource, "result")
        if sent and answered:
            yield Method(
                name=marked_method_name(marker.name),
                verb=cast("Verb", marker.verb),
                subresource=marker.subresource or "",
                input=sent,
                result=self._listed(answered) if marker.verb == "list" else answered,
                named=bool(marker.subresource),
            )

    def _listed(self, model: ModelId) -> ModelId:
        """client-gen: the result of a list is the kind; what is answered is its list."""
        list_model = self._types.find(model.group_version, f"{model.name}List")
        return list_model or model

    def _model(
        self, name: str | None, marker: GenclientMethod, resource: Resource, role: str
    ) -> ModelId | None:
        """The model a marker names: of this group version, or by the path of its Go package."""
        if name is None:
            return resource.model
        package, short = split_type(name)
        if package:
            model = self._types.find_class(package, short)
            model = model or self._types.find_in_package(package, short)
        else:
            model = self._types.find(resource.model.group_version, short)
        if model is None:
            self._problems.add(
                marker.where or self._types.described(resource.model)[1],
                f"the {role} type {name!r} of the method {marker.name!r} is not in the spec",
                "Write the type as `Kind`, as `k8s.io/api/<group>/<version>.Kind`, or as the class "
                "`module.Kind` of `types` or of a package in `uses`.",
            )
        return model


def _without_version(key: str) -> tuple[str, str]:
    """`apps/v1/Deployment` is `apps`, `Deployment`; the core group has no name."""
    *group, _version, kind = key.split("/")
    return "".join(group), kind
