"""Compresses the JSON of objects with zstd, and a dictionary of what these objects have in common.

The format is RFC 8878. `compression.zstd` has the functions since Python 3.14, and `backports.zstd`
has the same functions for older versions.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock  # `threading` takes time to import
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

if TYPE_CHECKING:
    from msgspec import Raw

try:
    if sys.version_info >= (3, 14):
        _zstd: Any = import_module("compression.zstd")
    else:
        _zstd = import_module("backports.zstd")
except ImportError:
    raise ImportError(
        "storage='compressed' needs zstd: install clientgen[zstd], or use Python 3.14 or newer"
    ) from None

# Level 3 is zstd's default. Of 9.8 kB, it leaves 428 bytes in 9 µs, level 1 leaves 464 in 8 µs, and
# level 6 leaves 403 in 29 µs. A read takes 12 µs with each of them.
_LEVEL: Final = 3
# 16 kB leave 437 bytes, and 64 kB leave 419, but each cache has a dictionary of its own.
_DICTIONARY_BYTES: Final = 1 << 15
# A dictionary has at most this much of one object.
_MAX_SAMPLE_BYTES: Final = 1 << 14
# zstd writes its statistics before the text; they are shorter than this.
_STATISTICS_BYTES: Final = 1 << 13
_SAMPLES: Final = 32
# After this many objects, their ratio is compared with the best ratio.
_WINDOW: Final = 512
_WORSE: Final = 1.3
_BETTER: Final = 0.9


class Dictionary:
    """A dictionary of the JSON of many objects.

    Attributes:
        is_sound: Whether the dictionary is as it was made. `check` finds out.
    """

    __slots__ = ("_content", "_frame", "_size", "is_sound")

    def __init__(self, content: Any) -> None:
        self._content = content
        self.is_sound = True
        # The dictionary itself, compressed with it: reading that needs all of its text.
        text: bytes = content.dict_content
        self._frame, self._size = _compress(self.new_compressor(), text), len(text)

    def new_compressor(self) -> Any:
        """Return a compressor with a copy of the dictionary, which is dropped with it."""
        return _new_compressor(_zstd.ZstdDict(self._content.dict_content).as_digested_dict)

    def decompress(self, frame: bytes, size: int) -> bytes:
        """Return the JSON in a frame.

        Raises:
            ValueError: The frame or the dictionary has changed.
        """
        return _decompress(frame, size, self._content)

    def check(self) -> bool:
        """Set `is_sound`, and return it."""
        try:
            self.decompress(self._frame, self._size)
        except ValueError:
            self.is_sound = False
        return self.is_sound


class Packed(Struct, frozen=True, gc=False):
    """Compressed JSON.

    Attributes:
        frame: The zstd frame, with a checksum of the JSON.
        size: The size of the JSON in bytes.
        dictionary: The dictionary that the frame was written with; None for none.
    """

    frame: bytes
    size: int
    dictionary: Dictionary | None

    @property
    def is_sound(self) -> bool:
        """Whether the dictionary can be used."""
        return self.dictionary is None or self.dictionary.is_sound

    def unpack(self) -> bytes:
        """Return the JSON.

        Raises:
            ValueError: The frame or the dictionary has changed.
        """
        if self.dictionary is None:
            return _decompress(self.frame, self.size, None)
        return self.dictionary.decompress(self.frame, self.size)


class Packer:
    """Compresses the objects of one cache. Any number of threads may use it.

    The first 32 objects are compressed without a dictionary, and are the samples of the first one.
    After the next 512 objects, a dictionary from 32 of these is tried, and later whenever the last
    512 objects have 1.3 times the best ratio so far. The new dictionary is used if it is better by
    a tenth. Objects keep the dictionary that they were written with.
    """

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._restart()

    def pack(self, json: bytes | Raw) -> Packed:
        """Compress the JSON of an object."""
        with self._lock:
            frame = _compress(self._compressor, json)
            packed = Packed(frame, memoryview(json).nbytes, self._dictionary)
            self._count += 1
            self._size += packed.size
            self._frame_size += len(packed.frame)
            if self._count * _SAMPLES % self._window == 0:
                self._samples.append(packed)
            if self._count == self._window:
                self._end_window()
        return packed

    def repair(self, dictionary: Dictionary | None) -> None:
        """Check a dictionary, because an object that was written with it cannot be read.

        From now on, no damaged dictionary or compressor is used.
        """
        with self._lock:
            is_sound = dictionary is None or dictionary.check()
            if dictionary is self._dictionary and is_sound:
                self._use(dictionary)
            elif dictionary is self._dictionary:
                self._restart()

    def _restart(self) -> None:
        self._use(None)
        self._best_ratio: float | None = None
        self._begin_window(_SAMPLES)

    def _begin_window(self, window: int) -> None:
        """Begin to count objects, and to collect samples evenly."""
        self._window = window
        self._count = self._size = self._frame_size = 0
        self._samples: list[Packed] = []

    def _end_window(self) -> None:
        ratio, best = self._frame_size / self._size, self._best_ratio
        if best is not None and ratio <= _WORSE * best:
            self._best_ratio = min(ratio, best)
        else:
            self._best_ratio = None if self._use_better_dictionary() else ratio
        self._begin_window(_WINDOW)

    def _use_better_dictionary(self) -> bool:
        """Make a dictionary of the samples, and use it if it is better than the present one."""
        try:
            samples = [packed.unpack() for packed in self._samples]
        except ValueError:  # whoever reads this object reports it
            return False
        # A dictionary of some samples is judged by the others, whose text it does not have.
        compressor = _new_dictionary(samples[::2]).new_compressor()
        size = sum(len(_compress(compressor, json)) for json in samples[1::2])
        is_better = size < _BETTER * sum(len(packed.frame) for packed in self._samples[1::2])
        if is_better:
            self._use(_new_dictionary(samples))
        return is_better

    def _use(self, dictionary: Dictionary | None) -> None:
        self._dictionary = dictionary
        self._compressor = _new_compressor() if dictionary is None else dictionary.new_compressor()


def _new_dictionary(samples: list[bytes]) -> Dictionary:
    """Make a dictionary: the text of some samples, and statistics about all of them."""
    parts = [json[:_MAX_SAMPLE_BYTES] for json in samples]
    text = _zstd.ZstdDict(b"".join(parts)[-_DICTIONARY_BYTES:], is_raw=True)
    size = len(text) + _STATISTICS_BYTES
    return Dictionary(_zstd.finalize_dict(text, parts, size, _LEVEL))


def _new_compressor(dictionary: Any = None) -> Any:
    parameter = _zstd.CompressionParameter
    options = {parameter.compression_level: _LEVEL, parameter.checksum_flag: 1}
    return _zstd.ZstdCompressor(options=options, zstd_dict=dictionary)


def _compress(compressor: Any, json: bytes | Raw) -> bytes:
    compressor.set_pledged_input_size(memoryview(json).nbytes)
    frame: bytes = compressor.compress(json, compressor.FLUSH_FRAME)
    return frame


def _decompress(frame: bytes, size: int, dictionary: Any) -> bytes:
    decompressor = _zstd.ZstdDecompressor(zstd_dict=dictionary)
    try:
        # A frame cannot fill memory. One byte more, so that the checksum is always read.
        data: bytes = decompressor.decompress(frame, size + 1)
    except _zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    if not decompressor.eof or len(data) != size:
        raise ValueError("the zstd frame has another length than it was written with")
    return data
