"""Prints what nodes and pods use. The cluster needs a metrics server."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    for node in k.dynamic.resource("nodes.metrics.k8s.io").list():
        print(node.name, node["usage"]["cpu"], node["usage"]["memory"])
    for pod in k.dynamic.resource("pods.metrics.k8s.io").list(namespace=k.namespace):
        for container in pod["containers"]:
            usage = container["usage"]
            print(pod.name, container["name"], usage["cpu"], usage["memory"])
