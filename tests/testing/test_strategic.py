"""Strategic merge patches, directive by directive."""

import copy

import pytest

from clientgen._apimachinery.failures import Failure
from clientgen.testing._apiserver.patches.strategic_merge import strategic_merge, undecodable
from clientgen.testing._apiserver.served_spec import load


def schema(name):
    return load().schemas.named(name)


CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap"
DEPLOYMENT = "io.k8s.api.apps.v1.Deployment"
POD_SPEC = "io.k8s.api.core.v1.PodSpec"
SERVICE = "io.k8s.api.core.v1.ServiceSpec"


def merged(document, patch, kind=POD_SPEC):
    before, wanted = copy.deepcopy(document), copy.deepcopy(patch)
    made = strategic_merge(document, patch, schema(kind))
    assert (document, patch) == (before, wanted), "both are left as they were"
    return made


def refusal(document, patch, kind=POD_SPEC):
    with pytest.raises(Failure) as caught:
        strategic_merge(document, patch, schema(kind))
    return caught.value


def named(*names, **rest):
    return [{"name": name, **rest} for name in names]


def containers(*patch, order=None, of=("a", "b", "c")):
    """Names of the containers after a patch of them."""
    change = {"containers": list(patch)}
    if order is not None:
        change["$setElementOrder/containers"] = named(*order)
    made = merged({"containers": named(*of, image="i")}, change)
    return "".join(each["name"] for each in made["containers"])


# ------------------------------------------------------------------------------------------ maps


@pytest.mark.parametrize(
    ("patch", "data"),
    [
        ({"data": {"a": "9", "c": "3"}}, {"a": "9", "b": "2", "c": "3"}),
        ({"data": {"a": None}}, {"b": "2"}),
        ({"data": None}, None),
        ({"data": {"$patch": "replace", "c": "3"}}, {"c": "3"}),
        ({"data": {"$patch": "delete"}}, {}),
        ({"data": {"$retainKeys": ["b"]}}, {"b": "2"}),
        ({"data": {"$retainKeys": ["c"], "c": "3", "a": None}}, {"c": "3"}),
        ({"data": {"a": {"$patch": "delete"}}}, {"b": "2"}),
        ({"data": 5}, 5),
        ({}, {"a": "1", "b": "2"}),
    ],
)
def test_plain_maps(patch, data):
    assert merged({"data": {"a": "1", "b": "2"}}, patch, CONFIG_MAP).get("data") == data


def test_new_values_are_added_without_nulls_and_directives():
    patch = {"data": {"a": None, "b": "1"}, "more": [{"$patch": "delete"}, {"c": None, "d": 1}]}
    assert merged({}, patch, CONFIG_MAP) == {"data": {"b": "1"}, "more": [{"d": 1}]}


def test_keys_that_are_not_retained_go():
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    made = merged({"spec": {"strategy": strategy}}, patch, DEPLOYMENT)
    assert made == {"spec": {"strategy": {"type": "Recreate"}}}


# ----------------------------------------------------------------------------------------- lists


def test_items_are_merged_by_key():
    document = {"ports": [{"name": "x", "port": 80}, {"name": "y", "port": 81}]}
    patch = {"ports": [{"port": 81, "targetPort": 8081}, {"port": 82}]}
    assert merged(document, patch, SERVICE)["ports"] == [
        {"name": "x", "port": 80},
        {"name": "y", "port": 81, "targetPort": 8081},
        {"port": 82},
    ]


@pytest.mark.parametrize(
    ("patch", "names"),
    [
        ([{"name": "d"}], "dabc"),
        ([{"name": "c"}, {"name": "a"}], "bca"),
        ([{"name": "b", "$patch": "delete"}], "ac"),
        ([{"name": "x", "$patch": "delete"}], "abc"),
        ([{"$patch": "replace"}, {"name": "c"}], "c"),
        ([{"name": "d"}, {"$patch": "replace"}], "d"),
        ([], "abc"),
    ],
)
def test_patched_items_come_in_the_order_of_the_patch(patch, names):
    assert containers(*patch) == names


@pytest.mark.parametrize(
    ("patch", "order", "names"),
    [
        ([], "cba", "cba"),
        ([{"name": "d"}], "dcb", "dacb"),
        ([{"name": "d"}], "ad", "adbc"),
        ([{"name": "d"}, {"name": "c", "$patch": "delete"}], "d", "abd"),
        ([{"name": "a", "$patch": "delete"}], "cb", "cb"),
    ],
)
def test_the_patch_may_say_in_which_order(patch, order, names):
    assert containers(*patch, order=order) == names


