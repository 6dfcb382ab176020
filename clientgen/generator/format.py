"""black over the generated sources that `layout_check` does not know to be laid out.

If these are many, black runs in processes of their own. That uses every core and keeps the
generator small: black's trees would double it. The processes are plain subprocesses that read JSON
and write JSON, so nothing depends on how the program that called us was started.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from functools import cache
from importlib.metadata import version
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LINE_LENGTH = 100
# Below this many characters, starting a process costs more than it saves.
_MIN_CHARS_FOR_PROCESSES = 100_000
# black's trees are cycles: collecting them this often is cheaper than leaving it to Python (a fifth
# of the time), and keeps a worker under 60 MB.
_COLLECT_AFTER_CHARS = 60_000
_MAX_JOBS = 4
# Between classes black leaves these two empty lines, whatever is on either side.
_BETWEEN = "\n\n\nclass "
# Between a path and the number of a piece; no path has it.
_MARK = "\0"


class FormatError(RuntimeError):
    """A rendered file cannot be formatted: a bug of this generator, not of its input."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")
        self.what = what
        self.why = why


@cache
def formatter() -> str:
    """Return the formatter and its options, which decide the formatting besides the text."""
    return f"black {version('black')} --fast --line-length {LINE_LENGTH}"


def format_tree(files: Mapping[str, str], jobs: int | None = None) -> dict[str, str]:
    """Format sources; anything else than Python must not be among them.

    Args:
        files: Sources by path.
        jobs: How many processes; by default one for each processor this program may use.

    Raises:
        FormatError: naming the file that is not Python.
    """
    from clientgen.generator.layout_check import is_laid_out  # its patterns take 14 ms to compile

    doubtful = {path: _pieces(text) for path, text in files.items() if not is_laid_out(text)}
    left = {
        f"{path}{_MARK}{n}": piece
        for path, pieces in doubtful.items()
        for n, piece in enumerate(pieces)
        if not is_laid_out(piece)
    }
    changed = _changed(left, jobs)
    formatted = {
        path: "\n\n".join(changed.get(f"{path}{_MARK}{n}", piece) for n, piece in enumerate(pieces))
        for path, pieces in doubtful.items()
    }
    return {**files, **formatted}


def _pieces(text: str) -> list[str]:
    """A module cut before classes; with two empty lines between them the pieces are the module."""
    first, *classes = text.split(_BETWEEN)
    heads = ["", *["class "] * len(classes)]
    ends = [*["\n"] * len(classes), ""]
    return [
        head + piece + end for head, piece, end in zip(heads, [first, *classes], ends, strict=True)
    ]


def _changed(pieces: Mapping[str, str], jobs: int | None) -> dict[str, str]:
    if sum(map(len, pieces.values())) < _MIN_CHARS_FOR_PROCESSES:
        return _format(pieces) if pieces else {}
    return _run(_batches(pieces, min(jobs or _processors(), _MAX_JOBS)))


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # this platform has no such thing
        return os.cpu_count() or 1


def _batches(files: Mapping[str, str], count: int) -> list[dict[str, str]]:
    """The files dealt out by size, so that all batches take about as long."""
    batches: list[dict[str, str]] = [{} for _ in range(max(count, 1))]
    sizes = [0] * len(batches)
    for path in sorted(files, key=lambda path: (-len(files[path]), path)):
        smallest = sizes.index(min(sizes))
        batches[smallest][path] = files[path]
        sizes[smallest] += len(files[path])
    return [batch for batch in batches if batch]


def _run(batches: Sequence[Mapping[str, str]]) -> dict[str, str]:
    changed: dict[str, str] = {}
    with ExitStack() as workers:
        started = [_start(workers) for _ in batches]
        for worker, batch in zip(started, batches, strict=True):
            _send(worker, batch)
        for worker in started:
            changed |= _receive(worker)
    return changed


def _start(workers: ExitStack) -> subprocess.Popen[bytes]:
    # -P and the path: the worker imports what this program would, from wherever it was started.
    command = [sys.executable, "-P", "-m", __name__]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    worker = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    workers.enter_context(worker)
    workers.callback(worker.kill)
    return worker


def _send(worker: subprocess.Popen[bytes], batch: Mapping[str, str]) -> None:
    assert worker.stdin
    try:
        worker.stdin.write(json.dumps(batch).encode())
        worker.stdin.close()
    except BrokenPipeError:
        worker.wait()
        raise _stopped(worker) from None


def _receive(worker: subprocess.Popen[bytes]) -> dict[str, str]:
    assert worker.stdout
    answer = worker.stdout.read()
    if worker.wait() != 0:
        raise _stopped(worker)
    found = cast("dict[str, dict[str, str]]", json.loads(answer))
    for path, why in found["failed"].items():
        raise FormatError(path, why)
    return found["changed"]


def _stopped(worker: subprocess.Popen[bytes]) -> FormatError:
    return FormatError("a formatting process stopped", f"exit code {worker.returncode}")


def _format(files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that formatting changes; in fast mode, which skips black's own check."""
    # The parent of the workers does without black.
    from black import format_file_contents
    from black.mode import Mode, TargetVersion
    from black.parsing import InvalidInput
    from black.report import NothingChanged

    if not gc.isenabled():
        gc.freeze()  # what was imported is looked at no more
    mode = Mode(target_versions={TargetVersion.PY311}, line_length=LINE_LENGTH)
    changed: dict[str, str] = {}
    garbage = 0
    for path, text in files.items():
        try:
            changed[path] = format_file_contents(text, fast=True, mode=mode)
        except NothingChanged:
            pass
        except InvalidInput as error:
            raise FormatError(path.partition(_MARK)[0], str(error)) from error
        garbage += len(text)
        if garbage > _COLLECT_AFTER_CHARS and not gc.isenabled():
            gc.collect()
            garbage = 0
    return changed


def work(source: IO[bytes], sink: IO[bytes]) -> None:
    """Format all files read from the source and write the answer to the sink, once."""
    files = cast("dict[str, str]", json.loads(source.read()))
    answer: dict[str, dict[str, str]] = {"changed": {}, "failed": {}}
    gc.disable()
    try:
        answer["changed"] = _format(files)
    except FormatError as error:
        answer["failed"][error.what] = error.why
    sink.write(json.dumps(answer).encode())


if __name__ == "__main__":
    # An interrupt reaches every process of the terminal; the parent is the one to answer it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(sys.stdin.buffer, sys.stdout.buffer)
