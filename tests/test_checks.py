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
# Seconds. Checkers take minutes of a busy machine; what they have printed until then is told.
PATIENCE = 3000
pytestmark = pytest.mark.timeout(PATIENCE + 600)


def check(*command: str, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What the command says; it must succeed."""
    return run([sys.executable, "-m", *command], environment=environment, cwd=cwd)


def run(command: list[str], *, environment: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired as late:
        told = (late.stdout or b"") + (late.stderr or b"")
        pytest.fail(f"{command} has not ended in {PATIENCE} s, and said:\n{told.decode()}")
    out = done.stdout.decode()
    assert done.returncode == 0, f"{out}\n{done.stderr.decode()}"
    return out


def test_what_a_checker_said_is_told_if_it_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], *, timeout: float, **options: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout, b"a.py:1: wrong", b"and more")

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(pytest.fail.Exception, match=r"has not ended .*\na\.py:1: wrongand more"):
        check("mypy")


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
    run([str(Path(sys.executable).with_name("lint-imports")), "--no-cache"])


def test_the_manifests_of_meta_v1_are_derived_from_its_models() -> None:
    check("clientgen.generator.meta_manifests", "--check")


def test_generated_code_is_what_the_generator_writes() -> None:
    check("clientgen", "verify")


def test_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    import os

    spec = str(ROOT / "specs/kubernetes/swagger.json")
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}  # that of `verify` above is random
    flags = ["--spec", spec, "--output", str(tmp_path), "--package", "kubeapi"]
    check("clientgen", "generate", *flags, environment=environment, cwd=tmp_path)

    for path in sorted((ROOT / "generated/kubeapi").rglob("*.py")):
        twin = tmp_path / "kubeapi" / path.relative_to(ROOT / "generated/kubeapi")
        assert twin.read_bytes() == path.read_bytes(), path
