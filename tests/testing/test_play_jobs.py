"""Jobs that are played: what is left when they are over."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
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
    without,
)

from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.controllers.play.schedules import read_schedule, read_zone

OTHER = {"name": "often", "namespace": NAMESPACE}
NOW = "2026-01-01T00:00:00Z"


def job(policy: str = "Never", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sum", "namespace": NAMESPACE},
        "spec": {"template": {"spec": pod_spec(restartPolicy=policy)}, **spec},
    }


def status(cluster: FakeCluster) -> dict[str, Any]:
    found: dict[str, Any] = one(cluster, "jobs", "sum", "batch")["status"]
    return found


def test_complete_job() -> None:
    """A Job that is complete has two conditions, its times and the numbers of its pods."""
    cluster, *_ = playing()
    put(cluster, job(completions=3, parallelism=2))

    assert status(cluster) == {
        "startTime": NOW,
        "completionTime": NOW,
        "succeeded": 3,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
        "conditions": [
            {
                "type": kind,
                "status": "True",
                "lastProbeTime": NOW,
                "lastTransitionTime": NOW,
                "reason": "CompletionsReached",
                "message": "Reached expected number of succeeded pods",
            }
            for kind in ("SuccessCriteriaMet", "Complete")
        ],
    }
    pods = objects(cluster, "pods")
    assert [each["status"]["phase"] for each in pods] == ["Succeeded"] * 3
    assert all("finalizers" not in each["metadata"] for each in pods)
    assert reasons(cluster, "sum") == ["SuccessfulCreate"] * 3 + ["Completed"]


def test_pod_that_has_ended() -> None:
    """The pod of a Job is left with its containers terminated."""
    cluster, _, clock, _ = playing(pod_start=2, job_run=5)
    put(cluster, job())
    cluster.settle()
    [pod] = objects(cluster, "pods")

    assert clock.monotonic() == 7
    assert conditions(pod) == [
        ("PodReadyToStartContainers", "False", ""),
        ("Initialized", "True", "PodCompleted"),
        ("Ready", "False", "PodCompleted"),
        ("ContainersReady", "False", "PodCompleted"),
        ("PodScheduled", "True", ""),
    ]
    [container] = pod["status"]["containerStatuses"]
    assert without(container["state"]["terminated"], "containerID") == {
        "exitCode": 0,
        "reason": "Completed",
        "startedAt": "2026-01-01T00:00:02Z",
        "finishedAt": "2026-01-01T00:00:07Z",
    }
    assert (container["ready"], container["started"]) == (False, False)


def test_parallelism() -> None:
    """No more pods run than may, and the next ones follow."""
    cluster, _, clock, _ = playing(job_run=10)
    put(cluster, job(completions=3, parallelism=2))
    assert without(status(cluster), "uncountedTerminatedPods") == {
        "startTime": NOW,
        "active": 2,
        "ready": 2,
        "terminating": 0,
    }
    clock.step(10)
    assert (status(cluster)["active"], status(cluster)["succeeded"]) == (1, 2)
    clock.step(10)
    assert status(cluster)["succeeded"] == 3


def test_failed_job() -> None:
    """A Job fails after too many failures; the time between them doubles."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE, "sum-*").crash(exit_code=3)
    put(cluster, job(backoffLimit=2))
    assert (status(cluster)["failed"], conditions(one(cluster, "jobs", "sum", "batch"))) == (1, [])
    clock.step(10)
    assert status(cluster)["failed"] == 2
    cluster.settle()

    assert clock.monotonic() == 30
    assert status(cluster)["failed"] == 3
    assert conditions(one(cluster, "jobs", "sum", "batch")) == [
        ("FailureTarget", "True", "BackoffLimitExceeded"),
        ("Failed", "True", "BackoffLimitExceeded"),
    ]
    assert "completionTime" not in status(cluster)
    pods = objects(cluster, "pods")
    assert [each["status"]["phase"] for each in pods] == ["Failed"] * 3
    codes = {
        each["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] for each in pods
    }
    assert codes == {3}


def test_job_that_recovers() -> None:
    """A pod that fails once is replaced by one that does not, if the script says so."""
    cluster, _, _, play = playing()
    play.pods(NAMESPACE, "sum-*").crash(times=2)
    put(cluster, job(policy="OnFailure"))
    cluster.settle()

    [pod] = objects(cluster, "pods")
    assert pod["status"]["phase"] == "Succeeded"
    assert pod["status"]["containerStatuses"][0]["restartCount"] == 2
    assert status(cluster)["succeeded"] == 1


def test_restarts_count_as_failures() -> None:
    """With the restart policy OnFailure, restarts count, and the pod is deleted."""
    cluster, _, _, play = playing()
    play.pods(NAMESPACE, "sum-*").crash()
    put(cluster, job(policy="OnFailure", backoffLimit=2))
    cluster.settle()

    assert ("Failed", "True", "BackoffLimitExceeded") in conditions(
        one(cluster, "jobs", "sum", "batch")
    )
    assert objects(cluster, "pods") == []
    assert status(cluster)["failed"] == 1


def test_indexed_job() -> None:
    """Each pod of an indexed Job knows its index."""
    cluster, *_ = playing()
    put(cluster, job(completions=3, parallelism=3, completionMode="Indexed"))

    assert status(cluster)["completedIndexes"] == "0-2"
    pods = objects(cluster, "pods")
    for index, pod in enumerate(pods):
        assert pod["metadata"]["name"].startswith(f"sum-{index}-")
        assert pod["metadata"]["annotations"] == {
            "batch.kubernetes.io/job-completion-index": str(index)
        }
        assert pod["spec"]["hostname"] == f"sum-{index}"
        assert pod["spec"]["containers"][0]["env"][0]["name"] == "JOB_COMPLETION_INDEX"
    assert len(pods) == 3


def test_suspended_job() -> None:
    """A Job that is suspended has no pods until it is resumed."""
    cluster, *_ = playing()
    put(cluster, job(suspend=True))
    assert objects(cluster, "pods") == []
    assert conditions(one(cluster, "jobs", "sum", "batch")) == [
        ("Suspended", "True", "JobSuspended")
    ]
    assert "startTime" not in status(cluster)

    put(cluster, job(suspend=False))
    assert status(cluster)["succeeded"] == 1
    assert conditions(one(cluster, "jobs", "sum", "batch"))[0] == (
        "Suspended",
        "False",
        "JobResumed",
    )


def test_suspending_a_job_that_runs() -> None:
    """The pods of a Job that is suspended go, and do not count as failed."""
    cluster, *_ = playing(job_run=100)
    put(cluster, job())
    put(cluster, job(suspend=True))

    assert objects(cluster, "pods") == []
    assert without(status(cluster), "conditions", "uncountedTerminatedPods") == {
        "ready": 0,
        "terminating": 0,
    }


def test_deadline() -> None:
    """A Job that runs for too long fails, and its pods go."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE).run_forever()
    put(cluster, job(activeDeadlineSeconds=30))
    cluster.settle()
    assert clock.monotonic() == 0
    clock.step(30)

    assert ("Failed", "True", "DeadlineExceeded") in conditions(
        one(cluster, "jobs", "sum", "batch")
    )
    assert objects(cluster, "pods") == []


def test_time_to_live() -> None:
    """A Job that is over is deleted after its time to live, and its pods with it."""
    cluster, _, clock, _ = playing()
    put(cluster, job(ttlSecondsAfterFinished=60))
    clock.step(59)
    assert len(objects(cluster, "jobs", "batch")) == 1
    clock.step(1)
    cluster.settle()

    assert objects(cluster, "jobs", "batch") == []
    assert objects(cluster, "pods") == []


def test_deleted_job() -> None:
    """The pods of a Job that is deleted do not wait to be counted."""
    cluster, k, *_ = playing(job_run=100)
    put(cluster, job())
    k.batch_v1.jobs(NAMESPACE).delete("sum", propagation_policy="Background")

    assert objects(cluster, "pods") == []


def test_a_pod_that_is_deleted_is_replaced() -> None:
    """A pod that is deleted counts as failed, and another one follows."""
    cluster, k, clock, _ = playing(job_run=100)
    put(cluster, job())
    [pod] = objects(cluster, "pods")
    k.core_v1.pods(NAMESPACE).delete(pod["metadata"]["name"])
    assert status(cluster)["failed"] == 1
    clock.step(10)

    [other] = objects(cluster, "pods")
    assert other["metadata"]["uid"] != pod["metadata"]["uid"]


@pytest.mark.parametrize(
    ("rule", "failed", "reason"),
    [
        (
            {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}},
            1,
            "PodFailurePolicy",
        ),
        (
            {"action": "Count", "onExitCodes": {"operator": "In", "values": [3]}},
            2,
            "BackoffLimitExceeded",
        ),
        (
            {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [3]}},
            2,
            "BackoffLimitExceeded",
        ),
        ({"action": "Ignore", "onExitCodes": {"operator": "In", "values": [3]}}, 0, ""),
    ],
)
def test_failure_policy(rule: dict[str, Any], failed: int, reason: str) -> None:
    """A rule may end the Job at the first failure, or have failures not count."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE).crash(exit_code=3)
    put(cluster, job(backoffLimit=1, podFailurePolicy={"rules": [rule]}))
    clock.step(10)

    assert status(cluster).get("failed", 0) == failed
    last = conditions(one(cluster, "jobs", "sum", "batch"))[-1:]
    assert last == ([("Failed", "True", reason)] if reason else [])


def test_failure_policy_for_evictions() -> None:
    """Pods that their node has evicted need not count."""
    cluster, _, _, play = playing(job_run=100)
    condition = {"type": "DisruptionTarget", "status": "True"}
    rule = {"action": "Ignore", "onPodConditions": [condition]}
    put(cluster, job(backoffLimit=0, podFailurePolicy={"rules": [rule]}))
    play.pods(NAMESPACE).evict()
    cluster.settle()

    assert "failed" not in status(cluster)
    assert status(cluster)["succeeded"] == 1


@pytest.mark.parametrize(
    ("rule", "done"),
    [({"succeededCount": 1}, "0"), ({"succeededIndexes": "1-2"}, "0-2")],
)
def test_success_policy(rule: dict[str, Any], done: str) -> None:
    """A Job is complete when the indexes that matter are."""
    cluster, _, clock, _ = playing(job_run=10)
    indexed = {"completions": 5, "parallelism": 1, "completionMode": "Indexed"}
    put(cluster, job(successPolicy={"rules": [rule]}, **indexed))
    clock.step(100)

    assert status(cluster)["completedIndexes"] == done
    assert conditions(one(cluster, "jobs", "sum", "batch")) == [
        ("SuccessCriteriaMet", "True", "SuccessPolicy"),
        ("Complete", "True", "SuccessPolicy"),
    ]


# ------------------------------------------------------------------------------- CronJobs


def cron(schedule: str = "*/5 * * * *", policy: str = "Never", **spec: Any) -> dict[str, Any]:
    template = {"spec": {"template": {"spec": pod_spec(restartPolicy=policy)}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report", "namespace": NAMESPACE},
        "spec": {"schedule": schedule, "jobTemplate": template, **spec},
    }


def test_cron_job() -> None:
    """A Job is created at each of the times; old ones go."""
    cluster, _, clock, _ = playing()
    put(cluster, cron())
    cluster.settle()
    assert clock.monotonic() == 0
    clock.step(60 * 21)

    jobs = objects(cluster, "jobs", "batch")
    assert [each["metadata"]["creationTimestamp"] for each in jobs] == [
        "2026-01-01T00:10:00Z",
        "2026-01-01T00:15:00Z",
        "2026-01-01T00:20:00Z",
    ]
    assert jobs[0]["metadata"]["name"] == "report-29453770"
    assert jobs[0]["metadata"]["annotations"] == {
        "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:10:00Z"
    }
    assert one(cluster, "cronjobs", "report", "batch")["status"] == {
        "lastScheduleTime": "2026-01-01T00:20:00Z",
        "lastSuccessfulTime": "2026-01-01T00:20:00Z",
    }
    assert len(objects(cluster, "pods")) == 3


def test_cron_job_that_forbids_others() -> None:
    """A run is left out while another one goes on."""
    cluster, _, clock, play = playing()
    play.pods(NAMESPACE).run_forever()
    put(cluster, cron(concurrencyPolicy="Forbid"))
    clock.step(60 * 21)
    [only] = objects(cluster, "jobs", "batch")
    status = one(cluster, "cronjobs", "report", "batch")["status"]
    assert [each["name"] for each in status["active"]] == [only["metadata"]["name"]]

    put(cluster, cron(concurrencyPolicy="Replace"))
    clock.step(60 * 5)
    [other] = objects(cluster, "jobs", "batch")
    assert other["metadata"]["uid"] != only["metadata"]["uid"]


def test_suspended_cron_job() -> None:
    """A CronJob that is suspended does nothing."""
    cluster, _, clock, _ = playing()
    put(cluster, cron(suspend=True))
    clock.step(3600)

    assert objects(cluster, "jobs", "batch") == []


@pytest.mark.parametrize(
    ("schedule", "zone", "expected"),
    [
        ("*/15 * * * *", None, "2026-01-01T00:15"),
        ("30 4 * * *", None, "2026-01-01T04:30"),
        ("0 0 1 * *", None, "2026-02-01T00:00"),
        ("0 12 * * MON-FRI", None, "2026-01-01T12:00"),
        ("0 12 * * 1", None, "2026-01-05T12:00"),
        ("0 0 13 * 5", None, "2026-01-02T00:00"),
        ("0 0 29 2 *", None, "2028-02-29T00:00"),
        ("@daily", "America/New_York", "2026-01-01T05:00"),
        ("@every 90s", None, "2026-01-01T00:01"),
        ("0 0 31 2 *", None, None),
        ("5/20 * * * *", None, "2026-01-01T00:05"),
    ],
)
def test_schedules(schedule: str, zone: str | None, expected: str | None) -> None:
    """The next time of a schedule is found."""
    found_zone = read_zone(zone)
    assert found_zone is not None
    read = read_schedule(schedule, found_zone)
    assert read is not None
    found = read.next(datetime(2026, 1, 1, tzinfo=UTC))
    assert (found and found.strftime("%Y-%m-%dT%H:%M")) == expected


def test_latest_time() -> None:
    """The last time that has passed is found, however many there were."""
    read = read_schedule("* * * * *", UTC)
    assert read is not None
    start, end = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    assert read.latest(start, end) == datetime(2026, 1, 1, tzinfo=UTC)
    assert read.latest(end, end) is None


def test_numbers_that_are_too_large() -> None:
    """Deadlines and schedules beyond all bounds are put off, and indexes are limited."""
    cluster, *_ = playing(job_run=10)
    put(cluster, job(activeDeadlineSeconds=2**62, completionMode="Indexed", completions=10**9))
    huge = {**one(cluster, "jobs", "sum", "batch"), "status": {"completedIndexes": "0-999999998"}}
    set_status(cluster, {**huge, "metadata": {"name": "sum", "namespace": NAMESPACE}})
    assert status(cluster)["succeeded"] == 100_000
    put(cluster, cron("@every 99999999999h", startingDeadlineSeconds=2**62))
    put(cluster, {**cron("* * * * *", startingDeadlineSeconds=2**62), "metadata": OTHER})
    cluster.clock.step(120)
    assert len(objects(cluster, "jobs", "batch")) == 3


def test_too_many_pods_of_a_job() -> None:
    """A Job, a StatefulSet and a Deployment that want millions of pods get as many as may be."""
    cluster, *_ = playing(max_pods=5, job_run=10)
    put(cluster, job(parallelism=10**6, completions=10**6))
    put(cluster, deployment(replicas=10**6))
    template = {"metadata": {"labels": {"app": "db"}}, "spec": pod_spec()}
    spec = {"selector": {"matchLabels": {"app": "db"}}, "template": template}
    many = {"replicas": 10**6, "podManagementPolicy": "Parallel", "serviceName": "db"}
    metadata = {"name": "db", "namespace": NAMESPACE}
    value = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata}
    put(cluster, {**value, "spec": {**spec, **many}})

    assert len(objects(cluster, "pods")) == 5
    assert "FailedCreate" in reasons(cluster, "db")
