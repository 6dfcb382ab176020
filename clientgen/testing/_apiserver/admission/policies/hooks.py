"""The stored policies with the bindings that put them in force."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part, parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...storage.cluster_state import ClusterState
    from ...storage.store import Record

GROUP: Final = "admissionregistration.k8s.io"


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy.

    Attributes:
        variables: the expressions of its variables, by name.
        ignores_failures: whether the request passes when the policy cannot be evaluated.
    """

    name: str
    spec: Mapping[str, Any]
    variables: Mapping[str, str]
    ignores_failures: bool

    @classmethod
    def of(cls, record: Record) -> Policy:
        """Read a stored policy."""
        spec = part(record.value(), "spec")
        variables = {each["name"]: each["expression"] for each in parts(spec, "variables")}
        return cls(record.name, spec, variables, spec.get("failurePolicy") == "Ignore")

    @property
    def conditions(self) -> list[str]:
        """The expressions of its `matchConditions`."""
        return [each["expression"] for each in parts(self.spec, "matchConditions")]


@dataclass(frozen=True, slots=True)
class Binding:
    """A binding."""

    name: str
    spec: Mapping[str, Any]

    @classmethod
    def of(cls, record: Record) -> Binding:
        """Read a stored binding."""
        return cls(record.name, part(record.value(), "spec"))

    @property
    def policy(self) -> str:
        """The name of its policy."""
        return str(self.spec.get("policyName") or "")


@dataclass(frozen=True, slots=True)
class Hook:
    """A policy with its bindings, one at least; both in the order of their names."""

    policy: Policy
    bindings: list[Binding] = field(default_factory=list[Binding])


class Hooks:
    """Reads the policies and bindings of one sort, and reads them again when they have changed.

    Args:
        cluster: where they are stored.
        policies: the plural of the policies.
        bindings: the plural of the bindings.
    """

    def __init__(self, cluster: ClusterState, policies: str, bindings: str) -> None:
        self._policies = cluster.store.collection(f"{policies}.{GROUP}")
        self._bindings = cluster.store.collection(f"{bindings}.{GROUP}")
        self._seen: tuple[int, int] | None = None
        self._hooks: list[Hook] = []

    @property
    def any(self) -> bool:
        """Whether there is a binding at all."""
        return bool(self._bindings.records)

    def now(self) -> list[Hook]:
        """All of them."""
        policies, bindings = self._policies, self._bindings
        seen = (policies.changed_at, bindings.changed_at)
        if seen != self._seen:
            self._hooks = _joined(policies.now(), bindings.now())
            self._seen = seen
        return self._hooks


def _joined(policies: list[Record], bindings: list[Record]) -> list[Hook]:
    bound: dict[str, list[Binding]] = {}
    for record in bindings:
        binding = Binding.of(record)
        bound.setdefault(binding.policy, []).append(binding)
    return [
        Hook(Policy.of(record), bound[record.name]) for record in policies if record.name in bound
    ]
