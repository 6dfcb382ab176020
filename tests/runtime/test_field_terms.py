"""Typed field selectors, and the fields that generated packages have them for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kubeapi import Clientset, fields
from kubeapi.core.v1 import Pod, PodSpec
from kubeapi.meta.v1 import ObjectMeta

from clientgen._apimachinery.selectable_fields import SELECTABLE_FIELDS
from clientgen.runtime import SelectableField
from clientgen.runtime._http.selectors import parse_field_selector
from clientgen.runtime.errors import BadRequest
from clientgen.testing import FakeCluster, LocalServer
from clientgen.testing._apiserver.kinds.catalog import _GROUPS

POD = fields.core_v1.Pod


def test_comparisons_make_selectors():
    term = (POD.spec_node_name == "n1") & (POD.status_phase != "Running")
    assert term == "spec.nodeName=n1,status.phase!=Running"
    assert (POD.spec_host_network == True) == "spec.hostNetwork=true"  # noqa: E712
    assert (fields.core_v1.ReplicationController.status_replicas != 0) == "status.replicas!=0"
    assert repr(POD.metadata_name) == "SelectableField('metadata.name')"


@pytest.mark.parametrize("value", ["a,b=c\\d", "", "metadata.name=x", "!="])
def test_values_cannot_become_other_conditions(value: str):
    assert parse_field_selector(POD.spec_node_name == value) == [("spec.nodeName", True, value)]
    assert parse_field_selector(POD.spec_node_name != value) == [("spec.nodeName", False, value)]


def test_a_selector_is_not_a_truth_value():
    with pytest.raises(TypeError, match="join two of them with `&`"):
        assert POD.metadata_name == "a" and POD.metadata_namespace == "b"  # noqa: PT018
    with pytest.raises(TypeError, match=r"spec\.nodeName is compared with a string"):
        POD.spec_node_name == None  # type: ignore[operator]  # noqa: B015, E711
    with pytest.raises(TypeError):
        (POD.metadata_name == "a") & "b"  # type: ignore[operator]


def test_a_server_selects_by_them():
    def pod(name: str, node: str) -> Pod:
        spec = PodSpec(containers=[], node_name=node)
        return Pod(metadata=ObjectMeta(name=name, namespace="shop"), spec=spec)

    cluster = FakeCluster(pod("a", "n1"), pod("b", "n2"))
    with LocalServer(cluster) as server, Clientset.from_config(server.kubeconfig) as k:
        pods = k.core_v1.pods()
        [found] = pods.list(field_selector=POD.spec_node_name == "n1")
        assert found.metadata.name == "a"
        assert not pods.list(
            field_selector=(POD.spec_node_name == "n1") & (POD.metadata_name == "b")
        )
        with k.informers() as factory:
            informer = factory.core_v1.pods(field_selector=POD.spec_node_name == "n2")
            factory.start()
            factory.wait_for_sync(timeout=30)
            assert [each.metadata.name for each in informer.lister.list()] == ["b"]
        k.core_v1.pods("shop").delete_collection(
            field_selector=POD.spec_node_name == "n1", grace_period_seconds=0
        )
        assert [each.metadata.name for each in pods.list()] == ["b"]
        with pytest.raises(BadRequest):
            pods.list(field_selector=SelectableField("spec.hostname") == "a")


def test_the_table_is_that_of_the_test_server():
    """The test server is compared with a real one (tests/cluster)."""
    served = {
        (group, kind): tuple(strategy.selectable_fields)
        for group, strategies in _GROUPS.items()
        for kind, strategy in strategies.items()
        if strategy.selectable_fields
    }
    assert served == SELECTABLE_FIELDS


DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shirts.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, kind: Shirt}
  versions:
    - name: v1
      served: true
      storage: true
      selectableFields: [{jsonPath: .spec.color}, {jsonPath: .spec.neckSize}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {color: {type: string}, neckSize: {type: integer}}
"""
TYPES = """
from clientgen.runtime.models import CustomResource, Model


class ShirtSpec(Model):
    color: str = ""
    neck_size: int = 0


# +genclient
# +kubebuilder:selectablefield:JSONPath=.spec.color
# +kubebuilder:selectablefield:JSONPath=.spec.neckSize
class Shirt(CustomResource, group="stable.example.com", version="v1"):
    spec: ShirtSpec
"""


@pytest.mark.parametrize("source", ["--crd", "--types"])
def test_custom_kinds_have_the_fields_that_they_declare(source: str, tmp_path: Path):
    (tmp_path / "shirt.yaml").write_text(DEFINITION)
    (tmp_path / "shirts.py").write_text(TYPES)
    given = "shirt.yaml" if source == "--crd" else "shirts"
    command = [sys.executable, "-m", "clientgen", "generate", source, given]
    done = subprocess.run(
        [*command, "--package", "wardrobe", "--output", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "wardrobe" / "fields.py").read_text()
    assert 'spec_color = SelectableField("spec.color")' in text
    assert 'spec_neck_size = SelectableField("spec.neckSize")' in text
