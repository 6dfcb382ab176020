"""The checkers, run as tests: style, types as a user sees them, layers, and what is derived.

They are subprocesses, so that each sees the project as a user's machine would.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GOLDEN = sorted((ROOT / "tests/golden").glob("*/expected"))
BY_HAND = ["clientgen", "tests", "examples", "benchmarks"]


def check(*command: str, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What the command says; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_style() -> None:
    check("ruff", "check", *BY_HAND)


def test_layout() -> None:
    check("ruff", "format", "--check", *BY_HAND)


def test_black_has_nothing_to_do_in_generated_code() -> None:
    from clientgen.generator.format import LINE_LENGTH

    # The generator runs black only over what it does not know to be laid out as black writes it.
    examples = [path.parent for path in sorted(ROOT.glob("examples/*/**/_manifest.json"))]
    folders = [ROOT / "generated/kubeapi", *examples, *GOLDEN]
    assert len(examples) == 5
    mode = ("--fast", "--line-length", str(LINE_LENGTH), "--target-version", "py311")
    check("black", "--check", "--quiet", "--no-cache", *mode, *map(str, folders))


def test_types_by_mypy() -> None:
    check("mypy")


def test_types_by_pyright() -> None:
    # Named, since pyright would rather take a pyrightconfig.json of a folder above.
    check("pyright", "-p", str(ROOT / "pyproject.toml"), "--pythonpath", sys.executable)


def test_types_of_golden_output_by_mypy() -> None:
    packages = [p.name for folder in GOLDEN for p in folder.iterdir() if p.is_dir()]
    assert len(packages) == len(GOLDEN)
    mypy_path = ":".join(map(str, [*GOLDEN, *(folder.parent for folder in GOLDEN)]))
    config = scratch("mypy.ini", f"[mypy]\nstrict = True\nmypy_path = {mypy_path}\n")
    arguments = [word for package in packages for word in ("-p", package)]
    # What users mix in is checked as they would: by itself.
    mixed_in = [file.stem for folder in GOLDEN for file in folder.parent.glob("*_expansions.py")]
    assert mixed_in
    arguments += [word for module in mixed_in for word in ("-m", module)]
    check("mypy", "--config-file", str(config), *arguments)


def test_types_of_golden_output_by_pyright() -> None:
    folders = [str(Path("..") / folder.relative_to(ROOT)) for folder in GOLDEN]
    config = {
        "include": folders,
        "extraPaths": [*folders, *(str(Path(folder).parent) for folder in folders)],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    path = scratch("pyrightconfig.json", json.dumps(config))
    done = check("pyright", "-p", str(path), "--pythonpath", sys.executable, "--outputjson")
    assert json.loads(done)["summary"]["filesAnalyzed"] > 10 * len(GOLDEN)


def scratch(name: str, text: str) -> Path:
    """A file beside the sources: checkers read paths relative to their configuration."""
    path = ROOT / "build" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_layers() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_the_manifests_of_meta_v1_are_derived_from_its_models() -> None:
    check("clientgen.generator.meta_manifests", "--check")


def test_generated_code_is_what_the_generator_writes() -> None:
    check("clientgen", "verify")


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_output_does_not_depend_on_the_hash_seed(seed: str, tmp_path: Path) -> None:
    import os

    spec = str(ROOT / "specs/kubernetes/swagger.json")
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    flags = ["--spec", spec, "--output", str(tmp_path), "--package", "kubeapi"]
    check("clientgen", "generate", *flags, environment=environment, cwd=tmp_path)

    for path in sorted((ROOT / "generated/kubeapi").rglob("*.py")):
        twin = tmp_path / "kubeapi" / path.relative_to(ROOT / "generated/kubeapi")
        assert twin.read_bytes() == path.read_bytes(), path
