"""Leaves a controller running against a server on which something goes wrong every second.

::

    python -m benchmarks.soak --minutes 10
    python -m benchmarks.soak --minutes 3 --flavour threads

The controller (`workers/soaked.py`) is a process of its own: only its memory, tasks, threads and
sockets count. The server is a FakeCluster over HTTP in this one, with some writes a second. It
needs no environment but one that has clientgen and the generated package.

When the time is over the faults end, the cache must come to equal what the server has, and the
controller must stop in order; the exit code is 1 if one of them does not, if handlers were told
what cannot be, or if something has grown.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

from clientgen.runtime._http.request import HttpRequest
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.responses.answers import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from clientgen.testing._fake.reactors import Rule

PODS, NODES = 400, 20
WRITES_A_SECOND = 30
_REPORT_EVERY = 30.0
_PATIENCE = 120.0
_COLUMNS = (
    *("rss_mb", "settled_mb", "blocks", "tasks", "threads", "fds", "sockets"),
    *("queued", "backlog", "watch_errors", "wrong"),
)
_MOST_GROWTH_MB = 3.0
_MOST_REQUESTS = 100.0
# After these an informer pauses, as client-go's do, for up to a minute, and nothing can hit it.
_SEVERE_EVERY = 12
_GO_AWAY_EVERY = 100


class World:
    """The server, what is written on it, and what goes wrong."""

    def __init__(self, seed: int) -> None:
        self._dice = Random(seed)
        self.cluster = FakeCluster(record=False, history_events=2_000, seed=seed)
        self._served = LocalServer(self.cluster).__enter__()
        self.kubeconfig = self._served.kubeconfig
        self._counter = self.cluster.react("*", "*", lambda _: None)
        self._failing: list[Rule] = []
        self._failed = 0
        self._next_pod = 0
        self._pods: list[str] = []
        self.done: Counter[str] = Counter()
        for number in range(NODES):
            self._put("Node", f"node-{number}", {})
        for _ in range(PODS):
            self._create()

    @property
    def requests(self) -> int:
        """How many have come in; those that were refused among them."""
        refused: int = sum(rule.hits for rule in self._failing)
        return self._counter.hits + self._failed + refused

    def close(self) -> None:
        """Serve no more."""
        self._served.close()

    # ---- writes -------------------------------------------------------------------------------

    def write(self) -> None:
        """Change something."""
        choice = self._dice.random()
        if choice < 0.1 or not self._pods:
            self._create()
        elif choice < 0.2:
            place = self._dice.randrange(len(self._pods))
            self._delete(self._pods.pop(place))
        else:
            self._pod(self._dice.choice(self._pods))

    def _create(self) -> None:
        self._next_pod += 1
        self._pods.append(f"pod-{self._next_pod}")
        self._pod(self._pods[-1])

    def _pod(self, name: str) -> None:
        node = f"node-{self._dice.randrange(NODES)}"
        container = {"name": "main", "image": f"example.com/app:{self._dice.random()}"}
        self._put("Pod", name, {"nodeName": node, "containers": [container]})

    def _put(self, kind: str, name: str, spec: dict[str, Any]) -> None:
        metadata = {"name": name} | ({"namespace": "default"} if kind == "Pod" else {})
        with self.cluster.desk.lock:
            self.cluster.server.put(
                {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
            )

    def _delete(self, name: str) -> None:
        self._ask("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")

    def _ask(self, method: str, target: str) -> Any:
        """Past the desk: such requests neither fail nor count."""
        with self.cluster.desk.lock:
            answer = self.cluster.server.handle(HttpRequest(method, target))
        assert isinstance(answer, Response), answer
        assert answer.status < 300, answer.body
        return json.loads(answer.body)

    def versions(self) -> dict[str, str]:
        """What a cache should have."""
        versions: dict[str, str] = {}
        for plural in ("pods", "nodes"):
            for each in self._ask("GET", f"/api/v1/{plural}")["items"]:
                metadata = each["metadata"]
                path = [plural, metadata.get("namespace", ""), metadata["name"]]
                versions["/".join(filter(None, path))] = metadata["resourceVersion"]
        return versions

    # ---- faults -------------------------------------------------------------------------------

    def fault(self) -> None:
        """Have something go wrong."""
        mild = [self.drop, self.end, self.cut_patch, self.stutter, self.slow]
        severe = [
            *(self.expire, self.busy, self.broken, self.refuse),
            *(self.cut_watch, self.cut_list, self.compact, self.restart),
        ]
        kind: Callable[[], object] = self._dice.choice(
            severe if self._dice.randrange(_SEVERE_EVERY) == 0 else mild
        )
        if self._dice.randrange(_GO_AWAY_EVERY) == 0:
            kind = self.go_away
        self.done[kind.__name__] += 1
        kind()
        self._forget_spent_rules()

    def _forget_spent_rules(self) -> None:
        """What was not hit for a while is taken back, so that faults do not pile up."""
        for rule in self._failing[:-10]:
            rule.remove()
            self._failed += rule.hits
        self._failing = self._failing[-10:]

    def _fail(self, error: int, *, retry_after: int | None = None) -> None:
        verb = self._dice.choice(["watch", "watch", "list", "patch"])
        resource = self._dice.choice(["pods", "nodes"]) if verb != "patch" else "nodes"
        times = self._dice.randrange(1, 4)
        rule = self.cluster.fail(verb, resource, error, times=times, retry_after=retry_after)
        self._failing.append(rule)
        if verb != "patch":
            self.cluster.drop_watches(resource)

    def _cut(self, verb: str, resource: str) -> None:
        self.cluster.cut(verb, resource, after=self._dice)

    def drop(self) -> None:
        """Watches break."""
        self.cluster.drop_watches()

    def end(self) -> None:
        """Watches end in order."""
        self.cluster.end_watches()

    def expire(self) -> None:
        """Watches end with 410."""
        self.cluster.end_watches(expired=True)

    def busy(self) -> None:
        """429, with or without Retry-After."""
        self._fail(429, retry_after=self._dice.choice([None, 1]))

    def broken(self) -> None:
        """A server that does not work."""
        self._fail(self._dice.choice([500, 502, 503, 504]))

    def refuse(self) -> None:
        """A server that does not want to."""
        self._fail(self._dice.choice([401, 403, 410]))

    def cut_watch(self) -> None:
        """The next watch breaks at some byte."""
        resource = self._dice.choice(["pods", "nodes"])
        self._cut("watch", resource)
        self.cluster.drop_watches(resource)

    def cut_list(self) -> None:
        """The next list breaks at some byte; something makes it necessary."""
        self._cut("list", self._dice.choice(["pods", "nodes"]))
        self.expire()

    def cut_patch(self) -> None:
        """The answer to a write breaks at some byte; it was done."""
        self._cut("patch", "nodes")

    def stutter(self) -> None:
        """Events come twice."""
        self.cluster.duplicate_events(times=5)

    def slow(self) -> None:
        """Answers take their time."""
        self.cluster.delay(self._dice.random(), times=2)

    def compact(self) -> None:
        """The history is gone when the watches come back."""
        self.cluster.compact()
        self.drop()

    def restart(self) -> None:
        """All connections break, and the history is gone."""
        self.cluster.restart()

    def go_away(self) -> None:
        """Nobody listens for a moment; then a server without history does."""
        port = self._served.port
        self._served.close()
        self.cluster.restart()
        time.sleep(1.0)
        self._served = LocalServer(self.cluster, port=port).__enter__()


class Patient:
    """The controller's process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def state(self) -> dict[str, Any]:
        """How it is."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the controller ended with {self._process.wait()}")
        state: dict[str, Any] = json.loads(line)
        return state

    def stop(self) -> int:
        """Have it end; gives its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(_PATIENCE)


