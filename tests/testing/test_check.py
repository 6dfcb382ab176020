"""`check` gives the verdict of the API server on an object of a Python class."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.checked_types import Line, LineSpec, LineStatus, Stop

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.models import Condition, Model, ObjectMeta, StatusCause, to_dict
from clientgen.testing import FakeCluster, check
from clientgen.testing._apiserver.responses.answers import Response

GROUP = "/apis/checked.example.com/v1/namespaces/default/lines"
Verdict = Callable[..., list[StatusCause]]


def line(
    number: str = "A1", *, name: str = "l", status: LineStatus | None = None, **spec: Any
) -> Line:
    made = Line(metadata=ObjectMeta(name=name), spec=LineSpec(number=number, **spec))
    if status is not None:
        made.status = status
    return made


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    """The verdict of a server with the definition that `clientgen crd` writes."""
    folder = tmp_path_factory.mktemp("crds")
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "clientgen", "crd", "--types", "support.checked_types"]
    subprocess.run([*command, "--output", str(folder), "-q"], check=True, cwd=root)
    cluster = FakeCluster(crds=[folder])
    shutil.rmtree(folder)

    def ask(method: str, path: str, value: Any) -> dict[str, Any]:
        headers = (("Content-Type", "application/json"),)
        body = json.dumps(value).encode() if value else None
        answer = cluster.server.handle(HttpRequest(method, path, headers, body))
        assert isinstance(answer, Response)
        found: dict[str, Any] = json.loads(answer.body)
        return found

    def verdict(obj: Line, old: Line | None = None, subresource: str = "") -> list[StatusCause]:
        path = f"{GROUP}/{obj.metadata.name}"
        try:
            if old is None:
                answer = ask("POST", GROUP, to_dict(obj))
            else:
                stored = ask("POST", GROUP, to_dict(old))
                if old.status.runs:
                    ask("PUT", f"{path}/status", {**stored, "status": to_dict(old)["status"]})
                version = ask("GET", path, None)["metadata"]["resourceVersion"]
                value = to_dict(obj)
                value["metadata"]["resourceVersion"] = version
                answer = ask("PUT", f"{path}/{subresource}".rstrip("/"), value)
        finally:
            ask("DELETE", path, None)
        causes = answer.get("details", {}).get("causes", []) if answer["kind"] == "Status" else []
        return [StatusCause(**cause) for cause in causes]

    return verdict


NEW = {
    "good": line(),
    "full": line(
        least=2, most=100, mode="tram", owner="me", stops=[Stop(name="a"), Stop(name="b")]
    ),
    "pattern": line("1A"),
    "too small": line(least=0),
    "too large": line(most=101),
    "rule": line(least=9, most=3),
    "expressed": line(owner="nobody"),
    "enumeration": line(mode="boat"),
    "doubled key": line(stops=[Stop(name="a"), Stop(name="a")]),
    "too many": line(stops=[Stop(name=str(at)) for at in range(4)]),
    "deep": line(stops=[Stop(name="a", minutes=-1)]),
    "several": line("x", least=0, most=200),
    "name": line(name="Bad_Name"),
    "no name": line(name=""),
}


@pytest.mark.parametrize("name", NEW)
def test_the_verdict_on_a_new_object_is_the_servers(name: str, served: Verdict) -> None:
    found = check(NEW[name])
    assert found == served(NEW[name])
    assert bool(found) == (name not in {"good", "full"})


CHANGES = {
    "nothing": (line(), line()),
    "allowed": (line(most=5), line()),
    "number": (line("B2"), line()),
    "status is kept": (line(status=LineStatus(runs=-5)), line()),
    "stays wrong where nothing changed": (line(most=20), line(most=10)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_verdict_on_a_change_is_the_servers(name: str, served: Verdict) -> None:
    new, old = CHANGES[name]
    found = check(new, old)
    assert found == served(new, old)
    assert bool(found) == (name == "number")


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, -1)])
def test_the_verdict_on_a_status_is_the_servers(before: int, after: int, served: Verdict) -> None:
    old = line(status=LineStatus(runs=before))
    new = line("changed", status=LineStatus(runs=after))  # the spec is not written
    found = check(new, old, subresource="status")
    assert found == served(new, old, "status")
    assert bool(found) == (after < before)


def test_a_cause_says_where_and_why() -> None:
    (cause,) = check(line(least=9, most=3))
    assert (cause.field, cause.reason) == ("spec", "FieldValueInvalid")
    assert cause.message.endswith("most must not be less than least")


def test_objects_are_left_as_they_were() -> None:
    new, old = line("B1"), line()
    before = to_dict(new), to_dict(old)
    check(new, old)
    assert (to_dict(new), to_dict(old)) == before


def test_what_is_no_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="is not a kind"):
        check(Stop(name="a"))
    with pytest.raises(TypeError):
        check(Condition(type="x", status="True", reason="y", message="", last_transition_time=None))  # type: ignore[arg-type]


def test_the_old_object_is_of_the_same_class() -> None:
    with pytest.raises(TypeError, match="old is a Stop, not a Line"):
        check(line(), Stop(name="a"))


def test_a_class_inside_of_a_function_is_refused() -> None:
    class Inner(Model):
        name: str = ""

    with pytest.raises(TypeError, match="not defined at the top of a module"):
        check(Inner())


def test_the_snippet_of_the_documentation_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(__file__).parents[2]
    text = (root / "docs" / "guides" / "testing.md").read_text("utf-8")
    section = text[text.index("\n## Checking an object") :]
    found = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", section, re.DOTALL)
    assert found
    monkeypatch.syspath_prepend(str(root / "examples" / "crontab"))
    exec(compile(found[1], "docs/guides/testing.md", "exec"), {})
    assert capsys.readouterr().out == found[2]
