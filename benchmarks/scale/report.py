"""The tables and plots of the figures."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from benchmarks import envs
from benchmarks.bars import Bar
from benchmarks.plots import STYLE
from benchmarks.tables import bars_table, update_readme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    _MakeBar = Callable[["_Run"], Bar]

COLUMNS: Final = {
    "sync_cpu_s": ("CPU s to synced", "{:.2f}"),
    "sync_s": ("s to synced", "{:.1f}"),
    "kept_kb": ("kept kB a pod", "{:.2f}"),
    "rss_mb": ("resident MB", "{:,.0f}"),
    "peak_mb": ("peak MB", "{:,.0f}"),
    "pause_ms": ("longest pause ms", "{:.0f}"),
    "reads_per_s": ("reads/s", "{:,.0f}"),
    "event_cpu_us": ("CPU µs an event", "{:.0f}"),
    "events_per_s": ("events/s", "{:,.0f}"),
    "burst_lag_ms": ("most lag in a burst, ms", "{:,.0f}"),
}
"""The figures, their titles and formats."""

_RESULTS: Final = envs.HERE / "results.json"
_ASSETS: Final = envs.HERE.parent / "docs/assets"
_LEFT, _WIDTH, _BAR, _TOP = 190, 760, 18, 44  # pixels


@dataclass(frozen=True)
class Row:
    """The figures of one run."""

    count: int
    client: str
    form: str
    how: str
    """The flavour, or the encoding of Go's client."""
    figures: dict[str, Any]

    @property
    def title(self) -> str:
        """The row's name in tables."""
        return f"{self.client}, {self.form}, {self.how}"


def tables(rows: Iterable[Row]) -> str:
    """Return a table in Markdown for each number of pods."""
    rows = [*rows]
    heads = [title for title, _ in COLUMNS.values()]
    parts: list[str] = []
    for count in sorted({row.count for row in rows}):
        parts += [f"### {count:,} pods", "", f"|  | {' | '.join(heads)} |"]
        parts.append(f"| --- |{' ---: |' * len(heads)}")
        parts += [_line(row) for row in rows if row.count == count]
        parts.append("")
    return "\n".join(parts)


