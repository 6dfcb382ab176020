"""Virtual time and reproducible random numbers for explored programs.

During a run, `time` and `datetime.now` return the time of the loop, and `random` and `uuid4`
numbers that depend on the seed only. Each process has its own monotonic clock and `hash`.
"""

from __future__ import annotations

import os
import random
import sys
import sysconfig
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clientgen.runtime._clock import LeaseClock, SystemClock
from clientgen.runtime._models.class_annotations import annotations_of

from .process_hashes import virtual_hash
from .virtual_loop import clock_offset

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType, ModuleType

    from .virtual_loop import VirtualLoop

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_EPOCH: Final = _START.timestamp()
_REAL: Final = {
    "monotonic": time.monotonic,
    "time": time.time,
    "sleep": time.sleep,
    "datetime": datetime,
}
_MISSING: Final = object()
_PREFIXES: Final = tuple(
    str(Path(path).resolve()) for path in {sysconfig.get_path("stdlib"), sys.base_prefix}
)


class VirtualTime:
    """A `Clock` that shows the time of the run's loop, and replaces the machine's clock."""

    def __init__(self) -> None:
        self.loop: VirtualLoop | None = None
        self._day_shift = 0.0
        self._random = random.Random(0)  # noqa: S311 - uids and names, no secrets
        self._import_random = random.Random(0)  # noqa: S311
        self._patched: list[tuple[Any, str, Any]] = []
        self._patched_modules: set[str] = set()
        self._loaded_count = 0

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return _START + timedelta(seconds=self.monotonic() + self._day_shift)

    def monotonic(self) -> float:
        """The seconds since the run began. The server uses this clock."""
        return 0.0 if self.loop is None else self.loop.now

    def _monotonic(self) -> float:
        """Return `monotonic` with the offset of the current process."""
        return self.monotonic() + clock_offset()

    def begin(self, loop: VirtualLoop, seed: int, *, shift: float = 0.0) -> None:
        """Begin a run, with the time of day moved by `shift` seconds."""
        self.loop = loop
        self._day_shift = shift
        self._random.seed(seed)
        self._import_random.seed(seed)
        random.seed(seed)

    # ---- patches ------------------------------------------------------------------------------

    @contextmanager
    def installed(self) -> Generator[None]:
        """Replace the machine's clock and random numbers inside the `with` block."""
        state = random.getstate()
        try:
            self._replace(time, "monotonic", self._monotonic)
            self._replace(time, "time", self._time)
            self._replace(time, "sleep", self._sleep)
            self._replace(os, "urandom", self._urandom)
            self._replace(SystemClock, "monotonic", staticmethod(self._monotonic))
            self._replace(LeaseClock, "monotonic", staticmethod(self._monotonic))
            self._replace(SystemClock, "now", staticmethod(self.now))
            self.patch_new_modules()
            yield
        finally:
            for owner, name, value in reversed(self._patched):
                if value is _MISSING:
                    delattr(owner, name)
                else:
                    setattr(owner, name, value)
            self._patched.clear()
            self._patched_modules.clear()
            self._loaded_count = 0
            random.setstate(state)

    def _urandom(self, size: int) -> bytes:
        """Return random bytes; imports have their own generator, as only the first run imports."""
        generator = self._import_random if _is_importing() else self._random
        return generator.randbytes(size)

    def patch_new_modules(self) -> None:
        """Patch the imported clocks in modules that were loaded since the last call."""
        if len(sys.modules) == self._loaded_count:
            return
        self._loaded_count = len(sys.modules)
        replacements = {
            "monotonic": self._monotonic,
            "time": self._time,
            "sleep": self._sleep,
            "datetime": self._datetime(),
        }
        for name, module in tuple(sys.modules.items()):
            if name not in self._patched_modules:
                self._patched_modules.add(name)
                if _is_program_module(name, module):
                    if not name.startswith("clientgen.") and "hash" not in vars(module):
                        self._replace(module, "hash", virtual_hash)
                    for word, value in replacements.items():
                        if vars(module).get(word) is _REAL[word] and not (
                            word == "datetime" and _declares_times(name, module)
                        ):
                            self._replace(module, word, value)

    def modules_of_program(self) -> dict[str, ModuleType]:
        """Return the program's modules: neither Python's nor clientgen's nor installed ones."""
        return {
            name: module
            for name, module in tuple(sys.modules.items())
            if not name.startswith("clientgen.") and _is_program_module(name, module)
        }

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        self._patched.append((owner, name, owner.__dict__.get(name, _MISSING)))
        setattr(owner, name, value)

    def _time(self) -> float:
        return _EPOCH + self.monotonic() + self._day_shift

    def _sleep(self, seconds: float) -> None:
        """Move the time on without running other tasks: `time.sleep` blocks the loop."""
        if self.loop is not None:
            self.loop.now += max(0.0, seconds)

    def _datetime(self) -> type[datetime]:
        virtual = self

        class Meta(type):
            def __instancecheck__(cls, instance: object) -> bool:
                return isinstance(instance, datetime)

            def __subclasscheck__(cls, subclass: type) -> bool:
                return issubclass(subclass, datetime)

        class VirtualDatetime(datetime, metaclass=Meta):
            def __new__(cls, *args: Any, **options: Any) -> datetime:  # type: ignore[misc]
                return datetime(*args, **options)  # noqa: DTZ001 - the caller decides

            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                now = virtual.now()
                return now.astimezone(tz) if tz is not None else now.replace(tzinfo=None)

            @classmethod
            def utcnow(cls) -> datetime:  # type: ignore[override]
                return virtual.now().replace(tzinfo=None)

        return VirtualDatetime


def _is_program_module(name: str, module: ModuleType) -> bool:
    """Whether a module belongs to the program or the runtime, not to Python or a tool."""
    if name.startswith("clientgen."):
        return name.startswith("clientgen.runtime.")
    file = getattr(module, "__file__", None)
    return bool(file) and _is_own_file(str(file))


@cache
def _is_own_file(file: str) -> bool:
    if "site-packages" in file or "dist-packages" in file:
        return False
    return not str(Path(file).resolve()).startswith(_PREFIXES)


def _declares_times(name: str, module: ModuleType) -> bool:
    """Whether classes of the module have fields of type datetime, which must not be patched."""
    return name.startswith("clientgen.") or any(
        "datetime" in str(note)
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == name
        for note in annotations_of(value).values()
    )


def _is_importing() -> bool:
    """Whether the caller runs during the import of a module."""
    here = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] - it is documented
    frame: FrameType | None = here
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
