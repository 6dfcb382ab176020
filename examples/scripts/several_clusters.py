"""Lists the pods of every cluster in the kubeconfig."""

import sys

from kubeapi import Clientset

for context in sys.argv[1:]:
    with Clientset.from_config(context=context) as k:
        print(context, [pod.metadata.name for pod in k.core_v1.pods().list()])
