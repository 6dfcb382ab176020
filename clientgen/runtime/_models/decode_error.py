"""The base class of all errors, and the error of decoding. `errors` defines the others."""

from __future__ import annotations

__all__ = ["ClientError", "DecodeError"]


class ClientError(Exception):
    """Base class of every error this library raises on purpose."""


class DecodeError(ClientError):
    """The received data is not JSON, or not a JSON object."""


# They are public in `errors`: tracebacks and pickles name that module.
for _error in (ClientError, DecodeError):
    _error.__module__ = "clientgen.runtime.errors"
