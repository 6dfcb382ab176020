"""Creates a ConfigMap and reads it. Every call may take a minute."""

from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

with Clientset.from_config(timeout=60) as k:
    k.create(ConfigMap(metadata=ObjectMeta(name="patient"), data={"hello": "world"}))
    print(k.get(ConfigMap, "patient", timeout=10).data)
