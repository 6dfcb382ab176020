"""Plots of results.json as SVG: what others cost in the unit of clientgen, on a logarithmic scale.

    python -m benchmarks.plots

The colours follow the reader's choice of dark or light, and every bar has its number beside it.
"""

from __future__ import annotations

import json
from html import escape
from math import log10
from typing import TYPE_CHECKING, Any

from benchmarks import envs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["PLOT", "cpu_plot", "main"]

PLOT = envs.HERE.parent / "docs/assets/cpu.svg"
ROWS = {
    "import": "import a clientset",
    "decode": "decode 5,000 pods",
    "encode": "encode a pod",
    "sync-get": "GET, threads",
    "async-get": "GET, asyncio",
    "sync-list": "LIST 5,000 pods, threads",
    "async-list": "LIST 5,000 pods, asyncio",
    "sync-watch": "a watch event, threads",
    "async-watch": "a watch event, asyncio",
    "async-informer": "fill an informer",
}
PEERS = ("lightkube", "kubex", "kubesdk", "cloudcoil", "kubernetes (official)")
LEFT, WIDTH, BAR, GAP, TOP = 110, 760, 14, 28, 84  # pixels
MOST = 100  # times the CPU of clientgen: the right end
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .work { font-weight: 600 }
.peer { fill: #6e7781 } .ours { fill: #0969da } .grid { stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .peer { fill: #8b949e } .ours { fill: #58a6ff } .grid { stroke: #30363d }
}
"""


def main() -> None:
    """Write the plot."""
    results = json.loads((envs.HERE / "results.json").read_text())
    PLOT.parent.mkdir(exist_ok=True)
    PLOT.write_text(cpu_plot(results["benchmarks"], results["machine"]))


def cpu_plot(benchmarks: Mapping[str, Any], machine: Mapping[str, Any]) -> str:
    """Return the SVG: a group of bars for each work, one for each peer that was measured."""
    bars: list[str] = []
    y = TOP
    for name, label in ROWS.items():
        cpu = {each: values["cpu"] for each, values in benchmarks[name]["results"].items()}
        shown = [("clientgen", 1.0), *((p, cpu[p] / cpu["clientgen"]) for p in PEERS if p in cpu)]
        bars.append(f'<text class="work" x="{LEFT}" y="{y - 4}">{label}</text>')
        for peer, factor in shown:
            bars.extend(bar(peer, factor, y))
            y += BAR
        y += GAP
    title = "CPU of the same work, in units of clientgen (logarithmic; shorter is better)"
    known = [peer.partition(" ")[0] for peer in PEERS]
    versions = ", ".join(f"{p} {v}" for p, v in machine["versions"].items() if p in known)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 4}" role="img"'
        f' aria-labelledby="t"><title id="t">{title}</title><style>{STYLE}</style>'
        f'<text class="title" x="8" y="24">{title}</text>'
    )
    grid = [
        f'<line class="grid" x1="{x(times)}" x2="{x(times)}" y1="{TOP - 28}" y2="{y - GAP}"/>'
        f'<text x="{x(times)}" y="{TOP - 34}" text-anchor="middle">{times}</text>'
        for times in (1, 10, MOST)
    ]
    foot = f'<text x="8" y="{y - 6}">{escape(machine["date"])}; {escape(versions)}</text>'
    return "\n".join([head, *grid, *bars, foot, "</svg>"]) + "\n"


def bar(peer: str, factor: float, y: int) -> Iterator[str]:
    """Yield one bar, its name and its number."""
    kind = "ours" if peer == "clientgen" else "peer"
    end = x(min(factor, MOST))
    width = max(end - LEFT, 3)
    short = peer.partition(" ")[0]
    yield f'<text x="{LEFT - 6}" y="{y + 11}" text-anchor="end">{escape(short)}</text>'
    yield f'<rect class="{kind}" x="{LEFT}" y="{y + 1}" width="{width}" height="{BAR - 2}"/>'
    yield f'<text x="{LEFT + width + 6}" y="{y + 11}">{factor:.2g}</text>'


def x(times: float) -> int:
    """Return where a number stands on the scale."""
    return LEFT + round((WIDTH - LEFT - 60) * log10(max(times, 0.5) / 0.5) / log10(MOST / 0.5))


if __name__ == "__main__":
    main()