@contextmanager
def _started(flavour: str, kubeconfig: str) -> Generator[Patient]:
    command = [sys.executable, "-m", "benchmarks.workers.soaked", flavour, kubeconfig]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            yield Patient(process)
        finally:
            process.kill()


class Soak:
    """A run."""

    def __init__(self, world: World, patient: Patient) -> None:
        self._world = world
        self._patient = patient
        self._began = time.monotonic()
        self._counted = (0.0, 0)
        self.reports: list[dict[str, Any]] = []

    def run(self, seconds: float) -> None:
        """Write and break things for so long, and report now and then."""
        reported = faulted = written = 0
        self.report()
        while (now := time.monotonic() - self._began) < seconds:
            if now >= (reported + 1) * _REPORT_EVERY:
                reported += 1
                self.report()
            if now >= faulted + 1:
                faulted = int(now)
                self._world.fault()
            while written < now * WRITES_A_SECOND:
                written += 1
                self._world.write()
            time.sleep(0.02)

    def settle(self) -> bool:
        """Without faults, the cache comes to equal what the server has."""
        until = time.monotonic() + _PATIENCE
        while True:
            state = self._patient.state()
            busy = state["queued"] + state["backlog"]
            if state["cached"] == self._world.versions() and not busy:
                return True
            if time.monotonic() > until:
                return False
            time.sleep(0.5)

    def report(self) -> dict[str, Any]:
        """Print a line, and remember it."""
        state = self._patient.state()
        now = time.monotonic() - self._began
        before, counted = self._counted
        requests = self._world.requests
        state["requests"] = (requests - counted) / max(now - before, 0.001)
        self._counted = (now, requests)
        expected, cached = self._world.versions(), state.pop("cached")
        state["behind"] = sum(
            expected.get(key) != cached.get(key) for key in expected.keys() | cached
        )
        self.reports.append(state)
        shown = "  ".join(f"{name} {_number(state[name])}" for name in _COLUMNS)
        print(
            f"{now:6.0f} s  {shown}  requests/s {state['requests']:.1f}"
            f"  behind {state['behind']}  told {state['told']}"
            f"  reconciled {state['reconciled']}  written {state['written']}"
            f"  failed {state['failed']}  CPU {state['cpu']:.1f} s",
            flush=True,
        )
        return state


