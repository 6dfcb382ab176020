"""Bodies become objects: parsing, and the form in which built-in kinds are kept."""

from functools import cache
from pathlib import Path

import pytest
import yaml
from msgspec import json

from clientgen._apimachinery.decoding import MAX_BODY_BYTES, dump_yaml, normalise, parse
from clientgen._apimachinery.failures import Failure
from clientgen._openapi.resolved import Schemas

SPEC = Path(__file__).parents[2] / "specs" / "kubernetes" / "swagger.json"
CORE = "io.k8s.api.core.v1."


@cache
def schemas():
    return Schemas(json.decode(SPEC.read_bytes())["definitions"])


def read(text, content_type="application/json", **options):
    return parse(text if isinstance(text, bytes) else text.encode(), content_type, **options)


def refusal(function, *arguments, **options):
    with pytest.raises(Failure) as caught:
        function(*arguments, **options)
    return caught.value


def formed(value, kind=CORE + "Pod"):
    return normalise(value, schemas().named(kind))


# --------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json; ",
        'application/json;a="b; c=\\"d";e=f',
        "application/json; a=b; A=b",
    ],
)
def test_json_is_what_bodies_are_in(content_type):
    assert read('{"a": 1}', content_type).value == {"a": 1}


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "garbage",
        "application/*",
        "application/cbor",
        "application/json; charset",
        "application/json;;",
        "application/json,application/yaml",
        'application/json; a="b',
        'application/json; a="b"c',
        "application/json; a=b c",
        "application/json; a b=c",
        "application/json; a=b; a=c",
    ],
)
def test_other_formats_are_unsupported(content_type):
    failure = refusal(read, "{}", content_type)
    assert (failure.code, failure.reason) == (415, "UnsupportedMediaType")


def test_the_format_is_looked_at_before_the_size_and_the_size_before_the_text():
    large = b"x" * (MAX_BODY_BYTES + 1)
    assert refusal(read, large, "text/plain").code == 415
    failure = refusal(read, large)
    assert (failure.code, failure.reason) == (413, "RequestEntityTooLarge")


# ------------------------------------------------------------------------------------------ JSON


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "unexpected end of JSON input (<empty>)"),
        ("{", "unexpected end of JSON input ({)"),
        ('{"a":"b', "unexpected end of JSON input"),
        ("hello", "invalid character 'h' looking for beginning of value (68656c6c6f)"),
        ("{'a': 1}", "invalid character '\\'' looking for beginning of object key string"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a": 1 "b": 2}', "invalid character '\"' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ("{} x", "invalid character 'x' after top-level value"),
        ('{"a": NaN}', "invalid character 'N' looking for beginning of value"),
        ('{"a": "\x01"}', "invalid character '\\x01' in string literal"),
        ("[1, 2]", "json: cannot unmarshal array into Go value"),
        ('"x"', "json: cannot unmarshal string into Go value"),
        ('{"kind": 5}', "json: cannot unmarshal number into Go struct field .kind of type string"),
        ('{"apiVersion": "a/b/c"}', "unexpected GroupVersion string: a/b/c"),
        ("\ufeff{}", "json parse error"),
        ('{"x":' + "[" * 20_000 + "]" * 20_000 + "}", "exceeded max depth"),
    ],
)
def test_broken_json_is_a_bad_request_that_says_where(text, why):
    failure = refusal(read, text, kind="ConfigMap")
    assert (failure.code, failure.reason) == (400, "BadRequest")
    assert failure.message.startswith("the object provided is unrecognized")
    assert "must be of type ConfigMap" in failure.message
    assert why in failure.message


def test_null_is_an_empty_object():
    assert read(" null ").value == {}


def test_invalid_characters_are_replaced():
    assert read(b'{"a": "\xff"}').value == {"a": "\ufffd"}
    assert read(r'{"a": "\ud83c x", "b": "\ud83c\udf89"}').value == {"a": "\ufffd x", "b": "🎉"}


