"""The OpenAPI documents of all releases that there are packages of.

That of the newest is specs/kubernetes/swagger.json. Those of older ones are compressed, in
specs/releases.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clientgen._shipped import KUBERNETES, kubernetes_spec

from .documents import facts
from .go_enums import add_enums

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["document_of", "releases", "write_older"]

_FOLDER: Final = Path(__file__).parents[2] / "specs" / "releases"
_SUFFIX: Final = ".json.xz"


def releases() -> Sequence[str]:
    """The releases, the newest last: `1.33`, ..., `1.36`."""
    older = (path.name.removesuffix(_SUFFIX) for path in _FOLDER.glob(f"*{_SUFFIX}"))
    return sorted({*older, KUBERNETES}, key=_numbers)


def document_of(release: str) -> bytes:
    """The OpenAPI v2 document of a release, as JSON.

    Raises:
        KeyError: there is none.
    """
    if release == KUBERNETES:
        return kubernetes_spec().read_bytes()
    if release not in releases():
        raise KeyError(release)
    return lzma.decompress(_path(release).read_bytes())


def write_older(release: str, document: dict[str, Any], sources: Path) -> int:
    """Keep the document of an older release; return the size of its file.

    Args:
        release: such as `1.35`.
        document: `api/openapi-spec/swagger.json` of Kubernetes' sources.
        sources: checkouts of kubernetes/api and apiextensions-apiserver at the release.
    """
    kept = _as_served(facts(document))
    kept["info"] = {"title": "Kubernetes", "version": release}
    add_enums(kept, sources)
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    _FOLDER.mkdir(exist_ok=True)
    path = _path(release)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    return path.stat().st_size


def _as_served(value: Any) -> Any:
    """A document without the media types of CBOR, which a server has to be told to speak."""
    if isinstance(value, dict):
        return {key: _as_served(each) for key, each in value.items()}
    if isinstance(value, list):
        return [
            _as_served(each) for each in value if not (isinstance(each, str) and "cbor" in each)
        ]
    return value


def _path(release: str) -> Path:
    return _FOLDER / f"{release}{_SUFFIX}"


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
