"""Sets the label foo on every node, and removes the label baz."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    for node in k.core_v1.nodes().list():
        patched = k.core_v1.nodes().patch(
            node.metadata.name, {"metadata": {"labels": {"foo": "bar", "baz": None}}}
        )
        print(patched.metadata.name, patched.metadata.labels)
