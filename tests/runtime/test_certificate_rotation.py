"""When certificates of a program's own are made, renewed and forgotten: years, without waiting."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from cryptography.x509 import Certificate

from clientgen.runtime._admission.certificate_authority import (
    has_signed,
    is_valid_at,
    names_of,
    new_authority,
    new_certificate,
    read_certificates,
    to_pem,
)
from clientgen.runtime._admission.certificate_rotation import (
    SETTLE,
    Certificates,
    Clients,
    Policy,
    bundle_patch,
    data_of,
    is_foreign,
    next_change,
    read,
    renewed,
    salvaged,
)
from clientgen.runtime.webhooks import SelfSigned

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
POLICY = Policy(("hooks.shop.svc", "10.0.0.1"), 90 * DAY, 365 * DAY, DAY)
CLIENTS = Clients(frozenset([("shop", "hooks")]), frozenset(["10.0.0.1"]))


def configuration() -> dict[str, Any]:
    ours = {"service": {"namespace": "shop", "name": "hooks"}}
    by_url = {"url": "https://10.0.0.1:9443/validate"}
    foreign = {"service": {"namespace": "kube-system", "name": "hooks"}, "caBundle": "dGhlaXJz"}
    return {
        "metadata": {"uid": "1", "resourceVersion": "7"},
        "webhooks": [{"name": "w", "clientConfig": each} for each in (ours, by_url, foreign)],
    }


def trusted_in(obj: dict[str, Any]) -> list[Certificate]:
    return read_certificates(b64decode(obj["webhooks"][0]["clientConfig"].get("caBundle", "")))


class Replica:
    """What a replica serves, and what it knows of the configuration."""

    def __init__(self) -> None:
        self.served = Certificates()
        self.carried: tuple[Certificate, datetime] | None = None
        self.worked = BEGIN

    def work(self, world: World) -> None:
        """One pass, in which the API server may refuse the patch of the configuration."""
        current = salvaged(read(world.secret), self.served)
        carried = self.carried if self.carried and self.carried[0] in current.trusted[:1] else None
        wanted = renewed(current, POLICY, world.now, carried[1] if carried else None)
        if wanted != current or not world.secret:
            world.secret = data_of(wanted)
        assert wanted.authority
        assert wanted.served
        world.seen |= {wanted.authority.certificate, wanted.served.certificate}
        self.served, self.worked = wanted, world.now
        if world.random.random() < 0.3 and world.is_patched:
            self.carried = None
            return
        bundle_patch(world.configuration, CLIENTS, wanted.bundle)
        world.is_patched = True
        if self.carried is None or self.carried[0] != wanted.authority.certificate:
            self.carried = (wanted.authority.certificate, world.now)


class World:
    """A Secret, a configuration, and replicas, of which one may sleep for half a day."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = BEGIN
        self.secret: dict[str, str] = {}
        self.configuration = configuration()
        self.is_patched = False
        self.replicas = [Replica(), Replica()]
        self.seen: set[Certificate] = set()

    def tick(self) -> None:
        for replica in self.random.sample(self.replicas, 2):
            if self.random.random() < 0.6 or self.now >= replica.worked + 12 * HOUR:
                replica.work(self)
        trusted = [each for each in trusted_in(self.configuration) if is_valid_at(each, self.now)]
        for replica in self.replicas:
            served = replica.served.served
            if served is not None:
                assert is_valid_at(served.certificate, self.now)
                assert any(has_signed(each, served.certificate) for each in trusted)

    def move(self) -> None:
        """Go on to what happens next, or a part of the way."""
        current = read(self.secret)
        times = [
            next_change(current, POLICY, each.carried and each.carried[1]) for each in self.replicas
        ]
        is_quiet = len(current.trusted) == 1 and all(
            each.served == self.replicas[0].served for each in self.replicas
        )
        step = (
            timedelta(days=self.random.randint(1, 30))
            if is_quiet
            else 12 * HOUR * self.random.random()
        )
        due = min(each for each in times if each is not None)
        self.now = max(self.now + timedelta(seconds=1), min(self.now + step, due))
        if is_quiet and self.random.random() < 0.05:
            self.secret = {}


