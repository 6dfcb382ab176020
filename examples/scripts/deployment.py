"""Creates a Deployment, updates its image, scales it, restarts it and deletes it."""

from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment

from clientgen.runtime.conditions import deleted, rolled_out
from clientgen.runtime.sync import rollout_restart

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.28"}]}
"""

with Clientset.from_config() as k:
    k.manifests(WEB).apply(wait=120)
    web = k.get(Deployment, "web")
    print("created  ", web.status.available_replicas, "replicas")

    web.spec.template.spec.containers[0].image = "nginx:1.29"
    web = k.wait(k.update(web), until=rolled_out, timeout=120)
    print("updated  ", web.spec.template.spec.containers[0].image)

    web = k.wait(k.patch(web, {"spec": {"replicas": 5}}), until=rolled_out, timeout=120)
    print("scaled to", web.status.available_replicas)

    k.wait(rollout_restart(k, web), until=rolled_out, timeout=120)
    print("restarted")

    k.delete(web, propagation_policy="Foreground")
    k.wait(web, until=deleted, timeout=60)
    print("deleted")
