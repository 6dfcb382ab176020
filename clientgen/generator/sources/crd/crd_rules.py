"""Rules by which an API server rejects CustomResourceDefinitions.

The rules are those of the test server. This is the only module of the generator that uses them, and
it loads them only if there is a definition to check. Patterns and CEL rules are compiled if the
extra `testing` is installed; without it they are taken as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from clientgen._json import is_array, is_object
from clientgen._openapi.json_source import FLATTER, TOO_DEEP, too_deep
from clientgen._problems import Problem, Problems
from clientgen.generator.sources.crd.crd_shape import shaped
from clientgen.generator.sources.crd.positions import below, field_parts, found_at
from clientgen.generator.user_cache import is_known_sound, remember_sound

if TYPE_CHECKING:
    from clientgen._apimachinery.failures import Cause

__all__ = [
    "API_VERSION",
    "KIND",
    "check_definition",
    "read_definition",
    "repeated_definition",
    "wrong_version",
]

API_VERSION, KIND = "apiextensions.k8s.io/v1", "CustomResourceDefinition"

_OLD = "apiextensions.k8s.io/v1beta1"
# The start of a message, or the field it is about, and what can be done.
_HINTS = (
    (r"scope$", "", "Write `scope: Namespaced` or `scope: Cluster`."),
    (
        r"openAPIV3Schema$",
        "Required value",
        "Add a schema, or allow any object with `x-kubernetes-preserve-unknown-fields: true`.",
    ),
    (
        r"\.type$",
        "Required value",
        "Give the type, or allow any value with `x-kubernetes-preserve-unknown-fields: true`.",
    ),
    (r"spec\.versions$", "must have exactly one", "Set `storage: true` in exactly one version."),
    (r"spec\.versions$", "must contain unique", "Rename one of the versions."),
    (r"metadata\.name$", "", "The name of a definition is its plural and its group."),
    (r"default$", "", "A default must match the schema that it belongs to."),
    (
        r"(anyOf|allOf|oneOf|not)\b.*$",
        "Forbidden",
        "Move it out: `anyOf`, `allOf`, `oneOf` and `not` may only restrict values.",
    ),
    (
        r"properties\[[^]]*\]$",
        "Required value: because",
        "Declare the field under `properties`, too; other parts may only refer to it.",
    ),
)
# Fields that a server fills in when it knows the kind.
_FROM_KIND = frozenset({"spec.names.singular", "spec.names.listKind"})
# Clients do not need the converting webhook, and kustomize may add it later.
_OF_SERVER = "spec.conversion.webhookClientConfig"
_ALL_THE_SAME = "The client is generated anyway."
_INVALID = "Invalid value: "
_MAX_VALUE_LENGTH = 60
# Raised whenever a check is added: verdicts of older checks then count no more.
_CHECKS = "definition 2"
# Functions that rules may use in Kubernetes and not here: such rules cannot be checked.
_NOT_KNOWN_HERE = re.compile(r"\bauthorizer\b|\btransformMap")
# Parts of a schema that need a library to be checked.
_COMPILED = frozenset({"pattern", "x-kubernetes-validations", "format"})


def wrong_version(version: object, where: str) -> Problem:
    """Return the problem of a definition that is not of the version that servers take."""
    if version == _OLD:
        what = f"is of {_OLD}, which API servers have not accepted since Kubernetes 1.22"
        hint = f"Convert it to {API_VERSION}, where each version has its own schema."
    elif version is None:
        what, hint = "has no apiVersion", f"Write `apiVersion: {API_VERSION}`."
    else:
        what = f"has the apiVersion {version!r}, in which there is no {KIND}"
        hint = f"Write `apiVersion: {API_VERSION}`."
    return Problem(below(where, "apiVersion"), what, hint)


def repeated_definition(name: str, where: str, first: str) -> Problem:
    """Return the problem of a definition of the same name (`plural.group`) as an earlier one."""
    return Problem(where, f"defines {name} again, after {first}", "Leave one of them out.")


def check_definition(definition: Mapping[str, Any], where: str) -> list[Problem]:
    """List the problems for which an API server would refuse a new CustomResourceDefinition.

    Args:
        definition: the whole manifest; its `status` does not count.
        where: its place; those of problems add a JSON pointer to it.

    Returns:
        A problem for each, in the order of the server: what cannot even be decoded, or else what
        breaks rules (structural schemas, names, versions, defaults, patterns, CEL and the rest of
        https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/).
    """
    problems = Problems()
    record = shaped(definition, where, problems)
    if not problems:
        problems.extend(_refused(record, where, _causes(record)[0]))
    return list(dict.fromkeys(problems))


def read_definition(
    definition: Mapping[str, Any], where: str, problems: Problems, notes: Problems
) -> dict[str, Any]:
    """The definition as a server decodes it: no nulls, no unknown fields; see `check_definition`.

    Mistakes for which a server refuses it, and that do not concern its objects, go to `notes`. The
    definition can be used if no problem was added. A right definition is remembered: compiling the
    rules of a large one takes longer than generating its client.
    """
    wrong = Problems()
    record = shaped(definition, where, wrong)
    deep = [] if wrong else too_deep(record)
    if deep:
        wrong.add(below(where, *deep), TOO_DEEP, FLATTER)
    if not wrong:
        data = json.dumps(record, sort_keys=True).encode()
        if not is_known_sound(_CHECKS, data):
            causes, is_complete = _causes(record)
            of_server = [cause for cause in causes if cause.field.startswith(_OF_SERVER)]
            wrong.extend(_refused(record, where, [c for c in causes if c not in of_server]))
            for refused in _refused(record, where, of_server):
                notes.add(refused.where, f"a server refuses this: {refused.what}", _ALL_THE_SAME)
            if is_complete and not wrong and not of_server:
                remember_sound(_CHECKS, data)
    problems.extend(dict.fromkeys(wrong))
    return record


def _refused(definition: dict[str, Any], where: str, causes: Iterable[Cause]) -> Iterable[Problem]:
    for cause in causes:
        parts = field_parts(cause.field, definition)
        if _follows(cause, definition) or _is_beyond(cause.field, definition, parts):
            continue
        what = _short_message(cause.message)
        yield Problem(below(where, *_exact(parts, what, definition)), what, _hint(cause))


def _causes(definition: dict[str, Any]) -> tuple[list[Cause], bool]:
    """List the server's complaints. Return also whether all libraries for the checks were there."""
    # Late: the server takes longer to load than a small package to be generated.
    from clientgen._apiextensions import validate_definition
    from clientgen._apiextensions.libraries import MissingLibrary

    created = _as_created(definition)
    try:
        return validate_definition(created, None), True
    except MissingLibrary:
        return validate_definition(_without_compiled(created), None), False


