"""Remembers on this machine which packages this generator has written or verified.

The committed manifest says what a package was made from, but not by which sources of the
generator, which would change it with every commit to the generator.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clientgen import __version__
from clientgen._shipped import kubernetes_spec, shipped
from clientgen.generator.package_manifest import MANIFEST, digest
from clientgen.generator.user_cache import recall, remember

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_LIBRARIES: Final = ("_apiextensions", "_apimachinery", "_openapi", "_yaml", "runtime/_models")
"""The folders of clientgen, besides the generator's own, that decide what is generated."""
_OPTION_TEXTS: Final = "runtime/_http/call_options.py"
"""What docstrings say of options, see `option_texts`."""


def sources_digest(files: Iterable[tuple[str, Path]], *words: str) -> str:
    """The digest of a program: its source files by name, and whatever else decides what it does."""
    hashed = hashlib.sha256("\0".join(words).encode())
    for name, path in sorted(files):
        hashed.update(f"\0{name}\0{digest(path.read_bytes())}".encode())
    return hashed.hexdigest()


@cache
def generator_digest(formatter: str) -> str:
    """The digest of clientgen as far as it generates: version, sources, texts and formatter."""
    return sources_digest(generator_files(), __version__, formatter)


def generator_files() -> Iterator[tuple[str, Path]]:
    """Yield what decides what is generated, besides the input: a name and the file."""
    package = Path(__file__).parents[1]
    folders = ("generator", *_LIBRARIES)
    modules = (path for folder in folders for path in (package / folder).rglob("*.py"))
    for path in (*modules, *package.glob("_[!_]*.py"), package / _OPTION_TEXTS):
        yield path.relative_to(package).as_posix(), path
    templates = shipped("templates")
    for path in templates.rglob("*.j2"):
        yield f"templates/{path.relative_to(templates).as_posix()}", path
    yield "specs/kubernetes/swagger.json", kubernetes_spec()


def record_seen(target: Path, generator: str, manifest: str) -> None:
    """Remember that this generator wrote the package with this manifest, by the digest of both."""
    remember("seen", str(target.absolute()), f"{generator} {manifest}")


def has_seen(target: Path, generator: str) -> bool:
    """Return whether this very generator has written or verified the package as it is."""
    record = recall("seen", str(target.absolute()))
    return record is not None and record == f"{generator} {_manifest_digest(target)}"


def _manifest_digest(target: Path) -> str:
    try:
        return digest((target / MANIFEST).read_bytes())
    except OSError:
        return ""
