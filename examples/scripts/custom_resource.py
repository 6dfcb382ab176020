"""Creates a CustomResourceDefinition, and objects of the new kind without a generated class."""

from kubeapi import Clientset

from clientgen.runtime.models import Unstructured

GROUP = "apps.example.com"
TEXT = {"type": "string"}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"ingressroutes.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Cluster",
        "names": {"plural": "ingressroutes", "kind": "IngressRoute", "shortNames": ["ir"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"fqdn": TEXT, "strategy": TEXT},
                            }
                        },
                    }
                },
            }
        ],
    },
}


def route(name: str, fqdn: str) -> Unstructured:
    return Unstructured(
        apiVersion=f"{GROUP}/v1",
        kind="IngressRoute",
        metadata={"name": name},
        spec={"fqdn": fqdn, "strategy": "RoundRobin"},
    )


with Clientset.from_config() as k:
    # The definition is applied first; its objects follow when the server serves their kind.
    objects = k.manifests(
        [DEFINITION, route("first", "a.example.com"), route("second", "b.example.com")]
    )
    objects.apply(wait=30)

    routes = k.dynamic.resource("ingressroutes")
    routes.patch("first", {"spec": {"strategy": "Random"}})
    for each in routes.list():
        print(each.name, each["spec"]["fqdn"], each["spec"]["strategy"])
    print(k.table("ir"))

    objects.delete()