def test_the_last_duplicate_field_wins_in_custom_objects():
    parsed = read('{"a": {"b": 1, "b": 2, "c": [{"d": 1, "d": 2}]}, "a": {"e": 1, "e": 2, "e": 3}}')
    assert parsed.value == {"a": {"e": 3}}
    assert parsed.complaints() == [
        'duplicate field "a.b"',
        'duplicate field "a.c[0].d"',
        'duplicate field "a.e"',
        'duplicate field "a"',
    ]


def test_duplicate_fields_are_merged_in_built_in_objects():
    text = (
        '{"metadata": {"name": "a"}, "metadata": {"labels": {}},'
        ' "l": [{"a": 1}, 2], "l": [{"b": 1}]}'
    )
    assert read(text, merging=True).value == {
        "metadata": {"name": "a", "labels": {}},
        "l": [{"a": 1, "b": 1}],
    }


def test_a_colon_in_a_text_is_no_duplicate():
    assert read(r'{"a": "x\":", "b": "\":\u0022:"}').complaints() == []


def test_duplicates_inside_unknown_fields_are_not_reported():
    parsed = read('{"x": {"a": 1, "a": 2}, "x": 1, "xy": 1, "xy": 2}')
    assert parsed.complaints(["x"]) == ['duplicate field "xy"', 'unknown field "x"']


def test_whole_numbers_are_integers_where_no_type_says_otherwise():
    assert type(read('{"a": 1.0}').value["a"]) is int
    assert type(read('{"a": 1.0}', merging=True).value["a"]) is float


# ------------------------------------------------------------------------------------------ YAML


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("y", True),
        ("Off", False),
        ("yES", "yES"),
        ("~", None),
        ("", None),
        ("010", 8),
        ("0o10", 8),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("09", 9),
        ("1.0", 1),
        ("1.5e3", 1500),
        (".5", 0.5),
        (".", "."),
        ("1e", "1e"),
        ("1e400", "1e400"),
        ("1:30", "1:30"),
        ("2001-01-01", "2001-01-01"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ('!!int "1"', 1),
        ("!!binary aGk=", "hi"),
        ("!own x", "x"),
        (
            "{1: a, 1.5: b, true: c, 2001-01-01: d}",
            {"1": "a", "1.5": "b", "true": "c", "2001-01-01": "d"},
        ),
        ("{<<: {a: 1}, b: 2}", {"a": 1, "b": 2}),
        ("{a: 0, <<: [{a: 1}, {a: 2, b: 3}]}", {"a": 1, "b": 3}),
        ("|\n  one\n  two\n", "one\ntwo\n"),
    ],
)
def test_yaml_means_what_it_means_to_kubernetes(text, value):
    parsed = read(f"x: {text}", "application/yaml").value["x"]
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x: [1", "did not find expected ',' or ']'"),
        ("x: 1\n\ty: 2", "yaml: line 2: found "),
        ("x: *nope", "undefined alias"),
        ("x: {~: 1}", "unsupported map key"),
        ("x: {[1]: 1}", "invalid map key"),
        ("x: .inf", "json: unsupported value: +Inf"),
        ("x: {<<: 5}", "map merge requires map"),
        ("x: &x [*x]", "contains itself"),
        ("x: !!int a", "cannot decode"),
        ("x: !!binary '%'", "invalid base64"),
        ("- a", "cannot unmarshal array"),
        (b"x: \xff", "UTF-8"),
        ("%YAML 1.2\n---\nx: 1", "incompatible"),
    ],
)
def test_broken_yaml_is_a_bad_request(text, why):
    failure = refusal(read, text, "application/yaml")
    assert (failure.code, failure.reason) == (400, "BadRequest")
    assert why in failure.message


def test_only_the_first_document_counts():
    assert read("a: 1\n---\nb: [", "application/yaml").value == {"a": 1}
    assert read("", "application/yaml").value == {}


