"""Prints the events of namespaces, and then those of pods: ten at most, for ten seconds."""

from itertools import islice

from kubeapi import Clientset

with Clientset.from_config() as k:
    for event in islice(k.core_v1.namespaces().watch(timeout_seconds=10), 10):
        print(event.type, event.object.metadata.name)
    for change in islice(k.core_v1.pods().watch(timeout_seconds=10), 10):
        print(change.type, change.object.kind, change.object.metadata.name)
