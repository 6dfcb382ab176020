"""Why a server refused an apply, in the words of the object's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from .._models.base import ModelMeta
from .._models.codec import to_dict
from .._models.unstructured import Unstructured
from ..errors import one_line
from .documents import ManifestError
from .type_errors import type_mismatches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._models.model import Model
    from ..errors import InternalError

__all__ = ["explained"]

# So the server's message begins if the body of an apply does not fit the schema: with a 500.
_NOT_TYPED: Final = "failed to create typed patch object"


def explained(
    refusal: InternalError, body: Model | Mapping[str, Any], model: type[Any]
) -> Exception:
    """Explain why a server refused an apply.

    The class is asked after the server: a newer server may have fields that the class lacks.

    Args:
        refusal: the answer of the server.
        body: what was applied; it may lack required fields.
        model: the class of the object.

    Returns:
        A ManifestError with a line for each mistake; the refusal itself if the class knows none.
    """
    if not refusal.message.startswith(_NOT_TYPED) or not isinstance(model, ModelMeta):
        return refusal
    value = to_dict(body)
    known = cast("type[Model]", model)
    mistakes = type_mismatches(value, known, strict=True, partial=True)
    what = f"{value.get('kind') or model.__name__} {Unstructured(value).name}".rstrip()
    lines = [f"apply(): {one_line(what)}: {each}" for each in mistakes]
    return ManifestError("\n".join(lines)) if lines else refusal