def test_atomic_lists_are_replaced():
    document = {"tolerations": [{"key": "a"}], "hostAliases": [{"ip": "1", "hostnames": ["x"]}]}
    patch = {"tolerations": [{"key": "b"}], "hostAliases": [{"ip": "1", "hostnames": ["y"]}]}
    assert merged(document, patch) == patch


@pytest.mark.parametrize(
    ("patch", "finalizers"),
    [
        ({"finalizers": ["c"]}, ["c", "a", "b"]),
        ({"finalizers": ["b", "b", "a"]}, ["b", "a"]),
        ({"$deleteFromPrimitiveList/finalizers": ["a", "x"]}, ["b"]),
        ({"$deleteFromPrimitiveList/finalizers": "a"}, ["a", "b"]),
        ({"$setElementOrder/finalizers": ["b", "a"]}, ["b", "a"]),
        ({"$setElementOrder/finalizers": ["c", "a"], "finalizers": ["c"]}, ["c", "a", "b"]),
        ({"$setElementOrder/finalizers": [], "finalizers": ["c"]}, ["a", "b", "c"]),
        ({"finalizers": None}, None),
        ({"finalizers": []}, ["a", "b"]),
    ],
)
def test_lists_of_scalars_are_sets(patch, finalizers):
    made = merged({"metadata": {"finalizers": ["a", "b"]}}, {"metadata": patch}, CONFIG_MAP)
    assert made["metadata"].get("finalizers") == finalizers


def test_directives_reach_into_items():
    document = {"containers": [{"name": "a", "env": named("X", "Y", value="1"), "image": "i"}]}
    patch = {
        "containers": [
            {
                "name": "a",
                "env": [{"name": "X", "$patch": "delete"}, {"name": "Z", "value": "2"}],
                "$setElementOrder/env": named("Y", "Z"),
                "resources": {"limits": {"cpu": None, "memory": "1"}},
            }
        ]
    }
    assert merged(document, patch)["containers"] == [
        {
            "name": "a",
            "env": [{"name": "Y", "value": "1"}, {"name": "Z", "value": "2"}],
            "image": "i",
            "resources": {"limits": {"memory": "1"}},
        }
    ]


# ---------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("patch", "code", "reason"),
    [
        ({"$patch": "frobnicate"}, 500, ""),
        ({"$patch": "merge"}, 500, ""),
        ({"containers": [{"image": "i"}]}, 500, ""),
        ({"containers": [{"name": "a", "$patch": "merge"}]}, 500, ""),
        ({"containers": [{"name": "a", "$patch": "bogus"}]}, 500, ""),
        ({"containers": [{"$patch": "delete"}]}, 500, ""),
        ({"containers": [{"name": "a"}, 5]}, 500, ""),
        ({"$setElementOrder/containers": "a"}, 500, ""),
        ({"$setElementOrder/bogus": ["a"]}, 500, ""),
        ({"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}, 500, ""),
        ({"$setElementOrder/containers": [{"nome": "b"}]}, 500, ""),
        ({"$setElementOrderX": []}, 400, "BadRequest"),
        ({"$deleteFromPrimitiveListX": []}, 400, "BadRequest"),
        ({"$retainKeys": "containers"}, 400, "BadRequest"),
        ({"$retainKeys": ["containers"], "nodeName": "x"}, 400, "BadRequest"),
    ],
)
def test_broken_patches(patch, code, reason):
    failure = refusal({"containers": named("a", "b"), "nodeName": "n"}, patch)
    assert (failure.code, failure.reason) == (code, reason)


def test_lists_of_lists_are_unprocessable():
    document = {"metadata": {"finalizers": []}}
    failure = refusal(document, {"metadata": {"finalizers": [["a"]]}}, CONFIG_MAP)
    assert (failure.code, failure.reason) == (422, "Invalid")


def test_a_result_that_cannot_be_decoded_shows_the_patch():
    failure = undecodable({"spec": {"b": [1, True], "a": None}})("because")
    assert (failure.code, failure.reason) == (422, "Invalid")
    cause = failure.status()["details"]["causes"][0]
    assert (cause["field"], cause["reason"]) == ("patch", "FieldValueInvalid")
    assert 'map[spec:map[a:<nil> b:[1 true]]]": because' in cause["message"]