def write(rows: Sequence[Row], folder: Path) -> None:
    """Write the figures, the tables and the plots into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scale.json").write_text(json.dumps(_figures(rows), indent=1) + "\n")
    (folder / "scale.md").write_text(tables(rows))
    for name, svg in plots(rows).items():
        (folder / name).write_text(svg)


def keep(rows: Sequence[Row]) -> None:
    """Write the figures, the tables and the plots where this repository has them."""
    results = json.loads(_RESULTS.read_text())
    results["scale"] = _figures(rows)
    _RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    update_readme(envs.HERE / "README.md", section(results["scale"]), "scale")
    for name, svg in plots(rows_of(results["scale"])).items():
        (_ASSETS / name).write_text(svg)


def rows_of(figures: dict[str, Any]) -> list[Row]:
    """Return the rows of kept figures."""
    return [Row(**row) for row in figures["rows"]]


def section(figures: dict[str, Any]) -> str:
    """Return the text about kept figures: when and where, the bars, and the tables."""
    rows = rows_of(figures)
    return "\n".join(
        [f"{figures['date']}; {figures['machine']}.", "", bars_table(judge(rows)), tables(rows)]
    )


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    kept = [{**asdict(row), "figures": _rounded(row.figures)} for row in rows]
    return {"date": time.strftime("%Y-%m-%d"), "machine": machine, "rows": kept}


def _rounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str) else float(f"{value:.4g}")
        for name, value in figures.items()
    }


def plots(rows: Sequence[Row]) -> dict[str, str]:
    """Return the SVGs by the names of their files."""
    names = {"scale-rss.svg": "rss_mb", "scale-cpu.svg": "sync_cpu_s"}
    return {file: plot(rows, name) for file, name in names.items()}


def judge(rows: Iterable[Row]) -> list[Bar]:
    """Hold the figures of the largest number of pods against the bars of issue 24."""
    rows = [row for row in rows if "problem" not in row.figures]
    most = max((row.count for row in rows), default=0)
    figures = {(row.client, row.form, row.how): row.figures for row in rows if row.count == most}
    bars: list[Bar] = []
    for how in ("asyncio", "threads"):
        for make in _BARS:
            try:
                bars.append(make(_Run(figures, how, most)))
            except KeyError:  # a form, or Go's client, was left out
                continue
    return bars


@dataclass(frozen=True)
class _Run:
    """The figures of the largest number of pods, and the flavour to judge."""

    figures: dict[tuple[str, str, str], dict[str, Any]]
    how: str
    count: int

    def own(self, form: str) -> dict[str, Any]:
        return self.figures["clientgen", form, self.how]

    def go(self, form: str) -> dict[str, Any]:
        return self.figures["Go", form, "protobuf"]


def _kept(form: str, limit: float) -> _MakeBar:
    return lambda run: Bar(
        f"{form}, {run.how}", f"keeps at most {limit:g} kB a pod", run.own(form)["kept_kb"], limit
    )


def _cpu(form: str, other: str, limit: float) -> _MakeBar:
    return lambda run: Bar(
        f"{form}, {run.how}",
        f"at most {limit:g} times the CPU of {other} until synced",
        run.own(form)["sync_cpu_s"] / run.own(other)["sync_cpu_s"],
        limit,
    )


def _beside_go(form: str, figure: str, promise: str, of_go: str, limit: float) -> _MakeBar:
    return lambda run: Bar(
        f"{form}, {run.how}", promise, run.own(form)[figure] / run.go(of_go)[figure], limit
    )


def _pause(form: str) -> _MakeBar:
    return lambda run: Bar(
        f"{form}, {run.how}", "no pause over 100 ms", run.own(form)["pause_ms"], 100
    )


def _peak(form: str) -> _MakeBar:
    def make(run: _Run) -> Bar:
        figures = run.own(form)
        kept_mb = figures["kept_kb"] * run.count / 1e3
        before_mb = figures["rss_mb"] - kept_mb
        peak = (figures["peak_mb"] - before_mb) / kept_mb
        return Bar(f"{form}, {run.how}", "peak at most 1.3 times what is kept", peak, 1.3)

    return make


_BARS: Final[list[_MakeBar]] = [
    _kept("full", 20),
    _kept("view", 2),
    _kept("compressed", 1.5),
    _beside_go(
        "view", "rss_mb", "at most 1/5 of the resident memory of Go's transform", "transform", 0.2
    ),
    _cpu("view", "full", 0.5),
    _cpu("compressed", "full", 1.5),
    _beside_go("full", "sync_cpu_s", "at most the CPU of Go's protobuf until synced", "full", 1),
    _beside_go(
        "full",
        "event_cpu_us",
        "at most 0.8 times the CPU of Go's protobuf for an event",
        "full",
        0.8,
    ),
    _pause("full"),
    _pause("view"),
    _pause("compressed"),
    _peak("full"),
    _peak("view"),
    _peak("compressed"),
]


def plot(rows: Iterable[Row], figure: str) -> str:
    """Return an SVG: a bar for each row with the largest number of pods."""
    measured = [row for row in rows if figure in row.figures]
    count = max((row.count for row in measured), default=0)
    shown = [row for row in measured if row.count == count]
    most = max((row.figures[figure] for row in shown), default=1.0)
    title = f"{COLUMNS[figure][0]}, an informer of {count:,} pods (shorter is better)"
    bars: list[str] = []
    for number, row in enumerate(shown):
        y, value = _TOP + number * (_BAR + 4), row.figures[figure]
        width = max(3, round((_WIDTH - _LEFT - 70) * value / most))
        kind = "ours" if row.client == "clientgen" else "peer"
        bars += [
            f'<text x="{_LEFT - 6}" y="{y + 13}" text-anchor="end">{escape(row.title)}</text>',
            f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{width}" height="{_BAR}"/>',
            f'<text x="{_LEFT + width + 6}" y="{y + 13}">{COLUMNS[figure][1].format(value)}</text>',
        ]
    height = _TOP + len(shown) * (_BAR + 4) + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img"'
        f' aria-labelledby="t"><title id="t">{title}</title><style>{STYLE}</style>'
        f'<text class="title" x="8" y="24">{title}</text>'
    )
    return "\n".join([head, *bars, "</svg>"]) + "\n"


def _line(row: Row) -> str:
    if "problem" in row.figures:
        return f"| {row.title} | {row.figures['problem']} |{' |' * (len(COLUMNS) - 1)}"
    cells = [
        form.format(row.figures[name]) if name in row.figures else ""
        for name, (_, form) in COLUMNS.items()
    ]
    return f"| {row.title} | {' | '.join(cells)} |"
