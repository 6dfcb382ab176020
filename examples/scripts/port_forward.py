"""Creates a pod if it is missing, and reads a page from its port 80."""

from urllib.request import urlopen

from kubeapi import Clientset
from kubeapi.core.v1.manifests import PodManifest

from clientgen.runtime.conditions import phase

NGINX: PodManifest = {
    "metadata": {"name": "nginx"},
    "spec": {"containers": [{"name": "nginx", "image": "nginx"}]},
}

with Clientset.from_config() as k:
    pods = k.core_v1.pods(k.namespace)
    pods.apply(NGINX)
    pods.wait("nginx", until=phase("Running"), timeout=60)

    with pods.port_forward("nginx", 80) as port, urlopen(f"http://127.0.0.1:{port}/") as page:
        print(page.status, page.read().decode())
