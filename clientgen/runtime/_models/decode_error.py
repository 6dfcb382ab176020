"""The base class of all errors, and the error of decoding. `errors` defines the other errors."""

from __future__ import annotations


class ClientError(Exception):
    """Base class of every error that this library raises on purpose."""


class DecodeError(ClientError):
    """The received data is not JSON, or not a JSON object."""


# The public module of both is `errors`, which tracebacks and pickles name.
for _error in (ClientError, DecodeError):
    _error.__module__ = "clientgen.runtime.errors"
