"""What is explored: the same in all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .explored_cluster import Template
    from .virtual_time import VirtualTime

__all__ = ["Setting"]


class Setting(Struct):
    """What is explored; the same in all runs."""

    build: Callable[..., Any]
    scenario: Callable[..., Any]
    clientset: Callable[..., Any]
    template: Template
    time: VirtualTime
    crds: Any = ()
    setup: Callable[..., object] | None = None
    external: Callable[[], Any] | None = None
    replicas: int = 1
    invariant: Callable[..., object] | None = None
    finally_: Callable[..., object] | None = None
    compare: Callable[..., object] | None = None
    ignore: Sequence[str] = ()
    seed: int = 0
    is_other: bool = False
    """Whether uids, versions and times are others than usual."""
    most_requests: int = 1_500
