"""Webhooks, with asyncio here and in threads in test_webhooks_threads.py, which is derived."""

from __future__ import annotations

import json
import logging
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kubeapi import AsyncClientset
from prometheus_client import CollectorRegistry
from support.reviews import (
    PATH,
    UID,
    OldestThing,
    OldThing,
    Thing,
    conversion,
    patch_of,
    response_of,
    review,
    thing,
)
from support.tls_files import Connection, MountedSecret, load_while_rotating, verdict

from clientgen.runtime import Scheme
from clientgen.runtime._async._primitives import Event, run_blocking, sleep, spawn
from clientgen.runtime.aio import AsyncManager, AsyncWebhooks
from clientgen.runtime.errors import ConfigError
from clientgen.runtime.models import StatusCause, Unstructured
from clientgen.runtime.webhooks import AdmissionRequest, Denied
from clientgen.testing import FakeCluster
from clientgen.testing._apiserver.patches.json_patch import json_patch

VALIDATE, MUTATE = f"/validate-{PATH}", f"/mutate-{PATH}"


async def check(request: AdmissionRequest[Thing]) -> None:
    size = request.object.spec.size
    if size is not None and size > 10:
        causes = [StatusCause(field="spec.size", message="is too large")]
        raise Denied("spec.size must not exceed 10", code=422, causes=causes)
    if size == 10:
        request.warn("size 10 is the largest")
        request.audit_annotations["decision"] = "borderline"
    if size == -1:
        raise RuntimeError("password=s3cret")


def fill(request: AdmissionRequest[Thing]) -> None:
    if request.object.spec.size is None:
        request.object.spec.size = 1
    if not request.dry_run:
        request.object.metadata.labels["filled"] = "yes"


def made(**options: Any) -> AsyncWebhooks:
    webhooks = AsyncWebhooks("127.0.0.1:0", **options)
    return webhooks.validate(Thing, check).default(Thing, fill)


# ---- answers ----------------------------------------------------------------------------------


async def test_a_request_is_allowed_or_denied() -> None:
    webhooks = made()
    assert webhooks.paths == [VALIDATE, MUTATE]
    assert response_of(await webhooks.answer(VALIDATE, review(thing(size=1)))) == {
        "uid": UID,
        "allowed": True,
    }
    assert response_of(await webhooks.answer(VALIDATE, review(thing(size=11)))) == {
        "uid": UID,
        "allowed": False,
        "status": {
            "status": "Failure",
            "message": "spec.size must not exceed 10",
            "reason": "Invalid",
            "code": 422,
            "details": {"causes": [{"field": "spec.size", "message": "is too large"}]},
        },
    }


async def test_warnings_and_audit_annotations_are_sent() -> None:
    response = response_of(await made().answer(f"{VALIDATE}?timeout=10s", review(thing(size=10))))
    assert response["warnings"] == ["size 10 is the largest"]
    assert response["auditAnnotations"] == {"decision": "borderline"}


async def test_an_error_of_a_function_refuses_the_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    response = response_of(await made().answer(VALIDATE, review(thing(size=-1))))
    assert response["allowed"] is False
    assert response["status"] == {
        "status": "Failure",
        "message": "check failed with RuntimeError; its log says why",
        "reason": "InternalError",
        "code": 500,
    }
    [record] = caplog.records
    assert record.getMessage() == f"check failed for CREATE Thing shop/a (uid {UID})"
    assert record.exc_info


async def test_a_function_does_not_stop_the_program(caplog: pytest.LogCaptureFixture) -> None:
    def leave(request: AdmissionRequest[Thing]) -> None:
        raise SystemExit(1)

    webhooks = AsyncWebhooks().validate(Thing, leave)
    body = review(thing(), name="a\nroot logged in")
    response = response_of(await webhooks.answer(VALIDATE, body))
    assert response["status"]["code"] == 500
    [record] = caplog.records
    assert r"shop/a\nroot logged in" in record.getMessage()


