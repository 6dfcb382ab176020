"""Keeps what the API server needs to call webhooks: certificates, authorities, configurations."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from .._admission.configurations import conversion_crds
from .._admission.installation import CONFIGURATIONS, RESOURCES, emptied, is_whole
from .._models.meta_v1 import PartialObjectMetadata, PartialObjectMetadataList
from .._net.endpoints_base import parse_address
from ..errors import ClientError, ConfigError, Conflict
from ._primitives import Event, run_blocking, wait_until
from .informer_factory import AsyncInformerFactory
from .recipe_target import any_client

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from .._admission.certificate_authority import Certificate
    from .._admission.certificate_rotation import Certificates, Clients
    from .._admission.installation import Installation
    from .._admission.self_signed import SelfSigned
    from .._admission.webhook_set import WebhookSet
    from .._clock import Clock
    from .._http.resource import Resource
    from .._manifests.scheme import Scheme
    from .._models.unstructured import Unstructured
    from .certificate_secret import AsyncCertificateSecret
    from .rest import AsyncRest

_TIMEOUT_SECONDS: Final = 10.0
# Changes in quick succession cause one pass.
_PAUSE_SECONDS: Final = 0.05
_FIRST_RETRY_SECONDS: Final = 1.0
_MAX_RETRY_SECONDS: Final = 60.0
# A pass without a reason, for programs that may not watch.
_MAX_IDLE_SECONDS: Final = 3600.0

logger = logging.getLogger("clientgen.runtime.webhooks")


class AsyncWebhookUpkeep:
    """Works beside a server of webhooks, in every replica, also in those that do not lead.

    A pass reads the Secret and the configurations, and mends what differs. Watches of the metadata,
    and the times of the certificates, cause the next pass. So keys are in no cache.

    Args:
        rest: The client for requests.
        clock: The clock.
        webhook_set: The webhooks of the server.
        scheme: The scheme with the resources of the classes.
        certificates: The certificates to make; None if the server has others.
        installation: The configurations to write; None for none.
        address: Returns the address of the server.

    Raises:
        ImportError: The extra `clientgen[certificates]` is not installed.
        ValueError: There is neither a service nor a host.
    """

    def __init__(
        self,
        rest: AsyncRest,
        clock: Clock,
        *,
        webhook_set: WebhookSet,
        scheme: Scheme | None,
        certificates: SelfSigned | None,
        installation: Installation | None,
        address: Callable[[], str],
    ) -> None:
        self._rest = rest
        self._clock = clock
        self._set = webhook_set
        self._scheme = scheme
        self._address = address
        self._secret: AsyncCertificateSecret | None = None
        self._clients: Clients | None = None
        self._names = [*(certificates.configurations if certificates else ())]
        namespace = rest.namespace
        if certificates is not None:
            namespace = certificates.namespace or namespace
        services = certificates.full_services(namespace) if certificates else []
        if installation is not None:
            installation = installation.with_service(services)
            self._names.append(installation.name)
        self._installation = installation
        if certificates is not None:
            self._add_secret(certificates, namespace)
        self._carried: tuple[Certificate, datetime] | None = None
        self._tried: Certificates | None = None
        self._is_installed = installation is None
        self._applied: set[tuple[str, str]] = set()
        self._problem = "the certificates and configurations have not been looked at yet"
        self._was_ready = False
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._is_stopping = False
        self._stopping = Event()
        self._changed = Event()

    def _add_secret(self, certificates: SelfSigned, namespace: str) -> None:
        from .._admission.certificate_rotation import Clients, Policy  # needs an extra
        from .certificate_secret import AsyncCertificateSecret as Secret

        installation = self._installation
        services = {*certificates.full_services(namespace)}
        hosts = {*certificates.hosts}
        if installation is not None:
            services.update(installation.services)
            hosts.update(installation.hosts)
        wanted = type(certificates)(
            secret=certificates.secret,
            services=["/".join(each) for each in sorted(services)],
            hosts=sorted(hosts),
        )
        policy = Policy(
            tuple(wanted.names(namespace)),
            certificates.lifetime,
            certificates.ca_lifetime,
            certificates.overlap,
        )
        self._secret = Secret(self._rest, namespace, certificates.secret, policy, self._clock)
        self._clients = Clients(frozenset(services), frozenset(hosts))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self._names) or self._secret}>"

    @property
    def pair(self) -> tuple[bytes, bytes] | None:
        """The certificate of the server and its key, as PEM; None before there is one."""
        return None if self._secret is None else self._secret.pair

    def check_ready(self) -> None:
        """Check that the server has answered with a certificate that the configurations trust.

        Once it has, later failures are logged only: they are mended here, or by other replicas.

        Raises:
            RuntimeError: It has not yet, or its certificate has expired.
        """
        if not self._was_ready:
            raise RuntimeError(self._problem)
        served = self._secret.current.served if self._secret is not None else None
        if served is not None and self._clock.now() >= served.certificate.not_valid_after_utc:
            raise RuntimeError(f"the certificate of the webhooks has expired: {self._problem}")

    # ---- running ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Work until `stop` is called.

        Raises:
            ConfigError: The Secret belongs to another program, since the start of this one.
            LookupError: The scheme does not know the resource of a class.
        """
        factory = AsyncInformerFactory(self._rest, clock=self._clock)
        try:
            if self._secret is not None:
                self._watch(factory)
            while not self._is_stopping:
                self._changed.clear()
                begin = self._clock.monotonic()
                seconds = await self._pass()
                if seconds is None or await self._stopping.wait(_PAUSE_SECONDS):
                    break
                await wait_until(self._changed, self._clock, begin + seconds)
        finally:
            await factory.shutdown()

    def stop(self) -> None:
        """Make `run` return."""
        self._is_stopping = True
        self._stopping.set()
        self._changed.set()

    def _watch(self, factory: AsyncInformerFactory) -> None:
        assert self._secret is not None
        self._watch_one(factory, self._secret.resource, self._secret.namespace, self._secret.name)
        for resource, name in self._targets():
            self._watch_one(factory, resource, None, name)
        factory.start()

    def _watch_one(
        self, factory: AsyncInformerFactory, resource: Resource, namespace: str | None, name: str
    ) -> None:
        informer = factory.informer(
            resource,
            PartialObjectMetadata,
            PartialObjectMetadataList,
            namespace=namespace,
            field_selector=f"metadata.name={name}",
        )
        informer.add_handler(self._wake, self._wake, self._wake, self._wake)

    def _wake(self, *_: object) -> None:
        self._changed.set()

    async def _pass(self) -> float | None:
        """Make one pass. Returns the seconds until the next one; None if there is none."""
        try:
            await self._mend_all()
        except (ClientError, OSError) as error:
            if isinstance(error, ConfigError) and not self._was_ready:
                raise
            return self._note(error)
        self._problem, self._was_ready = "", True
        self._retry_seconds = _FIRST_RETRY_SECONDS
        return self._seconds_until_next()

    def _note(self, error: Exception) -> float:
        if isinstance(error, Conflict):  # the next pass reads what has changed
            logger.debug("%r: %s; trying again", self, error)
        elif str(error) != self._problem:
            logger.warning("%r: %s; trying again", self, error)
        self._problem = str(error)
        seconds = self._retry_seconds
        self._retry_seconds = min(2 * seconds, _MAX_RETRY_SECONDS)
        return seconds

    def _seconds_until_next(self) -> float | None:
        from .._admission.certificate_rotation import next_change  # needs an extra

        if self._secret is None:
            return None
        since = self._carried[1] if self._carried is not None else None
        due = next_change(self._secret.current, self._secret.policy, since)
        left = _MAX_IDLE_SECONDS if due is None else (due - self._clock.now()).total_seconds()
        return min(max(left, _FIRST_RETRY_SECONDS), _MAX_IDLE_SECONDS)

    # ---- one pass -----------------------------------------------------------------------------

    async def _mend_all(self) -> None:
        """Renew the certificates, write what is missing, and check the answer of the server.

        Raises:
            ClientError: A request failed. The others were sent.
            OSError: The server does not answer as it should.
        """
        bundle = b""
        if self._secret is not None:
            bundle = (await self._secret.renew(self._carried)).bundle
        problems = [*await self._install(bundle)]
        if self._secret is not None and self._clients is not None:
            problems += await self._mend_bundles(self._secret.current, self._clients)
        for problem in problems[1:]:
            logger.warning("%r: %s; trying again", self, problem)
        if problems:
            raise problems[0]
        if self._secret is not None:
            await self._check_answer(self._secret.current)

    def _targets(self) -> list[tuple[Resource, str]]:
        """Return the objects that have a `caBundle`."""
        names = dict.fromkeys(self._names)
        found = [(RESOURCES[kind], name) for kind in CONFIGURATIONS for name in names]
        crd = RESOURCES["CustomResourceDefinition"]
        return [*found, *((crd, name) for name in conversion_crds(self._set, self._scheme))]

    async def _get(self, resource: Resource, name: str) -> Unstructured | None:
        client = any_client(self._rest, resource, None)
        return await client.get(name, default=None, timeout=_TIMEOUT_SECONDS)

    async def _mend_bundles(self, certificates: Certificates, clients: Clients) -> list[Exception]:
        """Put the authorities into all configurations, and note since when they have the newest."""
        from .._admission.certificate_rotation import trusts  # needs an extra

        assert certificates.authority is not None
        newest = certificates.authority.certificate
        problems: list[Exception] = []
        is_carried = True
        for resource, name in self._targets():
            try:
                obj = await self._mend_bundle(resource, name, certificates.bundle, clients)
            except ClientError as error:
                problems.append(error)
                continue
            is_carried = is_carried and (obj is None or trusts(obj, clients, newest))
        if problems or not is_carried:
            self._carried = None
        elif self._carried is None or self._carried[0] != newest:
            self._carried = (newest, self._clock.now())
        return problems

    async def _mend_bundle(
        self, resource: Resource, name: str, bundle: bytes, clients: Clients
    ) -> Unstructured | None:
        from .._admission.certificate_rotation import bundle_patch  # needs an extra

        obj = await self._get(resource, name)
        patch = None if obj is None else bundle_patch(obj, clients, bundle)
        if patch is None:
            return obj
        client = any_client(self._rest, resource, None)
        mended = await client.patch(name, patch, timeout=_TIMEOUT_SECONDS)
        logger.info("wrote the authorities into the caBundle of %s %s", resource.kind, name)
        return mended

    async def _install(self, bundle: bytes) -> list[Exception]:
        """Apply the configurations, once, and the conversion to each new definition."""
        if self._installation is None:
            return []
        problems: list[Exception] = []
        for manifest in self._installation.manifests(self._set, self._scheme, bundle):
            try:
                await self._install_one(manifest)
            except ClientError as error:
                problems.append(error)
        if not self._is_installed and not problems:
            problems += await self._empty_old_configurations(self._installation, bundle)
            self._is_installed = not problems
        return problems

    async def _install_one(self, manifest: Unstructured) -> None:
        """Apply a manifest, unless that was done before.

        Raises:
            ClientError: A request failed, or the definition to change does not exist.
        """
        resource, key = RESOURCES[manifest.kind], (manifest.kind, manifest.name)
        if is_whole(manifest):
            if key in self._applied:
                return  # what somebody has deleted stays deleted
        else:
            obj = await any_client(self._rest, resource, None).get(
                manifest.name, timeout=_TIMEOUT_SECONDS
            )
            if key in self._applied and (self._clients is None or self._clients.configs(obj)):
                return
        await self._apply(resource, manifest)
        self._applied.add(key)
        logger.info("applied the %s %s", manifest.kind, manifest.name)

    async def _apply(self, resource: Resource, manifest: Unstructured) -> None:
        client = any_client(self._rest, resource, None)
        manager = self._rest.field_manager
        await client.apply(manifest, field_manager=manager, force=True, timeout=_TIMEOUT_SECONDS)

    async def _empty_old_configurations(
        self, installation: Installation, bundle: bytes
    ) -> list[Exception]:
        """Remove the webhooks that an older release of this program has applied."""
        manifests = installation.manifests(self._set, self._scheme, bundle)
        problems: list[Exception] = []
        for kind in {*CONFIGURATIONS}.difference(each.kind for each in manifests):
            try:
                obj = await self._get(RESOURCES[kind], installation.name)
                empty = obj and emptied(obj, installation.name, self._rest.field_manager)
                if empty:
                    await self._apply(RESOURCES[kind], empty)
            except ClientError as error:
                problems.append(error)
        return problems

    async def _check_answer(self, certificates: Certificates) -> None:
        """Make a handshake with the server, if its certificate or the authorities are new.

        Raises:
            OSError: The server does not answer with a certificate that the authorities trust.
        """
        from .._net.handshake import handshake_problem  # imports ssl

        if certificates == self._tried or self._secret is None:
            return
        host_and_port = parse_address("webhooks", self._address())
        bundle, name = certificates.bundle.decode("ascii"), self._secret.policy.names[0]
        problem = await run_blocking(partial(handshake_problem, host_and_port, name, bundle))
        if problem:
            raise OSError(problem)
        self._tried = certificates
