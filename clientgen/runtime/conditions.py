"""Conditions to wait for: `pods.wait("web-0", until=condition("Ready"))`.

Every condition is a function of an object, of any model class, of Unstructured or of
PartialObjectMetadata as far as the metadata goes. `check` also says why it is not true yet::

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
"""The object is in service. Built-in kinds have rules; other kinds are judged by their conditions.

A Pod is Ready or Succeeded, a Deployment has all its replicas updated and available, a claim is
bound, a definition is established. A Job has started: for its end, use `condition("Complete")`. The
rules are those of kstatus (sigs.k8s.io/cli-utils).
"""

rolled_out: Final = ROLLED_OUT
"""The rollout of a Deployment, StatefulSet or DaemonSet is over, as `kubectl rollout status`."""

exists: Final = EXISTS
"""There is such an object."""

deleted: Final = DELETED
"""There is no such object any more. A new object of the same name is another one."""
