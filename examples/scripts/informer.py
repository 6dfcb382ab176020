"""Prints the changes of pods, and every ten seconds how many there are, until Ctrl-C."""

from time import sleep

from kubeapi import Clientset

with Clientset.from_config() as k, k.informers(namespace=k.namespace) as factory:
    pods = factory.core_v1.pods()
    pods.add_handler(
        on_add=lambda pod, _: print("ADDED", pod.metadata.name),
        on_update=lambda _, pod: print("MODIFIED", pod.metadata.name),
        on_delete=lambda pod: print("DELETED", pod.metadata.name),
    )
    factory.start()
    while factory.wait_for_sync(timeout=60):
        print(len(pods.lister.list()), "pods")
        sleep(10)
