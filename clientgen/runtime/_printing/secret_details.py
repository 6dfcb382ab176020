"""What a description shows of a Secret: the names and sizes of its values."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, Final

from .._conditions.json_fields import part, text
from .entries import Block

if TYPE_CHECKING:
    from .._conditions.json_fields import Json

SECRET: Final = "Secret"  # noqa: S105 - the kind
_MAX_PUBLIC: Final = 100


def describe_secret(obj: Json) -> Block:
    """Return the type of a Secret, and the sizes of its values."""
    sizes = Block(
        (name, size_text(value))
        for field in ("data", "stringData")
        for name, value in part(obj, field).items()
    )
    block = Block([("Type", text(obj, "type") or "Opaque")])
    if obj.get("immutable") is True:
        block.append(("Immutable", "true"))
    block.append(("Data", sizes))
    return block


def size_text(value: Any) -> str:
    """Return the size of a value in base64."""
    try:
        return f"{len(b64decode(value, validate=True))} bytes"
    except (TypeError, ValueError):  # also text that is not ASCII
        return "a value"


def public_annotation(value: Any, obj: Json) -> str:
    """Return an annotation of a Secret, or its size if the annotation may hold a secret.

    Tools keep copies of the objects that they have applied in annotations, as JSON.
    """
    shown = str(value)
    hidden = f"<hidden: {len(shown)} characters>"
    if len(shown) > _MAX_PUBLIC or any(each in shown for each in "{[\n"):
        return hidden
    for secret in _secrets(obj):
        if secret and secret in shown:
            return hidden
    return shown


def _secrets(obj: Json) -> list[str]:
    found: list[str] = []
    for value in (*part(obj, "data").values(), *part(obj, "stringData").values()):
        found.append(str(value))
        try:
            found.append(b64decode(value, validate=True).decode())
        except (TypeError, ValueError):
            continue
    return found
