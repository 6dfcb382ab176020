"""Lists the contexts of the kubeconfig, and the pods of the cluster of one of them."""

import sys

from kubeapi import Clientset

from clientgen.runtime.config import contexts

print([context.name for context in contexts()])
with Clientset.from_config(context=sys.argv[1]) as k:
    for pod in k.core_v1.pods().list():
        print(pod.status.pod_ip, pod.metadata.namespace, pod.metadata.name, sep="\t")
