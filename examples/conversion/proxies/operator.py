"""The webhook: python -m proxies.operator."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import kubeapi
import proxies_client

from clientgen.runtime.aio import AsyncWebhooks
from clientgen.runtime.errors import Conflict, NotFound

from . import v1, v1beta1
from .conversions import to_v1, to_v1beta1

NAME = "proxies"
SERVICE = "proxies/webhook"
"""The namespace and the name of the Service in front of the webhook."""


def add_conversions(webhooks: AsyncWebhooks) -> AsyncWebhooks:
    """Have both versions converted."""
    webhooks.convert(v1beta1.Proxy, v1.Proxy, to_v1)
    webhooks.convert(v1.Proxy, v1beta1.Proxy, to_v1beta1)
    return webhooks


async def migrate(k: kubeapi.AsyncClientset) -> int:
    """Have every Proxy stored in v1, and return how many there are.

    The server encodes an object anew when it is written, even if nothing has changed. After this,
    v1beta1 may be removed from `status.storedVersions` of the definition.
    """
    proxies_client.add_to_scheme(k.scheme)
    count = 0
    async for proxy in k.each(v1.Proxy):
        with suppress(Conflict, NotFound):  # somebody else has just written or deleted it
            await k.update(proxy)
        count += 1
    return count


async def main() -> None:
    """Work until the program is told to stop."""
    logging.basicConfig(level=logging.INFO)
    await add_conversions(AsyncWebhooks(":9443", certificates="/certs")).run()


if __name__ == "__main__":
    asyncio.run(main())
