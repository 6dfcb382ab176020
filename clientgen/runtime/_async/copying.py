"""Copies files to and from containers, with `tar` in the container; single files without `tar`."""

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
from .command import CommandInput, CommandOutput, RunningCommand, run_command
from .exec_stream import AsyncExecStream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from .._http.request import HttpRequest
    from .._models.copy_result import CopyResult
    from ._primitives import Task
    from .rest import AsyncRest

_BATCH_BYTES = 1 << 18
_MAX_BATCHES = 8
_MAX_STDERR_BYTES = 1 << 16
_MAX_SHOWN_STDERR_BYTES = 2000
_NOT_RUN_EXIT_CODES = (126, 127)
# A command that has written to stderr and reads nothing for twice this time is aborted.
_HANG_CHECK_SECONDS = 10.0
_NO_PROGRAM = "executable file not found"
_WRITE_SCRIPT = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1" && chmod "$2" "$1"'


class AsyncCopier:
    """Copies files between this machine and one container.

    Args:
        rest: The client.
        path: The path of the pod's `exec` subresource.
        options: `CopyOptions`.
    """

    def __init__(self, rest: AsyncRest, path: str, options: Mapping[str, Any]) -> None:
        self._rest = rest
        self._path = path
        self._info = RequestInfo("GET", path)
        self._options = checked_options(options)
        self._deadline = rest.whole_deadline(options)

    async def copy_to(self, source: object, target: object) -> CopyResult:
        """Copy a local file or directory to the container.

        Raises:
            ApiError: The container cannot be reached.
            CopyFailed: Some files were not copied.
            OSError: A local file cannot be read.
            TransportError: The connection broke, or the timeout has passed.
        """
        local = await run_blocking(partial(Path.resolve, local_path("source", source), strict=True))
        remote = path_to(target, local.name)
        is_folder = await run_blocking(local.is_dir)
        if remote.name == "." and not is_folder:
            raise ValueError(
                f"target={target!r} is a directory; add a slash or the name of the file"
            )
        packer = Packer(local, remote.name, self._options.limit)
        command = ["tar", "-xpof", "-", "-C", remote.folder]
        if not await self._send(command, packer):
            if is_folder:
                raise CopyFailed(
                    f"{self._info}: the container has no tar, so directories cannot be copied"
                )
            packer = PlainPacker(local, remote.name, self._options.limit)
            words = [f"{remote.folder}/{remote.name}", packer.permissions]
            command = ["sh", "-c", _WRITE_SCRIPT, "sh", *words]
            if not await self._send(command, packer, has_tar=False):
                raise CopyFailed(f"{self._info}: the container has neither tar nor sh")
        return packer.result()

    async def copy_from(self, source: object, target: object) -> CopyResult:
        """Copy a file or directory of the container to this machine.

        Raises:
            ApiError: The container cannot be reached.
            CopyFailed: Some files were not copied, or a local file cannot be written.
            TransportError: The connection broke, or the timeout has passed.
        """
        remote = path_from(source)
        named = local_path("target", target, remote.name)
        try:
            local = await run_blocking(partial(check_target, named))
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from error.__cause__
        archive = Unpacker(local, remote.name, self._options.limit)
        command = ["tar", "-cf", "-", "-C", remote.folder, f"./{remote.name}"]
        result = await self._receive(command, archive)
        if result is None:
            file = PlainFile(local, self._options.limit)
            command = ["cat", f"{remote.folder}/{remote.name}"]
            result = await self._receive(command, file, has_tar=False)
        if result is None:
            raise CopyFailed(f"{self._info}: the container has neither tar nor cat")
        return result

    async def _send(self, command: Sequence[str], packer: Packer, *, has_tar: bool = True) -> bool:
        """Run a command that reads the files. Returns False if the container lacks the program."""
        request, stream = self._new_stream(command, stdin=True)
        pieces = packer.pieces()
        reported = 0

        async def take() -> bytes:
            nonlocal reported
            if packer.size != reported:
                reported = packer.size
                self._options.on_progress(reported)
            piece: bytes = await run_blocking(partial(next, pieces, b""))
            return piece

        command_input = CommandInput(take, needs_end=packer.needs_end)
        output = CommandOutput(request.info, _MAX_STDERR_BYTES)
        try:
            guard = _HangGuard(self._rest, stream, output, packer)
            result = await guard.run(command_input, self._deadline)
            return _has_program(command, result, has_tar=has_tar, has_hung=guard.was_given_up)
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from None
        finally:
            await run_blocking(pieces.close)

    async def _receive(
        self, command: Sequence[str], files: Unpacker | PlainFile, *, has_tar: bool = True
    ) -> CopyResult | None:
        """Run a command that writes the files. Returns None if the container lacks the program."""
        request, stream = self._new_stream(command, stdin=False)
        try:
            try:
                result = await self._read_into(files, stream, request)
            except ApiError as error:
                result = _not_run(error)
            if not _has_program(command, result, has_tar=has_tar):
                return None
            return await run_blocking(files.finish)
        except CopyFailed as error:
            raise CopyFailed(f"{self._info}: {error}") from error.__cause__
        finally:
            await run_blocking(files.close)

    async def _read_into(
        self, files: Unpacker | PlainFile, stream: AsyncExecStream, request: HttpRequest
    ) -> ExecResult:
        batch: list[bytes] = []
        size, stderr = 0, bytearray()
        async with (
            _FileWriter(files, self._options.on_progress) as writer,
            RunningCommand(self._rest, stream, request.info, None, self._deadline),
        ):
            async for output, data in stream:
                if output == "stderr":
                    stderr += data[: _MAX_STDERR_BYTES - len(stderr)]
                    continue
                batch.append(data)
                size += len(data)
                if size >= _BATCH_BYTES:
                    await writer.put(b"".join(batch))
                    batch, size = [], 0
            await writer.put(b"".join(batch))
            await writer.finish()
        return ExecResult(stdout=b"", stderr=bytes(stderr), exit_code=await stream.wait())

    def _new_stream(
        self, command: Sequence[str], *, stdin: bool
    ) -> tuple[HttpRequest, AsyncExecStream]:
        options = {**self._options.of_request, "stdin": stdin}
        request = exec_request(self._path, command, options)
        return request, AsyncExecStream(
            self._rest, request, options.get("timeout", self._rest.timeout), has_stdin=stdin
        )


