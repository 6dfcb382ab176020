"""Prints every resource that the server has: name, API version, scope, kind and verbs."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    for each in k.dynamic.discovery.api_resources():
        print(each.plural, each.api_version, each.namespaced, each.kind, ",".join(each.verbs))
