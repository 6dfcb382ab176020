"""Folders of CustomResourceDefinitions as operators ship them, and what generating of them costs.

Made up, the same on every run: twelve groups, some sixty properties each at three levels, with
texts, conditions in the status, and in every tenth definition two pod templates as controller-gen
copies them.

    python -m benchmarks.crds FOLDER
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchmarks.envs import DATA, script
from benchmarks.runner import Benchmark, Contender, Values, files_in
from tests.support.inlined_types import CORE, META, custom_resource, inlined

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SIZES", "crds_benchmark", "folder_of", "write_folder"]

SIZES = (10, 50, 200)
_GROUPS = 12
_EVERY = 10
_TEXT = "What is wanted of this part, in the words of whoever wrote it; it may take two lines."
_OUT = DATA / "generated"

Json = dict[str, Any]


def definition(number: int) -> Json:
    """Make up one definition."""
    spec: dict[str, Json] = {f"part{part}": _part(part, number) for part in range(6)}
    spec["selector"] = inlined(f"{META}LabelSelector")
    spec["resources"] = inlined(f"{CORE}ResourceRequirements")
    if number % _EVERY == 0:
        for name in ("template", "initTemplate"):
            spec[name] = inlined(f"{CORE}PodTemplateSpec")
    status = {"conditions": {"type": "array", "items": inlined(f"{META}Condition")}}
    return custom_resource(f"g{number % _GROUPS}.example.com", f"Kind{number:03}", spec, status)


def _part(part: int, number: int) -> Json:
    leaves: Json = {
        "size": {"type": "integer", "minimum": 1, "default": part + 1, "description": _TEXT},
        "mode": {"type": "string", "enum": ["Auto", "Manual", f"Mode{number}"]},
        "since": {"type": "string", "format": "date-time"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    inner: Json = {"type": "object", "properties": {**leaves, f"leaf{number}": {"type": "string"}}}
    return {
        "type": "object",
        "description": _TEXT,
        "required": ["mode"],
        "properties": {**leaves, "inner": {"type": "array", "items": inner}},
    }


def write_folder(folder: Path, count: int) -> None:
    """Write the first definitions, a file each."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(count):
        text = "\n".join(_yaml(definition(number), 0)) + "\n"
        (folder / f"kind{number:03}.yaml").write_text(text)


def _yaml(value: Json, depth: int) -> Iterator[str]:
    """Lay out a mapping as kubectl does."""
    pad = "  " * depth
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield f"{pad}{_key(key)}:"
            yield from _yaml(cast("Json", inner), depth + 1)
        elif isinstance(inner, list) and inner and isinstance(inner[0], dict):
            yield f"{pad}{_key(key)}:"
            for item in cast("list[Json]", inner):
                first, *rest = _yaml(item, depth + 1)
                yield f"{pad}- {first.strip()}"
                yield from rest
        else:
            yield f"{pad}{_key(key)}: {json.dumps(inner)}"


def _key(text: str) -> str:
    return text if text.replace("-", "").isalnum() and text not in {"on", "off"} else f'"{text}"'


def crds_benchmark() -> Benchmark:
    """Generate from folders of three sizes: time by the size, memory by that of the largest."""
    return Benchmark(
        name="crds",
        title="Generate from a folder of CustomResourceDefinitions",
        unit="s",
        baseline=folder_of(SIZES[0]),
        whole=True,
        note=(
            "Whole processes; the peak is that of the largest. Every tenth definition has two"
            " copied pod templates, which become kubeapi's."
        ),
        contenders=tuple(map(_contender, SIZES)),
    )


def folder_of(count: int) -> str:
    """The name of the row of a folder."""
    return f"clientgen, {count} definitions"


def _contender(count: int) -> Contender:
    folder, output = DATA / f"crds-{count}", _OUT / f"crds-{count}"

    def prepare() -> None:
        if not folder.exists():
            # In a process of its own: what this one grew to would count as its children's peak.
            subprocess.run([sys.executable, "-m", "benchmarks.crds", str(DATA)], check=True)
        shutil.rmtree(DATA / "cache", ignore_errors=True)
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir(parents=True)

    def look() -> Values:
        return files_in(output)

    flags = ("--crd", str(folder), "--use", "kubeapi")
    target = ("--output", str(output), "--package", "crdapi")
    command = (script("ours", "clientgen"), "generate", *flags, *target)
    return Contender(folder_of(count), command, before=prepare, after=look)


if __name__ == "__main__":
    for size in SIZES:
        write_folder(Path(sys.argv[1]) / f"crds-{size}", size)
