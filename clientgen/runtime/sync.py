# Derived from aio.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`clientgen.runtime.sync`: what generated clients of this flavour stand on."""

from __future__ import annotations

from ._sync.client import ResourceClient, Subresource
from ._sync.lines import Lines
from ._sync.rest import Rest
from ._sync.seam import ByteStream, Transport
from ._sync.watch import Watch

__all__ = [
    "ByteStream",
    "Lines",
    "ResourceClient",
    "Rest",
    "Subresource",
    "Transport",
    "Watch",
]
