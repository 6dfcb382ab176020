"""A kind whose definition a test adds when it wants to."""

from __future__ import annotations

from clientgen.runtime.models import CustomResource, ObjectMeta, auto


class Tab(CustomResource, group="stable.example.com", version="v1"):
    """A kind whose definition comes later."""

    metadata: ObjectMeta = auto(ObjectMeta)


DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "tabs.stable.example.com"},
    "spec": {
        "group": "stable.example.com",
        "scope": "Namespaced",
        "names": {"plural": "tabs", "kind": "Tab"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}
