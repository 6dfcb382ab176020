"""Types of another group whose first label is the same."""
# +groupName=fleet.billing.example.com

from __future__ import annotations

from clientgen.runtime.models import Literal, constant

from .common import Named


# +genclient
class Invoice(Named):
    """What a trip cost."""

    api_version: Literal["fleet.billing.example.com/v1"] = constant(
        "fleet.billing.example.com/v1", name="apiVersion"
    )
    kind: Literal["Invoice"] = constant("Invoice")
    cents: int = 0
