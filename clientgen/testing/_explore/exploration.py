"""The arguments of an exploration, shared by all its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .explored_cluster import Template
    from .virtual_time import VirtualTime


class Setting(Struct):
    """The arguments of an exploration, shared by all its runs."""

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
    has_other_uids: bool = False
    """Whether to use other uids, versions and times than the other runs."""
    max_requests: int = 1_500
