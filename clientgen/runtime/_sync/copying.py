# Derived from _async/copying.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""Copies files to and from containers, with the `tar` there; single files also without it."""

from __future__ import annotations

from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._archives.copy_options import checked_options, local_path
from .._archives.folders import check_target
from .._archives.packing import Packer, PlainPacker
from .._archives.remote_paths import path_from, path_to
from .._archives.unpacking import PlainFile, Unpacker
from .._models.exec_result import ExecResult
from .._streams.stream_requests import exec_request
from ..errors import ApiError, ConnectionLost, CopyFailed, RequestInfo, RequestTimeout
from ._primitives import Event, call_later, run_blocking, spawn
from .command import CommandInput, CommandOutput, Running, run_command
from .exec_stream import ExecStream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from .._http.request import HttpRequest
    from .._models.copy_result import CopyResult
    from ._primitives import Task
    from .rest import Rest

__all__ = ["Copier"]

_BATCH = 1 << 18
_MOST_BATCHES = 8
_MOST_STDERR = 1 << 16
_TOLD = 2000
_NOT_RUN = (126, 127)
# After a complaint, twice so long without progress is the end.
_PATIENCE = 10.0
_NO_PROGRAM = "executable file not found"
_WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1" && chmod "$2" "$1"'


class Copier:
    """Copies between this machine and one container.

    Args:
        rest: The client.
        path: The path of the pod's `exec` subresource.
        options: `CopyOptions`.
    """

    def __init__(self, rest: Rest, path: str, options: Mapping[str, Any]) -> None:
        self._rest = rest
        self._path = path
        self._info = RequestInfo("GET", path)
        self._options = checked_options(options)
        self._deadline = rest.whole_deadline(options)

    def copy_to(self, source: object, target: object) -> CopyResult:
        """Copy a file or directory of this machine.

        Raises:
            ApiError: The container cannot be reached.
            CopyFailed: Not everything was copied.
            OSError: A file of this machine cannot be read.
            TransportError: The connection broke, or the time is over.
        """
        local = run_blocking(partial(Path.resolve, local_path("source", source), strict=True))
        there = path_to(target, local.name)
        is_folder = run_blocking(local.is_dir)
        if there.name == "." and not is_folder:
            raise ValueError(f"target={target!r} has no name for the file")
        packer = Packer(local, there.name, self._options.limit)
        command = ["tar", "-xpof", "-", "-C", there.folder]
        if not self._send(command, packer):
            if is_folder:
                raise CopyFailed(f"{self._info}: the container has no tar, which directories need")
            packer = PlainPacker(local, there.name, self._options.limit)
            words = [f"{there.folder}/{there.name}", packer.permissions]
            command = ["sh", "-c", _WRITE, "sh", *words]
            if not self._send(command, packer, has_tar=False):
                raise CopyFailed(f"{self._info}: the container has neither tar nor sh")
        return packer.result()

    def copy_from(self, source: object, target: object) -> CopyResult:
        """Copy a file or directory of the container.

        Raises:
            ApiError: The container cannot be reached.
            CopyFailed: Not everything was copied, or a file of this machine cannot be written.
            TransportError: The connection broke, or the time is over.
        """
        there = path_from(source)
        named = local_path("target", target, there.name)
        try:
            local = run_blocking(partial(check_target, named))
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from error.__cause__
        archive = Unpacker(local, there.name, self._options.limit)
        command = ["tar", "-cf", "-", "-C", there.folder, f"./{there.name}"]
        result = self._receive(command, archive)
        if result is None:
            file = PlainFile(local, self._options.limit)
            command = ["cat", f"{there.folder}/{there.name}"]
            result = self._receive(command, file, has_tar=False)
        if result is None:
            raise CopyFailed(f"{self._info}: the container has neither tar nor cat")
        return result

    def _send(self, command: Sequence[str], packer: Packer, *, has_tar: bool = True) -> bool:
        """Run a command that reads files; gives whether there is such a program."""
        request, stream = self._opening(command, stdin=True)
        pieces = packer.pieces()
        reported = 0

        def take() -> bytes:
            nonlocal reported
            if packer.size != reported:
                reported = packer.size
                self._options.on_progress(reported)
            piece: bytes = run_blocking(partial(next, pieces, b""))
            return piece

        given = CommandInput(take, needs_end=packer.needs_end)
        output = CommandOutput(request.info, _MOST_STDERR)
        try:
            feeding = _Feeding(self._rest, stream, output, packer)
            result = feeding.run(given, self._deadline)
            return _has_run(command, result, has_tar=has_tar, has_hung=feeding.was_given_up)
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from None
        finally:
            run_blocking(pieces.close)

    def _receive(
        self, command: Sequence[str], files: Unpacker | PlainFile, *, has_tar: bool = True
    ) -> CopyResult | None:
        """Run a command that writes files; None if there is no such program."""
        request, stream = self._opening(command, stdin=False)
        try:
            try:
                result = self._read_into(files, stream, request)
            except ApiError as error:
                result = _not_run(error)
            if not _has_run(command, result, has_tar=has_tar):
                return None
            return run_blocking(files.finish)
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from error.__cause__
        finally:
            run_blocking(files.close)

    def _read_into(
        self, files: Unpacker | PlainFile, stream: ExecStream, request: HttpRequest
    ) -> ExecResult:
        waiting: list[bytes] = []
        size, stderr = 0, bytearray()
        with (
            _Writer(files, self._options.on_progress) as writer,
            Running(self._rest, stream, request.info, None, self._deadline),
        ):
            for output, data in stream:
                if output == "stderr":
                    stderr += data[: _MOST_STDERR - len(stderr)]
                    continue
                waiting.append(data)
                size += len(data)
                if size >= _BATCH:
                    writer.put(b"".join(waiting))
                    waiting, size = [], 0
            writer.put(b"".join(waiting))
            writer.finish()
        return ExecResult(stdout=b"", stderr=bytes(stderr), exit_code=stream.wait())

    def _opening(self, command: Sequence[str], *, stdin: bool) -> tuple[HttpRequest, ExecStream]:
        options = {**self._options.of_request, "stdin": stdin}
        request = exec_request(self._path, command, options)
        return request, ExecStream(
            self._rest, request, options.get("timeout", self._rest.timeout), has_stdin=stdin
        )


