"""Explains why a server refused an apply: from the object's class, or from the server's message."""

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

# The message of a response with status 500 begins like this if the body does not fit the schema.
_NOT_TYPED_MESSAGE: Final = "failed to create typed patch object"


def explain_refusal(
    refusal: InternalError, body: Model | Mapping[str, Any], model: type[Any]
) -> Exception:
    """Return the error to raise for a refused apply.

    The body is compared with the class only after the server has refused the body, because a newer
    server may have fields that the class does not have.

    Args:
        refusal: the error of the server.
        body: the applied object; it may lack required fields.
        model: the class of the object.

    Returns:
        A ManifestError with a line for each mistake. The mistakes are found by comparison with the
        class, or else read from the server's message. If the server refused the apply for another
        reason, the result is `refusal`.
    """
    if not refusal.message.startswith(_NOT_TYPED_MESSAGE):
        return refusal
    value = to_dict(body)
    name = f"{value.get('kind') or model.__name__} {Unstructured(value).name}".rstrip()
    mistakes = [*_class_mistakes(value, model)] or _mistakes_in(refusal.message)
    return ManifestError("\n".join(f"apply(): {one_line(name)}: {each}" for each in mistakes))


def _class_mistakes(value: Mapping[str, Any], model: type[Any]) -> Iterator[str]:
    """Yield the differences between an object and its class; none if there is no class."""
    if isinstance(model, ModelMeta):
        known = cast("type[Model]", model)
        yield from map(str, type_mismatches(value, known, strict=True, partial=True))


def _mistakes_in(message: str) -> list[str]:
    """Return the mistakes in a server's message.

    The message is `failed to create typed patch object (shop/a; example.com/v1, Kind=Good):
    .spec.size: field not declared in schema`. Several mistakes are lines after `errors:`.
    """
    _, separator, mistakes = message.partition("): ")
    lines = mistakes.removeprefix("errors:").strip().splitlines() if separator else [message]
    return [one_line(line.strip().removeprefix(".")) for line in lines]
