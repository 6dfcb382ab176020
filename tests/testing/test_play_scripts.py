"""Pods that are scripted: what they look like, and how they come back."""

from __future__ import annotations

from typing import Any

import pytest
from kubeapi import Clientset
from support.play import (
    NAMESPACE,
    conditions,
    deployment,
    objects,
    one,
    playing,
    pod_spec,
    put,
    reasons,
    set_status,
    states,
    without,
)

from clientgen.testing import Play, cluster_of, fake_clientset


def pod(name: str = "one", image: str = "nginx:1", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": NAMESPACE, "labels": {"app": name}}
    command = spec.pop("command_of", None)
    spec = {**pod_spec(image), **spec}
    if command:
        spec["containers"][0]["command"] = command
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def container(cluster: Any, name: str = "one") -> dict[str, Any]:
    found: dict[str, Any] = one(cluster, "pods", name)["status"]["containerStatuses"][0]
    return found


def test_crash_loop() -> None:
    """A container that crashes is restarted at once, then after 10, 20, 40 seconds and so on."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE, "one").crash(exit_code=3, reason="OOMKilled", message="too big")
    put(cluster, pod())

    found = container(cluster)
    assert found["restartCount"] == 1
    uid = one(cluster, "pods", "one")["metadata"]["uid"]
    assert found["state"] == {
        "waiting": {
            "reason": "CrashLoopBackOff",
            "message": f"back-off 10s restarting failed container=main pod=one_shop({uid})",
        }
    }
    assert without(found["lastState"]["terminated"], "containerID", "startedAt", "finishedAt") == {
        "exitCode": 3,
        "reason": "OOMKilled",
        "message": "too big",
    }
    assert one(cluster, "pods", "one")["status"]["phase"] == "Running"
    assert ("Ready", "False", "ContainersNotReady") in conditions(one(cluster, "pods", "one"))
    for seconds, restarts in ((10, 2), (20, 3), (39, 3), (1, 4)):
        clock.step(seconds)
        assert container(cluster)["restartCount"] == restarts
    cluster.settle()
    assert clock.monotonic() == 70
    assert "BackOff" in reasons(cluster, "one")


def test_crash_loop_that_recovers() -> None:
    """A pod that recovers is restarted at once."""
    cluster, _, _, play = playing()
    pods = play.pods(NAMESPACE, "one").crash()
    put(cluster, pod())
    assert states(objects(cluster, "pods")) == ["CrashLoopBackOff"]
    pods.recover()

    assert states(objects(cluster, "pods")) == ["running"]
    assert container(cluster)["restartCount"] == 2


def test_a_pod_that_runs_crashes() -> None:
    """A script is for pods that are there as well."""
    cluster, _, clock, play = playing()
    put(cluster, pod())
    play.pods(NAMESPACE, "one").crash(after=5, times=1)
    assert states(objects(cluster, "pods")) == ["running"]
    clock.step(5)

    assert container(cluster)["restartCount"] == 1
    assert states(objects(cluster, "pods")) == ["running"]


def test_failed_pod() -> None:
    """A container that fails and is not restarted ends its pod."""
    cluster, _, _, play = playing()
    play.pods(NAMESPACE).crash(exit_code=2)
    put(cluster, pod(restartPolicy="Never"))

    found = one(cluster, "pods", "one")
    assert found["status"]["phase"] == "Failed"
    assert conditions(found) == [
        ("PodReadyToStartContainers", "False", ""),
        ("Initialized", "True", ""),
        ("Ready", "False", "PodFailed"),
        ("ContainersReady", "False", "PodFailed"),
        ("PodScheduled", "True", ""),
    ]


def test_fail_to_pull() -> None:
    """An image that is not there leaves the pod pending, until it is there."""
    cluster, _, _, play = playing()
    pods = play.pods(NAMESPACE).fail_to_pull("no such image")
    put(cluster, pod())
    found = one(cluster, "pods", "one")
    assert found["status"]["phase"] == "Pending"
    assert container(cluster)["state"]["waiting"] == {
        "reason": "ImagePullBackOff",
        "message": 'Back-off pulling image "nginx:1": ErrImagePull: no such image',
    }
    assert reasons(cluster, "one").count("Failed") == 3
    pods.recover()

    assert states(objects(cluster, "pods")) == ["running"]


def job(*command: str, image: str = "busybox", **spec: Any) -> dict[str, Any]:
    main = {"name": "main", "image": image, "command": list(command)}
    template = {"spec": {"restartPolicy": "Never", "containers": [main]}}
    metadata = {"name": "one", "namespace": NAMESPACE}
    spec = {"backoffLimit": 0, "template": template, **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["false"], 1),
        (["/bin/false"], 1),
        (["sh", "-c", "exit 3"], 3),
        (["/bin/bash", "-c", "echo x\n  exit 4\n"], 4),
        (["sh", "-c", "exit 256"], 0),
        (["sh", "-c", "exit 0"], 0),
        (["sh", "-c", "test -f x || exit 3"], 0),
        (["sh", "-c", ""], 0),
        (["exit 3"], 0),
        (["sh", "-ec", "exit 3"], 3),
        (["bash", "-lc", "exit 3"], 3),
        (["sh", "-nc", "exit 3"], 0),
        (
            ["sh", "-c", "set -e; echo \"it's; exit\" >&2 # don't\ntest -f x && cp $(f) y\nexit 3"],
            3,
        ),
        # A shell never gets to the end of these, or may not.
        (["sh", "-c", "while true; do sleep 10; done; exit 3"], 0),
        (["sh", "-c", "exec nginx; exit 3"], 0),
        (["sh", "-c", "test -f x || exec nginx; exit 3"], 0),
        (["sh", "-c", "if test -f x; then exit 0; fi\nexit 3"], 0),
        (["sh", "-c", "exit 0; exit 3"], 0),
        (["sh", "-c", "sleep infinity; exit 3"], 0),
        (["sh", "-c", "server & wait; exit 3"], 0),
        (["sh", "-c", "f() { true; }; exit 3"], 0),
        (["sh", "-c", "cat <<END\nexit 3"], 0),
        (["sh", "-c", "echo 'a\nexit 3"], 0),
    ],
)
def test_jobs_fail_as_their_commands_say(command: list[str], code: int) -> None:
    cluster, _, _, _ = playing()
    put(cluster, job(*command))
    (found,) = objects(cluster, "pods")
    ended = found["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], found["status"]["phase"]) == (
        code,
        "Failed" if code else "Succeeded",
    )
    conditions_of_job = dict(each[:2] for each in conditions(one(cluster, "jobs", "one", "batch")))
    assert conditions_of_job.get("Failed" if code else "Complete") == "True"


def test_a_command_fails_after_it_has_slept() -> None:
    cluster, _, clock, play = playing()
    put(cluster, job("sh", "-c", "sleep 5; echo no; exit 2", backoffLimit=1))
    clock.step(4)
    assert states(objects(cluster, "pods")) == ["running"]
    cluster.settle()
    assert one(cluster, "jobs", "one", "batch")["status"]["failed"] >= 1
    # What a test says counts more than what the manifest says.
    play.pods(NAMESPACE, "two").recover()
    put(cluster, pod("two", command_of=["false"]))
    assert one(cluster, "pods", "two")["status"]["phase"] == "Running"


@pytest.mark.parametrize("policy", ["Never", "OnFailure", "Always"])
def test_a_sidecar_is_restarted_whatever_the_policy_of_its_pod(policy: str) -> None:
    cluster, _, clock, play = playing()
    sidecar = {"name": "side", "image": "proxy", "restartPolicy": "Always"}
    crashing = play.pods(NAMESPACE, "one").crash(container="side")
    put(cluster, pod(restartPolicy=policy, initContainers=[sidecar]))

    def side() -> dict[str, Any]:
        found: dict[str, Any] = one(cluster, "pods", "one")["status"]["initContainerStatuses"][0]
        return found

    assert side()["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    assert one(cluster, "pods", "one")["status"]["phase"] == "Pending"
    clock.step(10)
    assert side()["restartCount"] == 2
    crashing.recover()
    assert side()["restartCount"] == 3
    phase = one(cluster, "pods", "one")["status"]["phase"]
    assert phase == ("Running" if policy == "Always" else "Succeeded")


def test_a_sidecar_that_fails_leaves_the_pod_of_a_job_pending() -> None:
    cluster, k, _, _ = playing()
    made = job("work")
    made["spec"]["template"]["spec"]["initContainers"] = [
        {"name": "side", "image": "proxy", "restartPolicy": "Always", "command": ["false"]}
    ]
    put(cluster, made)
    cluster.settle()
    (found,) = objects(cluster, "pods")
    assert found["status"]["phase"] == "Pending"
    assert found["status"]["initContainerStatuses"][0]["restartCount"] == 1
    assert k.batch_v1.jobs(NAMESPACE).get("one").status.active == 1


def test_a_job_counts_restarts_of_init_containers() -> None:
    cluster, k, _, _ = playing()
    made = job("work", backoffLimit=2)
    made["spec"]["template"]["spec"] |= {
        "restartPolicy": "OnFailure",
        "initContainers": [{"name": "before", "image": "busybox", "command": ["false"]}],
    }
    put(cluster, made)
    cluster.settle()
    ended = k.batch_v1.jobs(NAMESPACE).get("one").status.conditions
    assert [(each.type, each.reason) for each in ended if each.type == "Failed"] == [
        ("Failed", "BackoffLimitExceeded")
    ]


def test_an_image_of_no_registry_cannot_be_pulled() -> None:
    cluster, _, _, _ = playing()
    put(cluster, pod(image="registry.invalid:5000/web:1"))
    waiting = container(cluster)["state"]["waiting"]
    assert waiting["reason"] == "ImagePullBackOff"
    assert "lookup registry.invalid: no such host" in waiting["message"]
    put(cluster, pod("two", image="example.com/registry.invalid/web:1"))
    assert one(cluster, "pods", "two")["status"]["phase"] == "Running"


def test_pods_are_chosen_by_what_their_containers_run() -> None:
    cluster, _, _, play = playing()
    assert cluster.played is play
    play.pods(image="*:broken").fail_to_pull("gone")
    play.pods(command="migrate *").crash(exit_code=7)
    put(cluster, pod("fine"))
    put(cluster, pod("broken", image="web:broken"))
    put(cluster, pod("moved", restartPolicy="Never", command_of=["migrate", "--now"]))
    assert one(cluster, "pods", "fine")["status"]["phase"] == "Running"
    assert container(cluster, "broken")["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert container(cluster, "moved")["state"]["terminated"]["exitCode"] == 7
    two: dict[str, Any] = {
        "containers": [{"name": "a", "image": "a"}, {"name": "b", "image": "b:broken"}]
    }
    put(cluster, pod("second", **two))
    found = one(cluster, "pods", "second")["status"]["containerStatuses"]
    assert [each["state"]["waiting"]["reason"] for each in found] == [
        "ContainerCreating",
        "ImagePullBackOff",
    ]


def test_stay_pending() -> None:
    """A pod that is not scheduled says why, until it is."""
    cluster, _, _, play = playing()
    pods = play.pods(NAMESPACE).stay_pending(message="no room")
    put(cluster, pod())
    found = one(cluster, "pods", "one")
    assert found["status"] == {
        "phase": "Pending",
        "qosClass": "BestEffort",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
                "reason": "Unschedulable",
                "message": "no room",
            }
        ],
    }
    assert reasons(cluster, "one") == ["FailedScheduling"]
    pods.recover()

    assert states(objects(cluster, "pods")) == ["running"]


def test_never_ready() -> None:
    """A pod that does not get ready runs all the same."""
    cluster, _, _, play = playing()
    put(cluster, pod())
    pods = play.pods(NAMESPACE).never_ready()
    found = one(cluster, "pods", "one")
    assert (found["status"]["phase"], container(cluster)["ready"]) == ("Running", False)
    assert found["status"]["conditions"][2]["message"] == "containers with unready status: [main]"
    pods.recover()

    assert container(cluster)["ready"] is True


def test_succeed_after() -> None:
    """A pod that ends by itself has succeeded."""
    cluster, _, clock, play = playing(job_run=100)
    play.pods(NAMESPACE).succeed_after(5)
    put(cluster, pod(restartPolicy="Never"))
    cluster.settle()

    assert clock.monotonic() == 5
    assert one(cluster, "pods", "one")["status"]["phase"] == "Succeeded"


def test_start_after() -> None:
    """Scripts can be chained; the slow pods crash when they have started."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE, "o*").start_after(30).crash(after=10)
    put(cluster, pod())
    clock.step(29)
    assert states(objects(cluster, "pods")) == ["ContainerCreating"]
    clock.step(1)
    assert states(objects(cluster, "pods")) == ["running"]
    clock.step(10)
    assert container(cluster)["restartCount"] == 1


def test_evict() -> None:
    """A pod that a kubelet has evicted is left as failed, with the reason."""
    cluster, _, _, play = playing()
    put(cluster, pod())
    play.pods(NAMESPACE, "one").evict("The node was low on resource: ephemeral-storage.")

    found = one(cluster, "pods", "one")
    assert (found["status"]["phase"], found["status"]["reason"]) == ("Failed", "Evicted")
    assert conditions(found)[0] == ("DisruptionTarget", "True", "TerminationByKubelet")
    assert "Evicted" in reasons(cluster, "one")


def test_choice_of_pods() -> None:
    """Names, patterns and labels choose; the latest choice decides."""
    cluster, _, _, play = playing()
    play.pods(NAMESPACE, "t*").never_ready()
    play.pods(labels="app in (one,three)").fail_to_pull()
    play.pods("sh*", "three").run_forever()
    for name in ("one", "two", "three", "four"):
        put(cluster, pod(name))

    assert {
        each["metadata"]["name"]: (state, each["status"]["containerStatuses"][0]["ready"])
        for each in objects(cluster, "pods")
        for state in states([each])
    } == {
        "one": ("ImagePullBackOff", False),
        "two": ("running", False),
        "three": ("running", True),
        "four": ("running", True),
    }


def test_init_containers() -> None:
    """Init containers end one after the other, and sidecars go on running."""
    cluster, *_ = playing()
    inits = [
        {"name": "first", "image": "busybox"},
        {"name": "proxy", "image": "envoy", "restartPolicy": "Always"},
        {"name": "second", "image": "busybox"},
    ]
    put(cluster, pod(initContainers=inits, restartPolicy="Never"))
    phases = []
    found = one(cluster, "pods", "one")
    for each in found["status"]["initContainerStatuses"]:
        [word] = each["state"]
        phases.append((each["name"], word, each["state"][word].get("exitCode")))
    assert phases == [
        ("first", "terminated", 0),
        ("proxy", "terminated", 0),
        ("second", "terminated", 0),
    ]
    assert found["status"]["phase"] == "Succeeded"

    put(cluster, pod("two", initContainers=inits))
    statuses = one(cluster, "pods", "two")["status"]["initContainerStatuses"]
    assert [next(iter(each["state"])) for each in statuses] == [
        "terminated",
        "running",
        "terminated",
    ]
    assert [each["ready"] for each in statuses] == [True, True, True]


def test_init_container_that_fails() -> None:
    """The containers wait for an init container that crashes."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE).crash(container="first", times=2)
    put(cluster, pod(initContainers=[{"name": "first", "image": "busybox"}]))
    found = one(cluster, "pods", "one")
    assert found["status"]["phase"] == "Pending"
    assert ("Initialized", "False", "ContainersNotInitialized") in conditions(found)
    assert states([found]) == ["PodInitializing"]
    first = found["status"]["initContainerStatuses"][0]
    assert first["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    clock.step(10)

    found = one(cluster, "pods", "one")
    assert found["status"]["phase"] == "Running"
    assert found["status"]["initContainerStatuses"][0]["restartCount"] == 2


def test_readiness_gates() -> None:
    """A pod with a readiness gate is ready when somebody says so."""
    cluster, *_ = playing()
    put(cluster, pod(readinessGates=[{"conditionType": "shop.example/open"}]))
    found = one(cluster, "pods", "one")
    assert ("Ready", "False", "ReadinessGatesNotReady") in conditions(found)

    condition = {"type": "shop.example/open", "status": "True"}
    set_status(cluster, {**pod(), "status": {"conditions": [condition]}})
    assert ("Ready", "True", "") in conditions(one(cluster, "pods", "one"))


def test_graceful_deletion() -> None:
    """A pod that is deleted has time to end, at most its grace period."""
    cluster, k, clock, _ = playing(pod_stop=20)
    put(cluster, pod(terminationGracePeriodSeconds=30))
    put(cluster, pod("two", terminationGracePeriodSeconds=5))
    for name in ("one", "two"):
        k.core_v1.pods(NAMESPACE).delete(name)
    clock.step(5)
    assert [each["metadata"]["name"] for each in objects(cluster, "pods")] == ["one"]
    clock.step(15)

    assert objects(cluster, "pods") == []
    assert reasons(cluster, "one")[-1] == "Killing"


def test_status_that_a_test_has_written_stays() -> None:
    """Controllers count what a test says of a pod."""
    cluster, *_ = playing()
    put(cluster, deployment(replicas=1))
    [found] = objects(cluster, "pods")
    name = found["metadata"]["name"]
    condition = {"type": "Ready", "status": "False"}
    changed = {**found, "metadata": {"name": name, "namespace": NAMESPACE}}
    set_status(cluster, {**changed, "status": {"conditions": [condition]}})

    assert "readyReplicas" not in one(cluster, "deployments", "web", "apps")["status"]


def test_pods_of_a_test() -> None:
    """A pod that a test has added with a status keeps it; it can still be scripted and deleted."""
    cluster, k, _, play = playing()
    running = pod(nodeName="node-1") | {"status": {"phase": "Running"}}
    cluster.add(running)
    assert one(cluster, "pods", "one")["status"]["phase"] == "Running"
    play.pods(NAMESPACE, "one").crash()
    assert states(objects(cluster, "pods")) == ["CrashLoopBackOff"]

    k.core_v1.pods(NAMESPACE).delete("one")
    assert objects(cluster, "pods") == []


def test_finalizers_are_waited_for() -> None:
    """A pod with a finalizer has ended, and goes when the finalizer does."""
    cluster, k, *_ = playing()
    value = pod()
    value["metadata"]["finalizers"] = ["shop.example/wait"]
    put(cluster, value)
    k.core_v1.pods(NAMESPACE).delete("one")
    assert one(cluster, "pods", "one")["status"]["phase"] == "Succeeded"

    k.core_v1.pods(NAMESPACE).edit("one", lambda each: each.metadata.finalizers.clear())
    assert objects(cluster, "pods") == []


def test_equal_events_are_counted() -> None:
    """An event that happens again is counted; old ones go."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE).crash()
    put(cluster, pod())
    clock.step(100)
    backoffs = [each for each in objects(cluster, "events") if each["reason"] == "BackOff"]
    assert [each["count"] for each in backoffs] == [4]

    play.clear()
    clock.step(3601)
    put(cluster, pod("two"))
    assert {each["involvedObject"]["name"] for each in objects(cluster, "events")} == {"two"}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (lambda play: play.pods("", "web"), "namespace=''"),
        (lambda play: play.pods("shop", ""), "name=''"),
        (lambda play: play.pods(labels="app in ("), "labels='app in ('"),
        (lambda play: play.pods().crash(exit_code=0), "exit_code=0"),
        (lambda play: play.pods().crash(exit_code=256), "exit_code=256"),
        (lambda play: play.pods().crash(times=0), "times=0"),
        (lambda play: play.pods().crash(after=-1), "after=-1"),
        (lambda play: play.pods().crash(reason=""), "reason=''"),
        (lambda play: play.pods().succeed_after(-1), "seconds=-1"),
        (lambda play: play.pods().start_after(float("inf")), "seconds=inf"),
        (lambda play: play.pods().stay_pending(reason=""), "reason=''"),
    ],
)
def test_nonsense(script: Any, message: str) -> None:
    """Arguments that make no sense are refused, by name."""
    *_, play = playing()
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        script(play)


