"""Conditions to wait for: `pods.wait("web-0", until=condition("Ready"))`.

Every condition is a function of an object, which is a model or Unstructured. A condition that reads
only metadata also takes PartialObjectMetadata. `check` explains why the condition is not met::

    >>> ready.check(deployment)
    Verdict(met=False, why='2 of 3 updated replicas are available', failed=False)

`a & b`, `a | b` and `~a` combine conditions with each other and with your own functions.
"""

from __future__ import annotations

from typing import Final

from ._conditions.checks import DELETED, EXISTS, Check
from ._conditions.field_checks import condition, jsonpath, phase
from ._conditions.readiness import READY
from ._conditions.rollout import ROLLED_OUT
from ._conditions.verdict import Verdict

__all__ = [
    "Check",
    "Verdict",
    "condition",
    "deleted",
    "exists",
    "jsonpath",
    "phase",
    "ready",
    "rolled_out",
]

ready: Final = READY
"""The object is ready. Built-in kinds have rules; for other kinds, their conditions decide.

A Pod is Ready or Succeeded; a Deployment has all its replicas updated and available; a claim is
bound; a CustomResourceDefinition is established; a Job has started. To wait until a Job is
complete, use `condition("Complete")`. The rules are those of kstatus (sigs.k8s.io/cli-utils).
"""

rolled_out: Final = ROLLED_OUT
"""The rollout of a Deployment, StatefulSet or DaemonSet is complete, as in `kubectl rollout`."""

exists: Final = EXISTS
"""The object exists."""

deleted: Final = DELETED
"""The object was deleted. A new object with the same name counts as another object."""
