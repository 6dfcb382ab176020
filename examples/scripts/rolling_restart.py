"""Creates a Deployment, restarts it, prints when that was and deletes it."""

from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment

from clientgen.runtime.sync import rollout_restart

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.28"}]}
"""

with Clientset.from_config() as k:
    k.manifests(WEB).apply(wait=120)
    web = rollout_restart(k, Deployment, "web")
    print(web.metadata.name, web.spec.template.metadata.annotations)
    k.delete(web)
