"""The terminal of this program, while a command in a container uses it.

In raw mode, each key goes to the command, also Ctrl-C. The terminal must be restored whatever
happens, or the user's shell shows nothing of what is typed.
"""

from __future__ import annotations

import os
import selectors
import signal
import sys
import termios
import threading
import tty
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    from types import FrameType
    from typing import Self

_MAX_READ_BYTES: Final = 1 << 14
# Signals that end a program that does not handle them, without any `finally`.
_FATAL: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_RESIZED, _STOPPED = b"r", b"s"
_CLOSED: Final = -1  # no file has this descriptor


class TerminalSize(NamedTuple):
    """The size of a terminal, in characters."""

    width: int
    height: int


# epoll refuses regular files, and poll of macOS refuses terminals.
_Selector = selectors.PollSelector if sys.platform == "linux" else selectors.SelectSelector


def _unless_closed(descriptor: int) -> int:
    """Return a descriptor; `_CLOSED` if it was closed when Python started.

    Python leaves such a descriptor free. The next file or socket has it, such as the connection to
    the API server.
    """
    streams = {0: sys.__stdin__, 1: sys.__stdout__, 2: sys.__stderr__}
    return _CLOSED if streams.get(descriptor, sys) is None else descriptor


def _wait(*files: int, write: bool = False) -> set[int]:
    """Wait until files can be read, or written. Returns these files."""
    with _Selector() as selector:
        for each in files:
            selector.register(each, selectors.EVENT_WRITE if write else selectors.EVENT_READ)
        return {key.fd for key, _ in selector.select()}


class LocalTerminal:
    """The input and output of this program: a terminal in raw mode, or any other files.

    Use it as a context manager. The end of the block restores the terminal. A signal that ends the
    program restores the terminal before; a signal that suspends and continues the program sets raw
    mode again. Signals are seen if the block begins in the main thread.

    Args:
        stdin: The descriptor of the input. An input that was closed when Python started is at its
            end.
        stdout: The descriptor of the output.
        stderr: The descriptor of the error output.
    """

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        stdin, stdout, stderr = map(_unless_closed, (stdin, stdout, stderr))
        self.is_terminal = os.isatty(stdin)
        self._stdin = stdin
        self._outputs = {"stdout": stdout, "stderr": stderr}
        self._mode: list[Any] | None = None
        self._is_raw = False
        self._owns_wakeup = False
        self._last_size = self.size() if self.is_terminal else None
        self._handlers: dict[int, Any] = {}
        self._wake_end, self._wake = -1, -1

    def __enter__(self) -> Self:
        self._wake_end, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        try:
            if self.is_terminal:
                self._mode = termios.tcgetattr(self._stdin)
                self._install_handlers()
                self._set_raw()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        self._restore_handlers()
        os.close(self._wake_end)
        os.close(self._wake)

    def size(self) -> TerminalSize | None:
        """Return the size of the terminal; None if there is none."""
        try:
            height, width = termios.tcgetwinsize(self._stdin)
        except (OSError, termios.error):
            return None
        return TerminalSize(width, height) if width and height else None

    def next(self) -> bytes | TerminalSize:
        """Wait for input or for a new size. Returns empty bytes at the end, and after `stop`."""
        while self._stdin != _CLOSED:
            if self._wake_end not in _wait(self._stdin, self._wake_end):
                with suppress(BlockingIOError):  # another program was faster
                    return self._read()
            else:
                events = os.read(self._wake_end, _MAX_READ_BYTES)
                if _STOPPED in events:
                    return b""
                self._handle_signals(events)
                size = self.size()
                if size is not None and size != self._last_size:
                    self._last_size = size
                    return size
        return b""

    def stop(self) -> None:
        """Let `next` return empty bytes. Any thread may call this."""
        self._note(_STOPPED)

    def write(self, stream: str, data: bytes) -> None:
        """Write all bytes to `stdout` or `stderr`. Waits while the terminal takes nothing.

        Raises:
            OSError: The output is closed.
        """
        output, view = self._outputs[stream], memoryview(data)
        while view:
            try:
                view = view[os.write(output, view) :]
            except BlockingIOError:  # another program has made the file non-blocking
                _wait(output, write=True)

    def _read(self) -> bytes:
        try:
            return os.read(self._stdin, _MAX_READ_BYTES)
        except BlockingIOError:
            raise
        except OSError:  # the terminal is gone
            return b""

    def _note(self, event: bytes) -> None:
        with suppress(BlockingIOError):  # a full pipe wakes `next`, too
            os.write(self._wake, event)

    # ---- the mode of the terminal -------------------------------------------------------------

    def _set_raw(self) -> None:
        self._is_raw = True
        tty.setraw(self._stdin, termios.TCSANOW)

    def _set_raw_again(self) -> None:
        with suppress(termios.error):  # the terminal is gone
            self._set_raw()

    def _restore(self) -> None:
        self._is_raw = False
        if self._mode is not None:
            # At once: a terminal that takes no output must not prevent it.
            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._stdin, termios.TCSANOW, self._mode)

    def _install_handlers(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        handlers: dict[signal.Signals, Any] = {
            signal.SIGWINCH: self._on_resize,
            signal.SIGCONT: self._on_continue,
        }
        for number in _FATAL:
            if signal.getsignal(number) is signal.SIG_DFL:
                handlers[number] = self._on_fatal
        for number, handler in handlers.items():
            previous = signal.getsignal(number)
            if previous is not None:  # Python cannot restore a handler of another language
                self._handlers[number] = previous
                signal.signal(number, handler)
        # Each signal then wakes `next`, whichever thread the kernel interrupts.
        others = signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        self._owns_wakeup = others == -1
        if not self._owns_wakeup:
            signal.set_wakeup_fd(others)

    def _restore_handlers(self) -> None:
        handlers, self._handlers = self._handlers, {}
        if self._owns_wakeup:
            signal.set_wakeup_fd(-1)
            self._owns_wakeup = False
        for number, handler in handlers.items():
            signal.signal(number, handler)

    def _handle_signals(self, events: bytes) -> None:
        """Do what signals need while the main thread is blocked.

        Python's handlers run in the main thread. The kernel may interrupt another thread instead,
        and the main thread would go on waiting for output.
        """
        if self._is_raw and signal.SIGCONT in events:
            self._set_raw_again()
        for number in _FATAL:
            if number in events and number in self._handlers:
                signal.pthread_kill(cast("int", threading.main_thread().ident), number)

    def _on_resize(self, number: int, frame: FrameType | None) -> None:
        self._note(_RESIZED)
        self._call_previous(number, frame)

    def _on_continue(self, number: int, frame: FrameType | None) -> None:
        if self._is_raw:
            self._set_raw_again()
        self._note(_RESIZED)
        self._call_previous(number, frame)

    def _on_fatal(self, number: int, _: FrameType | None) -> None:
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    def _call_previous(self, number: int, frame: FrameType | None) -> None:
        previous = self._handlers.get(number)
        if callable(previous):
            previous(number, frame)
