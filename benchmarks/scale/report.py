"""The tables and plots of the figures."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from benchmarks.plots import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

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
    """Write the figures, the tables and the plots."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    figures = {"machine": machine, "rows": [asdict(row) for row in rows]}
    (folder / "scale.json").write_text(json.dumps(figures, indent=1) + "\n")
    (folder / "scale.md").write_text(tables(rows))
    for name in ("rss_mb", "sync_cpu_s"):
        (folder / f"scale-{name.partition('_')[0]}.svg").write_text(plot(rows, name))


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
