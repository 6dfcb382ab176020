"""Runs a Job to its end, prints the logs of its pods and deletes it."""

from kubeapi import Clientset

from clientgen.runtime.conditions import condition

with Clientset.from_config() as k:
    jobs, pods = k.batch_v1.jobs(k.namespace), k.core_v1.pods(k.namespace)
    jobs.create(
        {
            "metadata": {"name": "pi"},
            "spec": {
                "backoffLimit": 4,
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [
                            {
                                "name": "pi",
                                "image": "perl:5.42",
                                "command": ["perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"],
                            }
                        ],
                    }
                },
            },
        }
    )
    job = jobs.wait("pi", until=condition("Complete"), timeout=300)
    print("succeeded:", job.status.succeeded)
    for pod in pods.list(label_selector={"batch.kubernetes.io/job-name": "pi"}):
        print(pods.logs(pod.metadata.name))
    jobs.delete("pi", propagation_policy="Foreground")
