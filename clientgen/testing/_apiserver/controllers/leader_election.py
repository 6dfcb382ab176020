"""Coordinated leader election: names the holder of a lease, among its LeaseCandidates (KEP-4355).

In a real cluster, a controller inside of the API server does this, if its feature gate
`CoordinatedLeaderElection` is on. The steps and durations are those of
kubernetes/pkg/controlplane/controller/leaderelection: a step looks at the lease and its candidates,
and asks candidates for a sign of life, or names the best of those that gave one, or does nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clientgen._json import part

from ..feature_gates import COORDINATED_LEADER_ELECTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..storage.cluster_state import ClusterState
    from ..storage.store import Change

_LEASES: Final = "leases.coordination.k8s.io"
_CANDIDATES: Final = "leasecandidates.coordination.k8s.io"
_OLDEST_EMULATION_VERSION: Final = "OldestEmulationVersion"
_INTERVAL_SECONDS: Final = 5.0
_LEASE_SECONDS: Final = 5
_ELECTION: Final = timedelta(seconds=5)
_VALID: Final = timedelta(minutes=30)
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


class Elections:
    """Names the holders of leases that have candidates, some time after a change."""

    def __init__(self, cluster: ClusterState, delay: float) -> None:
        self._cluster = cluster
        self._delay = delay
        self._planned: dict[tuple[str, str], tuple[float, Callable[[], None]]] = {}
        self._leases = cluster.store.collection(_LEASES)
        self._candidates = cluster.store.collection(_CANDIDATES)
        self._leases.watch(self._lease_changed)
        self._candidates.watch(self._candidate_changed)

    def _lease_changed(self, change: Change) -> None:
        if self._candidates.records:
            self._plan(change.record.namespace, change.record.name, self._delay)

    def _candidate_changed(self, change: Change) -> None:
        if self._cluster.has_gate(COORDINATED_LEADER_ELECTION):
            record = change.record
            name = str(part(record.value(), "spec").get("leaseName") or "")
            self._plan(record.namespace, name, self._delay)

    def _plan(self, namespace: str, name: str, seconds: float) -> None:
        """Plan the next step of an election, unless it is planned for an earlier time."""
        if not self._cluster.has_gate(COORDINATED_LEADER_ELECTION):
            return
        key, due = (namespace, name), self._cluster.clock.monotonic() + seconds
        planned = self._planned.get(key)
        if planned is not None:
            if planned[0] <= due:
                return
            planned[1]()
        work = partial(self._step, namespace, name)
        self._planned[key] = due, self._cluster.later(seconds, work, awaited=False)

    def _step(self, namespace: str, name: str) -> None:
        """Do the next step of the election of one lease, and look again later."""
        self._planned.pop((namespace, name), None)
        now = self._cluster.now()
        candidates = [each for each in self._of(namespace, name) if not _is_expired(each, now)]
        if not candidates:
            return
        record = self._leases.records.get(f"{namespace}/{name}")
        lease = None if record is None else record.value()
        if _is_election_needed(lease, candidates, now) and self._have_answered(candidates, now):
            self._elect(namespace, name, lease, candidates, now)
        self._plan(namespace, name, _INTERVAL_SECONDS)

    def _of(self, namespace: str, lease: str) -> list[dict[str, Any]]:
        candidates = [record.value() for record in self._candidates.now(namespace)]
        return [each for each in candidates if part(each, "spec").get("leaseName") == lease]

    # ---- signs of life ------------------------------------------------------------------------

    def _have_answered(self, candidates: Iterable[dict[str, Any]], now: datetime) -> bool:
        """Ask candidates for a sign of life. Return whether none is waited for."""
        waits = False
        for each in candidates:
            asked, renewed = _time(each, "pingTime"), _time(each, "renewTime")
            if asked > renewed and asked + _ELECTION > now:
                waits = True
            elif renewed + _ELECTION <= now and (asked == _LONG_AGO or asked <= renewed):
                part(each, "spec")["pingTime"] = _text(now)
                self._candidates.put(each, self._form(each))
                waits = True
        return not waits

    def _form(self, candidate: Mapping[str, Any]) -> str:
        metadata = candidate["metadata"]
        return self._candidates.records[f"{metadata['namespace']}/{metadata['name']}"].form

    # ---- the vote -----------------------------------------------------------------------------

    def _elect(
        self,
        namespace: str,
        name: str,
        lease: dict[str, Any] | None,
        candidates: Iterable[dict[str, Any]],
        now: datetime,
    ) -> None:
        """Write the best candidate with a sign of life into the lease, or ask the holder to go."""
        alive = [each for each in candidates if _time(each, "renewTime") + _ELECTION > now]
        strategy = _strategy(alive)
        if not strategy:
            return
        best = _best(alive) if strategy == _OLDEST_EMULATION_VERSION else ""
        if lease is None:
            self._create(namespace, name, strategy, best, now)
            return
        spec = dict(part(lease, "spec"))
        holder = spec.get("holderIdentity") or ""
        spec["strategy"] = strategy
        if best and (not holder or (_is_lease_expired(spec, now) and holder != best)):
            spec = {key: spec[key] for key in spec if key not in ("preferredHolder", "acquireTime")}
            spec |= {"holderIdentity": best, **_fresh(now)}
        elif best and holder != best:
            spec["preferredHolder"] = best
        if spec != part(lease, "spec"):
            record = self._leases.records[f"{namespace}/{name}"]
            self._leases.put({**lease, "spec": spec}, record.form)

    def _create(self, namespace: str, name: str, strategy: str, best: str, now: datetime) -> None:
        from ..storage.seed import put

        holder = {"holderIdentity": best} if best else {}
        lease = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"strategy": strategy, **holder, **_fresh(now)},
        }
        put(self._cluster, lease, makes_namespace=False)


def _fresh(now: datetime) -> dict[str, Any]:
    return {"leaseDurationSeconds": _LEASE_SECONDS, "renewTime": _text(now)}


def _is_election_needed(
    lease: dict[str, Any] | None, candidates: list[dict[str, Any]], now: datetime
) -> bool:
    """Return whether the lease has no holder, or not the best one."""
    spec = {} if lease is None else part(lease, "spec")
    holder = spec.get("holderIdentity") or ""
    if not holder or _is_lease_expired(spec, now):
        return True
    if any(_time(each, "renewTime") + _VALID / 2 < now for each in candidates):
        return True  # before they expire
    if _strategy(candidates) != _OLDEST_EMULATION_VERSION:
        return False
    return _best(candidates) not in ("", holder)


def _is_lease_expired(spec: Mapping[str, Any], now: datetime) -> bool:
    seconds = spec.get("leaseDurationSeconds")
    renewed = spec.get("renewTime")
    return not renewed or not seconds or _parsed(renewed) + timedelta(seconds=seconds) < now


def _is_expired(candidate: dict[str, Any], now: datetime) -> bool:
    return _time(candidate, "renewTime") < now - _VALID


def _strategy(candidates: Iterable[dict[str, Any]]) -> str:
    """Return the strategy of the candidates with the latest binary version.

    It is empty if there is no candidate, or they do not agree.
    """
    specs = [part(each, "spec") for each in candidates]
    latest = max((_version(spec.get("binaryVersion")) for spec in specs), default=())
    chosen = {spec["strategy"] for spec in specs if _version(spec.get("binaryVersion")) == latest}
    return str(chosen.pop()) if len(chosen) == 1 else ""


def _best(candidates: Iterable[dict[str, Any]]) -> str:
    """Return the candidate with the oldest versions; of equal ones, the one that came first."""

    def key(candidate: dict[str, Any]) -> tuple[Any, ...]:
        spec, metadata = part(candidate, "spec"), candidate["metadata"]
        versions = [_version(spec.get(name)) for name in ("emulationVersion", "binaryVersion")]
        return (*versions, metadata.get("creationTimestamp") or "", metadata["name"])

    valid = [each for each in candidates if part(each, "spec").get("emulationVersion")]
    return str(min(valid, key=key)["metadata"]["name"]) if valid else ""


def _version(text: object) -> tuple[int, ...]:
    numbers = str(text or "0").partition("-")[0].partition("+")[0].split(".")
    return tuple(int(each) for each in numbers if each.isdecimal())


def _time(candidate: dict[str, Any], name: str) -> datetime:
    text = part(candidate, "spec").get(name)
    return _parsed(text) if text else _LONG_AGO


def _parsed(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _text(now: datetime) -> str:
    return now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
