"""Kubernetes' own types, from the document that comes with clientgen, for packages without it.

A CustomResourceDefinition that holds a pod template holds a copy of some 200 types. Where neither
a package in use nor a document of the run has those, the copies still become what they are copies
of: the few types that are needed are generated into the package.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

import msgspec

from clientgen._gvk import GroupVersion
from clientgen._openapi import v2
from clientgen._openapi.schema import Schema, named_schemas
from clientgen._shipped import kubernetes_spec
from clientgen.generator.ir import ModelId
from clientgen.generator.sources.spec import Definition, Precedence, Spec

# A source with this type has Kubernetes' types.
_POD_SPEC = "io.k8s.api.core.v1.PodSpec"
_POD_SPEC_MODEL = ModelId(GroupVersion("", "v1"), "PodSpec")


def stand_ins(
    specs: Sequence[Spec], imported: Collection[ModelId], *, is_partial: bool = False
) -> tuple[Spec, ...]:
    """Kubernetes' types, if there are definitions that may hold copies and nothing else has them.

    Args:
        specs: of the sources of a run.
        imported: the models that are classes already.
        is_partial: a cluster was read in part, so that Kubernetes' own documents may be missing.
    """
    has_manifests = is_partial or any(spec.precedence is Precedence.MANIFEST for spec in specs)
    is_known = any(_POD_SPEC in spec.definitions for spec in specs) or _POD_SPEC_MODEL in imported
    return (_shipped(),) if has_manifests and not is_known else ()


@cache
def shipped_definitions() -> Mapping[str, Schema]:
    """The schemas of the document that comes with clientgen, by the names of definitions."""
    document = msgspec.json.decode(kubernetes_spec().read_bytes())
    return {name: Schema(raw) for name, raw in named_schemas(document, *v2.SCHEMAS).items()}


@cache
def _shipped() -> Spec:
    definitions = {
        name: Definition(name, schema, name, Precedence.STAND_IN)
        for name, schema in shipped_definitions().items()
    }
    return Spec("Kubernetes", definitions, (), precedence=Precedence.STAND_IN)