def test_short_form() -> None:
    """`cluster_of(k).play()` plays as well."""
    k = fake_clientset(Clientset, pod())
    assert isinstance(cluster_of(k).play(), Play)

    assert k.core_v1.pods(NAMESPACE).get("one").status.phase == "Running"


def test_settle_does_not_wait_for_what_does_not_happen() -> None:
    """A start that was brought forward, and a pod that is gone, take no time."""
    cluster, k, clock, play = playing(pod_start=10)
    pods = play.pods(NAMESPACE, "one").start_after(60)
    put(cluster, pod())
    put(cluster, pod("two"))
    pods.recover()
    k.core_v1.pods(NAMESPACE).delete("two")
    cluster.settle()

    assert clock.monotonic() == 10
    assert states(objects(cluster, "pods")) == ["running"]


def test_controllers_that_run_in_circles_pause(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody who takes back every write of a controller does not keep it busy for ever."""
    monkeypatch.setattr(
        "clientgen.testing._apiserver.controllers.play.controller_manager.MAX_SYNCS", 30
    )
    cluster, *_ = playing()
    inner = cluster.server.cluster
    collection = inner.store.collection("deployments.apps")

    def spoil(change: Any) -> None:
        value = change.after.value() if change.after is not None else {}
        if value.get("status"):
            value["status"] = {}
            inner.later(0, lambda: collection.put(value, change.after.form))

    collection.watch(spoil)
    put(cluster, deployment())
    assert "shop/web was looked at 30 times in a second" in caplog.text
    caplog.clear()
    assert len(objects(cluster, "pods")) == 2
