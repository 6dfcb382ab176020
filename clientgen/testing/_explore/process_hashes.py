"""The builtin `hash` for explored programs: each process of a run has another hash seed.

Python chooses the hash seed at its start, and it cannot be changed afterwards. So the order of sets
of texts is that of the real process, in all processes of a run.
"""

from __future__ import annotations

import inspect
from hashlib import blake2b
from typing import cast

from .virtual_loop import PROCESS


def virtual_hash(value: object, /) -> int:
    """Return the hash of an object in the current process of the run.

    Calls from a `__hash__` method get Python's hash: the objects may be keys of dicts that were
    made outside of the process.
    """
    caller = inspect.currentframe()
    caller = caller.f_back if caller is not None else None
    if caller is not None and caller.f_code.co_name == "__hash__":
        return hash(value)
    process = PROCESS.get()
    return _salted(value, b"" if process is None else b"%d" % process.number)


def _salted(value: object, salt: bytes) -> int:
    if isinstance(value, (str, bytes)):
        data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8, salt=salt).digest(), signed=True)
    if isinstance(value, tuple):
        return hash(tuple(_salted(part, salt) for part in cast("tuple[object, ...]", value)))
    if isinstance(value, frozenset):
        return hash(frozenset(_salted(part, salt) for part in cast("frozenset[object]", value)))
    return hash(value)
