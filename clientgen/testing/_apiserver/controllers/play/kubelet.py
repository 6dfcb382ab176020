"""The kubelets of all nodes: they run pods that are assigned, and end pods that are deleted."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts
from clientgen.runtime._conditions.pods import FINAL_PHASES

from .behaviour import Exit, behaviour_of
from .control_plane import Controller
from .nodes import host_ip
from .objects import KUBELET, controller_of, key
from .played_containers import runs_of
from .played_kinds import NODES, PODS
from .pod_run import PodRun, Stage, restart_delay
from .pod_state import is_going, phase_of
from .pod_status import pod_status
from .status_conditions import condition_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .control_plane import ControlPlane
    from .played_containers import ContainerRun

_NETWORK: Final = "10.244.0.0/24"
_PULL_RETRY_SECONDS: Final = 10
_SIGTERM_EXIT_CODE: Final = 143
_SIGKILL_EXIT_CODE: Final = 137
_SHORTEST_SECONDS: Final = 1e-9


class Kubelet(Controller):
    """Runs the pods of all nodes."""

    name = "kubelet"
    needs = (PODS,)
    watches = (PODS,)

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__(plane)
        self._runs: dict[str, PodRun] = {}
        self._addresses: dict[str, int] = {}
        self._steps = {
            Stage.STARTING: self._begin,
            Stage.PULLING: self._pull_again,
            Stage.INITIALIZING: self._initialize,
            Stage.RUNNING: self._end,
            Stage.WAITING: self._initialize,
        }

    def keys(
        self, kind: str, before: dict[str, Any] | None, after: dict[str, Any] | None
    ) -> Iterable[str]:
        """Yield pods that were assigned, are new, are being deleted or are gone."""
        del kind
        pod = after or before
        assert pod is not None, "something changed"
        if not pod["spec"].get("nodeName"):
            return
        is_new = after is None or before is None or before is after
        if is_new or _concerns(before) != _concerns(after):
            yield key(pod)

    def sync(self, key: str) -> None:
        """Do what is due for a pod."""
        pod = self._plane.objects.get(PODS, key)
        self._plane.forget(self.name, key)
        if pod is None:
            self._runs.pop(key, None)
            return
        if not pod["spec"].get("nodeName"):
            return
        run = self._run_of(key, pod)
        if is_going(pod):
            self._stop(key, run, pod)
        elif phase_of(pod) not in FINAL_PHASES:
            self._heed(key, run, pod)
            while run.wake is not None and run.wake <= self._now() + _SHORTEST_SECONDS:
                self._steps[run.stage](key, run)
            if run.stage is Stage.RUNNING and pod["spec"].get("readinessGates"):
                self._write(key, run)
        if run.wake is not None:
            again = self._plane.set_alarm if run.is_alarm else self._plane.come_back
            again(self, key, max(0.0, run.wake - self._now()))

    # ----------------------------------------------------------------------------- state

    def _now(self) -> float:
        return self._plane.cluster.clock.monotonic()

    def _run_of(self, key: str, pod: dict[str, Any]) -> PodRun:
        run = self._runs.get(key)
        if run is None or run.uid != pod["metadata"]["uid"]:
            run = self._runs[key] = self._first_sight(key, pod)
        return run

    def _first_sight(self, key: str, pod: dict[str, Any]) -> PodRun:
        inits, mains = runs_of(pod)
        run = PodRun(pod["metadata"]["uid"], inits, mains)
        node = None
        if self._plane.objects.view(NODES) is not None:
            node = self._plane.objects.get(NODES, pod["spec"]["nodeName"])
        status = part(pod, "status")
        run.host = status.get("hostIP") or host_ip(node)
        run.address = status.get("podIP") or ""
        if phase_of(pod) != "Pending" or status.get("containerStatuses"):
            # Somebody else wrote this status: it stays until something has to change.
            for each in mains:
                if not each.state and phase_of(pod) == "Running":
                    each.start(self._plane.timestamp())
            run.go(Stage.DONE if phase_of(pod) in FINAL_PHASES else Stage.RUNNING, None)
            return run
        behaviour = run.behaviour = behaviour_of(pod, self._plane.rules)
        seconds = self._plane.settings.pod_start if behaviour.start is None else behaviour.start
        run.go(Stage.STARTING, self._now() + seconds)
        for each in run.inits:
            each.wait("PodInitializing")
        for each in run.mains:
            each.wait("PodInitializing" if run.inits else "ContainerCreating")
        if not is_going(pod):
            self._write(key, run)
        return run

    def _write(self, key: str, run: PodRun, *, stopped: bool = False) -> None:
        pod = self._plane.objects.copy(PODS, key)
        if pod is None or pod["metadata"]["uid"] != run.uid:
            return
        pod["status"] = pod_status(
            pod,
            run.inits,
            run.mains,
            self._plane.timestamp(),
            host=run.host,
            address=run.address,
            stopped=stopped,
        )
        stored = self._plane.objects.update_status(PODS, pod, KUBELET)
        if phase_of(stored) in FINAL_PHASES and not is_going(stored):
            run.go(Stage.DONE, None)

    def _event(
        self,
        key: str,
        reason: str,
        message: str,
        container: ContainerRun | None = None,
        *,
        warning: bool = False,
    ) -> None:
        pod = self._plane.objects.get(PODS, key)
        if pod is None:
            return
        field = ""
        if container is not None:
            member = "initContainers" if container.is_init else "containers"
            field = f"spec.{member}{{{container.name}}}"
        host = pod["spec"]["nodeName"]
        self._plane.recorder.record(
            pod, self.name, reason, message, warning=warning, field=field, host=host
        )

    # ----------------------------------------------------------------------------- scripts

    def _heed(self, key: str, run: PodRun, pod: dict[str, Any]) -> None:
        """Apply a behaviour that has changed."""
        behaviour = behaviour_of(pod, self._plane.rules)
        if behaviour == run.behaviour:
            return
        before, run.behaviour, run.exits = run.behaviour, behaviour, 0
        now = self._now()
        if run.stage is Stage.STARTING and behaviour.start != before.start:
            seconds = self._plane.settings.pod_start if behaviour.start is None else behaviour.start
            run.go(Stage.STARTING, now + seconds)
        elif run.stage is Stage.PULLING and not behaviour.pull_error:
            run.go(Stage.STARTING, now)
        elif run.stage is Stage.WAITING and behaviour.exit is None:
            run.go(Stage.WAITING, now)
        elif run.stage is Stage.RUNNING:
            self._plan_end(run, pod)
            if before.is_ready != behaviour.is_ready:
                for each in run.mains:
                    each.is_ready = each.is_running and behaviour.is_ready
                self._write(key, run)

    def evict(self, key: str, message: str) -> None:
        """End a pod because its node needs the room."""
        pod = self._plane.objects.get(PODS, key)
        if pod is None or not pod["spec"].get("nodeName") or phase_of(pod) in FINAL_PHASES:
            return
        run, now = self._run_of(key, pod), self._plane.timestamp()
        for each in run.containers:
            if each.is_running:
                each.end(now, _SIGKILL_EXIT_CODE, "Error")
        changed = self._plane.objects.copy(PODS, key)
        assert changed is not None, "it was just read"
        status = pod_status(
            changed, run.inits, run.mains, now, host=run.host, address=run.address, stopped=True
        )
        target = {
            "type": "DisruptionTarget",
            "observedGeneration": changed["metadata"].get("generation", 1),
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": now,
            "reason": "TerminationByKubelet",
            "message": message,
        }
        others = [each for each in status["conditions"] if each["type"] != target["type"]]
        status["conditions"] = [target, *others]
        changed["status"] = status | {"phase": "Failed", "reason": "Evicted", "message": message}
        self._plane.objects.update_status(PODS, changed, KUBELET)
        run.go(Stage.DONE, None)
        self._event(key, "Evicted", message, warning=True)

    # -------------------------------------------------------------------------- starting

    def _begin(self, key: str, run: PodRun) -> None:
        if run.behaviour.pull_error:
            self._fail_to_pull(key, run)
            return
        if not run.address:
            run.address = self._new_address(key, run)
        run.go(Stage.INITIALIZING, self._now())

    def _new_address(self, key: str, run: PodRun) -> str:
        pod = self._plane.objects.get(PODS, key)
        if pod is None or pod["spec"].get("hostNetwork"):
            return run.host
        name = pod["spec"]["nodeName"]
        number = self._addresses[name] = self._addresses.get(name, 0) + 1
        node = None
        if self._plane.objects.view(NODES) is not None:
            node = self._plane.objects.get(NODES, name)
        try:
            network = ip_network(part(node or {}, "spec").get("podCIDR") or _NETWORK)
        except ValueError:
            network = ip_network(_NETWORK)
        return str(network[(number + 1) % max(1, network.num_addresses - 1)])

    def _initialize(self, key: str, run: PodRun) -> None:
        """Run the next init container, also one that ended; after the last, start the others."""
        now = self._plane.timestamp()
        waiting = (
            each
            for each in run.inits
            if not (
                each.is_running if each.is_sidecar else each.ended and not each.ended["exitCode"]
            )
        )
        container = next(waiting, None)
        if container is None:
            self._start_mains(key, run)
            return
        self._start(key, run, container)
        ending = self._exit_of(run)
        if ending is not None and ending.container == container.name:
            self._crash(key, run, ending)
            return
        if not container.is_sidecar:
            container.end(now)
        run.go(Stage.INITIALIZING, self._now())
        self._write(key, run)

    def _start(self, key: str, run: PodRun, container: ContainerRun) -> None:
        image = f'"{container.image}"'
        container.start(self._plane.timestamp(), ready=run.behaviour.is_ready or container.is_init)
        present = f"Container image {image} already present on machine"
        self._event(key, "Pulled", present, container)
        self._event(key, "Created", "Container created", container)
        self._event(key, "Started", "Container started", container)

    def _start_mains(self, key: str, run: PodRun) -> None:
        pod = self._plane.objects.get(PODS, key)
        if pod is None:
            return
        for each in run.mains:
            if not each.is_running:
                self._start(key, run, each)
        self._plan_end(run, pod)
        self._write(key, run)

    def _fail_to_pull(self, key: str, run: PodRun) -> None:
        run.go(Stage.PULLING, self._now() + _PULL_RETRY_SECONDS, is_alarm=True)
        behaviour = run.behaviour
        first = next(iter(run.containers))
        named = (each for each in run.containers if each.name == behaviour.container)
        container = next(named, first)
        why = behaviour.message or f'failed to resolve reference "{container.image}": not found'
        container.wait("ErrImagePull", why)
        text = f'Failed to pull image "{container.image}": {why}'
        self._event(key, "Failed", text, container, warning=True)
        self._event(key, "Failed", "Error: ErrImagePull", container, warning=True)
        self._write(key, run)
        back_off = f'Back-off pulling image "{container.image}": ErrImagePull: {why}'
        container.wait("ImagePullBackOff", back_off)
        text = f'Back-off pulling image "{container.image}"'
        self._event(key, "BackOff", text, container)
        self._event(key, "Failed", "Error: ImagePullBackOff", container, warning=True)
        self._write(key, run)

    def _pull_again(self, key: str, run: PodRun) -> None:
        """Only a change of the behaviour ends it; then the pod starts."""
        del key
        run.go(Stage.PULLING, None)

    # --------------------------------------------------------------------------- running

    def _exit_of(self, run: PodRun) -> Exit | None:
        ending = run.behaviour.exit
        if ending is None or (ending.times is not None and run.exits >= ending.times):
            return None
        return ending

    def _plan_end(self, run: PodRun, pod: dict[str, Any]) -> None:
        """Set when the containers end that were just started."""
        ending, now = self._exit_of(run), self._now()
        if ending is not None:
            run.go(Stage.RUNNING, now + ending.after)
        elif run.behaviour.never_ends or pod["spec"].get("restartPolicy", "Always") == "Always":
            run.go(Stage.RUNNING, None)
        else:
            run.go(Stage.RUNNING, now + self._plane.settings.job_run)

    def _end(self, key: str, run: PodRun) -> None:
        """End containers, as the behaviour says, or because they are done."""
        self._crash(key, run, self._exit_of(run) or Exit())

    def _crash(self, key: str, run: PodRun, ending: Exit) -> None:
        pod = self._plane.objects.get(PODS, key)
        if pod is None:
            return
        now, policy = self._plane.timestamp(), pod["spec"].get("restartPolicy", "Always")
        run.exits += 1
        ended = _meant(run, ending)
        for each in ended:
            each.end(now, ending.code, ending.reason, ending.message)
        # Sidecars have a restart policy of their own: Always.
        again = (
            policy == "Always"
            or (policy == "OnFailure" and ending.code != 0)
            or any(each.is_sidecar for each in ended)
        )
        if not again:
            for each in run.containers:
                if each.is_running:
                    each.end(now)
            run.go(Stage.DONE, None)
            self._write(key, run)
            return
        self._write(key, run)
        self._back_off(key, run, ended)

    def _back_off(self, key: str, run: PodRun, ended: list[ContainerRun]) -> None:
        run.crashes += 1
        delay = restart_delay(run.crashes)
        pod = self._plane.objects.get(PODS, key)
        is_counted = pod is not None and _has_restarts_counted(pod)
        run.go(Stage.WAITING, self._now() + delay, is_alarm=delay > 0 and not is_counted)
        if not delay or pod is None:
            return
        metadata = pod["metadata"]
        whose = f"pod={metadata['name']}_{metadata['namespace']}({metadata['uid']})"
        for each in ended:
            text = f"restarting failed container={each.name} {whose}"
            each.wait("CrashLoopBackOff", f"back-off {_duration(delay)} {text}")
            self._event(key, "BackOff", f"Back-off {text}", each, warning=True)
        self._write(key, run)

    # -------------------------------------------------------------------------- stopping

    def _stop(self, key: str, run: PodRun, pod: dict[str, Any]) -> None:
        """End a pod that is being deleted, then remove it."""
        if run.stage is Stage.DONE and phase_of(pod) in FINAL_PHASES:
            self._plane.objects.delete(PODS, pod, grace=0, policy="")
            run.go(Stage.DONE, None)
            return
        grace = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        latest = self._now() + min(self._plane.settings.pod_stop, grace)
        if run.stage is not Stage.STOPPING:
            run.go(Stage.STOPPING, latest)
            for each in run.containers:
                if each.is_running:
                    self._event(key, "Killing", f"Stopping container {each.name}", each)
        elif run.wake is not None:
            run.wake = min(run.wake, latest)
        if run.wake is not None and run.wake <= self._now() + _SHORTEST_SECONDS:
            self._finish(key, run, pod)

    def _finish(self, key: str, run: PodRun, pod: dict[str, Any]) -> None:
        now = self._plane.timestamp()
        # A server ends in peace when it is told to stop; something unfinished does not.
        serves = pod["spec"].get("restartPolicy", "Always") == "Always"
        for each in run.containers:
            if each.is_running:
                each.end(now, *((0, "Completed") if serves else (_SIGTERM_EXIT_CODE, "Error")))
        run.go(Stage.DONE, None)
        self._write(key, run, stopped=True)
        self._plane.objects.delete(PODS, pod, grace=0, policy="")


def _concerns(pod: dict[str, Any] | None) -> tuple[Any, ...]:
    """Return what a kubelet reacts to, beside time."""
    if pod is None:
        return ()
    metadata = pod["metadata"]
    return (
        metadata["uid"],
        pod["spec"].get("nodeName"),
        is_going(pod) and metadata.get("deletionGracePeriodSeconds"),
        phase_of(pod) in FINAL_PHASES,
        [
            (condition_of(part(pod, "status"), each.get("conditionType", "")) or {}).get("status")
            for each in parts(pod["spec"], "readinessGates")
        ],
    )


def _meant(run: PodRun, ending: Exit) -> list[ContainerRun]:
    """Return the containers that an exit applies to."""
    if ending.container:
        return [each for each in run.containers if each.name == ending.container]
    return run.mains[:1] if ending.code else list(run.mains)


def _has_restarts_counted(pod: dict[str, Any]) -> bool:
    """Return whether a pod does not crash for ever: a Job counts its restarts, and gives up."""
    owner = controller_of(pod) or {}
    return owner.get("kind") == "Job" and pod["spec"].get("restartPolicy") == "OnFailure"


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes else f"{seconds}s"
