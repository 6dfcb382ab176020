"""Whole objects within custom resources (`x-kubernetes-embedded-resource`).

Their metadata is read like that of any object: unknown fields go, wrong types are a bad request;
apiVersion and kind have to be there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clientgen._apimachinery.decoding import normalise
from clientgen._apimachinery.failures import Cause, Failure, bad_request, invalid_value, required
from clientgen._apimachinery.labels import annotations_causes, labels_causes
from clientgen._apimachinery.name_syntax import (
    label_problems,
    path_segment_problems,
    service_label_problems,
)
from clientgen._json import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clientgen._openapi.resolved import ResolvedSchema

    from .structure import Structure


def has_embedded(structure: Structure) -> bool:
    """Return whether there are embedded objects anywhere below the root."""
    parts = [*structure.properties.values(), structure.items, structure.additional]
    return any(part.embedded or has_embedded(part) for part in parts if part is not None)


def _embedded(
    value: Any, structure: Structure | None, path: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    if structure is None:
        return
    if is_array(value):
        for at, inner in enumerate(value):
            yield from _embedded(inner, structure.items, f"{path}[{at}]")
    elif is_object(value):
        if structure.embedded and path:
            yield path, value
        for name, inner in value.items():
            if name in structure.properties:
                where = f"{path}.{name}" if path else name
            else:
                where = f"{path}[{name}]"
            yield from _embedded(inner, structure.member(name), where)


def clean_embedded(
    value: Any, structure: Structure, object_meta: ResolvedSchema, refusal: Callable[[str], Failure]
) -> list[str]:
    """Bring the metadata of embedded objects into its form; returns the paths of unknown fields.

    Raises:
        Failure: 400, metadata cannot be read.
    """
    unknown: list[str] = []
    for path, resource in list(_embedded(value, structure, "")):
        for name in ("apiVersion", "kind"):
            if name in resource and not isinstance(resource[name], str):
                raise refusal(f"{path}.{name}: Invalid value: must be a string")
        if is_object(resource.get("metadata")):
            form = normalise(
                resource["metadata"],
                object_meta,
                refuse=lambda why, path=path: refusal(f"{path}.metadata: Invalid value: {why}"),  # type: ignore[misc]
            )
            resource["metadata"] = form.value
            unknown += (f"{path}.metadata.{field}" for field in form.unknown)
        elif "metadata" in resource:
            raise refusal(f"{path}.metadata: Invalid value: must be an object")
    return unknown


def refusal_of(kind: str, version: str) -> Callable[[str], Failure]:
    """The 400 for an object that cannot be read."""
    start = f'{kind} in version "{version}" cannot be handled as a {kind}: '
    return lambda why: bad_request(start + why)


def check_embedded(value: Any, structure: Structure) -> list[Cause]:
    """Check embedded objects."""
    causes: list[Cause] = []
    for path, resource in _embedded(value, structure, ""):
        causes += check_type_meta(resource, path)
        if is_object(metadata := resource.get("metadata")):
            causes += _metadata_causes(metadata, f"{path}.metadata")
    return causes


def check_type_meta(resource: dict[str, Any], path: str) -> list[Cause]:
    """Check the apiVersion and the kind of an embedded object."""
    return list(_type_causes(resource, path))


def _type_causes(resource: dict[str, Any], path: str) -> Iterator[Cause]:
    for name in ("apiVersion", "kind"):
        if name not in resource:
            yield required(f"{path}.{name}")
        elif not resource[name]:
            yield invalid_value(f"{path}.{name}", resource[name], "must not be empty")
    version, kind = resource.get("apiVersion") or "", resource.get("kind") or ""
    if version.count("/") > 1:
        why = f"unexpected GroupVersion string: {version}"
        yield invalid_value(f"{path}.apiVersion", version, why)
    if kind and (problems := service_label_problems(kind.lower())):
        why = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid_value(f"{path}.kind", kind, why)


def _metadata_causes(metadata: dict[str, Any], path: str) -> Iterator[Cause]:
    for name in ("generateName", "name"):
        for problem in path_segment_problems(metadata.get(name) or ""):
            yield invalid_value(f"{path}.{name}", metadata[name], problem)
    if namespace := metadata.get("namespace"):
        for problem in label_problems(namespace):
            yield invalid_value(f"{path}.namespace", namespace, problem)
    yield from labels_causes(metadata.get("labels"), f"{path}.labels")
    yield from annotations_causes(metadata.get("annotations"), f"{path}.annotations")