async def test_a_function_does_not_decide_by_what_it_returns(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """False would otherwise allow the request."""
    function: Any = lambda request: False  # noqa: E731
    webhooks = AsyncWebhooks().validate(Thing, function)
    response = response_of(await webhooks.answer(VALIDATE, review(thing())))
    assert response["status"]["message"] == "<lambda> failed with TypeError; its log says why"
    assert "must return None, and raise Denied to refuse" in caplog.text


async def test_defaults_are_sent_as_a_small_patch() -> None:
    received = thing(
        colour="red", unknown={"kept": [1.0, None]}, items=[], words=None, extra={"a": "b"}
    )
    operations = patch_of(await made().answer(MUTATE, review(received)))
    assert operations == [
        {"op": "add", "path": "/metadata/labels", "value": {"filled": "yes"}},
        {"op": "add", "path": "/spec/size", "value": 1},
    ]
    after = json_patch(received, operations)
    assert after["spec"] == {**received["spec"], "size": 1}
    # What is there already is no difference.
    assert patch_of(await made().answer(MUTATE, review(after))) == []


async def test_dry_runs_are_told() -> None:
    operations = patch_of(await made().answer(MUTATE, review(thing(size=2), dryRun=True)))
    assert operations == []


async def test_an_object_may_be_exchanged() -> None:
    def exchange(request: AdmissionRequest[Unstructured]) -> None:
        request.object = Unstructured({**request.object, "spec": {"size": 5}})

    rules = [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]
    webhooks = AsyncWebhooks().default(Unstructured, exchange, path="/all", rules=rules)
    [operation] = patch_of(await webhooks.answer("/all", review(thing(size=4))))
    assert operation == {"op": "replace", "path": "/spec/size", "value": 5}


async def test_a_delete_is_checked_with_the_old_object() -> None:
    webhooks = AsyncWebhooks()

    @webhooks.validate(Thing, operations=["DELETE"])
    def keep(request: AdmissionRequest[Thing]) -> None:
        assert request.old_object
        raise Denied(f"{request.user.username} keeps size {request.old_object.spec.size}")

    response = response_of(await webhooks.answer(VALIDATE, review(None, thing(size=3))))
    assert response["status"]["message"] == "jane keeps size 3"
    assert response["status"]["code"] == 403


async def test_requests_without_an_object_are_not_changed() -> None:
    seen: list[str] = []
    webhooks = AsyncWebhooks().default(Thing, lambda request: seen.append(request.operation))
    for body in (review(None, thing()), review(None, operation="CONNECT")):
        assert patch_of(await webhooks.answer(MUTATE, body)) == []
    assert seen == ["DELETE", "CONNECT"]


async def test_what_is_no_review_is_a_bad_request(caplog: pytest.LogCaptureFixture) -> None:
    webhooks = made()
    for body in (b"{", review(thing(), uid=""), review(thing(), kind={"kind": "Pod"})):
        status, text = await webhooks.answer(VALIDATE, body)
        assert (status, text[-1:]) == (400, b"\n")
    assert "the review is refused" in caplog.text
    status, text = await webhooks.answer("/other", review(thing()))
    assert (status, text) == (
        404,
        f"no webhook has this path; the paths are {VALIDATE}, {MUTATE}\n".encode(),
    )
    assert (await webhooks.answer("/convert", conversion("v1")))[0] == 404


def test_webhooks_are_checked_when_they_are_added() -> None:
    webhooks = made()
    wrong: Any = "UPSERT"
    with pytest.raises(ValueError, match="already has a webhook"):
        webhooks.validate(Thing, check)
    with pytest.raises(ValueError, match="must be some of CREATE, UPDATE, DELETE, CONNECT"):
        webhooks.validate(Thing, check, path="/x", operations=[wrong])
    with pytest.raises(ValueError, match="must start with a slash"):
        webhooks.validate(Thing, check, path="x")
    with pytest.raises(ValueError, match="needs a path"):
        webhooks.validate(Unstructured, lambda request: None)
    with pytest.raises(ValueError, match="are not two versions of one kind"):
        webhooks.convert(Thing, Thing, lambda obj: obj)
    with pytest.raises(TypeError, match="has no constant apiVersion and kind"):
        webhooks.validate(StatusCause, lambda request: None)
    with pytest.raises(ValueError, match="is not an address"):
        AsyncWebhooks("9443")
    assert webhooks.validate(Thing, check, path="/x").paths == [VALIDATE, MUTATE, "/x"]


# ---- conversions ------------------------------------------------------------------------------


async def up(old: OldThing) -> Thing:
    if old.spec.size == 13:
        raise Denied("13 has no equivalent")
    if old.spec.size == 14:
        raise RuntimeError("s3cret")
    new = Thing(metadata=old.metadata, spec=old.spec)
    if old.spec.size == 15:
        new.metadata.name = "other"
    if old.spec.size == 16:
        return None  # type: ignore[return-value]
    new.metadata.annotations["from"] = "v1beta1"
    new.metadata.resource_version = "changed"
    return new


def converting() -> AsyncWebhooks:
    webhooks = AsyncWebhooks("127.0.0.1:0").convert(OldThing, Thing, up)

    @webhooks.convert(OldestThing, OldThing)
    def up_one(old: OldestThing) -> OldThing:
        return OldThing(metadata=old.metadata, spec=old.spec)

    webhooks.convert(Thing, OldThing, lambda new: OldThing(metadata=new.metadata, spec=new.spec))
    return webhooks


def old_thing(version: str, name: str = "a", **spec: Any) -> dict[str, Any]:
    made = {**thing(**spec), "apiVersion": f"stable.example.com/{version}"}
    made["metadata"] = {"name": name, "uid": "7", "resourceVersion": "1", "labels": {"l": "m"}}
    return made


async def test_objects_are_converted_in_order_over_the_hub() -> None:
    objects = [
        old_thing("v1beta1", "b", size=1),
        old_thing("v1", "c", size=2),
        old_thing("v1alpha1", "a", size=3),
    ]
    response = response_of(await converting().answer("/convert", conversion("v1", *objects)))
    assert response["result"] == {"status": "Success"}
    done = response["convertedObjects"]
    assert [(o["apiVersion"], o["metadata"]["name"], o["spec"]["size"]) for o in done] == [
        ("stable.example.com/v1", "b", 1),
        ("stable.example.com/v1", "c", 2),
        ("stable.example.com/v1", "a", 3),
    ]
    # Of the metadata, only labels and annotations may change.
    assert done[0]["metadata"] == {
        "name": "b",
        "uid": "7",
        "resourceVersion": "1",
        "labels": {"l": "m"},
        "annotations": {"from": "v1beta1"},
    }
    assert done[1] == objects[1]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (13, "Thing bad: 13 has no equivalent"),
        (14, "Thing bad: the conversion failed with RuntimeError"),
        (
            15,
            "Thing bad: changed metadata.name: give the new object the metadata",
        ),
        (16, "Thing bad: returned a NoneType instead of a Thing"),
    ],
)
async def test_all_objects_are_converted_or_none(size: int, message: str) -> None:
    objects = [old_thing("v1beta1", "good"), old_thing("v1beta1", "bad", size=size)]
    response = response_of(await converting().answer("/convert", conversion("v1", *objects)))
    assert response["result"]["status"] == "Failure"
    assert response["result"]["message"].startswith(message)
    assert "convertedObjects" not in response


