"""Parameters and drivers of storage classes and volume attributes classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clientgen._apimachinery.failures import Cause, invalid_value, too_long
from clientgen._apimachinery.name_syntax import qualified_name_problems

from .common_checks import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES: Final = 256 * 1024
_MAX_PARAMETERS: Final = 512


def provisioner_causes(name: str, field: str) -> Iterator[Cause]:
    """Check the name of a driver."""
    yield from text(field, name.lower(), qualified_name_problems)


def parameter_causes(parameters: Mapping[str, str]) -> Iterator[Cause]:
    """Check parameters of a driver."""
    if len(parameters) > _MAX_PARAMETERS:
        yield too_long("parameters", f"may not be more than {_MAX_PARAMETERS} bytes")
        return
    if "" in parameters:
        yield invalid_value("parameters", "", "field can not be empty.")
    yield from size_causes(parameters, "parameters")


def size_causes(values: Mapping[str, str], field: str) -> Iterator[Cause]:
    """Limit the size of a map."""
    if sum(len(key.encode()) + len(value.encode()) for key, value in values.items()) > MAX_BYTES:
        yield too_long(field, f"may not be more than {MAX_BYTES} bytes")
