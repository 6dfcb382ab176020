"""The object in a request body: decoded, of the right kind, cleaned of what its type does not have.

Fact sheet 1.4: built-in kinds may leave apiVersion and kind out, custom resources may not; unknown
and duplicate fields are ignored, warned of or refused, as `fieldValidation` says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from .decoding import parse
from .failures import Failure, bad_request, invalid, invalid_value
from .normalising import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .answers import Headers
    from .resources import Resource
    from .routing import Call
    from .schema import Schemas

__all__ = ["Body", "clean", "complain", "object_of", "warnings"]

OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@dataclass(slots=True)
class Body:
    """An object from a request, with what was odd about it: `unknown field "spec.x"` and so on."""

    value: dict[str, Any]
    problems: list[str] = field(default_factory=list[str])


def object_of(call: Call, resource: Resource, schemas: Schemas) -> Body:
    """Read the object of a create or an update.

    Raises:
        Failure: 400, 413, 415 for a body that is no such object, 422 for a custom resource of
            another kind.
    """
    parsed = parse(call.body, call.headers.get("content-type", ""))
    value = parsed.value
    if not isinstance(value, dict):
        kind = type(value).__name__
        raise bad_request(f"couldn't get version/kind; json parse error: cannot unmarshal {kind}")
    _check_kind(value, resource)
    body = Body(value, [f'duplicate field "{path}"' for path in parsed.duplicates])
    body.problems += clean(body.value, resource, schemas)
    return body


def _check_kind(value: dict[str, Any], resource: Resource) -> None:
    kind, api_version = value.get("kind"), value.get("apiVersion")
    if resource.custom is not None:
        _check_custom_kind(value, resource)
    elif (kind and kind != resource.kind) or (api_version and api_version != resource.api_version):
        raise bad_request(
            f"{kind or resource.kind} in version \"{api_version or resource.version}\" cannot be "
            f"handled as a {resource.kind}: no kind \"{kind}\" is registered for version "
            f'"{api_version}"'
        )


def _check_custom_kind(value: dict[str, Any], resource: Resource) -> None:
    for name, word in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if not value.get(name):
            raise bad_request(f"Object '{word}' is missing in '{json.dumps(value)}'")
    if value["apiVersion"] != resource.api_version:
        raise bad_request(
            f'the API version in the data ({value["apiVersion"]}) does not match the expected API '
            f"version ({resource.api_version})"
        )
    if value["kind"] != resource.kind:
        name = str((value.get("metadata") or {}).get("name") or "")
        cause = invalid_value("kind", value["kind"], f"must be {resource.kind}")
        raise invalid(resource.group, resource.kind, name, [cause])


def clean(value: dict[str, Any], resource: Resource, schemas: Schemas) -> list[str]:
    """Remove what the type does not have and bring scalars into their canonical form, in place.

    Returns what was unknown, as problems.

    Raises:
        Failure: 400 for a value of the wrong type.
    """
    custom = resource.custom
    if custom is None:
        unknown = normalise(value, resource.schema, kind=resource.kind, version=resource.api_version)
    else:
        metadata = value.setdefault("metadata", {})
        unknown = custom.prune(value)
        if isinstance(metadata, dict):
            meta = schemas.named(OBJECT_META)
            found = normalise(metadata, meta, kind=resource.kind, version=resource.api_version)
            unknown = [*unknown, *(f"metadata.{path}" for path in found)]
    value.setdefault("metadata", {})
    return [f'unknown field "{path}"' for path in unknown]


def complain(problems: Sequence[str], validation: str) -> None:
    """Refuse a body with problems if that is what the client wants.

    Raises:
        Failure: 400, for `Strict`.
    """
    if problems and validation == "Strict":
        raise bad_request(f"strict decoding error: {', '.join(problems)}")


def warnings(problems: Sequence[str], validation: str) -> Headers:
    """The Warning headers that tell of the problems."""
    if validation != "Warn":
        return []
    return [("warning", f"299 - {json.dumps(problem, ensure_ascii=False)}") for problem in problems]


def mismatch(what: str, given: str, wanted: str) -> Failure:
    """400: the body names something else than the URL."""
    return bad_request(
        f"the {what} of the object ({given}) does not match the {what} on the URL ({wanted})"
    )
