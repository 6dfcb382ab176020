"""A real server calls the webhooks of the tests, and answers as was recorded.

With CLIENTGEN_RECORD_WEBHOOKS=1 its answers are recorded anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from clusterkit.scratch import Scratch
from kubeapi import Clientset
from support.conversion_cases import CONVERSIONS, ConversionCase, Definitions
from support.webhook_backend import TestBackend
from support.webhook_cases import CASES, Case, Prepared, asking, outcome, record, recorded

pytestmark = pytest.mark.cluster

RECORDS = bool(os.environ.get("CLIENTGEN_RECORD_WEBHOOKS"))


@pytest.fixture(autouse=True)
def flavour() -> str:
    """Neither: these tests send requests past the clients."""
    return "threads"


@pytest.fixture(scope="module")
def prepared(kubeconfig: str, scratch: Scratch) -> Iterator[Prepared]:
    with Clientset.from_config(kubeconfig, timeout=60.0) as k, TestBackend() as backend:
        made = Prepared(asking(k), backend, scratch.make)
        yield made
        made.close()
        for namespace in made.namespaces.values():
            scratch.drop(namespace)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_real_server_answers_as_recorded(prepared: Prepared, case: Case) -> None:
    found = outcome(case, prepared.namespaces[case.name], prepared.ask, prepared.backend)
    if RECORDS:
        record(case.name, found)
    assert found == recorded()[case.name]


@pytest.fixture(scope="module")
def definitions(kubeconfig: str, scratch: Scratch) -> Iterator[Definitions]:
    with Clientset.from_config(kubeconfig, timeout=60.0) as k, TestBackend() as backend:
        made = Definitions(asking(k), backend, scratch.make())
        yield made
        made.close()
        scratch.drop(made.namespace)


@pytest.mark.parametrize("case", CONVERSIONS, ids=[case.name for case in CONVERSIONS])
def test_a_real_server_converts_as_recorded(definitions: Definitions, case: ConversionCase) -> None:
    found = definitions.outcome(case)
    name = f"conversion: {case.name}"
    if RECORDS:
        record(name, found)
    assert found == recorded()[name]
