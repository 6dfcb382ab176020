"""A kind with conditions, for controllers with dependents."""

from __future__ import annotations

from typing import Any

from clientgen.runtime.models import Condition, CustomResource, Model, ObjectMeta, auto, field


class ShopSpec(Model):
    """What a test wants."""

    image: str = "shop:1"
    replicas: int = 1
    public: bool = True
    pages: list[str] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)


class ShopStatus(Model):
    """What has become of it."""

    observed_generation: int = 0
    conditions: list[Condition] = field(default_factory=list)


class Shop(CustomResource, group="shops.example.com", version="v1"):
    """The primary of the tests."""

    metadata: ObjectMeta = auto(ObjectMeta)
    spec: ShopSpec = auto(ShopSpec)
    status: ShopStatus = auto(ShopStatus)


def shop(name: str = "a", /, **spec: object) -> Shop:
    """A shop in the namespace `shop`."""
    metadata = ObjectMeta(name=name, namespace="shop")
    return Shop(metadata=metadata, spec=ShopSpec(**spec))  # type: ignore[arg-type]


def conditions(obj: Shop) -> dict[str, str]:
    """The conditions of a shop: `{"Ready": "True DependentsReady"}`."""
    return {each.type: f"{each.status} {each.reason}" for each in obj.status.conditions}


DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "shops.shops.example.com"},
    "spec": {
        "group": "shops.example.com",
        "scope": "Namespaced",
        "names": {"plural": "shops", "kind": "Shop"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
