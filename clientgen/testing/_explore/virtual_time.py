"""Virtual time, and chance that can be repeated, for everything that a program asks.

While a program is explored, `time`, `datetime.now`, `random` and `uuid4` answer from the run: the
time of the loop, and numbers that depend on the seed only.
"""

from __future__ import annotations

import os
import random
import sys
import sysconfig
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clientgen.runtime._clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import ModuleType

    from .virtual_loop import VirtualLoop

__all__ = ["VirtualTime"]

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_EPOCH: Final = _START.timestamp()
_REAL: Final = {
    "monotonic": time.monotonic,
    "time": time.time,
    "sleep": time.sleep,
    "datetime": datetime,
}
_PREFIXES: Final = tuple(
    str(Path(path).resolve()) for path in {sysconfig.get_path("stdlib"), sys.base_prefix}
)


class VirtualTime:
    """A clock that follows the loop of the run, and takes the place of the machine's.

    It is a `clientgen.runtime._clock.Clock`.
    """

    def __init__(self) -> None:
        self.loop: VirtualLoop | None = None
        self._random = random.Random(0)  # noqa: S311 - uids and names, no secrets
        self._patched: list[tuple[Any, str, Any]] = []
        self._known: set[str] = set()

    def now(self) -> datetime:
        """The time of day, in UTC."""
        return _START + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        """The seconds since the run began."""
        return 0.0 if self.loop is None else self.loop.now

    def begin(self, loop: VirtualLoop, seed: int) -> None:
        """Begin a run."""
        self.loop = loop
        self._random.seed(seed)
        random.seed(seed)

    # ---- instead of the machine's -------------------------------------------------------------

    @contextmanager
    def installed(self) -> Generator[None]:
        """Replace the machine's clock and chance meanwhile."""
        state = random.getstate()
        try:
            self._replace(time, "monotonic", self.monotonic)
            self._replace(time, "time", self._time)
            self._replace(time, "sleep", self._sleep)
            self._replace(os, "urandom", self._random.randbytes)
            self._replace(SystemClock, "monotonic", staticmethod(self.monotonic))
            self._replace(SystemClock, "now", staticmethod(self.now))
            self.look_for_modules()
            yield
        finally:
            for owner, name, value in reversed(self._patched):
                setattr(owner, name, value)
            self._patched.clear()
            self._known.clear()
            random.setstate(state)

    def look_for_modules(self) -> None:
        """Replace names that modules have imported, in modules that were loaded meanwhile."""
        instead = {
            "monotonic": self.monotonic,
            "time": self._time,
            "sleep": self._sleep,
            "datetime": self._datetime(),
        }
        for name, module in tuple(sys.modules.items()):
            if name not in self._known:
                self._known.add(name)
                if _is_programs(name, module):
                    for word, value in instead.items():
                        if vars(module).get(word) is _REAL[word] and not (
                            word == "datetime" and _declares_times(name, module)
                        ):
                            self._replace(module, word, value)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        self._patched.append((owner, name, owner.__dict__[name]))
        setattr(owner, name, value)

    def _time(self) -> float:
        return _EPOCH + self.monotonic()

    def _sleep(self, seconds: float) -> None:
        """Block the loop; nothing else happens meanwhile."""
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
                return datetime(*args, **options)  # noqa: DTZ001 - as the caller says

            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                now = virtual.now()
                return now.astimezone(tz) if tz is not None else now.replace(tzinfo=None)

            @classmethod
            def utcnow(cls) -> datetime:  # type: ignore[override]
                return virtual.now().replace(tzinfo=None)

        return VirtualDatetime


def _is_programs(name: str, module: ModuleType) -> bool:
    """Whether a module is the program's or the runtime's, and not Python's or a tool's."""
    if name.startswith("clientgen."):
        return name.startswith("clientgen.runtime.")
    file = getattr(module, "__file__", None)
    if not file or "site-packages" in file or "dist-packages" in file:
        return False
    return not str(Path(file).resolve()).startswith(_PREFIXES)


def _declares_times(name: str, module: ModuleType) -> bool:
    """Whether classes of the module have fields that are times: their type has to stay."""
    return name.startswith("clientgen.") or any(
        "datetime" in str(note)
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == name
        for note in vars(value).get("__annotations__", {}).values()
    )
