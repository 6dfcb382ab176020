"""Conditions as type checkers see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_type

from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import Pod

from clientgen.runtime.conditions import (
    Check,
    Verdict,
    condition,
    deleted,
    exists,
    phase,
    ready,
    rolled_out,
)


def is_small(pod: Pod) -> bool:
    return len(pod.spec.containers) == 1


def is_paused(deployment: Deployment) -> bool | None:
    return deployment.spec.paused


def conditions_are_functions_of_objects(pod: Pod) -> None:
    functions: tuple[Callable[[Pod], bool], ...] = (
        condition("Ready"),
        phase("Running"),
        deleted,
        exists,
        ~ready,
        ready & is_small,
    )
    assert len(functions) == 6
    assert_type(ready.check(pod), Verdict)
    assert_type(ready(pod), bool)


def combinations_are_of_the_narrower_type() -> None:
    assert_type(ready & is_small, Check[Pod])
    assert_type(is_small & ready, Check[Pod])
    assert_type(is_paused | rolled_out, Check[Deployment])
    assert_type(is_small & ready & ready, Check[Pod])
    assert_type(~(ready | is_small), Check[Pod])
