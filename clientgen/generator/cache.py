"""Small facts this machine remembers between runs; each of them can be lost without harm.

One of them is that a generator has already seen a package: the committed manifest says what a
package was made from, but not by which sources of the generator, which would change it with every
commit to the generator.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from clientgen.generator.manifest import MANIFEST, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["has_seen", "recall", "remember", "saw", "sources_digest", "user_cache"]


def user_cache(env: Mapping[str, str] | None = None) -> Path:
    """Where programs of this user keep what they can do without, by the platform's convention."""
    env = os.environ if env is None else env
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = env.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "clientgen"


def remember(kind: str, subject: str, fact: str) -> None:
    """Keep a fact about a subject; a cache that cannot be written is none."""
    with suppress(OSError, RuntimeError):
        place = _place(kind, subject)
        place.parent.mkdir(parents=True, exist_ok=True)
        fresh = place.with_suffix(f".{os.getpid()}")
        fresh.write_text(fact, "utf-8")
        fresh.replace(place)


def recall(kind: str, subject: str) -> str | None:
    """The fact that was kept; None if there is none."""
    try:
        return _place(kind, subject).read_text("utf-8")
    except (OSError, RuntimeError, UnicodeDecodeError):
        return None


def _place(kind: str, subject: str) -> Path:
    return user_cache() / kind / digest(subject)


def sources_digest(files: Iterable[Path], *words: str) -> str:
    """The digest of a program: its source files by name, and whatever else decides what it does."""
    found = hashlib.sha256("\0".join(words).encode())
    for path in sorted(files):
        found.update(f"\0{path.name}\0{digest(path.read_bytes())}".encode())
    return found.hexdigest()


def saw(target: Path, generator: str) -> None:
    """Remember that this generator wrote or verified the package as its manifest now says."""
    manifest = _manifest_digest(target)
    if manifest:
        remember("seen", str(target.absolute()), f"{generator} {manifest}")


def has_seen(target: Path, generator: str) -> bool:
    """Whether the manifest is the one that this very generator left or found right."""
    seen = recall("seen", str(target.absolute()))
    return seen is not None and seen == f"{generator} {_manifest_digest(target)}"


def _manifest_digest(target: Path) -> str:
    try:
        return digest((target / MANIFEST).read_bytes())
    except OSError:
        return ""
