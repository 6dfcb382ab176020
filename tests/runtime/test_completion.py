"""Tab completion at a prompt: `dir()` lists names that are imported on first use."""

from __future__ import annotations

import pytest

from clientgen import runtime
from clientgen.runtime import aio, sync


@pytest.mark.parametrize("module", [runtime, aio, sync], ids=lambda module: module.__name__)
def test_public_modules_list_all_their_names(module):
    assert set(dir(module)) == set(module.__all__)
