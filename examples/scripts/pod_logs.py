"""Prints the last lines of every container of the cluster."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    for pod in k.core_v1.pods().list():
        print(pod.metadata.name, pod.metadata.namespace, pod.status.pod_ip, pod.spec.node_name)
        logs = k.core_v1.pods(pod.metadata.namespace).logs
        for each in pod.spec.containers:
            print(each.name, logs(pod.metadata.name, container=each.name, tail_lines=5))
