"""Creates a ReplicationController, shows and deletes it."""

from kubeapi import Clientset

WEB = """
apiVersion: v1
kind: ReplicationController
metadata: {name: web}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, ports: [{containerPort: 80}]}]}
"""

with Clientset.from_config() as k:
    objects = k.manifests(WEB)
    print(objects.apply(), k.table("rc"), sep="\n")
    objects.delete()
