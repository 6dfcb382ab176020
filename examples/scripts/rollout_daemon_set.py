"""Updates a DaemonSet, lists its revisions and goes back to the one before."""

from kubeapi import Clientset
from kubeapi.apps.v1 import DaemonSet

from clientgen.runtime.conditions import rolled_out
from clientgen.runtime.sync import rollout_history, rollout_undo

AGENT = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1"}]}
"""

with Clientset.from_config() as k:
    k.manifests(AGENT).apply(wait=120)
    k.manifests(AGENT.replace("agent:1", "agent:2")).apply(wait=120)
    print("revisions", [each.number for each in rollout_history(k, DaemonSet, "agent")])
    agent = k.wait(rollout_undo(k, DaemonSet, "agent"), until=rolled_out, timeout=120)
    print("back to", agent.spec.template.spec.containers[0].image)
