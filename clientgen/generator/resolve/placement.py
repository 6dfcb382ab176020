"""Which group version's module holds a definition.

The kinds of a definition say it (`x-kubernetes-group-version-kind`); nested types carry no kind and
live where the kinds of the same Go package do. A group is never read from a definition's name:
`io.k8s.api.rbac.v1` is `rbac.authorization.k8s.io`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from clientgen._gvk import GroupVersion
from clientgen.generator.ir import META_V1, ModelId, Scalar
from clientgen.generator.sources.spec import META_PACKAGE, Definition

_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"
# The one group without a name; a document of another group may hold its types without its kinds.
_CORE = "io.k8s.api.core."
_VERSION = re.compile(r"^v\d+(?:(?:alpha|beta)\d+)?\Z", re.ASCII)
_NO_LABEL = re.compile(r"[^a-z0-9]+")

# Definitions that are a value in Python, not a model. The document describes them too weakly to
# tell: a MicroTime looks like a Time and a RawExtension like an empty object.
WELL_KNOWN: Mapping[str, Scalar] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Scalar.QUANTITY,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": Scalar.INT_OR_STRING,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": Scalar.JSON,
    f"{META_PACKAGE}.Time": Scalar.TIME,
    f"{META_PACKAGE}.MicroTime": Scalar.MICRO_TIME,
    f"{META_PACKAGE}.Duration": Scalar.STRING,
    f"{META_PACKAGE}.FieldsV1": Scalar.JSON,
    f"{META_PACKAGE}.Patch": Scalar.JSON,
    # Events of a watch are read by the runtime; the definition says nothing about their object.
    f"{META_PACKAGE}.WatchEvent": Scalar.JSON,
    **{f"{_EXTENSIONS}.{version}.JSON": Scalar.JSON for version in ("v1", "v1beta1")},
}


def is_custom(definition: Definition) -> bool:
    """Return whether it is the definition of a custom resource: a server names it after its kind.

    It is the reversed group, the version and the kind; Kubernetes' own have Go packages.
    """
    return any(definition.name == gvk.definition_name for gvk in definition.schema.kinds)


class Placement:
    """Answers where each definition of a set lives."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self._by_package = _votes(definitions)
        self._definitions = definitions

    def model_id(self, name: str) -> ModelId:
        """The model a definition becomes."""
        package, _, short = name.rpartition(".")
        gvks = self._definitions[name].schema.kinds
        if package == META_PACKAGE:
            return ModelId(META_V1, short)
        if len(gvks) == 1:
            return ModelId(gvks[0].group_version, short)
        return ModelId(self._by_package.get(package) or _from_name(package), short)


def _votes(definitions: Mapping[str, Definition]) -> dict[str, GroupVersion]:
    """The group version most kinds of a Go package are served in."""
    votes: dict[str, Counter[GroupVersion]] = {}
    for name, definition in definitions.items():
        gvks = definition.schema.kinds
        if len(gvks) == 1:
            package = name.rpartition(".")[0]
            votes.setdefault(package, Counter())[gvks[0].group_version] += 1
    return {
        package: min(counts, key=lambda gv: (-counts[gv], gv)) for package, counts in votes.items()
    }


def _from_name(package: str) -> GroupVersion:
    """A home for the types of a package that serves no kind: its last labels."""
    labels = package.split(".")
    if package.startswith(_CORE) and _VERSION.match(labels[-1]):
        return GroupVersion("", labels[-1])
    if len(labels) > 1 and _VERSION.match(labels[-1]):
        return GroupVersion(_as_group(labels[-2]), labels[-1])
    return GroupVersion(_as_group(labels[-1]), "v1")


def _as_group(label: str) -> str:
    """A part of a Go package as a group could be called."""
    return _NO_LABEL.sub("-", label.lower()).strip("-") or "types"


def json_schema_union(name: str) -> tuple[str, str] | None:
    """JSONSchemaPropsOrBool and its like: the schema's definition and what else may stand there.

    The document gives these no type at all; apiextensions' Go types do.
    """
    package, _, short = name.rpartition(".")
    other = _JSON_SCHEMA_UNIONS.get(short)
    if other is None or not package.startswith(_EXTENSIONS):
        return None
    return f"{package}.JSONSchemaProps", other


_JSON_SCHEMA_UNIONS = {
    "JSONSchemaPropsOrBool": "boolean",
    "JSONSchemaPropsOrArray": "schemas",
    "JSONSchemaPropsOrStringArray": "strings",
}
