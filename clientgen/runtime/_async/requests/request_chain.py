"""The chain of links that requests pass, and the parts of a client that the links share.

    rest.send, rest.stream, rest.connect
      │
      ▼  retries, errors        until a response is final
         warnings               of the API server
         own writes             to the informers of the client
    rest.relay, rest.relay_stream
      │
      ▼  middleware             of the program
         rate limit             only with `qps`
         credentials            signatures, renewal after a 401
         health                 of the server; streams only
         metrics                counts each attempt
         log                    a line for each attempt, if it is on
         connections            the transport

A request passes the links from top to bottom, and its response from bottom to top. Each attempt of
a retried request passes all links below the retries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._http.retry import MAX_RETRIES, TokenBucket
from ..._http.server_health import SILENCE_TIMEOUT_SECONDS
from ..._http.server_warnings import LoggedOnce
from ..health_monitor import AsyncHealthMonitor
from .connections import AsyncConnections
from .credentials_link import AsyncCredentialsLink, AsyncSigner
from .health_link import AsyncHealthLink, AsyncServerProbe
from .log_link import AsyncLogLink
from .metrics_link import AsyncMetricsLink
from .own_writes_link import AsyncOwnWritesLink
from .rate_limit_link import AsyncRateLimitLink
from .request_link import linked
from .retry_link import AsyncRetryLink
from .warnings_link import AsyncWarningsLink

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..._config.cluster_config import ClusterConfig
    from ..._http.call_options import ClientOptions
    from ..._http.codec import Codec
    from ..._http.request import Headers
    from ..._http.request_deadlines import RequestDeadlines
    from ..._http.request_metrics import RequestMetrics
    from ..transport_protocol import AsyncTransport
    from .request_link import AsyncPassThrough

_TRANSPORT_OPTIONS = ("connect_timeout", "pool_size", "max_response_bytes")


class AsyncRequestChain:
    """The chain of one client, built once.

    Args:
        config: The configuration of the cluster.
        codec: The codec of bodies.
        headers: The headers of all requests.
        deadlines: The deadlines of the client.
        options: The options of the client.
        transport: The transport to use instead of the network, or None.
        owner: The name of the client, for errors.

    Attributes:
        first: The first link, for requests to the API server.
        relayed: The first link for requests that the API server passes to another program.
        own_writes: The link to which informers add their caches.
        metrics: The link that tells about each attempt.
        connections: The last link.
        monitor: The health monitor of the server. None for transports other than the network, and
            without a silence timeout.
    """

    def __init__(
        self,
        config: ClusterConfig,
        codec: Codec,
        headers: Headers,
        deadlines: RequestDeadlines,
        options: ClientOptions,
        *,
        transport: AsyncTransport | None,
        owner: str,
    ) -> None:
        from ..._config.credentials import Credentials

        self._options = options
        self._server = config.server
        self._has_plugin = config.auth.plugin is not None
        self._deadlines = deadlines
        self.connections = AsyncConnections(config, transport, deadlines, _pool_options(options))
        self._signer = AsyncSigner(
            Credentials(config), self.connections, headers, deadlines, owner=owner
        )
        silence = options.get("silence_timeout", SILENCE_TIMEOUT_SECONDS)
        self.monitor: AsyncHealthMonitor | None = None
        if silence and transport is None:
            probe = AsyncServerProbe(self._signer, self.connections, deadlines)
            self.monitor = AsyncHealthMonitor(config.server, probe, silence)
        self.own_writes = AsyncOwnWritesLink(codec)
        self.metrics = AsyncMetricsLink(config.server)
        if metrics := options.get("metrics"):
            self.add_metrics(metrics)
        self.relayed = linked(*self._server_links(), last=self.connections)
        self.first = AsyncRetryLink(
            linked(*self._api_links(), last=self.relayed),
            codec,
            options.get("max_retries", MAX_RETRIES),
            deadlines,
        )

    def _api_links(self) -> Iterator[AsyncPassThrough]:
        """Yield the links that only requests to the API server pass, in order."""
        handler = self._options.get("warning_handler", LoggedOnce())
        if handler is not None:
            yield AsyncWarningsLink(handler)
        yield self.own_writes

    def _server_links(self) -> Iterator[AsyncPassThrough]:
        """Yield the links that all requests pass, in order."""
        if middleware := self._options.get("middleware", ()):
            from .middleware_link import middleware_links  # imported late: few programs have any

            yield from middleware_links(middleware)
        qps = self._options.get("qps", 0.0)
        if qps > 0:
            burst = self._options.get("burst", max(1, int(2 * qps)))
            yield AsyncRateLimitLink(TokenBucket(qps, burst), self._deadlines, self.metrics)
        yield AsyncCredentialsLink(self._signer)
        if self.monitor is not None:
            yield AsyncHealthLink(self.monitor, self.connections, self._deadlines)
        yield self.metrics
        yield AsyncLogLink(self._server)

    def add_metrics(self, metrics: RequestMetrics) -> None:
        """Tell metrics about requests, delays and runs of the credential plugin."""
        self.metrics.add(metrics)
        if self._has_plugin:
            from ..._config import plugin_calls

            plugin_calls.add(metrics)

    def remove_metrics(self, metrics: RequestMetrics) -> None:
        """Undo one `add_metrics`, if there was one."""
        self.metrics.remove(metrics)
        if self._has_plugin:
            from ..._config import plugin_calls

            plugin_calls.remove(metrics)

    async def aclose(self) -> None:
        """Refuse further requests and close all connections; streams end."""
        self._signer.close()
        if metrics := self._options.get("metrics"):
            self.remove_metrics(metrics)
        if self.monitor is not None:
            await self.monitor.aclose()
        await self.connections.aclose()


def _pool_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options of network transports. The transports have defaults."""
    return {name: options[name] for name in _TRANSPORT_OPTIONS if name in options}
