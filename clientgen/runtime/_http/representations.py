"""Representations of objects that servers send on request: only metadata, and tables.

The class of the result decides. For `PartialObjectMetadata`, views that have only metadata, lists
of them, and `Table`, the Accept
header prefers the representation and also accepts whole objects, because some extension API servers
send only whole objects. client-go: metadata/metadata.go; kubectl: get/get.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .._models.list_classes import item_class
from .._models.meta_v1 import PartialObjectMetadata
from .._models.model_info import is_metadata_view
from .._models.once import once
from .._models.tables import Table
from ..errors import ResponseBroken

if TYPE_CHECKING:
    from ..errors import RequestInfo
    from .codec import Codec
    from .request import HttpRequest

_PARTIAL: Final = "PartialObjectMetadata"
_TABLE: Final = "Table"


def asking_for(model: type[Any], request: HttpRequest, codec: Codec) -> HttpRequest:
    """Add the Accept header for the representation of a class, and return the request.

    Args:
        model: the class of the object or list in the response.
        request: the request; it is modified.
        codec: the codec whose media types are accepted.
    """
    if kind := _representation(model):
        request.headers += (("Accept", _accept(codec.accept, kind)),)
    return request


def check_representation(obj: object, model: type[Any], info: RequestInfo) -> None:
    """Check that the server sent a table if a table was requested.

    Whole objects instead of metadata are valid: only their metadata is read.

    Raises:
        ResponseBroken: the server sent whole objects instead of a table.
    """
    kind = getattr(obj, "kind", "")
    if kind != _TABLE and _representation(model) == _TABLE:
        raise ResponseBroken(f"{info}: the server makes no tables of these objects; it sent {kind}")


@once
def _representation(model: type[Any]) -> str:
    """Return the kind of the representation; empty for whole objects."""
    if issubclass(model, Table):
        return _TABLE
    if _is_metadata_only(model):
        return _PARTIAL
    item = item_class(model)
    return f"{_PARTIAL}List" if item is not None and _is_metadata_only(item) else ""


def _is_metadata_only(model: type[Any]) -> bool:
    return issubclass(model, PartialObjectMetadata) or is_metadata_view(model)


@once
def _accept(accept: str, kind: str) -> str:
    """Return the Accept header.

    It contains each media type with the parameters of the representation, then without them.
    """
    parameters = f";as={kind};g=meta.k8s.io;v=v1"
    types = [entry.strip().partition(";") for entry in accept.split(",")]
    wanted = [f"{media.strip()}{parameters}{semicolon}{rest}" for media, semicolon, rest in types]
    return ",".join([*wanted, accept])
