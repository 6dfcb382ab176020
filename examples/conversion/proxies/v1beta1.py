"""Types of proxy.example.com/v1beta1: the old version, which is still served."""

from clientgen.runtime.models import CustomResource, Model


class ProxySpec(Model):
    """Where requests go."""

    # +kubebuilder:validation:Pattern=`^[^:]+:[0-9]{1,5}$`
    host_port: str
    """Host and port, such as `db.example.com:5432`."""


# +genclient
# +resourceName=proxies
class Proxy(CustomResource, group="proxy.example.com", version="v1beta1"):
    """Passes requests on."""

    spec: ProxySpec
