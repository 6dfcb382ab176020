"""What the tests of the reference share."""

from __future__ import annotations

from pathlib import Path

import pytest

from clientgen.reference.package_reader import Api
from clientgen.reference.sources import installed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def kubeapi() -> Api:
    """The API of the package for Kubernetes."""
    return installed(["kubeapi"], [ROOT / "generated"], "test")


@pytest.fixture(scope="session")
def crontabs() -> Api:
    """The API of a package whose types are classes of the user, and of what it uses."""
    paths = [ROOT / "examples" / "crontab", ROOT / "generated"]
    return installed(["crontabs_client"], paths, "test")
