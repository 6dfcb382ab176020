"""Secrets with a certificate and its key, by the rules of `kubectl create secret tls`.

kubectl: pkg/cmd/create/create_secret_tls.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._recipes.config_data import secret_of
from .._recipes.data_sources import content_of
from .tls import pair_problem

if TYPE_CHECKING:
    from .._models.unstructured import Unstructured
    from .._recipes.config_data import PathArgument


def new_tls_secret(
    name: str,
    *,
    cert: PathArgument | bytes,
    key: PathArgument | bytes,
    append_hash: bool = False,
) -> Unstructured:
    """Make a Secret with a certificate and its key, as `kubectl create secret tls`. Sends nothing.

    Args:
        name: The name of the Secret.
        cert: The path of a PEM file with the certificate and those that it is signed by; or the
            contents as bytes.
        key: The path of a PEM file with the private key, without a passphrase; or the contents as
            bytes.
        append_hash: Append a hash of the contents to the name.

    Raises:
        OSError: A file cannot be read.
        TypeError: An argument has a wrong type.
        ValueError: The certificate or the key is broken, or they do not belong together.
    """
    call = "new_tls_secret"
    pair = {
        entry: content_of(call, value) for entry, value in (("tls.crt", cert), ("tls.key", key))
    }
    problem = pair_problem(*pair.values())
    if problem:
        raise ValueError(f"{call}: {problem}")
    return secret_of(call, name, "kubernetes.io/tls", pair, append_hash=append_hash)
