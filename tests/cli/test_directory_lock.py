"""Several writers of one package, readers beside them, and writers that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.writers import FILES, WRITERS, basis, fits, tree

from clientgen._problems import ClientgenError
from clientgen.generator import directory_lock, output
from clientgen.generator.atomic_write import STAGING, replace_file
from clientgen.generator.crds.manifest_files import Folder
from clientgen.generator.directory_lock import exclusive, shared
from clientgen.generator.package_manifest import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it locks no directories")


def files(directory: Path) -> set[str]:
    return {p.relative_to(directory).as_posix() for p in directory.rglob("*") if p.is_file()}


# Writes its package again and again.
WORK = """
import sys
from pathlib import Path
from support.writers import basis, tree
from clientgen.generator import output
target, role = Path(sys.argv[1]), int(sys.argv[2])
for turn in range(25):
    output.write(tree(role), target, basis(role))
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    path = str(Path(__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_threads_that_write_one_package_leave_that_of_one(tmp_path: Path):
    target = tmp_path / "generated" / "kubeapi"

    def write(turn: int) -> None:
        writer = turn % WRITERS
        output.write(tree(writer), target, basis(writer))

    with ThreadPoolExecutor(2 * WRITERS) as pool:
        list(pool.map(write, range(20 * WRITERS)))
    assert len(fits(target)) == 1
    assert not (target / STAGING).exists()


def test_processes_that_write_one_package_leave_that_of_one(tmp_path: Path):
    target = tmp_path / "kubeapi"
    running = [start(WORK, target, role) for role in range(WRITERS)]
    assert [process.communicate()[0] for process in running] == [""] * WRITERS
    assert [process.returncode for process in running] == [0] * WRITERS
    (left,) = fits(target)
    assert files(target) == {*tree(left), MANIFEST}


def test_verify_never_sees_a_half_written_package(tmp_path: Path):
    target = tmp_path / "kubeapi"
    output.write(tree(0), target, basis(0))
    seen: list[int] = []
    done = threading.Event()

    def compare() -> None:
        while not done.is_set():
            differences = output.verify(tree(0), target, basis(0))
            # All of the other's files, or none.
            seen.append(len([each for each in differences.changed if each.path != MANIFEST]))

    with ThreadPoolExecutor(1) as pool:
        comparing = pool.submit(compare)
        for turn in range(60):
            output.write(tree(turn % 2), target, basis(turn % 2))
        done.set()
        comparing.result()
    assert seen
    assert set(seen) <= {0, FILES}


HOLD = """
import sys
from pathlib import Path
from clientgen.generator.directory_lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that keeps the package."""
    process = start(HOLD, tmp_path / "kubeapi")
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_timeout_is_one_problem(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(directory_lock, "_LOCK_TIMEOUT_SECONDS", 0.0)
    target = tmp_path / "kubeapi"
    steps: list[Callable[[], object]] = [
        lambda: output.write(tree(0), target, basis(0)),
        lambda: output.verify(tree(0), target, basis(0)),
    ]
    for step in steps:
        with pytest.raises(ClientgenError) as caught:
            step()
        assert str(caught.value) == (
            f"{target}: another clientgen process has been writing it for 0 s\n"
            "    wait until it has finished, or stop it, then run this again; nothing was changed"
        )
    assert files(target) == set()


def test_the_lock_of_a_killed_process_is_gone_with_it(
    tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    monkeypatch.setattr(directory_lock, "_LOCK_TIMEOUT_SECONDS", 0.0)
    output.write(tree(0), tmp_path / "kubeapi", basis(0))
    assert fits(tmp_path / "kubeapi") == [0]


def test_a_lock_leaves_nothing_behind(tmp_path: Path):
    with exclusive(tmp_path / "new" / "kubeapi"):
        assert files(tmp_path) == set()
    with shared(tmp_path / "new" / "kubeapi"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_directory_removed_while_waiting_is_created_again(tmp_path: Path):
    """A failed first run removes the directory it made, which another waits for."""
    target = tmp_path / "kubeapi"
    inside = threading.Event()

    def second() -> None:
        inside.wait()
        output.write(tree(1), target, basis(1))

    with ThreadPoolExecutor(1) as pool:
        with exclusive(target):
            waiting = pool.submit(second)
            inside.set()
        waiting.result()
    assert fits(target) == [1]


def test_threads_that_write_one_file_leave_one_of_its_texts(tmp_path: Path):
    place = tmp_path / "pyproject.toml"
    texts = [str(number).encode() * 10_000 for number in range(8)]
    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(lambda text: replace_file(place, text), texts * 5))
    assert place.read_bytes() in texts
    assert files(tmp_path) == {"pyproject.toml"}


# Ends itself, as `kill -9` does, before the given step of writing.
KILLED = """
import os, signal, sys
from pathlib import Path
from support.writers import basis, tree
from clientgen.generator import output
target, left = Path(sys.argv[1]), int(sys.argv[2])
def counted(real):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    return call
for name in ("write_bytes", "replace", "mkdir", "hardlink_to", "unlink", "rmdir"):
    setattr(Path, name, counted(getattr(Path, name)))
import shutil
shutil.rmtree = counted(shutil.rmtree)
output.write(tree(1), target, basis(1))
print("done")
"""


def test_after_a_kill_at_any_step_the_next_run_says_so_and_leaves_nothing(tmp_path: Path):
    """Killed processes run side by side: starting them is what takes time."""
    steps = range(0, 48, 3)
    targets = [tmp_path / f"{step}" / "kubeapi" for step in steps]
    for target in targets:
        output.write(tree(0), target, basis(0))
    running = [start(KILLED, target, step) for step, target in zip(steps, targets, strict=True)]
    outputs = [process.communicate()[0] for process in running]
    ended = [(process.returncode, text) for process, text in zip(running, outputs, strict=True)]
    assert ended[0] == (-signal.SIGKILL, "")
    assert ended[-1] == (0, "done\n"), "all steps were tried"
    interrupted = 0
    for target, (code, _) in zip(targets, ended, strict=True):
        left = (target / STAGING).exists()
        interrupted += left
        differences = output.verify(tree(1), target, basis(1))
        assert (f"{STAGING}/" in differences.stale) == left
        assert not left or not output.unchanged(basis(1), target)
        # Whatever the next run wants: here it is a third package.
        changes = output.write(tree(2), target, basis(2))
        assert changes.recovered == left
        assert code == 0 or left or fits(target) == [2]
        assert files(target) == {*tree(2), MANIFEST}
        assert {p.name for p in target.iterdir()} == {"v1", "own2", "py.typed", MANIFEST}
        assert fits(target) == [2]
    assert interrupted > len(steps) // 2


def test_the_command_tells_that_a_run_was_interrupted(tmp_path: Path, run: Callable[..., Result]):
    flags = ("--spec", "shop.json", "--output", "out", "--package", "shop")
    assert run("generate", *flags).exit_code == 0
    staging = Path("out/shop") / STAGING
    staging.mkdir()
    (staging / "1").write_text("half")
    differs = run("verify", *flags, "--diff")
    assert (differs.exit_code, f"  {STAGING}/" in differs.stdout.splitlines()) == (1, True)
    again = run("generate", *flags, "--quiet")
    assert again.stderr == (
        "out/shop: a previous run was interrupted; its leftovers were removed\n"
    )
    assert not staging.exists()
    assert run("verify", *flags).exit_code == 0


def test_a_folder_of_definitions_is_cleaned_up_too(tmp_path: Path):
    (tmp_path / STAGING).mkdir()
    (tmp_path / STAGING / "1").write_text("half")
    folder = Folder(tmp_path, [])
    assert folder.differences.stale == (f"{STAGING}/",)
    assert folder.write().recovered
    assert list(tmp_path.iterdir()) == []
    assert not Folder(tmp_path, []).differences
