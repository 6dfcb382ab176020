"""A custom resource of our own, and clients for it of the form the generator writes."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from kubeapi.apiextensions.v1.models import CustomResourceDefinition

from clientgen.runtime import Resource
from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.errors import NotFound
from clientgen.runtime.models import Model, ModelList, ObjectMeta, auto, constant, field, from_dict
from clusterkit.together import until

if TYPE_CHECKING:
    from kubeapi.clientset import Clientset

__all__ = [
    "GROUP",
    "WIDGETS",
    "Widget",
    "WidgetList",
    "WidgetSpec",
    "WidgetStatus",
    "define_widgets",
    "remove_widgets",
    "widget",
]

# Two sessions on one cluster must not meet.
GROUP = f"{secrets.token_hex(4)}.clientgen.example"
WIDGETS = Resource(GROUP, "v1", "widgets", "Widget", namespaced=True)


class WidgetSpec(Model):
    """What a widget should be like. Servers know more fields: an older package would look so."""

    color: str | None = None
    replicas: int | None = None
    weight: float | None = None


class WidgetStatus(Model):
    """What a widget is like."""

    replicas: int | None = None
    label_selector: str | None = None


class Widget(Model):
    """A custom object."""

    api_version: str = constant(WIDGETS.api_version, name="apiVersion")
    kind: str = constant("Widget")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: WidgetSpec = auto(WidgetSpec)
    status: WidgetStatus = auto(WidgetStatus)


class WidgetList(ModelList[Widget]):
    """A list of them."""

    api_version: str = constant(WIDGETS.api_version, name="apiVersion")
    kind: str = constant("WidgetList")
    items: list[Widget] = field(default_factory=lambda: [])  # noqa: PIE807 - as generated


def widget(name: str, **spec: Any) -> Widget:
    """A widget that is not created yet."""
    return Widget(metadata=ObjectMeta(name=name), spec=WidgetSpec(**spec))


def define_widgets(admin: Clientset) -> None:
    """Define the resource, and wait until it is served."""
    definition = from_dict(CustomResourceDefinition, _DEFINITION)
    admin.apiextensions_v1.custom_resource_definitions().create(definition)
    until(lambda: _is_served(admin))


def remove_widgets(admin: Clientset) -> None:
    """Remove the resource, and with it all widgets."""
    admin.apiextensions_v1.custom_resource_definitions().delete(WIDGETS.name)


def _is_served(admin: Clientset) -> bool:
    """Whether the new resource is there; for a moment it is not, and for another it says 429."""
    try:
        admin.rest.send(HttpRequest("GET", WIDGETS.collection_path()))
    except NotFound:
        return False
    return True


_SPEC_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "color": {"type": "string", "enum": ["red", "green", "blue"]},
        "replicas": {"type": "integer", "minimum": 0},
        "weight": {"type": "number"},
        "secretTwist": {"type": "integer"},
        "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
_STATUS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"replicas": {"type": "integer"}, "labelSelector": {"type": "string"}},
}
_DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": WIDGETS.name},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": _SPEC_SCHEMA, "status": _STATUS_SCHEMA},
                    }
                },
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                        "labelSelectorPath": ".status.labelSelector",
                    },
                },
            }
        ],
    },
}