def test_keys_that_are_set_twice_in_yaml_are_told_by_line():
    parsed = read("a: 1\na: 2\nb: {y: 1, on: 2}\n", "application/yaml")
    assert parsed.value == {"a": 2, "b": {"true": 2}}
    assert parsed.complaints() == [
        'line 2: key "a" already set in map',
        "line 3: key true already set in map",
    ]


def test_aliases_may_not_explode():
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefg", "bcdefgh", strict=True)
    ]
    assert "excessive aliasing" in refusal(read, "\n".join(lines), "application/yaml").message


def test_yaml_answers_come_back_as_they_were():
    texts = [
        "",
        "1",
        "y",
        "null",
        "1:30",
        "2001-01-01",
        "a\nb\n",
        " x",
        "it's",
        "é",
        "- x",
        "0x1",
        "=",
        "<<",
    ]
    value = {"k1": texts, "k10": {}, "k2": [], "n": None, "t": True, "i": 5}
    written = dump_yaml(value)
    assert read(written, "application/yaml").value == value
    assert yaml.safe_load(written) == value


def test_yaml_is_written_as_kubernetes_does():
    value = {"b": "1", "a10": "x", "a9": [{"q": "y"}, "two\nlines\n"], "e": {}, "l": []}
    assert dump_yaml(value).decode() == (
        'a9:\n- q: "y"\n- |\n  two\n  lines\na10: x\nb: "1"\ne: {}\nl: []\n'
    )


# ------------------------------------------------------------------------------------ normalising


def test_unknown_fields_go_and_are_told_by_path():
    pod = {
        "metadata": {"name": "p", "Name": "q"},
        "spec": {
            "containers": [{"name": "a", "env": [{"name": "E", "val": 1}]}],
            "nope": {"a": {}},
        },
    }
    made = formed(pod)
    assert made.unknown == ["metadata.Name", "spec.containers[0].env[0].val", "spec.nope"]
    assert made.value["spec"] == {
        "containers": [{"name": "a", "env": [{"name": "E"}], "resources": {}}]
    }
    assert pod["metadata"]["Name"] == "q", "the document itself is left alone"


def test_empty_optional_fields_go_unless_they_are_pointers():
    spec = {
        "containers": [],
        "nodeName": "",
        "hostNetwork": False,
        "nodeSelector": {},
        "tolerations": [],
        "securityContext": {},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
        "priority": None,
    }
    assert formed({"spec": spec}).value["spec"] == {
        "containers": None,
        "securityContext": {},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 0,
    }


def test_some_fields_are_always_there():
    assert formed({}, CORE + "Service").value == {
        "metadata": {},
        "spec": {},
        "status": {"loadBalancer": {}},
    }
    event = formed({"involvedObject": {}, "metadata": {}}, CORE + "Event").value
    assert event["eventTime"] is None
    assert event["source"] == {}
    assert event["reportingComponent"] == ""
    assert formed({"rules": []}, "io.k8s.api.rbac.v1.Role").value == {"metadata": {}, "rules": None}


def test_null_is_the_empty_value():
    config = {"data": {"a": None}, "binaryData": {"b": None}, "metadata": {"labels": None}}
    assert formed(config, CORE + "ConfigMap").value == {
        "data": {"a": ""},
        "binaryData": {"b": ""},
        "metadata": {},
    }
    limits = {"spec": {"limits": [None, {"type": "x", "max": {"cpu": None}}]}}
    assert formed(limits, CORE + "LimitRange").value["spec"]["limits"] == [
        {"type": ""},
        {"type": "x", "max": {"cpu": "0"}},
    ]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (0.5, "500m"),
        (1, "1"),
        ("1.50", "1500m"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("1e3", "1e3"),
        ("869.067M", "869.067M"),
        ("00012", "00012"),
        ("1 ", "1"),
        ("0.1n", "1n"),
        ("16Ei", "9223372036854775807"),
        ("-0.5", "-500m"),
    ],
)
def test_quantities_are_written_canonically(given, written):
    volume = {"name": "v", "emptyDir": {"sizeLimit": given}}
    made = formed({"spec": {"containers": [], "volumes": [volume]}}).value
    assert made["spec"]["volumes"][0]["emptyDir"]["sizeLimit"] == written


