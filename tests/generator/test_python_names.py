"""Python names of API names: over the whole Kubernetes spec, and for every hard word."""

from __future__ import annotations

import json
import keyword
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import kubernetes

from clientgen._gvk import GroupVersion
from clientgen.generator import python_names
from clientgen.generator.resolve import resolve
from clientgen.generator.sources import openapi

SPEC = Path(__file__).parents[2] / "specs/kubernetes/swagger.json"


@pytest.mark.parametrize(
    ("wire", "attribute"),
    [
        ("containerPort", "container_port"),
        ("hostIP", "host_ip"),
        ("clusterIPs", "cluster_ips"),
        ("podCIDRs", "pod_cidrs"),
        ("serverAddressByClientCIDRs", "server_address_by_client_cidrs"),
        ("nonResourceURLs", "non_resource_urls"),
        ("openAPIV3Schema", "open_api_v3_schema"),
        ("fieldsV1", "fields_v1"),
        ("seLinuxOptions", "se_linux_options"),
        ("targetCPUUtilizationPercentage", "target_cpu_utilization_percentage"),
        ("targetWWNs", "target_wwns"),
        ("insecureSkipTLSVerify", "insecure_skip_tls_verify"),
        ("Port", "port"),
        ("from", "from_"),
        ("except", "except_"),
        ("continue", "continue_"),
        ("not", "not_"),
        ("int", "int_"),
        ("bool", "bool_"),
        ("list", "list_"),
        ("field", "field_"),
        ("type", "type"),
        ("format", "format"),
        ("$ref", "ref"),
        ("x-kubernetes-list-type", "kubernetes_list_type"),
        ("2fast", "field_2fast"),
        ("foo.bar/baz", "foo_bar_baz"),
        ("_", "field_"),
    ],
)
def test_attributes_are_snake_case_and_never_reserved(wire: str, attribute: str) -> None:
    assert python_names.attribute(wire) == attribute


@given(st.text(min_size=1))
def test_any_property_name_becomes_an_identifier(wire: str) -> None:
    attribute = python_names.attribute(wire)

    assert attribute.isidentifier()
    assert not keyword.iskeyword(attribute)


@given(st.text(min_size=1))
def test_any_kind_becomes_a_class_name(kind: str) -> None:
    name = python_names.class_name(kind)

    assert name.isidentifier()
    assert not keyword.iskeyword(name)


@pytest.mark.parametrize(
    ("kind", "plural", "accessor"),
    [
        ("Pod", "pods", "pods"),
        ("Endpoints", "endpoints", "endpoints"),
        ("EndpointSlice", "endpointslices", "endpoint_slices"),
        ("PersistentVolumeClaim", "persistentvolumeclaims", "persistent_volume_claims"),
        ("NetworkPolicy", "networkpolicies", "network_policies"),
        ("IPAddress", "ipaddresses", "ip_addresses"),
        ("CSIDriver", "csidrivers", "csi_drivers"),
        ("ServiceCIDR", "servicecidrs", "service_cidrs"),
        ("APIService", "apiservices", "api_services"),
        ("Mouse", "mice", "mice"),
        ("FieldMouse", "fieldmice", "field_mice"),
        ("Class", "class", "class_"),
        ("Odd", "odd-things", "odd_things"),
    ],
)
def test_accessors_are_plurals_with_the_words_of_the_kind(
    kind: str, plural: str, accessor: str
) -> None:
    assert python_names.resource_accessor(kind, plural) == accessor


def test_every_accessor_of_kubernetes_spells_its_plural() -> None:
    api = resolve([openapi.parse(openapi.gather(SPEC, "spec"))], ())
    resources = [r for gv in api.group_versions for r in gv.resources]

    assert len(resources) == len(kubernetes.resources()) > 80
    for resource in resources:
        accessor = python_names.resource_accessor(resource.kind, resource.plural)
        assert accessor.replace("_", "") == resource.plural
        assert accessor.count("_") == len(python_names.words(resource.kind)) - 1


def test_groups_take_as_many_labels_as_tell_them_apart() -> None:
    groups = ["", "apps", "networking.k8s.io", "networking.istio.io", "class.example.com"]

    assert python_names.group_packages(groups) == {
        "": "core",
        "apps": "apps",
        "class.example.com": "class_",
        "networking.istio.io": "networking_istio",
        "networking.k8s.io": "networking_k8s",
    }


def test_groups_do_not_hide_the_modules_beside_their_packages() -> None:
    names = ["clientset", "async-clientset", "informers", "scheme"]
    groups = [f"{name}.example.com" for name in names]

    assert python_names.group_packages(groups) == {
        "async-clientset.example.com": "async_clientset_",
        "clientset.example.com": "clientset_",
        "informers.example.com": "informers",
        "scheme.example.com": "scheme_",
    }
    assert (
        python_names.group_version_accessor("clientset_", GroupVersion("", "v1")) == "clientset_v1"
    )


def test_groups_give_way_to_a_package_that_was_chosen() -> None:
    groups = ["networking.k8s.io", "networking.istio.io", "istio.example.com", ""]

    assert python_names.group_packages(groups, {"networking.istio.io": "istio", "": "kernel"}) == {
        "": "kernel",
        "istio.example.com": "istio_example",
        "networking.istio.io": "istio",
        "networking.k8s.io": "networking",
    }


def test_a_class_that_was_chosen_is_of_one_group_version() -> None:
    v1, v2 = GroupVersion("example.com", "v1"), GroupVersion("example.com", "v2")
    names = python_names.ChosenNames({(v1, "Thing"): "Item"})

    assert names.class_name(v1, "Thing") == "Item"
    assert names.class_name(v2, "Thing") == "Thing"
    assert names.class_name(v1, "class") == "class_"


def test_names_of_group_versions() -> None:
    version = GroupVersion("rbac.authorization.k8s.io", "v1")

    assert python_names.group_version_accessor("rbac", version) == "rbac_v1"
    assert python_names.group_version_class("rbac", version) == "RbacV1"


def test_wire_names_survive_or_are_written_out() -> None:
    definitions = json.loads(SPEC.read_bytes())["definitions"]
    names = {n for schema in definitions.values() for n in schema.get("properties", {})}
    odd = {n for n in names if python_names.camel(python_names.attribute(n)) != n}

    assert len(odd) == 50
    assert {"clusterIP", "podCIDRs", "$ref", "openAPIV3Schema"} <= odd


WIRE_NAMES = (
    *("enableK8sTokenAuth", "v1beta1Name", "apiV1beta1", "ipv4x2y", "x509SVIDs", "a2b", "s3Bucket"),
    *(
        "_private",
        "a_b",
        "fooBAR",
        "sha256sum",
        "useHTTP2only",
        "ec2vpc_endpoint",
        "K8s",
        "\u00e91b",
    ),
)


@pytest.mark.parametrize("wire_name", WIRE_NAMES)
def test_wire_names_match_the_renaming_of_msgspec(wire_name: str) -> None:
    """Or a property would be read and written under a name that no server knows."""
    attribute = python_names.attribute(wire_name)
    made = msgspec.defstruct("Made", [(attribute, int)], rename="camel")

    assert made.__struct_encode_fields__ == (python_names.camel(attribute),)


def test_properties_that_come_by_one_name_are_told_apart() -> None:
    attributes = python_names.attributes(["foo_bar", "fooBar", "from", "from_", "other"])

    assert attributes == {
        "fooBar": "foo_bar",
        "foo_bar": "foo_bar_2",
        "from": "from_",
        "from_": "from_2",
        "other": "other",
    }
    assert python_names.attributes(reversed(list(attributes))) == attributes