async def test_a_conversion_that_nobody_wrote_fails() -> None:
    review = conversion("v1alpha1", old_thing("v1"))
    response = response_of(await converting().answer("/convert", review))
    assert response["result"]["message"] == (
        "Thing a: no conversion from stable.example.com/v1 to stable.example.com/v1alpha1"
        " is registered"
    )
    status, _ = await converting().answer("/convert", b"{}")
    assert status == 400


# ---- configurations ---------------------------------------------------------------------------


def test_configurations_say_which_requests_are_sent_where() -> None:
    scheme = Scheme()
    scheme.register(Thing, plural="things")
    webhooks = AsyncWebhooks(scheme=scheme).default(Thing, fill)
    webhooks.validate(Thing, check, operations=["CREATE", "DELETE"], timeout_seconds=5)
    webhooks.convert(Thing, OldThing, lambda new: OldThing(metadata=new.metadata))
    mutating, validating = webhooks.configurations(
        "shop", service="ops/shop", failure_policy="Ignore", annotations={"a": "b"}
    )
    assert (mutating.kind, mutating.name) == ("MutatingWebhookConfiguration", "shop")
    assert mutating["metadata"]["annotations"] == {"a": "b"}
    assert validating == {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "shop", "annotations": {"a": "b"}},
        "webhooks": [
            {
                "name": "validate-v1.thing.stable.example.com",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": "ops", "name": "shop", "path": VALIDATE}},
                "rules": [
                    {
                        "operations": ["CREATE", "DELETE"],
                        "apiGroups": ["stable.example.com"],
                        "apiVersions": ["v1"],
                        "resources": ["things"],
                        "scope": "Namespaced",
                    }
                ],
                "failurePolicy": "Ignore",
                "sideEffects": "None",
                "timeoutSeconds": 5,
            }
        ],
    }
    pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
    [crd] = webhooks.crd_conversions(url="https://shop:9443/", ca_bundle=pem.encode())
    assert crd.name == "things.stable.example.com"
    config = crd["spec"]["conversion"]["webhook"]["clientConfig"]
    assert config["url"] == "https://shop:9443/convert"
    assert config["caBundle"].startswith("LS0tLS1CRUdJTiBDRVJU")


