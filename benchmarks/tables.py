"""Results as Markdown, in the README between two marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.bars import Bar
    from benchmarks.runner import Benchmark, Results, Values

__all__ = ["bars_table", "machine_lines", "table", "update_readme"]

_SCALE = {"s": 1.0, "ms": 1e3, "us": 1e6}
_COLUMNS = {
    "ratio": "ratio",
    "peak_mb": "peak MB",
    "rate": "a second",
    "kept_kb": "kept kB a pod",
    "each_kb": "kB each",
    "settled_mb": "MB in the end",
    "lines": "lines",
    "longest": "longest line",
    "runs": "runs",
}


def table(benchmark: Benchmark, results: Results) -> str:
    """One benchmark."""
    columns = [
        key
        for key in _COLUMNS
        if key not in benchmark.hidden and any(key in values for values in results.values())
    ]
    unit = "µs" if benchmark.unit == "us" else benchmark.unit
    head = ["", f"CPU {unit}", *(_COLUMNS[key] for key in columns)]
    lines = [_row(head), _row(["---", *["---:"] * (len(head) - 1)])]
    for contender in benchmark.contenders:
        if contender.name in results:
            values = results[contender.name]
            cpu = _number(values["cpu"] * _SCALE[benchmark.unit])
            lines.append(_row([contender.name, cpu, *(_cell(values, key) for key in columns)]))
    problems = [f"{name} failed: {why}" for name, why in benchmark.problems.items()]
    notes = "\n".join(filter(None, [benchmark.note, *problems]))
    return "\n".join([f"### {benchmark.title}", "", *lines, "", notes]).rstrip() + "\n"


def bars_table(bars: list[Bar]) -> str:
    """What was promised."""
    lines = [
        _row(["work", "promise", "measured", "fastest run", ""]),
        _row(["---", "---", "---:", "---:", "---"]),
    ]
    for bar in bars:
        fastest = "" if bar.fastest is None else _number(bar.fastest)
        lines.append(_row([bar.work, bar.promise, _number(bar.value), fastest, bar.verdict]))
    return "\n".join(lines) + "\n"


def machine_lines(machine: dict[str, Any]) -> Iterator[str]:
    """When, where and with what."""
    yield f"{machine['date']}; {machine['cores']} cores, {machine['cpu']}; {machine['system']};"
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    yield f"Python {machine['python']}; {versions}."


def update_readme(path: Path, text: str, mark: str = "results") -> None:
    """Put the results between the marks `<!-- results -->` and `<!-- end of results -->`."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(values: Values, key: str) -> str:
    return _number(values[key]) if key in values else ""


def _number(value: float) -> str:
    if value == int(value):
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"
