"""Reports definitions that an API server would reject, at the lines of Python they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from clientgen._problems import Problem
from clientgen.generator.crds.constraints import Places
from clientgen.generator.crds.crd_schema import Part
from clientgen.generator.crds.kind_versions import Version
from clientgen.generator.sources.crd.crd_rules import check_definition

_SCHEMA: Final = ("schema", "openAPIV3Schema")


def refused(
    definition: Mapping[str, Any], versions: list[Version], parts: list[Part]
) -> Iterable[Problem]:
    """Yield each problem that an API server would refuse, at its line of Python."""
    places = _places(versions, parts)
    for problem in check_definition(definition, ""):
        _, _, pointer = problem.where.partition("#/")
        path = tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/"))
        at = next(n for n in range(len(path), -1, -1) if path[:n] in places)
        what = f"an API server would refuse `{_path_text(path)}`: {problem.what}"
        yield Problem(places[path[:at]], what, problem.hint)


def _path_text(path: tuple[str, ...]) -> str:
    """A path as seen from the kind."""
    if _SCHEMA[-1] in path:
        path = path[path.index(_SCHEMA[-1]) + 1 :]
    return ".".join(part for part in path if part != "properties") or "the schema"


def _places(versions: list[Version], parts: list[Part]) -> Places:
    first = versions[0]
    resource = first.marker("resource")
    places: Places = {(): first.where}
    if resource:
        places["spec", "names"] = places["spec", "scope"] = resource.where
    for number, (version, part) in enumerate(zip(versions, parts, strict=True)):
        at = ("spec", "versions", str(number))
        places[at] = version.where
        for path, where in part.places.items():
            places[(*at, *_SCHEMA, *path)] = where
        for name, field in (
            ("printcolumn", "additionalPrinterColumns"),
            ("selectablefield", "selectableFields"),
        ):
            for index, marker in enumerate(version.all(name)):
                places[(*at, field, str(index))] = marker.where
        scale = version.marker("subresource:scale")
        if scale:
            places[(*at, "subresources", "scale")] = scale.where
    return places
