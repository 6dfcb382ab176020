"""The Secret with the certificates that a program makes itself. Replicas share it."""

from __future__ import annotations

import logging
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from clientgen._json import is_object

from .._admission.certificate_rotation import (
    CA_KEY,
    Certificates,
    data_of,
    is_foreign,
    read,
    renewed,
    salvaged,
)
from .._http.resource import Resource
from .._models.unstructured import Unstructured
from ..errors import AlreadyExists, ConfigError, Conflict, NotFound
from .recipe_target import any_client

if TYPE_CHECKING:
    from datetime import datetime

    from .._admission.certificate_authority import Certificate
    from .._admission.certificate_rotation import Policy
    from .._clock import Clock
    from .rest import AsyncRest

SECRETS = Resource("", "v1", "secrets", "Secret", namespaced=True)
_TIMEOUT_SECONDS = 10.0
_MAX_CONFLICTS = 10

logger = logging.getLogger("clientgen.runtime.webhooks")


class AsyncCertificateSecret:
    """Reads the Secret, and writes it when certificates have to be made or renewed.

    Writes have the version that was read as their precondition. So of several replicas that renew
    at the same time one succeeds, and the others use its certificates.

    Attributes:
        resource: The resource of Secrets.
        current: The certificates that were read or written last.
        pair: The certificate of the server and its key, as PEM.
    """

    def __init__(
        self, rest: AsyncRest, namespace: str, name: str, policy: Policy, clock: Clock
    ) -> None:
        self._client = any_client(rest, SECRETS, namespace)
        self.resource = SECRETS
        self.namespace = namespace
        self.name = name
        self.policy = policy
        self._clock = clock
        self.current = Certificates()
        self.pair: tuple[bytes, bytes] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.namespace}/{self.name}>"

    async def renew(self, carried: tuple[Certificate, datetime] | None) -> Certificates:
        """Read the certificates, and renew them if it is time. Returns those to use.

        Args:
            carried: An authority that all configurations trust, and since when.

        Raises:
            ConfigError: The Secret belongs to another program.
            ClientError: A request failed, or others change the Secret all the time.
        """
        for attempt in range(_MAX_CONFLICTS):
            try:
                wanted = await self._attempt(carried)
            except (AlreadyExists, Conflict, NotFound):  # another replica was faster
                if attempt == _MAX_CONFLICTS - 1:
                    raise
                continue
            self._use(wanted)
            break
        return self.current

    async def _attempt(self, carried: tuple[Certificate, datetime] | None) -> Certificates:
        """Read the Secret, and write it if something is due.

        Raises:
            AlreadyExists: Another replica has created it.
            Conflict: Another replica has written it.
            NotFound: It was deleted meanwhile.
        """
        stored = await self._client.get(self.name, default=None, timeout=_TIMEOUT_SECONDS)
        if stored is None:
            stored = await self._create()
        data = self._data_of(stored)
        current = salvaged(read(data), self.current)
        wanted = renewed(current, self.policy, self._clock.now(), _since(current, carried))
        if wanted != current:
            body = Unstructured({**stored, "data": {**data, **data_of(wanted)}})
            await self._client.update(body, timeout=_TIMEOUT_SECONDS)
            logger.info("made certificates in the Secret %s/%s", self.namespace, self.name)
        return wanted

    def _data_of(self, stored: Unstructured) -> dict[str, Any]:
        data: object = stored.get("data")
        found = data if is_object(data) else {}
        if is_foreign(found):
            raise ConfigError(
                f"the Secret {self.namespace}/{self.name} belongs to another program: it has data,"
                f" and no {CA_KEY}; name another Secret in SelfSigned(secret=...), or delete this"
                " one"
            )
        return found

    async def _create(self) -> Unstructured:
        """Create the Secret without certificates, so that the first start needs all rights."""
        # Servers warn of an empty Secret of the type kubernetes.io/tls.
        body = Unstructured(apiVersion="v1", kind="Secret", metadata={"name": self.name})
        return await self._client.create(body, timeout=_TIMEOUT_SECONDS)

    def _use(self, certificates: Certificates) -> None:
        if certificates == self.current and self.pair is not None:
            return
        self.current = certificates
        data = data_of(certificates)
        certificate, key = b64decode(data["tls.crt"]), b64decode(data["tls.key"])
        self.pair = (certificate, key)


def _since(current: Certificates, carried: tuple[Certificate, datetime] | None) -> datetime | None:
    if carried is None or current.authority is None:
        return None
    return carried[1] if carried[0] == current.authority.certificate else None
