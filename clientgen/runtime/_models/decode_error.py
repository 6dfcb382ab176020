"""The root of all errors, and the one that reading JSON raises. `errors` has the others."""

from __future__ import annotations

__all__ = ["ClientError", "DecodeError"]


class ClientError(Exception):
    """Base class of every error this library raises on purpose."""


class DecodeError(ClientError):
    """The received data is not JSON, or not a JSON object."""


# They are part of `errors`, and tracebacks say so.
for _error in (ClientError, DecodeError):
    _error.__module__ = "clientgen.runtime.errors"
