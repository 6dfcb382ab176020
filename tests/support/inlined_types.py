"""Copies of Kubernetes' types as controller-gen writes them into CustomResourceDefinitions.

Derived from the facts of specs/kubernetes: every reference is written out, quantities and
int-or-strings get their pattern and flags, and an ObjectMeta inside of an object is a bare object.

    python -m tests.support.inlined_types     writes manifests of golden cases
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

__all__ = [
    "CORE",
    "GOLDEN",
    "META",
    "custom_resource",
    "definitions",
    "inlined",
    "manifests",
    "silent",
    "without",
]

GOLDEN = Path(__file__).parents[1] / "golden"
SPEC = Path(__file__).parents[2] / "specs/kubernetes/swagger.json"
CORE = "io.k8s.api.core.v1."
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_QUANTITY = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"  # noqa: E501
_INT_OR_STRING = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
_VALUES: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**_INT_OR_STRING, "pattern": _QUANTITY},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": _INT_OR_STRING,
    f"{META}Time": {"type": "string", "format": "date-time"},
    f"{META}MicroTime": {"type": "string", "format": "date-time"},
    f"{META}ObjectMeta": {"type": "object"},
}
_KEPT = ("type", "format", "required", "enum")

Schema = dict[str, Any]


@cache
def definitions() -> dict[str, Schema]:
    """The definitions of the document."""
    definitions: dict[str, Schema] = json.loads(SPEC.read_bytes())["definitions"]
    return definitions


def inlined(name: str) -> Schema:
    """A definition such as `io.k8s.api.core.v1.PodTemplateSpec` with nothing left to refer to."""
    return _written_out(definitions()[name])


def _written_out(schema: Schema) -> Schema:
    target = schema.get("$ref", "").removeprefix("#/definitions/")
    if target:
        return dict(_VALUES[target]) if target in _VALUES else inlined(target)
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "properties" in schema:
        parts = schema["properties"]
        kept["properties"] = {name: _written_out(part) for name, part in sorted(parts.items())}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            kept[key] = _written_out(schema[key])
    return kept


def without(schema: Schema, *paths: str) -> Schema:
    """A copy from before some fields were there: `spec.containers.resizePolicy`."""
    copied: Schema = json.loads(json.dumps(schema))
    for path in paths:
        *parents, last = path.split(".")
        part = copied
        for name in parents:
            part = part["properties"][name]
            part = part.get("items", part)
        del part["properties"][last]
    return copied


def silent(schema: Schema) -> Schema:
    """A copy as fabric8 writes it for Strimzi and Flink: nothing is said to be required."""
    copied = {key: part for key, part in schema.items() if key != "required"}
    if "properties" in copied:
        copied["properties"] = {name: silent(part) for name, part in copied["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(copied.get(key), dict):
            copied[key] = silent(copied[key])
    return copied


def custom_resource(
    group: str, kind: str, spec: dict[str, Schema], status: dict[str, Schema] | None = None
) -> dict[str, Any]:
    """A manifest with these properties in spec and status."""
    plural = f"{kind.lower()}s"
    parts = {"spec": spec, "status": status or {}}
    properties = {
        name: {"type": "object", "properties": part} for name, part in parts.items() if part
    }
    version: dict[str, Any] = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def _small() -> dict[str, Any]:
    """Copies of small types, and shapes that are nobody's."""
    spec = {
        "selector": inlined(f"{META}LabelSelector"),
        "resources": inlined(f"{CORE}ResourceRequirements"),
        "byZone": {
            "type": "object",
            "additionalProperties": inlined(f"{CORE}ResourceRequirements"),
        },
        "env": {"type": "array", "items": inlined(f"{CORE}EnvVar")},
        "tolerations": {"type": "array", "items": inlined(f"{CORE}Toleration")},
        "tokenSecret": inlined(f"{CORE}SecretKeySelector"),
        "parameters": {"type": "array", "items": inlined(f"{CORE}HTTPHeader")},
        "cluster": inlined(f"{CORE}SecretReference"),
        "owner": {"type": "object", "properties": {"name": {"type": "string"}}},
    }
    conditions = {"type": "array", "items": inlined(f"{META}Condition")}
    return custom_resource("workers.example.com", "Worker", spec, {"conditions": conditions})


def _templates() -> dict[str, Any]:
    """The largest type that is ever copied, as it is."""
    spec = {"template": inlined(f"{CORE}PodTemplateSpec")}
    return custom_resource("workers.example.com", "Pool", spec)


def _older() -> dict[str, Any]:
    """Copies from before some fields were there, one with a field that never was."""
    volume = inlined(f"{CORE}PersistentVolumeClaimSpec")
    volume["properties"]["shredding"] = {"type": "boolean"}
    spec = {
        "template": without(
            inlined(f"{CORE}PodTemplateSpec"),
            *("spec.hostUsers", "spec.schedulingGates", "spec.containers.resizePolicy"),
            *("spec.containers.env.valueFrom.fileKeyRef", "spec.resources"),
        ),
        "resources": without(inlined(f"{CORE}ResourceRequirements"), "claims"),
        "volume": volume,
        "variables": {"type": "array", "items": without(inlined(f"{CORE}EnvVar"), "valueFrom")},
    }
    conditions = without(inlined(f"{META}Condition"), "observedGeneration")
    status = {"conditions": {"type": "array", "items": conditions}}
    return custom_resource("workers.example.com", "Veteran", spec, status)


def _partial() -> dict[str, Any]:
    """Copies by a writer that never says what is required, and by one that means it."""
    container = inlined(f"{CORE}Container")
    container["required"] = []
    spec = {
        "affinity": silent(inlined(f"{CORE}Affinity")),
        "podTemplate": silent(inlined(f"{CORE}PodTemplateSpec")),
        "peers": {
            "type": "array",
            "items": silent(inlined("io.k8s.api.networking.v1.NetworkPolicyPeer")),
        },
        "container": container,
        "header": silent(inlined(f"{CORE}HTTPHeader")),
    }
    conditions = {"type": "array", "items": silent(inlined(f"{META}Condition"))}
    return custom_resource("workers.example.com", "Broker", spec, {"conditions": conditions})


def manifests() -> dict[str, str]:
    """The manifests of the golden cases, by their paths there."""
    small = json.dumps(_small(), indent=1) + "\n"
    return {
        "crd-uses-kubernetes/pools.json": json.dumps(_templates()) + "\n",
        "crd-uses-kubernetes/workers.json": small,
        "crd-inlined-older/veterans.json": json.dumps(_older()) + "\n",
        "crd-inlined-partial/brokers.json": json.dumps(_partial()) + "\n",
    }


if __name__ == "__main__":
    for path, text in manifests().items():
        (GOLDEN / path).parent.mkdir(exist_ok=True)
        (GOLDEN / path).write_text(text)
