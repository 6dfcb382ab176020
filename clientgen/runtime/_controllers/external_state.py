"""What is known of a thing outside of the cluster, kept in an annotation of its primary.

The key of a creation is written before the thing is created, and its id right after. A process that
finds a key without an id creates with the same key again.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - msgspec reads it
from typing import TYPE_CHECKING, Any, Final

from msgspec import DecodeError, Struct, json, structs

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX: Final = "external.clientgen.dev/"
_MAX_ID_CHARACTERS: Final = 4096


class ExternalState(Struct, frozen=True, omit_defaults=True):
    """The state of an external dependent of one primary.

    Attributes:
        uid: The uid of the primary. A copy of the primary has another one.
        number: How often a creation was begun.
        id: The id of the thing; empty while it does not exist, or is being created.
        created: When the creation ended; None if it has not.
        gone: Whether the thing was deleted.
    """

    uid: str
    number: int = 0
    id: str = ""
    created: datetime | None = None
    gone: bool = False

    @property
    def key(self) -> str:
        """The idempotency key of the creation."""
        return f"{self.uid}-{self.number}"

    @property
    def is_begun(self) -> bool:
        """Whether a creation was begun, and its result is not known."""
        return self.number > 0 and not self.id and not self.gone

    @property
    def may_exist(self) -> bool:
        """Whether there is, or may be, something to delete."""
        return bool(self.id) or self.is_begun

    def begin(self) -> ExternalState:
        """Return the state before a new creation."""
        return ExternalState(self.uid, self.number + 1)

    def end(self, id: str, now: datetime) -> ExternalState:  # noqa: A002 - the name of the field
        """Return the state after a creation."""
        return structs.replace(self, id=id, created=now.replace(microsecond=0))

    def is_new(self, now: datetime, seconds: float) -> bool:
        """Return whether the creation ended less than this many seconds ago."""
        return self.created is not None and (now - self.created).total_seconds() < seconds

    def delete(self) -> ExternalState:
        """Return the state after the deletion."""
        return ExternalState(self.uid, self.number, gone=True)

    def text(self) -> str:
        """Return the value of the annotation."""
        return json.encode(self).decode()


def annotation_of(name: str) -> str:
    """Return the annotation of an external dependent."""
    return f"{_PREFIX}{name}"


def read_state(annotations: Mapping[str, str], name: str, uid: str) -> ExternalState:
    """Return the state in the annotations of a primary.

    The state of another object, from which this one was copied, does not count.

    Raises:
        ValueError: The annotation is not a state.
    """
    value = annotations.get(annotation_of(name))
    if not value:
        return ExternalState(uid)
    try:
        state = json.decode(value, type=ExternalState)
    except DecodeError as error:  # a ValidationError, too
        raise ValueError(
            f"the annotation {annotation_of(name)!r} was changed by somebody: {error}. It has the"
            " id of what was created; restore it, or remove it if nothing was created"
        ) from None
    return state if state.uid == uid else ExternalState(uid)


def checked_id(value: Any, what: str) -> str:
    """Check the id that `create` returned, and return it.

    Raises:
        TypeError: The id is not a text.
        ValueError: The id is empty, or too long for an annotation.
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} must return the id as a text, not {type(value).__name__}")
    if not value or len(value) > _MAX_ID_CHARACTERS:
        raise ValueError(f"{what} returned an id of {len(value)} characters: it needs 1 to 4096")
    return value
