"""Creates a ConfigMap, and logs every request and response."""

import logging

from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

logging.basicConfig(level=5)
with Clientset.from_config() as k:
    k.create(ConfigMap(metadata=ObjectMeta(name="debug"), data={"hello": "world"}))
