"""Writes to built-in objects, one member wrong in each, and what a real API server said.

`tests/testing/writes` holds a file for each object: how it looks when it is right, and cases, which
say what is done (create, update, status, each also `-without`, or `post` to a subresource), which
member is given which value, the answer, and the warnings. An answer is the status, the reason, and
the causes by field. Recorded from kube-apiserver 1.36.2 with RBAC, all APIs, default feature gates
and --allow-privileged; dry runs, the object itself apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

FOLDER = Path(__file__).parents[1] / "testing" / "writes"
Answer: TypeAlias = tuple[int, list[str], dict[str, Any]]
# Asks a server: method, path, body. Answers with the status, the warnings and the body.
Ask: TypeAlias = Callable[[str, str, Any], Answer]
_REPEAT = re.compile(r"\$\{repeat:(.):(\d+)\}")


def names() -> list[str]:
    """The objects that there are cases for."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(name: str) -> dict[str, Any]:
    """An object and its cases."""
    contents: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return contents


def differences(name: str, collection: str, kind: dict[str, str], ask: Ask) -> Iterator[str]:
    """The cases of an object that a server answers otherwise."""
    recorded = read(name)
    metadata = {"name": f"m-{name.lower()}", **recorded["object"].get("metadata", {})}
    right = {**kind, **recorded["object"], "metadata": metadata}
    cases = recorded["cases"]
    yield from _tried(cases, "create", lambda body: ("POST", collection, body), right, ask)
    status, _, stored = ask("POST", collection, right)
    assert status == 201, stored
    place = f"{collection}/{metadata['name']}"
    _, _, current = ask("GET", place, None)
    yield from _tried(cases, "update", lambda body: ("PUT", place, body), current, ask)
    for case in cases:
        if case[0].startswith("post "):
            response = ask("POST", f"{place}/{case[0][5:]}?dryRun=All", case[2])
            yield from _told(case, response)
    if "status" in recorded:
        shown = {**current, "status": {**current.get("status", {}), **recorded["status"]}}
        at = f"{place}/status"
        yield from _tried(cases, "status", lambda body: ("PUT", at, body), shown, ask)


def _tried(
    cases: list[Any],
    verb: str,
    written: Callable[[Any], tuple[str, str, Any]],
    right: dict[str, Any],
    ask: Ask,
) -> Iterator[str]:
    for case in cases:
        if case[0] not in (verb, f"{verb}-without"):
            continue
        method, path, body = written(_changed(right, case))
        yield from _told(case, ask(method, f"{path}?dryRun=All", body))


def _changed(right: dict[str, Any], case: list[Any]) -> dict[str, Any]:
    body = deepcopy(right)
    path = ["status", *case[1]] if case[0].startswith("status") else case[1]
    at: Any = body
    for step in path[:-1]:
        at = at.setdefault(step, {}) if isinstance(at, dict) else at[step]
    if case[0].endswith("-without"):
        del at[path[-1]]
    else:
        at[path[-1]] = spelt(case[2])
    return body


def spelt(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: spelt(each) for key, each in value.items()}
    if isinstance(value, list):
        return [spelt(each) for each in value]
    repeated = _REPEAT.fullmatch(value) if isinstance(value, str) else None
    return repeated[1] * int(repeated[2]) if repeated else value


def _told(case: list[Any], response: Answer) -> Iterator[str]:
    status, warnings, body = response
    rest = case[2:] if case[0].endswith("-without") else case[3:]
    expected = (rest[0], rest[1] if len(rest) > 1 else [])
    answer = (_short(status, body), sorted(warnings))
    if answer != expected:
        yield f"{json.dumps(case)[:300]}\n    answered: {answer}"


def _short(status: int, body: dict[str, Any]) -> str:
    if status < 400:
        return str(status)
    causes = (body.get("details") or {}).get("causes") or []
    listed = sorted(
        f"{each.get('field', '')} {each.get('reason', '').removeprefix('FieldValue')}"
        for each in causes
    )
    reason = f" {body['reason']}" if body.get("reason") else ""
    return f"{status}{reason}" + (f": {'; '.join(listed)}" if listed else "")
