"""Prints ten events of pods, and continues where it was when a connection breaks."""

from itertools import islice

from kubeapi import Clientset

with Clientset.from_config() as k, k.core_v1.pods().watch(timeout_seconds=60) as watch:
    for event in islice(watch, 10):
        pod = event.object
        print(event.type, pod.metadata.namespace, pod.metadata.name, pod.status.phase)
