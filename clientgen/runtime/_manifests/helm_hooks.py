"""The hooks of Helm in rendered charts: objects that Helm creates at an event of a release.

https://helm.sh/docs/topics/charts_hooks/
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, cast

from .._models.arguments import type_of
from .set_objects import names_in

if TYPE_CHECKING:
    from .set_objects import SetObject

_ANNOTATION: Final = "helm.sh/hook"
_PHASES: Final = ("install", "delete", "upgrade", "rollback")
_EVENTS: Final = (
    *(f"{when}-{phase}" for phase in _PHASES for when in ("pre", "post")),
    *("test", "test-success", "test-failure", "crd-install"),
)


def check_helm_hooks(given: object) -> frozenset[str] | None:
    """Check the argument `helm_hooks`, and return the events.

    Raises:
        TypeError: the argument is not a collection of strings.
        ValueError: Helm has no such event.
    """
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"helm_hooks takes a collection of events, not {type_of(given)}")
    events = frozenset(cast("Iterable[object]", given))
    for event in events:
        if event not in _EVENTS:
            near = get_close_matches(str(event), _EVENTS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(_EVENTS)}"
            raise ValueError(f"helm_hooks: Helm has no event {event!r}; {hint}")
    return frozenset(str(event) for event in events)


def is_wanted(each: SetObject, events: frozenset[str] | None) -> bool:
    """Return whether an object is no hook, or a hook of one of the events. None is all events."""
    if events is None:
        return True
    hook = names_in(each.body(), "annotations").get(_ANNOTATION)
    if hook is None:
        return True
    return not events.isdisjoint(event.strip() for event in hook.split(","))
