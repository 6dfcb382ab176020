"""The documents of a release as specs/ has them: facts only, in one layout."""

from __future__ import annotations

import json
import re
from hashlib import sha512
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["Documents", "facts", "read_documents", "release_of", "write_documents"]

Documents = dict[str, Any]
"""OpenAPI v3 documents by the path under /openapi/v3 that answers them, such as `apis/apps/v1`."""

_TEXTS: Final = frozenset({"description", "externalDocs"})
_RELEASE: Final = re.compile(r"(\d+\.\d+)\b")
_SUFFIX: Final = "_openapi.json"


def facts(value: Any, *, in_responses: bool = False) -> Any:
    """A document without its documentation texts.

    Responses keep theirs, because OpenAPI demands one: Kubernetes writes `OK`, `Created` and the
    like. A property that is called `description` is a schema, not a text, and stays.
    """
    if isinstance(value, list):
        return [facts(each) for each in value]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if in_responses:
        return {code: _response(each) for code, each in members.items()}
    return {
        key: facts(each, in_responses=key == "responses")
        for key, each in members.items()
        if not (key in _TEXTS and _is_text(key, each))
    }


def _is_text(key: str, value: Any) -> bool:
    return isinstance(value, str) or (key == "externalDocs" and "url" in value)


def _response(response: Any) -> Any:
    kept = facts(response)
    return {**kept, "description": response["description"]} if "description" in response else kept


def release_of(document: Mapping[str, Any]) -> str:
    """The release that a document names, such as `1.36`; empty when it names none."""
    match = _RELEASE.search(str(document.get("info", {}).get("version", "")))
    return match[1] if match else ""


def read_documents(folder: Path) -> tuple[Documents, dict[str, str]]:
    """The OpenAPI v3 documents in a folder, and the hashes that its index has for them.

    Three layouts are known: that of specs/ (with an `index.json`), that of `api/openapi-spec/v3` in
    Kubernetes' sources (`apis__apps__v1_openapi.json`), and folders (`apis/apps/v1.json`).
    """
    documents: Documents = {}
    urls: dict[str, str] = {}
    index = folder / "index.json"
    listed: dict[str, Any] = json.loads(index.read_bytes())["paths"] if index.exists() else {}
    names = {each["file"]: path for path, each in listed.items() if "file" in each}
    for file in sorted(folder.rglob("*.json")):
        if file == index:
            continue
        relative = file.relative_to(folder).as_posix()
        path = names.get(relative) or _path(relative)
        document = json.loads(file.read_bytes())
        if "openapi" in document:
            documents[path] = document
            if path in listed:
                urls[path] = listed[path]["serverRelativeURL"]
    return documents, urls


def _path(file: str) -> str:
    name = file.removesuffix(_SUFFIX).removesuffix(".json")
    return name.replace("__", "/")


def write_documents(folder: Path, v2: Any, v3: Documents, urls: Mapping[str, str]) -> None:
    """Write a release's documents, instead of those that are there."""
    (folder / "swagger.json").write_text(_compact(v2), "utf-8")
    for old in (folder / "v3").glob("*.json"):
        old.unlink()
    if not v3:
        return
    (folder / "v3").mkdir(exist_ok=True)
    for path, document in v3.items():
        (folder / "v3" / _file(path)).write_text(_compact(document), "utf-8")
    index = {"paths": dict(_indexed(v3, urls))}
    (folder / "v3" / "index.json").write_text(json.dumps(index, indent=1), "utf-8")


def _indexed(v3: Documents, urls: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    for path in sorted(v3):
        digest = sha512(_compact(v3[path]).encode()).hexdigest().upper()
        url = urls.get(path) or f"/openapi/v3/{path}?hash={digest}"
        yield path, {"file": _file(path), "serverRelativeURL": url}


def _file(path: str) -> str:
    return f"{path.lstrip('.').replace('/', '__')}.json"


def _compact(document: Any) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