def _number(value: float) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def main() -> int:
    """Soak; 1 if something was wrong in the end."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--flavour", choices=["asyncio", "threads"], default="asyncio")
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it logs what is cut
    world = World(options.seed)
    try:
        with _started(options.flavour, world.kubeconfig) as patient:
            soak = Soak(world, patient)
            soak.run(options.minutes * 60)
            world.cluster.clear_reactions()
            equal = soak.settle()
            soak.report()
            code = patient.stop()
    finally:
        world.close()
    print("faults:", ", ".join(f"{name} {count}" for name, count in sorted(world.done.items())))
    return _judge(soak.reports, equal=equal, code=code)


def _judge(reports: list[dict[str, Any]], *, equal: bool, code: int) -> int:
    """Say what was wrong. The first minute is for warming up."""
    warm, last = reports[min(2, len(reports) - 1)], reports[-1]
    growth = last["settled_mb"] - warm["settled_mb"]
    most = max(each["requests"] for each in reports)
    wrong = [
        *([] if equal else ["the cache does not equal what the server has"]),
        *([f"the controller ended with {code}"] if code else []),
        *([f"handlers were told {last['wrong']} things that cannot be"] if last["wrong"] else []),
        *([f"memory has grown by {growth:.1f} MB"] if growth > _MOST_GROWTH_MB else []),
        *([f"{most:.0f} requests in a second"] if most > _MOST_REQUESTS else []),
        *(
            f"{name}: {warm[name]} became {last[name]}"
            for name in ("tasks", "threads", "sockets")
            if last[name] > warm[name] + 4
        ),
    ]
    print("; ".join(wrong) or "the cache equals the server's lists; nothing has grown")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
