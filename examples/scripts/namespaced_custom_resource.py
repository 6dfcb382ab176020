"""Creates a definition of a kind, objects of it in two namespaces, and deletes all of them."""

from kubeapi import Clientset

DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ingressroutes.apps.example.com}
spec:
  group: apps.example.com
  scope: Namespaced
  names: {plural: ingressroutes, kind: IngressRoute, shortNames: [ir]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
"""
ROUTE = """
apiVersion: v1
kind: Namespace
metadata: {name: NAME}
---
apiVersion: apps.example.com/v1
kind: IngressRoute
metadata: {name: NAME, namespace: NAME}
spec: {fqdn: NAME.example.com, strategy: RoundRobin}
---
"""

with Clientset.from_config() as k:
    objects = k.manifests(DEFINITION, ROUTE.replace("NAME", "one"), ROUTE.replace("NAME", "two"))
    print(objects.apply(wait=60))
    routes = k.dynamic.resource("ingressroutes")
    for namespace, strategy in (("one", "Random"), ("two", "WeightedLeastRequest")):
        routes.patch(namespace, {"spec": {"strategy": strategy}}, namespace=namespace)
    for route in routes.list(namespaces=["one", "two"]):
        print(route.namespace, route.name, route["spec"])
    objects.delete(wait=60)
