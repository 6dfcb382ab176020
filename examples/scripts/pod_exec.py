"""Creates a pod if it is missing, runs a command in it, and talks to a shell."""

from kubeapi import Clientset
from kubeapi.core.v1.manifests import PodManifest

from clientgen.runtime.conditions import phase

BUSYBOX: PodManifest = {
    "metadata": {"name": "busybox"},
    "spec": {"containers": [{"name": "main", "image": "busybox", "command": ["sleep", "3600"]}]},
}

with Clientset.from_config() as k:
    pods = k.core_v1.pods(k.namespace)
    pods.apply(BUSYBOX)
    pods.wait("busybox", until=phase("Running"), timeout=60)

    done = pods.exec("busybox", ["sh", "-c", "echo to stdout; echo to stderr >&2"])
    print(done.text, done.stderr)

    with pods.exec_stream("busybox", ["sh"], stdin=True) as shell:
        for command in ("echo hello", "whoami"):
            shell.write(f"{command}\n")
            print(command, next(shell).data)
