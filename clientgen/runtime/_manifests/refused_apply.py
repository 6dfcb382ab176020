"""Why a server refused an apply: by the object's class, or in the server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from .._models.base import ModelMeta
from .._models.model_codec import to_dict
from .._models.unstructured import Unstructured
from ..errors import one_line
from .manifest_documents import ManifestError
from .type_errors import type_mismatches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        A ManifestError with a line for each mistake: those that the class knows, else those that
        the server tells. The refusal itself if the body is not what was wrong.
    """
    if not refusal.message.startswith(_NOT_TYPED):
        return refusal
    value = to_dict(body)
    what = f"{value.get('kind') or model.__name__} {Unstructured(value).name}".rstrip()
    mistakes = [*_mistakes(value, model)] or _told(refusal.message)
    return ManifestError("\n".join(f"apply(): {one_line(what)}: {each}" for each in mistakes))


def _mistakes(value: Mapping[str, Any], model: type[Any]) -> Iterator[str]:
    """Yield the mistakes that the class knows; none if there is only an Unstructured."""
    if isinstance(model, ModelMeta):
        known = cast("type[Model]", model)
        yield from map(str, type_mismatches(value, known, strict=True, partial=True))


def _told(message: str) -> list[str]:
    """Return the mistakes that a server tells.

    `failed to create typed patch object (shop/a; example.com/v1, Kind=Good): .spec.size: field not
    declared in schema`; several are lines after `errors:`.
    """
    _, found, mistakes = message.partition("): ")
    lines = mistakes.removeprefix("errors:").strip().splitlines() if found else [message]
    return [one_line(line.strip().removeprefix(".")) for line in lines]
