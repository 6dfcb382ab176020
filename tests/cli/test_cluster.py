"""`generate --cluster` and `spec pull --openapi v3`, against our own server and a scripted one."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result
from support.definitions import custom_definition, custom_version
from support.inlined_types import CORE, inlined
from support.server import Certificates, ScriptedServer, failure, ok

from clientgen.runtime._http.request import HttpRequest
from clientgen.runtime.sync import Rest
from clientgen.testing import LocalServer

Run = Callable[..., Result]
GROUP = "stable.example.com"


def crd(kind: str = "CronTab", version: str = "v1") -> dict[str, Any]:
    spec = {
        "type": "object",
        "properties": {
            "port": {"x-kubernetes-int-or-string": True},
            "note": {"type": "string", "nullable": True},
            "replicas": {"type": "integer", "default": 1},
        },
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    stored = {**custom_version(version, schema), "storage": True}
    return custom_definition(GROUP, kind, stored)


@pytest.fixture(autouse=True)
def own_cache(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))


@pytest.fixture
def cluster(here: Path) -> Iterator[LocalServer]:
    with LocalServer() as server:
        server.cluster.add(crd())
        yield server


def pull(run: Run, cluster: LocalServer, *more: str) -> Result:
    return run("spec", "pull", "--openapi", "v3", "--kubeconfig", str(cluster.kubeconfig), *more)


def generate(run: Run, *sources: str) -> Result:
    return run("generate", *sources, "--output", "out", "--package", "crons", "--include", GROUP)


def remove_definition(cluster: LocalServer) -> None:
    definition = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.{GROUP}"
    with Rest.from_config(cluster.kubeconfig) as rest:
        rest.send(HttpRequest("DELETE", definition))


def test_v3_documents_become_a_folder_that_packages_are_generated_from(
    run: Run, cluster: LocalServer
):
    result = pull(run, cluster)
    assert result.exit_code == 0, result.output
    assert f"apis/{GROUP}/v1" in json.loads(Path("openapi-v3/index.json").read_text())["paths"]

    made = generate(run, "--spec", "openapi-v3")
    assert made.exit_code == 0, made.output
    models = Path("out/crons/stable/v1/models.py").read_text()
    assert "port: int | str | None = None" in models
    assert "note: str | None = None" in models


def test_an_unchanged_cluster_changes_no_file(run: Run, cluster: LocalServer):
    pull(run, cluster)
    before = {path: path.stat().st_mtime_ns for path in Path("openapi-v3").iterdir()}
    result = pull(run, cluster)
    assert result.stdout.endswith(", unchanged\n")
    assert {path: path.stat().st_mtime_ns for path in Path("openapi-v3").iterdir()} == before


def test_documents_that_the_server_no_longer_has_are_removed(run: Run, cluster: LocalServer):
    pull(run, cluster)
    remove_definition(cluster)
    result = pull(run, cluster)
    assert result.stdout.endswith(", 1 written, 1 removed\n"), result.output
    assert not Path(f"openapi-v3/apis__{GROUP}__v1.json").exists()


@pytest.mark.slow
def test_a_package_is_generated_from_the_cluster_itself(run: Run, cluster: LocalServer):
    live = ("--cluster", "--kubeconfig", str(cluster.kubeconfig))
    made = generate(run, *live)
    assert (made.exit_code, made.stderr) == (0, ""), made.output
    again = generate(run, *live)
    assert again.stdout == "out/crons: unchanged since the last run\n"
    same = run("verify", *live, "--output", "out", "--package", "crons", "--include", GROUP)
    assert same.exit_code == 0, same.output

    pull(run, cluster)
    from_folder = run("generate", "--spec", "openapi-v3", "--output", "other", "--package", "crons",
                      "--include", GROUP)  # fmt: skip
    assert from_folder.exit_code == 0, from_folder.output
    assert tree(Path("other/crons")) == tree(Path("out/crons"))

    remove_definition(cluster)
    gone = generate(run, *live)
    assert gone.exit_code == 1
    assert f"`{GROUP}` matches no kind" in gone.stderr


def tree(package: Path) -> dict[str, str]:
    files = (path for path in package.rglob("*.py"))
    return {str(path.relative_to(package)): path.read_text() for path in files}


# ---- a cluster that is partly down, scripted -----------------------------------------------------

DOCUMENTS = {
    "apis/stable.example.com/v1": "CronTab",
    "apis/metrics.example.com/v1beta1": "NodeMetrics",
}


def document(key: str) -> dict[str, Any]:
    _, group, version = key.split("/")
    kind = DOCUMENTS[key]
    name = f"{'.'.join(reversed(group.split('.')))}.{version}.{kind}"
    gvk = {"group": group, "version": version, "kind": kind}
    schema = {
        "type": "object",
        "properties": {"replicas": {"type": "integer"}},
        "x-kubernetes-group-version-kind": [gvk],
    }
    get = {
        "operationId": f"read{kind}",
        "x-kubernetes-action": "get",
        "x-kubernetes-group-version-kind": gvk,
        "responses": {
            "200": {
                "description": "OK",
                "content": {
                    "application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}
                },
            }
        },
    }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Example", "version": "1"},
        "paths": {f"/apis/{group}/{version}/{kind.lower()}s/{{name}}": {"get": get}},
        "components": {"schemas": {name: schema}},
    }


INDEX = {
    "paths": {
        "version": {"serverRelativeURL": "/openapi/v3/version?hash=0"},
        **{key: {"serverRelativeURL": f"/openapi/v3/{key}?hash={len(key)}"} for key in DOCUMENTS},
    }
}
METRICS, STABLE = sorted(DOCUMENTS)
NO_GROUPS = ok({"groups": []})


@pytest.mark.parametrize(
    "command", [("spec", "pull"), ("generate", "--cluster", "--output", "out", "--package", "p")]
)
def test_without_a_configuration_the_option_is_named(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HOME", str(here))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    done = run(*command)
    assert done.exit_code == 1
    assert "nothing in ~/.kube/config, and this program runs outside of a cluster\n" in done.stderr
    assert "Set KUBECONFIG, or give --kubeconfig FILE." in done.stderr
    assert "kubeconfig=" not in done.stderr


@pytest.fixture
def scripted(server: ScriptedServer, certificates: Certificates, here: Path) -> ScriptedServer:
    ca = base64.b64encode(certificates.ca_pem).decode()
    cluster = {"server": server.url, "certificate-authority-data": ca}
    config = {
        "current-context": "x",
        "clusters": [{"name": "x", "cluster": cluster}],
        "users": [{"name": "x", "user": {"token": "s3cret"}}],
        "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
    }
    Path("kubeconfig").write_text(json.dumps(config))
    return server


def script(server: ScriptedServer, metrics: bytes | str, groups: bytes = NO_GROUPS) -> None:
    """The answers to one reading of the cluster, in the order they are asked for."""
    for answer in (ok(INDEX), groups, metrics, ok(document(STABLE))):
        server.reply(answer)


def live(run: Run, *more: str) -> Result:
    return run("generate", "--cluster", "--kubeconfig", "kubeconfig", "--output", "out",
               "--package", "all_of_it", *more)  # fmt: skip


DOWN = failure(503, "ServiceUnavailable", "error trying to reach service")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (DOWN, "its server answered 503"),
        (ok(b"<html>"), "the response of its server is not JSON"),
        (ok({"openapi": "3.0.0"}), "its document is not valid"),
        (ok({**document(METRICS), "openapi": "4"}), "its document is not valid"),
    ],
    ids=["down", "html", "not OpenAPI", "unknown version"],
)
def test_a_group_that_cannot_describe_itself_is_told_and_the_others_are_generated(
    run: Run, scripted: ScriptedServer, answer: bytes, reason: str
):
    script(scripted, answer)
    made = live(run)
    assert made.exit_code == 0, made.output
    assert made.stderr.startswith("left out: metrics.example.com/v1beta1: ")
    assert reason in made.stderr
    assert Path("out/all_of_it/stable/v1/models.py").is_file()
    assert not Path("out/all_of_it/metrics").exists()


def test_a_group_without_a_document_is_found_by_discovery(run: Run, scripted: ScriptedServer):
    served = {"groupVersion": "old.example.com/v1", "version": "v1"}
    groups = ok({"groups": [{"name": "old.example.com", "versions": [served]}]})
    script(scripted, ok(document(METRICS)), groups)
    made = live(run)
    assert made.exit_code == 0, made.output
    assert made.stderr == "left out: old.example.com/v1: the server has no document for it\n"


def test_what_runs_beside_the_included_groups_is_neither_read_nor_told(
    run: Run, scripted: ScriptedServer
):
    served = {"groupVersion": "old.example.com/v1", "version": "v1"}
    groups = ok({"groups": [{"name": "old.example.com", "versions": [served]}]})
    for answer in (ok(INDEX), groups, ok(document(STABLE))):
        scripted.reply(answer)
    # The other document is down: nobody asks.
    made = live(run, "--include", GROUP, "--exclude", "metrics.example.com")
    assert (made.exit_code, made.stderr) == (0, ""), made.output
    paths = [request.path.partition("?")[0] for request in scripted.requests]
    assert paths == ["/openapi/v3", "/apis", f"/openapi/v3/{STABLE}"]


def test_quiet_is_quiet_about_groups_that_cannot_describe_themselves(
    run: Run, scripted: ScriptedServer
):
    script(scripted, DOWN)
    made = live(run, "--quiet")
    assert (made.exit_code, made.output) == (0, ""), made.output


@pytest.mark.slow
def test_copies_of_kubernetes_types_are_known_although_only_one_group_is_read(
    run: Run, cluster: LocalServer
):
    schema = {"type": "object", "properties": {"template": inlined(CORE + "PodTemplateSpec")}}
    stored = {**custom_version("v1", {"type": "object", "properties": {"spec": schema}})}
    cluster.cluster.add(
        custom_definition("fleet.example.com", "Fleet", {**stored, "storage": True})
    )
    pull(run, cluster)
    include = ("--package", "fleets", "--include", "fleet.example.com")
    made = run("generate", "--spec", "openapi-v3", "--output", "one", *include)
    assert made.exit_code == 0, made.output
    live = ("--cluster", "--kubeconfig", str(cluster.kubeconfig))
    made = run("generate", *live, "--output", "two", *include)
    assert made.exit_code == 0, made.output
    from_folder, from_cluster = tree(Path("one/fleets")), tree(Path("two/fleets"))
    # Kubernetes' own types have the descriptions of the documents that were read.
    assert from_folder.pop("core/v1/models.py") != from_cluster.pop("core/v1/models.py")
    assert from_folder == from_cluster
    assert "template: PodTemplateSpec" in from_cluster["fleet/v1/models.py"]


def test_an_outage_takes_no_clients_out_of_a_package(run: Run, scripted: ScriptedServer):
    script(scripted, ok(document(METRICS)))
    assert live(run).exit_code == 0
    clients = Path("out/all_of_it/metrics/v1beta1/clients.py").read_text()

    forget()
    script(scripted, DOWN)
    refused = live(run)
    assert refused.exit_code == 1
    assert "metrics.example.com/v1beta1 would be lost" in refused.stderr
    assert Path("out/all_of_it/metrics/v1beta1/clients.py").read_text() == clients

    forget()
    for answer in (ok(INDEX), NO_GROUPS, ok(document(STABLE))):
        scripted.reply(answer)
    excluded = live(run, "--exclude", "metrics.example.com")
    assert excluded.exit_code == 0, excluded.output
    assert not Path("out/all_of_it/metrics").exists()


def forget() -> None:
    """What this machine remembers of a document would do in its place."""
    shutil.rmtree("cache/clientgen/openapi")


def test_a_document_that_was_seen_before_is_not_sent_again(run: Run, scripted: ScriptedServer):
    script(scripted, ok(document(METRICS)))
    live(run)
    asked = len(scripted.requests)
    scripted.reply(ok(INDEX))
    scripted.reply(NO_GROUPS)
    again = live(run)
    assert again.stdout == "out/all_of_it: unchanged since the last run\n"
    assert [request.path for request in scripted.requests[asked:]] == ["/openapi/v3", "/apis"]


def pull_both(run: Run, kubeconfig: Path) -> None:
    for edition in ("v2", "v3"):
        pulled = run("spec", "pull", "--openapi", edition, "--kubeconfig", str(kubeconfig))
        assert pulled.exit_code == 0, pulled.output


def unverified(kubeconfig: Path) -> None:
    config = yaml.safe_load(kubeconfig.read_text())
    cluster = config["clusters"][0]["cluster"]
    cluster.pop("certificate-authority-data")
    cluster["insecure-skip-tls-verify"] = True
    kubeconfig.write_text(json.dumps(config))


@pytest.mark.parametrize("connection", ["verified", "unverified", "http"])
def test_documents_are_kept_of_verified_servers_only(run: Run, here: Path, connection: str):
    """Anybody may answer for the others, and would be believed later."""
    with LocalServer(tls=connection != "http") as server:
        kubeconfig = Path(server.kubeconfig)
        if connection == "unverified":
            unverified(kubeconfig)
        pull_both(run, kubeconfig)
        generated = run(
            *("generate", "--cluster", "--kubeconfig", str(kubeconfig), "--include", "apps"),
            *("--output", "out", "--package", "p"),
        )
        assert generated.exit_code == 0, generated.output
    kept = {path.parent.name for path in (here / "cache/clientgen").glob("*/*")}
    expected = {"etag", "openapi"} if connection == "verified" else set[str]()
    assert kept & {"etag", "openapi"} == expected


def test_nothing_that_was_kept_is_used_without_tls(run: Run, monkeypatch: pytest.MonkeyPatch):
    def recall(kind: str, subject: str) -> None:
        pytest.fail(f"{kind} was used")

    monkeypatch.setattr("clientgen.generator.user_cache.recall", recall)
    monkeypatch.setattr("clientgen.generator.sources.live_cluster.recall", recall)
    with LocalServer() as server:
        pull_both(run, Path(server.kubeconfig))


def test_unavailable_documents_stay_in_the_pulled_folder(run: Run, scripted: ScriptedServer):
    arguments = ("spec", "pull", "--openapi", "v3", "--kubeconfig", "kubeconfig")
    script(scripted, ok(document(METRICS)))
    assert run(*arguments).exit_code == 0
    before = {path.name: path.read_bytes() for path in Path("openapi-v3").iterdir()}

    forget()
    script(scripted, DOWN)
    again = run(*arguments)
    assert again.exit_code == 0, again.output
    assert again.stderr.startswith("left out: metrics.example.com/v1beta1: ")
    assert {path.name: path.read_bytes() for path in Path("openapi-v3").iterdir()} == before


def test_a_cluster_without_v3_is_read_in_v2(run: Run, scripted: ScriptedServer):
    scripted.reply(failure(404, "NotFound", "not here"))
    scripted.reply(ok(json.loads(Path("shop.json").read_text())))
    made = live(run)
    assert made.exit_code == 0, made.output
    assert [request.path for request in scripted.requests] == ["/openapi/v3", "/openapi/v2"]


def test_a_forbidden_read_is_reported(run: Run, scripted: ScriptedServer):
    scripted.reply(ok(INDEX))
    scripted.reply(failure(403, "Forbidden", "you may not read this"))
    refused = live(run)
    assert refused.exit_code == 1
    assert "you may not read this" in refused.stderr
    assert "s3cret" not in refused.output
    assert not Path("out").exists()


def test_an_index_that_is_none_is_a_problem(run: Run, scripted: ScriptedServer):
    scripted.reply(ok([]))
    refused = live(run)
    assert refused.exit_code == 1
    assert "the answer is not an index of OpenAPI v3 documents" in refused.stderr


def test_a_context_that_is_not_there_is_a_problem(run: Run, scripted: ScriptedServer):
    refused = live(run, "--context", "nowhere")
    assert refused.exit_code == 1
    assert "nowhere" in refused.stderr
