"""Configurations of tests, in the working directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from clientgen._problems import ClientgenError
from clientgen.generator.configuration import Flags, PackageConfig, load

__all__ = ["complaints", "config", "only"]


def config(text: str, name: str = "clientgen.toml") -> None:
    """Write a configuration."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def only(flags: Flags | None = None) -> PackageConfig:
    """The one package that is configured."""
    (package,) = load(flags or Flags())
    return package


def complaints(flags: Flags | None = None) -> list[str]:
    """What is wrong with the configuration."""
    with pytest.raises(ClientgenError) as caught:
        load(flags or Flags())
    return [str(problem) for problem in caught.value.problems]
