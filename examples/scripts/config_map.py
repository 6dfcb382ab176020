"""Creates, reads, changes and deletes a ConfigMap."""

from kubeapi import Clientset
from kubeapi.core.v1 import ConfigMap
from kubeapi.meta.v1 import ObjectMeta

META = ObjectMeta(name="settings", labels={"app": "web"})

with Clientset.from_config() as k:
    k.create(ConfigMap(metadata=META, data={"app.json": "{}", "web.cnf": "[web]\nport = 80\n"}))
    settings = k.get(ConfigMap, "settings")
    print(settings.metadata.name, settings.data)
    print(k.patch(settings, {"data": {"app.json": "[]"}}).data)
    k.delete(settings)