class _Writer:
    """Writes files beside who receives them."""

    def __init__(self, files: Unpacker | PlainFile, on_progress: Callable[[int], object]) -> None:
        self._files = files
        self._on_progress = on_progress
        self._batches: deque[bytes] = deque()
        self._changed = Event()
        self._room = Event()
        self._is_over = False
        self._error: Exception | None = None
        self._task: Task | None = None

    def __enter__(self) -> Self:
        self._task = spawn(self._write, "clientgen copy")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._batches.clear()
        self._join()

    def put(self, data: bytes) -> None:
        """Have data written, and wait while much waits for that.

        Raises:
            CopyFailed: What was written before is no archive, or a hostile one, or a file cannot be
                written.
        """
        while len(self._batches) >= _MOST_BATCHES and self._error is None:
            self._room.clear()
            if len(self._batches) >= _MOST_BATCHES and self._error is None:
                self._room.wait()
        self._check()
        if data:
            self._batches.append(data)
            self._changed.set()

    def finish(self) -> None:
        """Wait until all is written.

        Raises:
            CopyFailed: As for `put`.
        """
        self._join()
        self._check()

    def _join(self) -> None:
        self._is_over = True
        self._changed.set()
        if self._task is not None:
            self._task.join()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _write(self) -> None:
        try:
            while self._batches or not self._is_over:
                self._changed.clear()
                if not self._batches and not self._is_over:
                    self._changed.wait()
                while self._batches:
                    batch = self._batches.popleft()
                    self._room.set()
                    written = run_blocking(partial(self._files.feed, batch))
                    self._on_progress(written)
        except Exception as error:  # noqa: BLE001 - raised where the files are received
            self._error = error
            self._room.set()


class _Feeding:
    """Runs a command that reads files. Once it has complained and reads no more, it is given up.

    Some nodes never tell the end of a command that has not read all of its input.
    """

    def __init__(
        self, rest: Rest, stream: ExecStream, output: CommandOutput, packer: Packer
    ) -> None:
        self._rest = rest
        self._stream = stream
        self._output = output
        self._packer = packer
        self._seen = -1
        self._cancel: Callable[[], object] | None = None
        self._has_ended = False
        self.was_given_up = False

    def run(self, given: CommandInput, deadline: float | None) -> ExecResult:
        """Run it to its end, or to where it hangs.

        Raises:
            ApiError: It could not be run.
            ConnectionLost: The connection broke.
            RequestTimeout: It did not end before the deadline.
        """
        self._wait()
        try:
            return run_command(self._rest, self._stream, self._output, given, deadline)
        except ApiError as error:
            return _not_run(error)
        except ConnectionLost:
            if not self.was_given_up:
                raise
            return self._output.result(1)  # it has complained
        except RequestTimeout as error:
            if not self._output.stderr:
                raise
            raise RequestTimeout(f"{error}: {_told(self._output.stderr)}") from None
        finally:
            self._has_ended = True
            if self._cancel is not None:
                self._cancel()

    def _wait(self) -> None:
        if not self._has_ended:
            self._cancel = call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        size = self._packer.size if self._output.stderr else -1
        if size >= 0 and size == self._seen:
            self.was_given_up = True
            self._stream.abort()
        else:
            self._seen = size
            self._wait()


def _not_run(error: ApiError) -> ExecResult:
    """Return the result of a command that could not be run because there is no such program.

    Raises:
        ApiError: It is something else.
    """
    if _NO_PROGRAM not in str(error):
        raise error
    return ExecResult(stdout=b"", stderr=b"", exit_code=_NOT_RUN[-1])


def _has_run(
    command: Sequence[str], result: ExecResult, *, has_tar: bool, has_hung: bool = False
) -> bool:
    """Tell whether there was such a program.

    Raises:
        CopyFailed: It failed.
    """
    why = _told(result.stderr)
    if not result.exit_code:
        return True
    if result.exit_code in _NOT_RUN and (has_tar or not why):
        return False
    lack = "" if has_tar else "the container has no tar, and "
    how = f"ended with exit code {result.exit_code}"
    ended = f"{command[0]} {'stopped reading, and did not end' if has_hung else how}"
    raise CopyFailed(f"{lack}{ended}: {why}" if why else lack + ended)


def _told(stderr: bytes) -> str:
    return stderr[-_TOLD:].decode("utf-8", "replace").strip()