def test_configurations_need_the_resource() -> None:
    with pytest.raises(LookupError, match=r"pass scheme=\.\.\."):
        made().configurations("shop", service="ops/shop")
    with pytest.raises(ValueError, match="My Shop"):
        made().configurations("My Shop", service="ops/shop")


# ---- over TLS ---------------------------------------------------------------------------------


@pytest.fixture
def secret(tmp_path: Path) -> MountedSecret:
    return MountedSecret(tmp_path)


def posted(secret: MountedSecret, url: str, body: bytes, **how: Any) -> tuple[int, bytes]:
    connection = Connection(url, secret.client_context)
    try:
        return connection.send(how.pop("path", VALIDATE), body, **how)
    finally:
        connection.close()


async def test_reviews_are_answered_over_tls(secret: MountedSecret) -> None:
    webhooks = made(certificates=secret.folder)
    assert not webhooks.ready()
    async with webhooks:
        assert webhooks.ready()
        url = webhooks.url
        assert url.startswith("https://127.0.0.1:")
        answer = await run_blocking(lambda: posted(secret, url, review(thing(size=11))))
        assert not verdict(answer)
        bad = await run_blocking(lambda: posted(secret, url, b"", method="GET"))
        assert bad == (405, b"reviews are sent by POST\n")
        bad = await run_blocking(lambda: posted(secret, url, b"x", content_type="text/plain"))
        assert bad[0] == 415
        large = review(thing(colour="x" * (8 << 20)))
        connection = Connection(url, secret.client_context)
        assert (await run_blocking(lambda: connection.send(VALIDATE, large)))[0] == 413
        assert verdict(await run_blocking(lambda: connection.send(VALIDATE, review(thing()))))
        connection.close()
    assert not webhooks.ready()
    with pytest.raises(RuntimeError, match="has already started"):
        await webhooks.start()


