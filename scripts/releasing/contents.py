"""What distributions must contain: exactly the files that are meant, and sound metadata."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import tarfile
import zipfile
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from packaging.metadata import Metadata

from .commands import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

__all__ = ["Expected", "check", "metadata_of"]

_LICENSE: Final = "LICENSE"
_IN_EVERY_SDIST: Final = frozenset({"PKG-INFO", "pyproject.toml", _LICENSE})


class Expected(NamedTuple):
    """What a wheel and its sdist contain: paths, without what every one of them has."""

    wheel: frozenset[str]
    sdist: frozenset[str]
    licence: bytes


def check(files: Collection[Path], expected: Expected) -> Metadata:
    """Check a wheel and the sdist that it was built from, and return the metadata.

    Raises:
        ReleaseError: with everything that is wrong.
    """
    (wheel,) = (path for path in files if path.suffix == ".whl")
    (sdist,) = (path for path in files if path.name.endswith(".tar.gz"))
    in_wheel = _of_wheel(wheel)
    metadata = metadata_of(wheel)
    problems = [
        *(f"{wheel.name}: {each}" for each in _in_wheel(in_wheel, expected)),
        *(f"{sdist.name}: {each}" for each in _in_sdist(_of_sdist(sdist), expected)),
        *(f"{wheel.name}: {each}" for each in _in_metadata(metadata)),
    ]
    if problems:
        raise ReleaseError("\n".join(problems))
    return metadata


def metadata_of(wheel: Path) -> Metadata:
    """Return the metadata of a wheel.

    Raises:
        ReleaseError: they break the rules for metadata.
    """
    files = _of_wheel(wheel)
    (data,) = (data for path, data in files.items() if path.endswith(".dist-info/METADATA"))
    try:
        return Metadata.from_email(data)
    except ExceptionGroup as error:
        texts = "; ".join(str(each) for each in error.exceptions)
        raise ReleaseError(f"{wheel.name}: METADATA: {texts}") from error


def _of_wheel(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist()}


def _of_sdist(sdist: Path) -> dict[str, bytes]:
    """The files, by their paths below the one folder that has them all."""
    with tarfile.open(sdist) as archive:
        files = [each for each in archive if each.isfile()]
        opened = ((each.name, cast("IO[bytes]", archive.extractfile(each))) for each in files)
        return {name.partition("/")[2]: file.read() for name, file in opened}


def _in_wheel(files: Mapping[str, bytes], expected: Expected) -> Iterator[str]:
    info = {path for path in files if path.partition("/")[0].endswith(".dist-info")}
    yield from _differences(files.keys() - info, expected.wheel)
    if not any(path.endswith("/py.typed") for path in files):
        yield "py.typed is missing"
    if expected.licence not in (files[path] for path in info if path.endswith(f"/{_LICENSE}")):
        yield "the licence is missing"
    yield from _unrecorded(files)


def _unrecorded(files: Mapping[str, bytes]) -> Iterator[str]:
    """What RECORD leaves out, or tells wrongly."""
    (name,) = (path for path in files if path.endswith(".dist-info/RECORD"))
    rows = csv.reader(io.StringIO(files[name].decode()))
    recorded = {path: digest for path, digest, _ in rows}
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if path != name and recorded.get(path) != f"sha256={digest}":
            yield f"{path} is not what RECORD tells"


def _in_sdist(files: Mapping[str, bytes], expected: Expected) -> Iterator[str]:
    yield from _differences(files.keys() - {".gitignore"}, expected.sdist | _IN_EVERY_SDIST)
    if files.get(_LICENSE) != expected.licence:
        yield "the licence is another one"


def _differences(found: Collection[str], expected: Collection[str]) -> Iterator[str]:
    yield from (f"{path} is missing" for path in sorted({*expected} - {*found}))
    yield from (f"{path} does not belong there" for path in sorted({*found} - {*expected}))


def _in_metadata(metadata: Metadata) -> Iterator[str]:
    if metadata.license_expression != "Apache-2.0":
        yield f"the licence is {metadata.license_expression}"
    if not (metadata.requires_python and metadata.summary and metadata.description):
        yield "requires-python, the summary or the description is missing"
    if "Typing :: Typed" not in (metadata.classifiers or ()):
        yield "the classifier `Typing :: Typed` is missing"
    if not metadata.requires_dist:
        yield "the dependencies are missing"
    for each in metadata.requires_dist or ():
        if each.url:
            yield f"a dependency names an address: {each}"
