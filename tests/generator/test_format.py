from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import black
import pytest

from clientgen.generator import format as formatting
from clientgen.generator.format import FormatError, format_tree, formatter

UGLY = "x = { 'a':1 }\ndef f( a,\n   b ):\n  return a+b\n"
NEAT = 'x = {"a": 1}\n\n\ndef f(a, b):\n    return a + b\n'


@pytest.fixture
def always_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "_MIN_CHARS_FOR_PROCESSES", 0)


def test_sources_come_back_formatted_and_all_of_them():
    files = {"b.py": UGLY, "a.py": NEAT, "empty.py": ""}
    assert format_tree(files) == {"b.py": NEAT, "a.py": NEAT, "empty.py": ""}
    assert list(format_tree(files)) == list(files)
    assert format_tree({}) == {}


def test_lines_are_as_long_as_the_projects_own(tmp_path: Path):
    call = f"value = function({', '.join(f'argument_{n}' for n in range(6))})\n"
    assert 88 < len(call) <= 100
    assert format_tree({"x.py": call}) == {"x.py": call}


@pytest.mark.usefixtures("always_in_workers")
@pytest.mark.parametrize("jobs", [None, 1, 2, 99])
def test_workers_give_the_same_as_no_workers(jobs: int | None):
    files = {f"{n}.py": UGLY + f"y = {n}\n" for n in range(5)}
    assert format_tree(files, jobs) == {f"{n}.py": NEAT + f"\n\ny = {n}\n" for n in range(5)}


@pytest.mark.parametrize("small", [0, 1_000_000])
def test_a_module_is_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch, small: int):
    ugly = [
        f'class C{n}(Base):\n    """Says\n\n\n    class X."""\n    a = [ {n},]\n' for n in range(9)
    ]
    text = "\n\n\n".join(['"""Many."""\n\nfrom base import Base', *ugly, "from late import it"])
    whole = black.format_str(text, mode=black.Mode(line_length=100))
    assert whole.count("a = [\n") == len(ugly)

    monkeypatch.setattr(formatting, "_MIN_CHARS_FOR_PROCESSES", small)
    assert format_tree({"x.py": text + "\n"}) == {"x.py": whole}


@pytest.mark.usefixtures("always_in_workers")
def test_unparsable_output_names_the_path_of_its_module():
    with pytest.raises(FormatError, match=r"^apps/v1/models\.py: cannot parse"):
        format_tree({"apps/v1/models.py": f"{NEAT}\n\nclass A: ...\n\n\nclass def\n"}, 2)


def test_unparsable_output_is_named():
    with pytest.raises(FormatError, match=r"apps/v1/models\.py: cannot parse"):
        format_tree({"ok.py": NEAT, "apps/v1/models.py": "def def"})


@pytest.mark.usefixtures("always_in_workers")
def test_unparsable_output_is_named_by_a_worker_too():
    with pytest.raises(FormatError, match=r"apps/v1/models\.py: cannot parse"):
        format_tree({"ok.py": NEAT, "apps/v1/models.py": "def def"}, 2)


@pytest.mark.usefixtures("always_in_workers")
def test_a_worker_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch):
    real = subprocess.Popen
    monkeypatch.setattr(
        subprocess,
        "Popen",
        lambda command, **kwargs: real([sys.executable, "-c", "raise SystemExit(3)"], **kwargs),
    )
    with pytest.raises(FormatError, match=r"^a formatting process stopped: exit code 3$"):
        format_tree({"x.py": "#" * 1_000_000}, 1)


def test_a_worker_reads_and_writes_json(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(formatting.gc, "disable", lambda: None)
    sink = io.BytesIO()
    formatting.work(io.BytesIO(json.dumps({"a.py": UGLY, "b.py": NEAT}).encode()), sink)
    assert json.loads(sink.getvalue()) == {"changed": {"a.py": NEAT}, "failed": {}}


def test_the_parent_of_workers_does_not_load_the_formatter():
    program = (
        "import sys; from clientgen.generator.format import format_tree\n"
        "format_tree({'x.py': '#' * 200_000, 'y.py': 'x = 1\\n'}, 1)\n"
        "assert 'black' not in sys.modules"
    )
    root = Path(formatting.__file__).parents[2]
    subprocess.run([sys.executable, "-c", program], check=True, cwd=root)


def test_the_formatter_says_its_version():
    assert formatter().startswith("black 2")
