"""That a generator has already seen a package is remembered on this machine.

The committed manifest says what a package was made from, but not by which sources of the
generator, which would change it with every commit to the generator.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen._shipped import shipped
from clientgen.generator.package_manifest import MANIFEST, digest
from clientgen.generator.user_cache import recall, remember

if TYPE_CHECKING:
    from collections.abc import Iterable


def sources_digest(files: Iterable[Path], *words: str) -> str:
    """The digest of a program: its source files by name, and whatever else decides what it does."""
    hashed = hashlib.sha256("\0".join(words).encode())
    for path in sorted(files):
        hashed.update(f"\0{path.name}\0{digest(path.read_bytes())}".encode())
    return hashed.hexdigest()


@cache
def generator_digest(formatter: str) -> str:
    """The digest of the generator itself: modules, templates and what formats."""
    modules, templates = Path(__file__).parent.rglob("*.py"), shipped("templates").rglob("*.j2")
    return sources_digest([*modules, *templates], formatter)


def record_seen(target: Path, generator: str, manifest: str) -> None:
    """Remember that this generator wrote the package with this manifest, by the digest of both."""
    remember("seen", str(target.absolute()), f"{generator} {manifest}")


def has_seen(target: Path, generator: str) -> bool:
    """Tell whether the manifest is the one that this very generator left or found right."""
    record = recall("seen", str(target.absolute()))
    return record is not None and record == f"{generator} {_manifest_digest(target)}"


def _manifest_digest(target: Path) -> str:
    try:
        return digest((target / MANIFEST).read_bytes())
    except OSError:
        return ""