class _FileWriter:
    """Writes received files in a task or thread, while the caller receives more data."""

    def __init__(self, files: Unpacker | PlainFile, on_progress: Callable[[int], object]) -> None:
        self._files = files
        self._on_progress = on_progress
        self._batches: deque[bytes] = deque()
        self._changed = Event()
        self._has_room = Event()
        self._is_over = False
        self._error: Exception | None = None
        self._task: Task | None = None

    async def __aenter__(self) -> Self:
        self._task = spawn(self._write, "clientgen copy")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._batches.clear()
        await self._join()

    async def put(self, data: bytes) -> None:
        """Queue data to write. Waits while the queue is full.

        Raises:
            CopyFailed: Earlier data is not a valid archive, or a file cannot be written.
        """
        while len(self._batches) >= _MAX_BATCHES and self._error is None:
            self._has_room.clear()
            if len(self._batches) >= _MAX_BATCHES and self._error is None:
                await self._has_room.wait()
        self._check()
        if data:
            self._batches.append(data)
            self._changed.set()

    async def finish(self) -> None:
        """Wait until all data is written.

        Raises:
            CopyFailed: As for `put`.
        """
        await self._join()
        self._check()

    async def _join(self) -> None:
        self._is_over = True
        self._changed.set()
        if self._task is not None:
            await self._task.join()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    async def _write(self) -> None:
        try:
            while self._batches or not self._is_over:
                self._changed.clear()
                if not self._batches and not self._is_over:
                    await self._changed.wait()
                while self._batches:
                    batch = self._batches.popleft()
                    self._has_room.set()
                    written = await run_blocking(partial(self._files.feed, batch))
                    self._on_progress(written)
        except Exception as error:  # noqa: BLE001 - `put` and `finish` raise it
            self._error = error
            self._has_room.set()


class _HangGuard:
    """Runs a command that reads files, and aborts it when it hangs.

    Some nodes never report the end of a command that has not read all of its input. So a command
    that has written to stderr and stops reading counts as failed.
    """

    def __init__(
        self, rest: AsyncRest, stream: AsyncExecStream, output: CommandOutput, packer: Packer
    ) -> None:
        self._rest = rest
        self._stream = stream
        self._output = output
        self._packer = packer
        self._last_size = -1
        self._cancel: Callable[[], object] | None = None
        self._has_ended = False
        self.was_given_up = False

    async def run(self, command_input: CommandInput, deadline: float | None) -> ExecResult:
        """Run the command until it ends or hangs.

        Raises:
            ApiError: The command could not be run.
            ConnectionLost: The connection broke.
            RequestTimeout: The command did not end before the deadline.
        """
        self._schedule_check()
        try:
            return await run_command(
                self._rest, self._stream, self._output, command_input, deadline
            )
        except ApiError as error:
            return _not_run(error)
        except ConnectionLost:
            if not self.was_given_up:
                raise
            return self._output.result(1)  # stderr has the reason
        except RequestTimeout as error:
            if not self._output.stderr:
                raise
            raise RequestTimeout(f"{error}: {_shown_stderr(self._output.stderr)}") from None
        finally:
            self._has_ended = True
            if self._cancel is not None:
                self._cancel()

    def _schedule_check(self) -> None:
        if not self._has_ended:
            self._cancel = call_later(_HANG_CHECK_SECONDS, self._check_progress)

    def _check_progress(self) -> None:
        size = self._packer.size if self._output.stderr else -1
        if size >= 0 and size == self._last_size:
            self.was_given_up = True
            self._stream.abort()
        else:
            self._last_size = size
            self._schedule_check()


def _not_run(error: ApiError) -> ExecResult:
    """Return the result of a command that the container lacks.

    Raises:
        ApiError: The command could not be run for another reason.
    """
    if _NO_PROGRAM not in str(error):
        raise error
    return ExecResult(stdout=b"", stderr=b"", exit_code=_NOT_RUN_EXIT_CODES[-1])


def _has_program(
    command: Sequence[str], result: ExecResult, *, has_tar: bool, has_hung: bool = False
) -> bool:
    """Return whether the container has the program.

    Raises:
        CopyFailed: The command failed.
    """
    why = _shown_stderr(result.stderr)
    if not result.exit_code:
        return True
    if result.exit_code in _NOT_RUN_EXIT_CODES and (has_tar or not why):
        return False
    missing_tar = "" if has_tar else "the container has no tar, and "
    how = f"ended with exit code {result.exit_code}"
    ended = f"{command[0]} {'stopped reading, and did not end' if has_hung else how}"
    raise CopyFailed(f"{missing_tar}{ended}: {why}" if why else missing_tar + ended)


def _shown_stderr(stderr: bytes) -> str:
    return stderr[-_MAX_SHOWN_STDERR_BYTES:].decode("utf-8", "replace").strip()
