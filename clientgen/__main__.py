"""`python -m clientgen` is the command `clientgen`."""

from __future__ import annotations

from clientgen.cli.entry import main

main()
