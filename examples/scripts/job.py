"""Runs a Job to its end, prints the logs of its pods and deletes it."""

from kubeapi import Clientset
from kubeapi.batch.v1 import Job

from clientgen.runtime.conditions import condition
from clientgen.runtime.sync import pods_of

PI = """
apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: pi, image: "perl:5.42", command: [perl, -wle, print 355/113]}]
"""

with Clientset.from_config() as k:
    k.manifests(PI).apply()
    job = k.wait(Job, "pi", until=condition("Complete"), timeout=300)
    print("succeeded:", job.status.succeeded)
    for pod in pods_of(k, job):
        print(k.core_v1.pods(pod.namespace).logs(pod.name))
    k.delete(job, propagation_policy="Foreground")