async def test_a_certificate_is_exchanged_for_new_connections(
    secret: MountedSecret, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with made(certificates=secret.folder) as webhooks:
        url = webhooks.url
        first, number = Connection(url, secret.client_context), secret.serial_number()
        assert verdict(await run_blocking(lambda: first.send(VALIDATE, review(thing()))))
        secret.write()
        second = Connection(url, secret.client_context)
        assert verdict(await run_blocking(lambda: second.send(VALIDATE, review(thing()))))
        assert second.certificate() == secret.serial_number() != number
        # The connection from before goes on.
        assert first.certificate() == number
        assert verdict(await run_blocking(lambda: first.send(VALIDATE, review(thing()))))
        first.close()
        second.close()
    assert "the certificate has been reloaded" in caplog.text


@pytest.mark.slow
async def test_no_request_is_lost_while_certificates_change(secret: MountedSecret) -> None:
    async with made(certificates=secret.folder) as webhooks:
        url, body = webhooks.url, review(thing())
        statuses, seen = await run_blocking(
            lambda: load_while_rotating(secret, url, VALIDATE, body, clients=200)
        )
    assert statuses == [200] * 400
    assert len(seen) > 1


async def test_what_is_no_pair_leaves_the_old_certificate(
    secret: MountedSecret, caplog: pytest.LogCaptureFixture
) -> None:
    number = secret.serial_number()
    certificate = (secret.folder / "tls.crt").read_bytes()
    key = (secret.folder / "tls.key").read_bytes()
    other = secret.authority.issue_cert("localhost").private_key_pem.bytes()
    async with made(certificates=secret.folder) as webhooks:
        url = webhooks.url

        def shown() -> str:
            connection = Connection(url, secret.client_context)
            connection.send(VALIDATE, review(thing()))
            try:
                return connection.certificate()
            finally:
                connection.close()

        for pair in (
            (certificate, other),
            (certificate, key[: len(key) // 2]),
            (certificate[:200], key),
            (b"", b""),
            (certificate, b"x" * (2 << 20)),
        ):
            caplog.clear()
            secret.put(*pair)
            assert await run_blocking(shown) == number
            assert await run_blocking(shown) == number
            assert [record.levelname for record in caplog.records] == ["WARNING"]
            assert "the old one stays" in caplog.text
        (secret.folder / "..data").unlink()
        assert await run_blocking(shown) == number
        secret.write()
        assert await run_blocking(shown) == secret.serial_number() != number


async def test_without_a_certificate_it_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"tls\.crt: No such file or directory; the folder needs tls.crt"
    ):
        await made(certificates=tmp_path).start()
    (tmp_path / "tls.crt").write_text("nothing")
    (tmp_path / "tls.key").write_text("nothing")
    with pytest.raises(ConfigError, match="are not a certificate and its key"):
        await made(certificates=tmp_path).start()


async def test_running_functions_end_before_it_stops() -> None:
    began, go_on = Event(), Event()

    async def slow(request: AdmissionRequest[Thing]) -> None:
        began.set()
        await go_on.wait(60)

    webhooks = AsyncWebhooks("127.0.0.1:0").validate(Thing, slow)
    await webhooks.start()
    connection = Connection(webhooks.url)
    answers: list[tuple[int, bytes]] = []

    async def ask() -> None:
        body = review(thing())
        answers.append(await run_blocking(lambda: connection.send(VALIDATE, body)))

    asking = spawn(ask, "asking")
    assert await began.wait(60)
    closing = spawn(webhooks.aclose, "closing")
    while webhooks.ready():
        await sleep(0.001)
    go_on.set()
    await asking.join(60)
    await closing.join(60)
    connection.close()
    assert verdict(answers[0])


async def test_a_function_that_takes_too_long_is_given_up() -> None:
    go_on = Event()

    async def endless(request: AdmissionRequest[Thing]) -> None:
        await go_on.wait(60)

    webhooks = AsyncWebhooks("127.0.0.1:0", timeout=0.01, grace=0).validate(Thing, endless)
    async with webhooks:
        connection = Connection(webhooks.url)
        status, text = await run_blocking(lambda: connection.send(VALIDATE, review(thing())))
        connection.close()
        assert (status, text) == (503, b"no answer within 0.01 s\n")
        go_on.set()


async def test_a_manager_publishes_metrics() -> None:
    registry = CollectorRegistry()
    k = FakeCluster().clientset(AsyncClientset)
    manager = AsyncManager(k, metrics="127.0.0.1:0", registry=registry)
    webhooks = manager.webhooks("127.0.0.1:0").validate(Thing, check).default(Thing, fill)
    async with webhooks:
        url = webhooks.url
        connection = Connection(url)
        for body in (review(thing()), review(thing(size=11)), b"{}"):
            await run_blocking(partial(connection.send, VALIDATE, body))
        await run_blocking(lambda: connection.send("/unknown", b"{}"))
        connection.close()

    def value(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"controller_runtime_webhook_{name}", labels)

    assert value("requests_total", webhook=VALIDATE, code="200") == 2
    assert value("requests_total", webhook=VALIDATE, code="400") == 1
    assert value("requests_in_flight", webhook=VALIDATE) == 0
    assert value("latency_seconds_count", webhook=VALIDATE) == 3
    assert value("requests_total", webhook="/unknown", code="404") is None


async def test_run_ends_when_it_is_told_to() -> None:
    webhooks = made()
    running = spawn(webhooks.run, "webhooks")
    while not webhooks.ready():
        await sleep(0.001)
    webhooks.stop()
    assert await running.join(60)
    assert not webhooks.ready()


async def test_conversions_of_long_lists_are_not_too_large() -> None:
    objects = [old_thing("v1beta1", f"o{n}", colour="x" * 100_000) for n in range(100)]
    async with converting() as webhooks:
        url = webhooks.url
        connection = Connection(url)
        body = conversion("v1", *objects)
        assert len(body) > 8 << 20
        answer = await run_blocking(lambda: connection.send("/convert", body))
        connection.close()
    assert len(json.loads(answer[1])["response"]["convertedObjects"]) == 100
