"""The result of a command in a container."""

from __future__ import annotations

from msgspec import Struct


class ExecResult(Struct, frozen=True, kw_only=True):
    """The output of a command in a container, and its exit code."""

    stdout: bytes
    stderr: bytes
    exit_code: int

    @property
    def text(self) -> str:
        """The standard output as text. Bytes that are not UTF-8 are replaced."""
        return self.stdout.decode("utf-8", "replace")

    def __repr__(self) -> str:
        # The output may be secret.
        sizes = f"stdout={len(self.stdout)} bytes, stderr={len(self.stderr)} bytes"
        return f"{type(self).__name__}(exit_code={self.exit_code}, {sizes})"