@pytest.mark.parametrize("seed", range(3))
def test_clients_trust_the_server_at_any_time_for_years(seed: int) -> None:
    world = World(seed)
    while world.now < BEGIN + 5 * 365 * DAY:
        world.tick()
        world.move()
    authorities = [each for each in world.seen if len(names_of(each)) == 0]
    assert 8 <= len(authorities) <= 30
    assert 30 <= len(world.seen) - len(authorities) <= 90


def first() -> Certificates:
    return renewed(Certificates(), POLICY, BEGIN, None)


def test_an_authority_is_replaced_in_three_steps() -> None:
    """Long lives: here the authority is due, and the certificate of the server is not."""
    old = first()
    assert renewed(old, POLICY, BEGIN + 59 * DAY, None) == old
    due = next_change(old, POLICY, None)
    assert due
    assert BEGIN + 59 * DAY < due < BEGIN + 61 * DAY
    assert old.authority
    assert old.served
    assert names_of(old.served.certificate) == list(POLICY.names)

    now = BEGIN + 250 * DAY
    served = new_certificate(old.authority, POLICY.names, now - 10 * DAY, 90 * DAY)
    old = Certificates(old.trusted, old.authority, served)
    both = renewed(old, POLICY, now, BEGIN)
    assert both.trusted[1:] == old.trusted
    assert both.served == served
    assert renewed(both, POLICY, now + DAY, None) == both  # a configuration lacks the new one
    assert renewed(both, POLICY, now + SETTLE / 2, now) == both
    assert next_change(both, POLICY, now) == now + SETTLE

    new = renewed(both, POLICY, now + SETTLE, now)
    assert new.trusted == both.trusted
    assert new.issuer() == new.trusted[0]
    assert renewed(new, POLICY, now + DAY / 2, now) == new
    alone = renewed(new, POLICY, now + DAY + HOUR, now)
    assert alone.trusted == new.trusted[:1]
    assert alone.served == new.served


def test_what_cannot_wait_is_renewed_at_once() -> None:
    old = first()
    assert old.authority
    other = new_authority(BEGIN, DAY)
    late = BEGIN + 91 * DAY
    expired = renewed(old, POLICY, late, None)
    assert expired.trusted == old.trusted
    assert expired.served != old.served
    # A certificate of an authority that nobody trusts, and one without a name that is wanted.
    stranger = Certificates(old.trusted, old.authority, new_certificate(other, ["a"], BEGIN, DAY))
    assert renewed(stranger, POLICY, BEGIN, None).issuer() == old.trusted[0]
    narrow = new_certificate(old.authority, ["old.shop.svc"], BEGIN, 90 * DAY)
    wider = renewed(Certificates(old.trusted, old.authority, narrow), POLICY, BEGIN, None)
    assert wider.served
    # An older release, which wants its own name, would otherwise take it away again.
    assert set(names_of(wider.served.certificate)) == {*POLICY.names, "old.shop.svc"}


def b64(text: bytes) -> str:
    return b64encode(text).decode()


