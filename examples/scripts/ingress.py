"""Creates a Deployment, a Service and an Ingress in front of it."""

from kubeapi import Clientset
from kubeapi.networking.v1.manifests import IngressBackendManifest

from clientgen.runtime.conditions import ready

with Clientset.from_config() as k:
    labels = {"app": "web"}
    k.apps_v1.deployments(k.namespace).apply(
        {
            "metadata": {"name": "web"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {
                        "containers": [
                            {"name": "web", "image": "nginx", "ports": [{"containerPort": 80}]}
                        ]
                    },
                },
            },
        }
    )
    k.core_v1.services(k.namespace).apply(
        {"metadata": {"name": "web"}, "spec": {"selector": labels, "ports": [{"port": 80}]}}
    )
    backend: IngressBackendManifest = {"service": {"name": "web", "port": {"number": 80}}}
    k.networking_v1.ingresses(k.namespace).apply(
        {
            "metadata": {"name": "web"},
            "spec": {
                "rules": [
                    {
                        "host": "web.example.com",
                        "http": {
                            "paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]
                        },
                    }
                ]
            },
        }
    )
    print(k.apps_v1.deployments(k.namespace).wait("web", until=ready, timeout=60))
