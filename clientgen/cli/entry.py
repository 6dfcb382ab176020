"""The console script: it is installed with the runtime and says what else a command needs."""

from __future__ import annotations

import gc
import io
import sys
from typing import NoReturn

INSTALL = (
    "clientgen: this command needs the generator: install clientgen with its extra 'generator'"
)


def main() -> NoReturn:
    """Run the command line; the exit code is 0, 1 for problems and differences, 2 for usage."""
    # The program is over before collecting cycles could pay; looking for them costs a tenth.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A description may hold a character that the terminal does not know.
            stream.reconfigure(errors="backslashreplace")
    try:
        from clientgen.cli.program import program  # fails without click
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit(INSTALL)
    program(prog_name="clientgen")
    sys.exit(0)