@pytest.mark.parametrize(
    "broken",
    [
        {"ca.key": ""},
        {"ca.key": b64(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")},
        {"ca.key": data_of(first())["ca.key"]},
        {"ca.crt": "not base64!"},
        {"ca.crt": b64(b"-----BEGIN CERTIFICATE-----\n" * 9999), "ca.key": None},
        {"ca.crt": data_of(first())["tls.crt"]},
        {"ca.crt": None, "ca.key": None, "tls.crt": None, "tls.key": None},
    ],
)
def test_a_broken_secret_gets_a_new_authority_that_joins_the_old_one(broken: Any) -> None:
    served = first()
    stored = read({**data_of(served), **broken})
    wanted = renewed(salvaged(stored, served), POLICY, BEGIN, None)
    assert wanted.trusted[1:] == served.trusted
    assert wanted.served == served.served
    assert wanted.authority != served.authority
    # A program that has just started has nothing to go on with.
    fresh = renewed(salvaged(stored, Certificates()), POLICY, BEGIN, None)
    assert fresh.issuer() in fresh.trusted


@pytest.mark.parametrize("name", ["tls.crt", "tls.key"])
def test_a_broken_certificate_is_made_anew(name: str) -> None:
    old = first()
    stored = read({**data_of(old), name: data_of(first())[name]})
    wanted = renewed(salvaged(stored, Certificates()), POLICY, BEGIN, None)
    assert wanted.trusted == old.trusted
    assert wanted.served not in {None, old.served}


def test_keys_are_not_shown_and_foreign_secrets_are_known() -> None:
    made = first()
    assert "PRIVATE" not in f"{made!r} {made.authority!r}"
    assert "object at" not in repr(made.served)
    data = data_of(made)
    assert not is_foreign({})
    assert not is_foreign(data)
    assert is_foreign({name: text for name, text in data.items() if name != "ca.key"})
    assert read(data) == made


def test_only_what_leads_here_is_patched_and_only_if_it_differs() -> None:
    obj = configuration()
    bundle = to_pem(first().trusted)
    patch = bundle_patch(obj, CLIENTS, bundle)
    assert patch
    assert patch["metadata"] == {"uid": "1", "resourceVersion": "7"}
    found = [each["clientConfig"]["caBundle"] for each in patch["webhooks"]]
    assert found == [b64(bundle), b64(bundle), "dGhlaXJz"]
    assert bundle_patch(obj, CLIENTS, bundle) is None
    config = {"service": {"namespace": "shop", "name": "hooks"}, "caBundle": "eA=="}
    crd = {"metadata": {}, "spec": {"conversion": {"webhook": {"clientConfig": config}}}}
    patch = bundle_patch(crd, CLIENTS, bundle)
    assert patch
    assert patch["spec"]["conversion"] == {"webhook": {"clientConfig": {"caBundle": b64(bundle)}}}
    for hostile in ({}, {"webhooks": [None, {"clientConfig": []}]}, {"spec": {"conversion": 1}}):
        assert bundle_patch(hostile, CLIENTS, bundle) is None
    assert not CLIENTS.leads_here({"url": "https://[::1"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"services": "hooks"}, "services is a list of names"),
        ({"secret": "a/b"}, "'a/b' is not a valid name of an object"),
        ({"services": ["a/b/c"]}, "services are NAME or NAMESPACE/NAME"),
        ({"hosts": ["https://x"]}, "neither a DNS name nor an IP address"),
        ({"hosts": ["fe80::1%eth0"]}, "neither a DNS name nor an IP address"),
        ({"lifetime": HOUR / 2}, "lifetime must be an hour or more"),
        ({"ca_lifetime": 100 * DAY}, "ca_lifetime twice that"),
        ({"overlap": 200 * DAY}, "less than a third of ca_lifetime"),
    ],
)
def test_wrong_requests_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        SelfSigned(**{"secret": "certs", **changes})
    assert SelfSigned(secret="c", services=["a", "x/b"]).names("shop")[::3] == [
        "a.shop.svc",
        "b.x.svc",
    ]
    spelled = SelfSigned(secret="c", hosts=["fd00:0::1", "dev.example.com"]).names("shop")
    policy = Policy(tuple(spelled), 90 * DAY, 365 * DAY, DAY)
    served = renewed(Certificates(), policy, BEGIN, None)
    assert renewed(served, policy, BEGIN, None) == served
    with pytest.raises(ValueError, match=r'pass services=\["NAME"\]'):
        SelfSigned(secret="c").names("shop")
