"""Plays back conversations recorded from a real API server against `clientgen serve`.

`tests/conformance` holds the scenarios and the tool. A step that differs has to be listed, with the
reason, in docs/internals/conformance.md. A listed step that no longer differs has to be taken off
the list.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
KIT = ROOT / "tests" / "conformance"
LISTED = ROOT / "docs" / "internals" / "conformance.md"
BARS = {"generic": 98.0, "crd": 95.0, "ssa": 90.0}
OTHERS = 70.0


def load_replay() -> Any:
    spec = importlib.util.spec_from_file_location("replay", KIT / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["replay"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    kubeconfig = tmp_path_factory.mktemp("serve") / "kubeconfig"
    command = [sys.executable, "-m", "clientgen", "serve", "--kubeconfig", str(kubeconfig)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline()  # one line when it is ready
        yield yaml.safe_load(kubeconfig.read_text())["clusters"][0]["cluster"]["server"]
        server.terminate()
        assert server.wait(10) == 0


@pytest.fixture(scope="module")
def replay() -> Any:
    return load_replay()


@pytest.fixture(scope="module")
def results(url: str, replay: Any) -> list[Any]:
    server = replay.Server(url)
    paths = sorted((KIT / "scenarios").glob("*.json"))
    # Nodes are in no namespace: scenarios about them would see each other's.
    alone = [path for path in paths if "/api/v1/nodes" in path.read_text("utf-8")]
    with ThreadPoolExecutor(8) as pool:
        together = [path for path in paths if path not in alone]
        done = list(pool.map(lambda path: replay.play(server, path), together))
    return done + [replay.play(server, path) for path in alone]


def listed() -> set[str]:
    """The steps that differ, by docs/internals/conformance.md: `scenario / step` comes first."""
    rows = re.findall(r"^\| `([^`]+)` \|", LISTED.read_text("utf-8"), re.MULTILINE)
    return set(rows)


@pytest.mark.slow
def test_every_difference_is_listed_and_every_listed_step_differs(results: list[Any]) -> None:
    differ = {
        f"{result.file.removesuffix('.json')} / {step.name}": step.semantic
        for result in results
        for step in result.steps
        if step.semantic is not None
    }
    unlisted = [f"{name}: {differ[name]}" for name in sorted(differ.keys() - listed())]
    assert not unlisted, "\n".join(unlisted)
    assert not listed() - differ.keys()


@pytest.mark.slow
def test_scores_by_class(
    results: list[Any], replay: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    _, classes, total = replay.tallies(results)
    with capsys.disabled():
        print()
        for name in sorted(classes):
            print(classes[name].line(name))
        print(total.line("TOTAL"))
    for name, bar in BARS.items():
        assert 100 * classes[name].semantic / classes[name].steps >= bar, name
    others = [tally for name, tally in classes.items() if name not in BARS]
    assert 100 * sum(t.semantic for t in others) / sum(t.steps for t in others) >= OTHERS


def test_a_scenario_is_recorded_as_it_is_replayed(url: str, tmp_path: Path) -> None:
    committed = KIT / "scenarios" / "own-crud-created-with-version.json"
    scenario = json.loads(committed.read_text("utf-8"))
    for step in scenario["steps"]:
        del step["expect"]
    recorded = tmp_path / committed.name
    recorded.write_text(json.dumps(scenario), "utf-8")

    tool = [sys.executable, str(KIT / "record.py"), "--server", url, "--scenarios", str(tmp_path)]
    subprocess.run(tool, check=True, capture_output=True)

    assert json.loads(recorded.read_text("utf-8")) == json.loads(committed.read_text("utf-8"))
    assert list(tmp_path.iterdir()) == [recorded]
    scenario["steps"][0]["checks"] = [{"op": "eq", "left": "$.kind", "right": "Wrong"}]
    recorded.write_text(wrong := json.dumps(scenario), "utf-8")
    done = subprocess.run(tool, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "0 of 1 scenarios recorded" in done.stdout
    assert recorded.read_text("utf-8") == wrong
