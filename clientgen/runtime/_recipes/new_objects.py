"""The objects that `kubectl run`, `create job --from` and `autoscale` make.

kubectl: pkg/generate/versioned/run.go, pkg/cmd/create/create_job.go, pkg/cmd/autoscale.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from .._conditions.json_fields import Json, part, text
from .._models.quantity import Quantity
from ..errors import one_line
from .pod_templates import check_variables
from .texts import check_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_MANUAL: Final = {"cronjob.kubernetes.io/instantiate": "manual"}

# distribution: reference.ReferenceRegexp.
_HOST_PART: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_HOST: Final = rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?/"
_PATH_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST: Final = r"@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_match_image: Final = re.compile(
    rf"(?:{_HOST})?{_PATH_PART}(?:/{_PATH_PART})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?(?:{_DIGEST})?"
).fullmatch
_MAX_IMAGE: Final = 512
_match_percentage: Final = re.compile(r"([0-9]{1,10})%").fullmatch
_match_number: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,9})?").fullmatch
# The units of amounts without one, by resource.
_UNITS: Final = {"cpu": "m", "memory": "Mi"}


class PodToRun(Struct, frozen=True):
    """The options of `run`."""

    name: str
    image: str
    command: Sequence[str]
    args: Sequence[str]
    env: Mapping[str, str]
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    port: int | None
    restart: str
    image_pull_policy: str | None
    stdin: bool
    tty: bool
    privileged: bool

    def check(self) -> None:
        """Check the options.

        Raises:
            TypeError: `command` or `args` is one text, not a list.
            ValueError: An option has a wrong value.
        """
        if len(self.image) > _MAX_IMAGE or not _match_image(self.image):
            raise ValueError(f"run: {one_line(repr(self.image))} is not the name of an image")
        _check_choice("restart", self.restart, _RESTART_POLICIES)
        if self.image_pull_policy is not None:
            _check_choice("image_pull_policy", self.image_pull_policy, _PULL_POLICIES)
        if self.tty and not self.stdin:
            raise ValueError("run: tty=True needs stdin=True")
        check_variables("run", self.env)
        check_names("run", "command", self.command)
        check_names("run", "args", self.args)

    def manifest(self) -> Json:
        """Return the manifest of the Pod."""
        metadata: Json = {"name": self.name, "labels": self._labels()}
        if self.annotations:
            metadata["annotations"] = dict(self.annotations)
        spec: Json = {
            "containers": [self._container()],
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": self.restart,
        }
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    def service(self) -> Json:
        """Return the manifest of the Service for the Pod."""
        labels = self._labels()
        port = {"port": self.port, "protocol": "TCP", "targetPort": self.port}
        metadata: Json = {"name": self.name}
        if self.labels:
            metadata["labels"] = labels
        spec: Json = {"selector": labels, "ports": [port]}
        return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}

    def _labels(self) -> dict[str, str]:
        return dict(self.labels) or {"run": self.name}

    def _container(self) -> Json:
        container: Json = {"name": self.name, "image": self.image}
        values: Json = {
            "command": list(self.command),
            "args": list(self.args),
            "env": [{"name": name, "value": value} for name, value in self.env.items()],
            "ports": [] if self.port is None else [{"containerPort": self.port}],
            "imagePullPolicy": self.image_pull_policy,
            "stdin": self.stdin,
            "stdinOnce": self.stdin,
            "tty": self.tty,
            "securityContext": {"privileged": True} if self.privileged else {},
        }
        return container | {name: value for name, value in values.items() if value}


def _check_choice(what: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ValueError(f"run: {what} is one of {', '.join(choices)}, not {value!r}")


def job_of(cron_job: Json, name: str) -> Json:
    """Return the manifest of a Job that runs a CronJob once.

    The CronJob owns it. As in kubectl, the owner does not block its deletion, which would need
    another right.
    """
    template = part(cron_job, "spec", "jobTemplate")
    metadata: Json = {
        "name": name,
        "namespace": text(cron_job, "metadata", "namespace"),
        "annotations": _MANUAL | part(template, "metadata", "annotations"),
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": text(cron_job, "metadata", "name"),
                "uid": text(cron_job, "metadata", "uid"),
                "controller": True,
            }
        ],
    }
    if labels := part(template, "metadata", "labels"):
        metadata["labels"] = labels
    spec = part(template, "spec")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


class Autoscaling(Struct, frozen=True):
    """The options of `autoscale`."""

    max: int
    min: int | None
    cpu: str | None
    memory: str | None
    name: str | None

    def check(self) -> None:
        """Check the options.

        Raises:
            ValueError: A bound or a target is not valid.
        """
        for what, value in (("max", self.max), ("min", self.min)):
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"autoscale: {what} must be a number of at least 1, not {value!r}")
        if self.min is not None and self.min > self.max:
            raise ValueError(f"autoscale: min={self.min} is more than max={self.max}")
        self.metrics()

    def metrics(self) -> list[Json]:
        """Return the metrics of the autoscaler.

        Raises:
            ValueError: A target is neither a percentage nor a quantity.
        """
        return [
            {"type": "Resource", "resource": {"name": name, "target": _target_of(name, value)}}
            for name, value in (("cpu", self.cpu), ("memory", self.memory))
            if value is not None
        ]

    def manifest(self, api_version: str, kind: str, name: str) -> Json:
        """Return the manifest of the autoscaler of an object."""
        spec: Json = {
            "scaleTargetRef": {"apiVersion": api_version, "kind": kind, "name": name},
            "maxReplicas": self.max,
        }
        if self.min is not None:
            spec["minReplicas"] = self.min
        if metrics := self.metrics():
            spec["metrics"] = metrics
        return {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": self.name or name},
            "spec": spec,
        }


def _target_of(resource: str, value: Any) -> Json:
    """Return the target of a metric: `70%` of the requests, or an amount for each Pod."""
    shown = str(value).strip()
    if percentage := _match_percentage(shown):
        return {"type": "Utilization", "averageUtilization": int(percentage[1])}
    if _match_number(shown):
        shown += _UNITS[resource]
    try:
        amount = Quantity(shown)
    except ValueError as error:
        raise ValueError(f"autoscale: {resource}: {error}") from None
    return {"type": "AverageValue", "averageValue": amount.canonical()}