@pytest.mark.parametrize(
    ("given", "written"), [("100u", "1m"), ("1.5", "1500m"), ("1e-9", "1e-3"), ("0.0011", "2m")]
)
def test_resource_lists_count_in_thousandths(given, written):
    quota = {"spec": {"hard": {"cpu": given}}}
    assert formed(quota, CORE + "ResourceQuota").value["spec"]["hard"] == {"cpu": written}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2026-01-01T00:00:00.9Z", "2026-01-01T00:00:00Z"),
        ("2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00Z"),
        ("2026-01-01T1:02:03Z", "2026-01-01T01:02:03Z"),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_times_are_whole_seconds_of_utc(given, written):
    event = formed({"lastTimestamp": given}, CORE + "Event").value
    assert event["lastTimestamp"] == written


def test_micro_times_have_six_digits():
    lease = {"spec": {"renewTime": "2026-01-01T00:00:00.000001+02:00"}}
    made = formed(lease, "io.k8s.api.coordination.v1.Lease").value
    assert made["spec"] == {"renewTime": "2025-12-31T22:00:00.000001Z"}


def test_base64_is_written_canonically():
    made = formed({"data": {"a": "AA\nEC", "b": "AB=="}}, CORE + "Secret").value
    assert made["data"] == {"a": "AAEC", "b": "AA=="}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("ConfigMap", {"data": {"a": 1}}),
        ("ConfigMap", {"data": ["a"]}),
        ("ConfigMap", {"metadata": "x"}),
        ("ConfigMap", {"immutable": "true"}),
        ("ConfigMap", {"binaryData": {"a": "AA"}}),
        ("ConfigMap", {"binaryData": {"a": "AA_w"}}),
        ("ConfigMap", {"metadata": {"creationTimestamp": "2026-01-01"}}),
        ("ConfigMap", {"metadata": {"creationTimestamp": "2026-02-30T00:00:00Z"}}),
        ("ConfigMap", {"metadata": {"generation": 2**63}}),
        ("Event", {"eventTime": "2026-01-01T00:00:00Z"}),
        ("Event", {"count": 2**31}),
        ("Service", {"spec": {"ports": [{"port": "80"}]}}),
        ("Service", {"spec": {"ports": [{"port": 80.0}]}}),
        ("Service", {"spec": {"ports": [{"port": True}]}}),
        ("Service", {"spec": {"ports": [{"targetPort": 80.5}]}}),
        ("Service", {"spec": {"ports": {}}}),
        ("ResourceQuota", {"spec": {"hard": {"cpu": "1Zi"}}}),
        ("ResourceQuota", {"spec": {"hard": {"cpu": True}}}),
    ],
)
def test_wrong_types_are_bad_requests(kind, value):
    failure = refusal(formed, value, CORE + kind)
    assert (failure.code, failure.reason) == (400, "BadRequest")
    assert failure.message.startswith(f'{kind} in version "v1" cannot be handled as a {kind}: ')


def test_the_field_is_named():
    failure = refusal(formed, {"metadata": {"labels": {"x": True}}}, CORE + "ConfigMap")
    assert failure.message.endswith(
        "json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string"
    )


def test_schemas_in_definitions_may_stand_for_other_things():
    props = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string", "odd": 1}}},
        "additionalProperties": False,
        "default": {"free": {"form": None}},
    }
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": props}}
    package = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
    made = formed({"spec": {"versions": [version]}}, package + "CustomResourceDefinition")
    schema = made.value["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": False,
        "default": {"free": {"form": None}},
    }
    assert made.unknown == []


def test_canonical_values_are_unchanged():
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "labels": {"a": "b"}},
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}}}]
        },
        "status": {"phase": "Pending", "startTime": "2026-01-01T00:00:00Z"},
    }
    assert formed(pod).value == pod
