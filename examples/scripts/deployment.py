"""Creates a Deployment, updates its image, scales it, restarts it and deletes it."""

from kubeapi import Clientset
from kubeapi.apps.v1.manifests import DeploymentManifest

from clientgen.runtime.conditions import deleted, rolled_out
from clientgen.runtime.sync import rollout_restart

WEB: DeploymentManifest = {
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx:1.28"}]},
        },
    },
}

with Clientset.from_config() as k:
    deployments = k.apps_v1.deployments(k.namespace)
    deployments.create(WEB)
    web = deployments.wait("web", until=rolled_out, timeout=120)
    print("created  ", web.status.available_replicas, "replicas")

    web.spec.template.spec.containers[0].image = "nginx:1.29"
    deployments.update(web)
    web = deployments.wait("web", until=rolled_out, timeout=120)
    print("updated  ", web.spec.template.spec.containers[0].image)

    deployments.patch("web", {"spec": {"replicas": 5}})
    print("scaled to", deployments.wait("web", until=rolled_out).status.available_replicas)

    rollout_restart(k, web)
    deployments.wait("web", until=rolled_out, timeout=120)
    print("restarted")

    deployments.delete("web", propagation_policy="Foreground")
    deployments.wait("web", until=deleted, timeout=60)
    print("deleted")
