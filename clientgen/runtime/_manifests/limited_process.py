"""Runs a program with limits: of time, of output, and on Linux of memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PIECE_BYTES: Final = 1 << 16
_MAX_MESSAGES_BYTES: Final = 1 << 16
_MAX_MEMORY_BYTES: Final = 4 << 30


class ProcessFailed(Exception):  # noqa: N818 - the caller makes an error of it
    """A program failed. `code` is its exit code, or None if it was killed or did not start."""

    def __init__(self, what: str, code: int | None = None, messages: bytes = b"") -> None:
        super().__init__(what)
        self.code = code
        self.messages = messages


class LimitedProcess:
    """A program that runs in its own process group, without standard input and without a shell.

    Raises:
        ProcessFailed: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: str) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 - no shell, and the caller found it
                command,
                env=env,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=None if os.name == "nt" else 0,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ProcessFailed(f"cannot be run: {reason}") from None
        _limit_memory(self._process.pid)

    def output(self, timeout: float, limit: int) -> tuple[bytes, bytes]:
        """Return what the program prints to standard output and to standard error, after its end.

        Only the first 64 KiB of standard error are kept. The program is killed if this fails.

        Raises:
            ProcessFailed: the program fails, does not end in time, or prints more bytes than
                `limit`.
        """
        until = monotonic() + timeout
        try:
            output, messages = self._read(until, limit)
            code = self._process.wait(max(0.0, until - monotonic()))
        except subprocess.TimeoutExpired:
            raise ProcessFailed(f"did not end within {timeout:g} s and was killed") from None
        finally:
            self.kill()
            for pipe in (self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()
        if code:
            how = f"failed with exit code {code}" if code > 0 else f"was ended by signal {-code}"
            raise ProcessFailed(how, code, messages)
        return output, messages

    def _read(self, until: float, limit: int) -> tuple[bytes, bytes]:
        """Read both pipes to their ends."""
        if os.name == "nt":  # selectors on Windows support only sockets
            printed = self._process.communicate(timeout=max(0.0, until - monotonic()))
            return printed[0], printed[1][:_MAX_MESSAGES_BYTES]
        output, messages = bytearray(), bytearray()
        with DefaultSelector() as selector:
            selector.register(self._process.stdout or -1, EVENT_READ, output)
            selector.register(self._process.stderr or -1, EVENT_READ, messages)
            while selector.get_map():
                ready = selector.select(max(0.0, until - monotonic()))
                if not ready:
                    raise subprocess.TimeoutExpired(self._process.args, 0)
                for key, _ in ready:
                    piece = os.read(key.fd, _PIECE_BYTES)
                    if not piece:
                        selector.unregister(key.fileobj)
                    key.data.extend(piece)
                if len(output) > limit:
                    raise ProcessFailed(f"printed more than {_size(limit)} and was killed")
                del messages[_MAX_MESSAGES_BYTES:]
        return bytes(output), bytes(messages)

    def kill(self) -> None:
        """Kill the program and the programs that it has started."""
        if self._process.returncode is not None:
            return
        # The process group exists until `wait`, even if its first process has ended.
        with suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()


def _size(limit: int) -> str:
    return f"{limit >> 20} MiB" if limit >= 1 << 20 else f"{limit} bytes"


def _limit_memory(pid: int) -> None:
    """Limit the address space of a process, so that a small input cannot fill the memory."""
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
