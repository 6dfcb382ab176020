"""Types of proxy.example.com/v1: the version that is stored."""

from typing import Annotated

from msgspec import Meta

from clientgen.runtime.models import CustomResource, Model


class ProxySpec(Model):
    """Where requests go."""

    # +kubebuilder:validation:Pattern=`^[^:]+$`
    host: str
    port: Annotated[int, Meta(ge=1, le=65535)]
    tls: bool = False
    """Whether the connection is encrypted; new in v1."""


# +genclient
# +resourceName=proxies
# +kubebuilder:storageversion
class Proxy(CustomResource, group="proxy.example.com", version="v1"):
    """Passes requests on."""

    spec: ProxySpec
