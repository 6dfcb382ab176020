"""The limits of the servers of a program's own HTTP endpoints."""

from __future__ import annotations

# The time for a TLS handshake, for the headers of the first request, and for each body.
RECEIVE_TIMEOUT_SECONDS = 10.0
# Longer than clients in Go keep idle connections, so that the client closes first.
KEEP_ALIVE_TIMEOUT_SECONDS = 90.0
# The time to read the rest of a refused body, so that the client gets the answer.
LINGER_TIMEOUT_SECONDS = 1.0
# Requests that are answered at the same time. A single peer gets up to two thirds of the turns.
MAX_RUNNING_REQUESTS = 150
MAX_CONNECTIONS = 1000
# An API server has up to 600 requests in flight, and idle connections.
MAX_CONNECTIONS_PER_PEER = 700
# The limit of the bodies of running and waiting requests, plus the answers that are not sent yet.
MAX_BUFFERED_BYTES = 1 << 29
# The bodies of 64 of the largest AdmissionReviews: two objects of 3 MiB in each.
MAX_BUFFERED_BYTES_PER_PEER = 3 << 27
MAX_HEADER_BYTES = 32 << 10
# Smaller answers do not count as buffered bytes, so that the server always answers probes.
SMALL_ANSWER_BYTES = 32 << 10
