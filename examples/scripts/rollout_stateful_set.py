"""Updates a StatefulSet, lists its revisions and goes back to the first one."""

from kubeapi import Clientset
from kubeapi.apps.v1 import StatefulSet

from clientgen.runtime.conditions import rolled_out
from clientgen.runtime.sync import rollout_history, rollout_undo

REDIS = """
apiVersion: v1
kind: Service
metadata: {name: redis}
spec: {clusterIP: None, selector: {app: redis}, ports: [{port: 6379}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: redis}
spec:
  serviceName: redis
  selector: {matchLabels: {app: redis}}
  template:
    metadata: {labels: {app: redis}}
    spec: {containers: [{name: redis, image: "redis:8"}]}
"""

with Clientset.from_config() as k:
    k.manifests(REDIS).apply(wait=120)
    redis = k.get(StatefulSet, "redis")
    redis.spec.template.spec.containers[0].image = "redis:8.2"
    redis = k.wait(k.update(redis), until=rolled_out, timeout=120)
    print("revisions", [revision.number for revision in rollout_history(k, redis)])

    redis = k.wait(rollout_undo(k, redis, to_revision=1), until=rolled_out, timeout=120)
    print("back to", redis.spec.template.spec.containers[0].image)
