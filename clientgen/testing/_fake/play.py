"""The behaviour of simulated pods: tests can make pods crash or stay pending, for example."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self

from clientgen._apimachinery.failures import Failure

from .._apiserver.controllers.play import Behaviour, Exit, PodRule
from .._apiserver.controllers.play.settings import check_seconds
from .._apiserver.server_selectors import label_test

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._apiserver.controllers.play import ControllerManager
    from .dispatcher import Dispatcher

_NO_NODE: Final = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
_NO_ROOM: Final = "The node was low on resource: memory."
_MAX_EXIT_CODE: Final = 255


class Play:
    """Changes how pods behave. `FakeCluster.play` returns it.

    ::

        play = cluster.play()
        play.pods("shop", "web-*").crash()
        play.pods("shop", labels="app=db").stay_pending()
    """

    def __init__(self, dispatcher: Dispatcher, manager: ControllerManager) -> None:
        self._dispatcher = dispatcher
        self._manager = manager

    def pods(
        self,
        namespace: str = "*",
        name: str = "*",
        *,
        labels: str = "",
        image: str = "*",
        command: str = "*",
    ) -> PlayedPods:
        """Choose existing and future pods.

        If several choices match a pod, the latest choice applies.

        Args:
            namespace: a namespace, or a pattern like `shop-*`.
            name: a name, or a pattern like `web-*`.
            labels: a label selector like `app=web,tier!=db`.
            image: the image of a container of the pods, or a pattern like `*/web:2.*`. Failures
                then happen in this container.
            command: the command and arguments of that container, joined by spaces, or a pattern
                like `migrate *`.

        Raises:
            ValueError: a pattern is empty, or the selector cannot be read.
        """
        patterns = {"namespace": namespace, "name": name, "image": image, "command": command}
        for what, pattern in patterns.items():
            if not pattern:
                raise ValueError(
                    f"{what}='': write a name or pattern, or leave it out to choose all"
                )
        rule = PodRule(namespace, name, _label_test(labels), image, command)
        return PlayedPods(self._dispatcher, self._manager, rule)

    def clear(self) -> None:
        """Make all pods behave normally again."""
        with self._dispatcher.lock:
            self._manager.clear_behaviours()
            self._dispatcher.settle()


class PlayedPods:
    """Chosen pods, and how they behave. Calls can be chained: `start_after(5).crash()`."""

    def __init__(self, dispatcher: Dispatcher, manager: ControllerManager, rule: PodRule) -> None:
        self._dispatcher = dispatcher
        self._manager = manager
        self._rule = rule

    def crash(
        self,
        *,
        exit_code: int = 1,
        reason: str = "Error",
        message: str = "",
        after: float = 0.0,
        times: int | None = None,
        container: str = "",
    ) -> Self:
        """Make a container fail. If it is restarted, it goes into CrashLoopBackOff.

        Args:
            exit_code: the exit code, from 1 to 255.
            reason: the reason in the status: `Error`, `OOMKilled` and so on.
            message: the message in the status.
            after: how many seconds the container runs before it fails.
            times: how many times it fails in each pod; None means always.
            container: the name of the container or init container; by default the first container.

        Raises:
            ValueError: an argument is out of range.
        """
        if not 1 <= exit_code <= _MAX_EXIT_CODE:
            raise ValueError(f"exit_code={exit_code!r}: write a number from 1 to 255")
        if times is not None and times < 1:
            raise ValueError(f"times={times!r}: write 1 or more")
        if not reason:
            raise ValueError("reason='': write a reason, such as 'Error'")
        seconds = check_seconds("after", after)
        container_exit = Exit(exit_code, reason, message, seconds, times, container)
        return self._behave(exit=container_exit, never_ends=False)

    def succeed_after(self, seconds: float) -> Self:
        """Make all containers end with exit code 0 after some seconds."""
        return self._behave(exit=Exit(after=check_seconds("seconds", seconds)), never_ends=False)

    def run_forever(self) -> Self:
        """Make the containers run until the pod is deleted, even in pods of Jobs."""
        return self._behave(exit=None, never_ends=True)

    def start_after(self, seconds: float) -> Self:
        """Make the containers start this many seconds after the pod was scheduled."""
        return self._behave(start=check_seconds("seconds", seconds))

    def never_ready(self) -> Self:
        """Make the containers run without becoming ready."""
        return self._behave(is_ready=False)

    def stay_pending(self, reason: str = "Unschedulable", message: str = _NO_NODE) -> Self:
        """Make the scheduler find no node, so that the pods stay Pending.

        Args:
            reason: the reason of the condition PodScheduled.
            message: the message of the condition.

        Raises:
            ValueError: the reason is empty.
        """
        if not reason:
            raise ValueError("reason='': write the condition's reason, such as 'Unschedulable'")
        return self._behave(pending=reason, message=message)

    def fail_to_pull(self, message: str = "") -> Self:
        """Make image pulls fail: ErrImagePull, then ImagePullBackOff."""
        return self._behave(pull_error="ErrImagePull", message=message)

    def recover(self) -> Self:
        """Make the pods behave normally again; pending pods continue at once."""
        with self._dispatcher.lock:
            self._set_behaviour(Behaviour())
        return self

    def evict(self, message: str = _NO_ROOM) -> Self:
        """Make the kubelet evict the pods that exist now: phase Failed, reason Evicted."""
        with self._dispatcher.lock:
            self._manager.evict(self._rule, message)
            self._dispatcher.settle()
        return self

    def _behave(self, **changes: object) -> Self:
        with self._dispatcher.lock:
            self._set_behaviour(replace(self._rule.behaviour or Behaviour(), **changes))  # type: ignore[arg-type]  # each caller's names are the fields
        return self

    def _set_behaviour(self, behaviour: Behaviour) -> None:
        self._manager.set_behaviour(self._rule, behaviour)
        self._dispatcher.settle()


def _label_test(labels: str) -> Callable[[Mapping[str, str]], bool]:
    try:
        test = label_test(labels) if labels else None
    except Failure as failure:
        raise ValueError(f"labels={labels!r}: {failure.message}") from None
    return test or _matches_all


def _matches_all(labels: Mapping[str, str]) -> bool:
    del labels
    return True
