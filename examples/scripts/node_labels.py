"""Sets the label foo on every node, and removes the label baz."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    for node in k.core_v1.nodes().list():
        changed = k.patch(node, {"metadata": {"labels": {"foo": "bar", "baz": None}}})
        print(changed.metadata.name, changed.metadata.labels)