def _as_created(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition as the server validates it: with defaults for names, and a status."""
    from clientgen._apiextensions import default_definition

    spec = dict(definition.get("spec", {}))
    for name in ("names", "conversion"):
        if name in spec:
            spec[name] = deepcopy(spec[name])
    versions: list[dict[str, Any]] = spec.get("versions", [])
    stored = [version.get("name", "") for version in versions if version.get("storage")]
    created = {**definition, "spec": spec, "status": {"storedVersions": stored[:1]}}
    default_definition(created)
    return created


def _without_compiled(definition: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = definition["spec"]
    versions = [dict(version) for version in spec.get("versions", ())]
    for version in versions:
        schema = version.get("schema", {}).get("openAPIV3Schema")
        if schema is not None:
            version["schema"] = {"openAPIV3Schema": _plain(schema)}
    return {**definition, "spec": {**spec, "versions": versions}}


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without what has to be compiled, at any depth."""
    plain: dict[str, Any] = {}
    for name, value in schema.items():
        if name in _COMPILED:
            continue
        plain[name] = value
        if name in ("properties", "definitions"):
            plain[name] = {key: _plain(member) for key, member in value.items()}
        elif name in ("allOf", "anyOf", "oneOf"):
            plain[name] = [_plain(item) for item in value]
        elif name in ("items", "additionalProperties", "not") and is_object(value):
            plain[name] = _plain(value)
    return plain


def _follows(cause: Cause, definition: Mapping[str, Any]) -> bool:
    """Return whether a cause only follows from another one, which has a message of its own."""
    if cause.field.startswith("status."):
        return True
    names: dict[str, Any] = found_at(definition, ["spec", "names"]) or {}
    if cause.field in _FROM_KIND:
        return not names.get("kind") and cause.message.startswith("Required")
    group = found_at(definition, ["spec", "group"])
    return cause.field == "metadata.name" and not (group and names.get("plural"))


def _is_beyond(field: str, definition: Mapping[str, Any], parts: list[str | int]) -> bool:
    """Return whether a cause is about a rule that this server cannot check."""
    if "x-kubernetes-validations" not in field:
        return False
    return bool(_NOT_KNOWN_HERE.search(str(found_at(definition, parts) or "")))


def _short_message(message: str) -> str:
    """Return the server's message in one line, with long values cut short."""
    message = message.partition("\n")[0]
    if not message.startswith(_INVALID):
        return message
    try:
        value, end = json.JSONDecoder().raw_decode(message, len(_INVALID))
    except json.JSONDecodeError:
        return message
    if is_object(value) or is_array(value):
        return f"Invalid value{message[end:]}"
    shown = message[len(_INVALID) : end]
    if len(shown) > _MAX_VALUE_LENGTH:
        shown = f"{shown[:_MAX_VALUE_LENGTH]}…"
    return f"{_INVALID}{shown}{message[end:]}"


def _hint(cause: Cause) -> str:
    for field, start, hint in _HINTS:
        if re.search(field, cause.field) and start in cause.message:
            return hint
    return ""


def _exact(parts: list[str | int], what: str, definition: Mapping[str, Any]) -> list[str | int]:
    """Return the path of the second of two clashing versions, which the server leaves out."""
    if parts != ["spec", "versions"]:
        return parts
    versions: list[dict[str, Any]] = found_at(definition, parts) or []
    if "unique version names" in what:
        names = [version.get("name") for version in versions]
        at = next(n for n, name in enumerate(names) if name in names[:n])
        return [*parts, at, "name"]
    stored = [at for at, version in enumerate(versions) if version.get("storage")]
    return [*parts, stored[1], "storage"] if len(stored) > 1 else parts
