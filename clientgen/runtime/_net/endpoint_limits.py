"""What limits the servers of a program's own HTTP endpoints, in seconds, bytes and numbers."""

from __future__ import annotations

SILENCE = 10.0  # until the first request of a connection has come, and until its body has
KEEP_ALIVE = 90.0  # longer than Go's clients keep idle connections
LINGERING = 1.0  # for the rest of a body that was refused; its client may be gone
AT_ONCE = 150  # requests whose body has come; a peer has up to two thirds (see `turns`)
CONNECTIONS = 1000
CONNECTIONS_OF_PEER = 700  # an API server has up to 600 requests in flight, and idle connections
BODY_BYTES = 1 << 29  # of all requests, those that wait included, and of unsent answers
BODY_BYTES_OF_PEER = 3 << 27  # 100 of the largest objects, of which an AdmissionReview has two
HEADER_BYTES = 32 << 10
SMALL_ANSWER = 32 << 10  # it is not counted, so that probes get theirs in any case
