"""`clientgen monitoring`: its dashboard and alerts ask for metrics that a manager has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from prometheus_client import CollectorRegistry

from clientgen.cli.program import program
from clientgen.runtime._controllers.manager_metrics import ManagerMetrics

# Labels that Prometheus adds.
_TARGET = {"namespace", "pod", "le"}
_SUFFIXES = {"counter": "_total", "gauge": "", "histogram": "_bucket"}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(program, ["monitoring", *arguments])


def known_metrics() -> dict[str, set[str]]:
    """Return the labels of all metrics of a manager and of a process."""
    registry = CollectorRegistry()
    ManagerMetrics(registry)
    found: dict[str, set[str]] = {"process_resident_memory_bytes": set()}
    for collector in registry._collector_to_names:
        for family in collector.collect():
            owner: Any = collector if hasattr(collector, "_labelnames") else family
            found[family.name + _SUFFIXES[family.type]] = set(owner._labelnames)
    return found


def expressions(folder: Path) -> Iterator[str]:
    dashboard = json.loads((folder / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]
    (group,) = yaml.safe_load((folder / "alerts.yaml").read_text())["spec"]["groups"]
    for rule in group["rules"]:
        yield rule["expr"]


def test_every_expression_asks_for_a_metric_that_exists(tmp_path: Path) -> None:
    result = run("--name", "shops", "--namespace", "bank", "--output", str(tmp_path / "m"))
    assert result.exit_code == 0, result.output
    assert "dashboard.json, alerts.yaml, pod-monitor.yaml" in result.output
    known = known_metrics()
    asked: set[str] = set()

    for expression in expressions(tmp_path / "m"):
        assert expression.count("(") == expression.count(")")
        metrics = re.findall(r"(\w+)\{([^}]*)\}", expression)
        assert metrics, expression
        for metric, selector in metrics:
            asked.add(metric)
            assert metric in known, f"{metric} in {expression}"
            grouped = ",".join(re.findall(r"by \(([^)]*)\)", expression)).replace(" ", "")
            labels = {*re.findall(r"(\w+)=", selector), *grouped.split(",")} - {""}
            assert labels <= known[metric] | _TARGET, expression
            assert 'namespace="$namespace"' in selector or 'namespace="bank"' in selector

    assert len(asked) > 20


def test_panels_do_not_overlap(tmp_path: Path) -> None:
    assert run("--name", "shops", "--output", str(tmp_path)).exit_code == 0
    panels = json.loads((tmp_path / "dashboard.json").read_text())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert max(x for x, _ in taken) == 23


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "Shops", "--output", "m"], "--name: 'Shops' is not a name in Kubernetes"),
        (["--name", "a", "--namespace", 'x"}', "--output", "m"], "--namespace: "),
        (["--name", "a", "--output", "file"], "file: cannot be written"),
    ],
)
def test_what_cannot_be_written(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
