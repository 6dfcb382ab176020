"""Containers that are played, and what they look like in the status of a pod."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from clientgen._json import part, parts

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class ContainerRun:
    """One container of a pod.

    Attributes:
        spec: the container in the pod.
        uid: the pod's uid, which makes its id.
        is_init: whether it is an init container.
        state: its state, as in the status.
        last: its state before that.
        restarts: how often it was started again.
        is_ready: whether it is ready.
        is_started: whether it has started.
    """

    spec: Mapping[str, Any]
    uid: str
    is_init: bool = False
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    last: dict[str, Any] = field(default_factory=dict[str, Any])
    restarts: int = 0
    is_ready: bool = False
    is_started: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        name: str = self.spec["name"]
        return name

    @property
    def image(self) -> str:
        """Its image."""
        image: str = self.spec.get("image", "")
        return image

    @property
    def is_sidecar(self) -> bool:
        """Whether it is an init container that goes on running."""
        return self.is_init and self.spec.get("restartPolicy") == "Always"

    @property
    def is_running(self) -> bool:
        """Whether it runs now."""
        return "running" in self.state

    @property
    def ended(self) -> dict[str, Any] | None:
        """How it ended, if it does not run now."""
        return self.state.get("terminated")

    @property
    def _id(self) -> str:
        text = f"{self.uid}/{self.name}/{self.restarts}"
        return f"containerd://{sha256(text.encode()).hexdigest()}"

    def wait(self, reason: str, message: str = "") -> None:
        """Have it wait."""
        if self.ended is not None:
            self.last = self.state
        waiting = {"reason": reason, "message": message} if message else {"reason": reason}
        self.state = {"waiting": waiting}
        self.is_ready = self.is_started = False

    def start(self, now: str, *, ready: bool = True) -> None:
        """Start it; if it ran before, that is a restart."""
        if self.ended is not None:
            self.last = self.state
        if self.last:
            self.restarts += 1
        self.state = {"running": {"startedAt": now}}
        self.is_started = True
        self.is_ready = ready

    def end(self, now: str, code: int = 0, reason: str = "Completed", message: str = "") -> None:
        """End it, with an exit code."""
        started = part(self.state, "running").get("startedAt", now)
        terminated: dict[str, Any] = {
            "exitCode": code,
            "reason": reason,
            "startedAt": started,
            "finishedAt": now,
            "containerID": self._id,
        }
        if message:
            terminated["message"] = message
        self.state = {"terminated": terminated}
        self.is_started = False
        self.is_ready = self.is_init and not self.is_sidecar and code == 0

    def status(self) -> dict[str, Any]:
        """Return its status."""
        status: dict[str, Any] = {
            "name": self.name,
            "state": self.state,
            "lastState": self.last,
            "ready": self.is_ready,
            "restartCount": self.restarts,
            "image": self.image,
            "imageID": "",
            "started": self.is_started,
        }
        ran = self.state if "waiting" not in self.state else self.last
        if ran:
            digest = sha256(self.image.encode()).hexdigest()
            status["imageID"] = f"{self.image.partition('@')[0]}@sha256:{digest}"
            status["containerID"] = part(ran, "terminated").get("containerID") or self._id
        return status

    def learn(self, status: Mapping[str, Any]) -> None:
        """Go on from a status that somebody else has written."""
        self.state = dict(part(status, "state"))
        self.last = dict(part(status, "lastState"))
        self.restarts = status.get("restartCount") or 0
        self.is_ready = bool(status.get("ready"))
        self.is_started = bool(status.get("started", self.is_running))


def runs_of(pod: dict[str, Any]) -> tuple[list[ContainerRun], list[ContainerRun]]:
    """Return the init containers and the containers of a pod, as its status has them."""
    spec, uid, status = pod["spec"], pod["metadata"]["uid"], part(pod, "status")
    inits = [ContainerRun(each, uid, is_init=True) for each in parts(spec, "initContainers")]
    mains = [ContainerRun(each, uid) for each in parts(spec, "containers")]
    for runs, name in ((inits, "initContainerStatuses"), (mains, "containerStatuses")):
        known = {each.get("name"): each for each in parts(status, name)}
        for run in runs:
            if run.name in known:
                run.learn(known[run.name])
    return inits, mains
