"""The client certificates of credential plugins in the metrics, as in client-go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from prometheus_client import CollectorRegistry
from support.plugins import V1, Plugin

from clientgen.runtime import PrometheusRequestMetrics
from clientgen.runtime._config import plugin_calls
from clientgen.runtime._config.certificate_dates import Validity, validity_of
from clientgen.runtime._config.exec_plugin import ExecPlugin
from clientgen.testing import FakeClock

START = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
CA = trustme.CA()


def certificate(begins: datetime, ends: datetime) -> tuple[str, str]:
    issued = CA.issue_cert("me", not_before=begins, not_after=ends)
    return issued.cert_chain_pems[0].bytes().decode(), issued.private_key_pem.bytes().decode()


@pytest.fixture
def registry() -> Iterator[CollectorRegistry]:
    registry = CollectorRegistry()
    metrics = PrometheusRequestMetrics(registry)
    plugin_calls.add(metrics)
    yield registry
    plugin_calls.remove(metrics)


def plugin_with(folder: Path, *pairs: tuple[str, str] | None) -> ExecPlugin:
    """A plugin that gives these certificates one after the other, each for an hour."""
    folder.mkdir()
    replies: list[Any] = []
    for number, pair in enumerate(pairs):
        status: dict[str, Any] = {
            "expirationTimestamp": (START + timedelta(hours=number + 1)).isoformat()
        }
        status |= {"token": "t"} if pair is None else {}
        status |= dict(zip(("clientCertificateData", "clientKeyData"), pair or (), strict=False))
        replies.append({"kind": "ExecCredential", "apiVersion": V1, "status": status})
    (folder / "replies").write_text(json.dumps(replies))
    body = f"""
        runs = open({str(folder / "runs")!r}).read().count("run")
        print(json.dumps(json.load(open({str(folder / "replies")!r}))[runs - 1]))
    """
    return ExecPlugin(Plugin(folder).does(body).config())


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(f"rest_client_exec_plugin_{name}", labels)


def test_ages_and_the_first_end(tmp_path: Path, registry: CollectorRegistry) -> None:
    clock = FakeClock(START)
    first = certificate(START - 2 * DAY, START + 9 * DAY)
    second = certificate(START, START + 3650 * DAY)
    plugin = plugin_with(tmp_path / "a", first, first, second, None)
    other = plugin_with(tmp_path / "b", certificate(START, START + 30 * DAY))
    assert value(registry, "ttl_seconds") == float("inf")
    ends: list[datetime] = []
    for _ in range(2):
        plugin.answer(clock)
        ends.append(end_of(registry))
        clock.step(3601)
    assert value(registry, "certificate_rotation_age_count") == 0  # it stays the same
    plugin.reject(plugin.answer(clock))  # rejected ones count, too
    ends.append(end_of(registry))
    assert value(registry, "certificate_rotation_age_sum") == 2 * 86400 + 2 * 3601
    assert value(registry, "certificate_rotation_age_bucket", le="604800.0") == 1
    assert value(registry, "certificate_rotation_age_bucket", le="86400.0") == 0
    other.answer(FakeClock(START))
    ends.append(end_of(registry))
    plugin.answer(clock)
    ends.append(end_of(registry))
    assert value(registry, "certificate_rotation_age_count") == 2
    expected = [9, 9, 3650, 30, 30]
    assert [round((end - START) / DAY) for end in ends] == expected


def end_of(registry: CollectorRegistry) -> datetime:
    left = value(registry, "ttl_seconds")
    assert left is not None
    return datetime.now(UTC) + timedelta(seconds=left)


@pytest.mark.parametrize("year", [1999, 2049, 2050, 2100])
def test_the_dates_of_a_certificate(year: int) -> None:
    begins, ends = datetime(year, 2, 3, 4, 5, 6, tzinfo=UTC), datetime(year + 3, 1, 1, tzinfo=UTC)
    assert validity_of(certificate(begins, ends)[0].encode()) == (begins, ends)


def test_no_bytes_break_the_reader() -> None:
    pem = certificate(START, START + DAY)[0]
    head, body, tail = pem.partition("MII")[0], pem[28:-27], "\n-----END CERTIFICATE-----\n"
    assert validity_of(b"") is None
    for place in range(0, len(body), 7):
        for damaged in (body[:place], body[:place] + "////" + body[place + 4 :]):
            found = validity_of((head + damaged + tail).encode())
            assert found is None or isinstance(found, Validity)
