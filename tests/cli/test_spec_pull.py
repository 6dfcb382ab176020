from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.server import Certificates, ScriptedServer, failure, ok, reply

Run = Callable[..., Result]
DOCUMENT = {"swagger": "2.0", "paths": {}, "definitions": {}}
BODY = json.dumps(DOCUMENT)


@pytest.fixture(autouse=True)
def kubeconfig(here: Path, server: ScriptedServer, certificates: Certificates) -> None:
    ca = base64.b64encode(certificates.ca_pem).decode()
    cluster = {"server": server.url, "certificate-authority-data": ca}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "x",
        "clusters": [{"name": "x", "cluster": cluster}],
        "users": [{"name": "x", "user": {"token": "s3cret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
    }
    Path("kubeconfig").write_text(json.dumps(config))


def pull(run: Run, *more: str) -> Result:
    return run("spec", "pull", "--kubeconfig", "kubeconfig", *more)


def test_the_document_is_saved_as_it_was_sent(run: Run, server: ScriptedServer):
    server.reply(ok(DOCUMENT, 'ETag: "one"'))
    result = pull(run, "--output", "specs/live.json")
    assert result.stdout == f"specs/live.json: 0.0 MB from {server.url}, written\n"
    assert Path("specs/live.json").read_text() == BODY
    (request,) = server.requests
    assert (request.method, request.target) == ("GET", "/openapi/v2")
    assert request.header("authorization") == "Bearer s3cret"
    assert request.header("if-none-match") is None


def test_an_unchanged_document_is_not_sent_again(run: Run, server: ScriptedServer):
    server.reply(ok(DOCUMENT, 'ETag: "one"'))
    server.reply(reply(304))
    pull(run)
    assert pull(run).stdout == "openapi-v2.json: unchanged since the last pull\n"
    assert server.requests[1].header("if-none-match") == '"one"'


@pytest.mark.parametrize("change", [lambda path: path.unlink(), lambda path: path.write_text("")])
def test_a_document_that_was_changed_here_is_sent_again(
    run: Run, server: ScriptedServer, change: Callable[[Path], object]
):
    server.reply(ok(DOCUMENT, 'ETag: "one"'))
    server.reply(ok(DOCUMENT, 'ETag: "one"'))
    pull(run)
    change(Path("openapi-v2.json"))
    assert pull(run).stdout.endswith("written\n")
    assert server.requests[1].header("if-none-match") is None
    assert Path("openapi-v2.json").read_text() == BODY


def test_a_document_without_a_tag_is_compared_here(run: Run, server: ScriptedServer):
    server.reply(ok(DOCUMENT))
    server.reply(ok(DOCUMENT))
    pull(run)
    assert pull(run).stdout.endswith("unchanged\n")


def test_an_answer_that_is_no_document_is_a_problem_and_the_file_stays(
    run: Run, server: ScriptedServer
):
    Path("openapi-v2.json").write_text("mine")
    for body in ({"openapi": "3.0.0"}, b"<html>", []):
        server.reply(ok(body))
        result = pull(run)
        assert result.exit_code == 1
        assert result.stderr == (
            f"{server.url}/openapi/v2: the answer is not an OpenAPI v2 document\n1 problem\n"
        )
    assert Path("openapi-v2.json").read_text() == "mine"


def test_a_refusal_is_a_problem_without_secrets(run: Run, server: ScriptedServer):
    server.reply(failure(403, "Forbidden", "you may not"))
    result = pull(run)
    assert result.exit_code == 1
    assert "you may not" in result.stderr
    assert "s3cret" not in result.output
    assert not Path("openapi-v2.json").exists()


def test_a_config_that_names_no_cluster_is_a_problem(run: Run):
    result = run("spec", "pull", "--kubeconfig", "nowhere")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_a_context_can_be_chosen(run: Run):
    result = pull(run, "--context", "y")
    assert result.exit_code == 1
    assert "y" in result.stderr


def test_a_file_that_cannot_be_written_is_a_problem(run: Run, server: ScriptedServer):
    Path("taken").mkdir()
    server.reply(ok(DOCUMENT))
    result = pull(run, "--output", "taken")
    assert result.exit_code == 1
    assert "it cannot be written: Is a directory" in result.stderr
