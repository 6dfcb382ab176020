"""Creates, changes and deletes a Service."""

from kubeapi import Clientset
from kubeapi.core.v1 import Service, ServicePort, ServiceSpec
from kubeapi.meta.v1 import ObjectMeta

SPEC = ServiceSpec(selector={"app": "web"}, ports=[ServicePort(name="http", port=80)])

with Clientset.from_config() as k:
    service = k.create(Service(metadata=ObjectMeta(name="web"), spec=SPEC))
    print(service.metadata.namespace, service.metadata.name)
    service = k.patch(service, {"spec": {"ports": [{"name": "http", "port": 8080}]}})
    print([port.port for port in service.spec.ports])
    k.delete(service)
