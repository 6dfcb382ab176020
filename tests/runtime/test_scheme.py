"""The registry of kinds, and how manifests are read and written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import kubeapi
import msgspec
import pytest
from kubeapi.apps.v1 import Deployment
from kubeapi.core.v1 import ConfigMap, Pod, PodList, PodSpec, PodTemplateSpec, Secret, Service
from kubeapi.meta.v1 import ObjectMeta
from msgspec import Meta
from support.packages import PodToService, lookup, lookups

from clientgen._gvk import GroupVersionKind
from clientgen.runtime._manifests.manifest_documents import ManifestError, documents, split_lists
from clientgen.runtime._manifests.manifest_text import MAX_TEXT_BYTES
from clientgen.runtime._manifests.scheme import Scheme
from clientgen.runtime._models.manifest_writer import to_yaml
from clientgen.runtime._models.model import Literal, Model, auto, constant, field
from clientgen.runtime._models.model_codec import to_dict, unknown_fields
from clientgen.runtime._models.unstructured import Unstructured

DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")


class Backup(Model):
    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["Backup"] = constant("Backup")
    metadata: ObjectMeta = auto(ObjectMeta)
    days: int = 0


class OtherBackup(Backup):
    pass


class AllowList(Model):
    """Its name does not make a list of it."""

    api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
    kind: Literal["AllowList"] = constant("AllowList")
    items: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def scheme() -> Scheme:
    made = Scheme()
    kubeapi.add_to_scheme(made)
    lookups.add_to_scheme(made)
    made.register(Backup)
    return made


def problems(scheme: Scheme, text: str | bytes | Path, **options: Any) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        scheme.load(text, **options)
    return str(raised.value).splitlines()


# ---- the registry -----------------------------------------------------------------------------


def test_every_kind_leads_to_its_class(scheme):
    assert len(scheme.kinds()) > 150
    for gvk in scheme.kinds():
        model = scheme.model(gvk)
        fields = {each.encode_name: each for each in msgspec.structs.fields(model)}
        type_meta = [fields[name].default_factory() for name in ("apiVersion", "kind")]
        assert type_meta == [gvk.group_version.api_version, gvk.kind]


def test_kinds_are_asked_for_in_words_too(scheme):
    assert scheme.model(DEPLOYMENT) is scheme.model("apps/v1/Deployment") is Deployment
    assert scheme.model("v1/Pod") is Pod
    assert DEPLOYMENT in scheme
    assert "apps/v1/Deployment" in scheme
    assert "apps/v2/Deployment" not in scheme
    assert 3 not in scheme


def test_registering_loads_no_models():
    code = """
import sys, kubeapi
from clientgen.runtime._manifests.scheme import Scheme
scheme = Scheme()
kubeapi.add_to_scheme(scheme)
assert len(scheme.kinds()) > 150
loaded = [name for name in sys.modules if name.startswith("kubeapi.")]
assert loaded == ["kubeapi.scheme"], loaded
scheme.load("{apiVersion: batch/v1, kind: Job}")
assert "kubeapi.batch.v1.models" in sys.modules
assert "kubeapi.apps" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_same_again_changes_nothing(scheme):
    before = scheme.kinds()
    kubeapi.add_to_scheme(scheme)
    scheme.register(Backup)
    scheme.register(Pod)
    scheme.add_kinds({"v1": {"kubeapi.core.v1": ["Pod"]}}, "elsewhere.scheme")  # by another way
    assert scheme.kinds() == before


def test_two_classes_of_one_kind_are_an_error(scheme):
    with pytest.raises(
        ValueError, match=r"example.com/v1/Backup is already registered as .*\.Backup"
    ):
        scheme.register(OtherBackup)
    with pytest.raises(
        ValueError, match=r"v1/Pod is already registered as kubeapi\.core\.v1\.models\.Pod"
    ):
        scheme.add_kinds({"v1": {__name__: ["Pod:PodSpec"]}}, __name__)
    assert scheme.model("example.com/v1/Backup") is Backup


def test_register_decorates_and_reads_names_from_the_class():
    made = Scheme()

    @made.register
    class Restore(Model):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["Restore"] = constant("Restore")

    assert made.kinds() == [GroupVersionKind("example.com", "v1", "Restore")]
    assert made.model("example.com/v1/Restore") is Restore
    with pytest.raises(TypeError, match="PodSpec has no kind: its apiVersion is not a `constant`"):
        made.register(PodSpec)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("apps/v1beta1/Deployment", "did you mean apps/v1/Deployment?"),
        ("apps/v1/Deploymnet", "did you mean apps/v1/Deployment?"),
        ("batch/v1/Deployment", "did you mean apps/v1/Deployment?"),
        ("nonesuch.io/v1/Thing", "the kind nonesuch.io/v1/Thing is not registered"),
    ],
)
def test_unregistered_kinds_are_reported_with_similar_ones(scheme, kind, why):
    with pytest.raises(LookupError) as raised:
        scheme.model(kind)
    assert str(raised.value).endswith(why)


def test_kinds_may_have_classes_of_other_names():
    made = Scheme()
    made.add_kinds({"example.com/v1": {".test_scheme": ["Copy:Backup"]}}, f"{__package__}.x")
    made.add_kinds({"example.com/v2": {__name__: ["Copy:Backup"]}}, "anything")
    assert [str(kind) for kind in made.kinds()] == ["example.com/v1/Copy", "example.com/v2/Copy"]


# ---- reading ----------------------------------------------------------------------------------


def test_objects_are_of_their_classes(scheme):
    text = """\
# Comments are no document.
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {key: value}
---
---
apiVersion: servicelookup.example.com/v1alpha1
kind: PodToService
metadata: {name: b}
spec: {podAddress: 10.0.0.1, podName: b, podUID: "1", serviceName: web}
--- # the last
{"apiVersion": "example.com/v1", "kind": "Backup", "days": 3.0}
"""
    objects = scheme.load(text)
    assert [type(each) for each in objects] == [ConfigMap, PodToService, Backup]
    assert objects[0] == ConfigMap(metadata=ObjectMeta(name="a"), data={"key": "value"})
    assert objects[2] == Backup(days=3)
    assert scheme.load(text.encode()) == scheme.load(text.replace("\n", "\r\n")) == objects


def test_files_and_folders_are_read_in_order(scheme, tmp_path):
    for name in ("b.yaml", "a/z.json", "a/c.yml", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            f'\ufeff{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "{name}"}}}}'
        )
    assert [e.metadata.name for e in scheme.load(tmp_path)] == ["a/c.yml", "a/z.json", "b.yaml"]
    (only,) = scheme.load(tmp_path / "b.yaml")
    assert only.metadata.name == "b.yaml"
    assert problems(scheme, tmp_path / "none.yaml") == [
        f"{tmp_path}/none.yaml: the file cannot be read: No such file or directory"
    ]


def test_lists_are_taken_apart(scheme):
    text = """\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Secret, metadata: {name: a}}
- apiVersion: v1
  kind: PodList
  metadata: {resourceVersion: "3"}
  items:
  - metadata: {name: b}
  - {apiVersion: v1, kind: Service, metadata: {name: c}}
---
{apiVersion: v1, kind: PodList, items: null}
"""
    objects = scheme.load(text)
    assert [(type(e), e.metadata.name) for e in objects] == [
        (Secret, "a"),
        (Pod, "b"),
        (Service, "c"),
    ]
    made = Scheme()
    made.register(AllowList)
    assert made.load("{apiVersion: example.com/v1, kind: AllowList, items: [a]}") == [
        AllowList(items=["a"])
    ]


def test_values_are_those_that_kubectl_reads(scheme):
    text = """\
apiVersion: v1
kind: ConfigMap
metadata:
  creationTimestamp: null
  labels: &labels {a: b, off: "on", 3: "4"}
  annotations: {<<: *labels, a: c}
immutable: yes
data:
  when: "x"
  date: 2001-01-01
  time: 2001-01-01T00:00:00Z
  minutes: 1:30
  bytes: !!binary aGk=
  octal: "0o17"
"""
    (obj,) = scheme.load(text)
    assert obj.immutable is True
    assert obj.metadata.labels == {"a": "b", "false": "on", "3": "4"}
    assert obj.metadata.annotations == {"a": "c", "false": "on", "3": "4"}
    assert obj.metadata.creation_timestamp is None
    assert obj.data == {
        "when": "x",
        "date": "2001-01-01",
        "time": "2001-01-01T00:00:00Z",
        "minutes": "1:30",
        "bytes": "hi",
        "octal": "0o17",
    }
    (backup,) = scheme.load("apiVersion: example.com/v1\nkind: Backup\ndays: 0o17\n")
    assert backup.days == 15
    (backup,) = scheme.load("apiVersion: example.com/v1\nkind: Backup\ndays: 017\n")
    assert backup.days == 15


def test_json_documents_follow_each_other(scheme):
    first = '{"apiVersion":"v1","kind":"Pod"}'
    text = first + '\n\n{"apiVersion":"v1","kind":"Secret","x":"\\ud83d\\ude00"}'
    pod, secret = scheme.load(text)
    assert type(pod) is Pod
    assert isinstance(secret, Secret)
    assert bytes(unknown_fields(secret)["x"]).decode() == '"\U0001f600"'
    text = '{"apiVersion":"v1","kind":"Pod"}\n{\n"apiVersion":"v1",\n"kind":3}'
    assert problems(scheme, text) == [
        "the text, document 2, line 4: kind is not a string; put it in quotes"
    ]


def test_everything_that_is_wrong_is_told_at_once(scheme):
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    version: 1.10
spec:
  replicas: three
  template:
    metadata: []
    spec:
      containers:
      - name: app
        ports: {}
      - name: 3
        env: [{name: a, value: true}]
---
apiVersion: apps/v1
kind: Deploymnet
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, spec: 3}
- {kind: Pod}
- 4
- {apiVersion: 1, kind: Pod}
---
- a
"""
    one = "the text, document 1, line"
    assert problems(scheme, text) == [
        (
            f"{one} 6: Deployment web: metadata.labels.version: expected `str`, got `float`;"
            " write it in quotes"
        ),
        f"{one} 8: Deployment web: spec.replicas: expected `int | null`, got `str`",
        f"{one} 10: Deployment web: spec.template.metadata: expected `object`, got `array`",
        (
            f"{one} 14: Deployment web: spec.template.spec.containers[0].ports:"
            " expected `array`, got `object`"
        ),
        (
            f"{one} 15: Deployment web: spec.template.spec.containers[1].name:"
            " expected `str`, got `int`; write it in quotes"
        ),
        (
            f"{one} 16: Deployment web: spec.template.spec.containers[1].env[0].value:"
            " expected `str | null`, got `bool`; write it in quotes"
        ),
        (
            "the text, document 2, line 18: the kind apps/v1/Deploymnet is not registered;"
            " did you mean apps/v1/Deployment?"
        ),
        "the text, document 3, line 24, items[0]: Pod: spec: expected `object`, got `int`",
        "the text, document 3, line 25, items[1]: the manifest has no apiVersion",
        "the text, document 3, line 26, items[2]: the manifest is a plain value, not an object",
        "the text, document 3, line 27, items[3]: apiVersion is not a string; put it in quotes",
        "the text, document 4, line 29: the manifest is a list, not an object",
    ]


@pytest.mark.parametrize("strict", [False, True])
def test_a_map_where_a_list_belongs_is_refused_whatever_is_in_it(scheme, strict):
    text = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels:
  - app: {name: web}
spec:
  containers:
    web: {image: nginx}
  nodeName: {a: {b: c}}
  volumes:
  - [{name: a}]
  imagePullSecrets: [null, {name: a}]
  tolerations: null
"""
    at = "the text, document 1, line"
    assert problems(scheme, text, strict=strict) == [
        f"{at} 5: Pod web: metadata.labels: expected `object`, got `array`",
        f"{at} 8: Pod web: spec.containers: expected `array`, got `object`",
        f"{at} 10: Pod web: spec.nodeName: expected `str | null`, got `object`",
        f"{at} 12: Pod web: spec.volumes[0]: expected `object`, got `array`",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: b\nc: [\n", "document 1, line 1: yaml: line 3: did not find expected node content"),
        ("a: {{ .Values.b }}\n", "document 1, line 1: yaml: invalid map key: line 1"),
        ("# x\n---\n\na: 1\na: 2\n", 'document 1, line 4: line 5: key "a" already set in map'),
        ('{"a": 1, "a": 2}', 'document 1, line 1: line 1: key "a" already set in map'),
        ('{"a": 1', "document 1, line 1: yaml: line 2: did not find expected ',' or '}'"),
        ("---\n--- a: b\n", "line 2: the separator `---` is followed by text"),
        ("a: *b\n", "document 1, line 1: yaml: line 1: found undefined alias"),
        ("a: &a [*a]\n", "document 1, line 1: yaml: anchor value contains itself"),
        ("[" * 20000, "document 1, line 1: yaml: exceeded max depth"),
        ("{" * 20000, "document 1, line 1: yaml: exceeded max depth"),
        ("a: .inf\n", "document 1, line 1: json: unsupported value: +Inf"),
        ("\x00", "document 1, line 1: yaml: "),
    ],
)
def test_invalid_yaml_is_reported_with_its_place(scheme, text, why):
    (problem,) = problems(scheme, text)
    assert problem.startswith(f"the text, {why}")


def test_problems_before_a_truncated_end_are_reported_too(scheme):
    text = "apiVersion: v1\nkind: Pood\n---\na: [\n"
    assert problems(scheme, text) == [
        "the text, document 1, line 1: the kind v1/Pood is not registered; did you mean v1/Pod?",
        "the text, document 2, line 4: yaml: line 5: did not find expected node content",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "stringData: !!int hunter2\n",
        "# x\n---\n\nstringData: {a: !!float hunter2}\n",
        "--- hunter2\n",
        "hunter2",
        "hunter2.yaml",
        "- hunter2",
    ],
)
def test_texts_that_may_be_secret_are_not_told(scheme, text):
    (problem,) = problems(scheme, text)
    assert problem.startswith("the text, ")
    assert "hunter2" not in problem


def test_a_wrong_tag_is_told_with_its_line(scheme):
    assert problems(scheme, "a: 1\n---\n\nb: 2\nc: !!int hunter2\n")[-1] == (
        "the text, document 2, line 4: yaml: line 5: cannot decode a value as a !!int"
    )


def test_values_of_secrets_are_not_told(scheme):
    text = "{apiVersion: v1, kind: Secret, stringData: {a: [hunter2]}, data: {b: '?hunter2?'}}"
    messages = problems(scheme, text)
    assert messages == [
        "the text, document 1, line 1: Secret: stringData.a: expected `str`, got `array`",
        "the text, document 1, line 1: Secret: data.b: invalid base64 encoded string",
    ]


def test_limits_of_types_are_limits_of_manifests():
    made = Scheme()

    @made.register
    class Limited(Model):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["Limited"] = constant("Limited")
        name: Annotated[str, Meta(min_length=1)] = "a"
        days: Annotated[int, Meta(ge=0, le=10)] = 3
        words: Annotated[list[str], Meta(max_length=1)] = field(default_factory=list)
        both: int | list[str] | None = None

    head = "apiVersion: example.com/v1\nkind: Limited\n"
    assert problems(made, head + "name: ''\ndays: 11\nwords: [a, b]\nboth: [1, null]\n") == [
        "the text, document 1, line 3: Limited: name: expected `str` of length >= 1",
        "the text, document 1, line 4: Limited: days: expected `int` <= 10",
        "the text, document 1, line 5: Limited: words: expected `array` of length <= 1",
        (
            "the text, document 1, line 6: Limited: both[0]: expected `str`, got `int`;"
            " write it in quotes"
        ),
    ]
    (obj,) = made.load(head + "name: null\nwords: null\nboth: [a]\n")
    assert (obj.name, obj.days, obj.words, obj.both) == ("a", 3, [], ["a"])
    assert made.dump(obj) == head + "both:\n- a\n"


def test_unknown_fields_are_kept(scheme):
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {}
  template:
    spec:
      containers:
      - name: app
        newField: [1, {a: null}]
  replicsa: 3
"""
    (obj,) = scheme.load(text)
    written = scheme.dump(obj)
    assert "  replicsa: 3\n" in written
    assert "newField:\n        - 1\n        - a: null\n" in written
    assert scheme.load(written) == [obj]
    assert problems(scheme, text, strict=True) == [
        (
            "the text, document 1, line 11: Deployment web: "
            "spec.template.spec.containers[0].newField: Container has no such field"
        ),
        (
            "the text, document 1, line 12: Deployment web: spec.replicsa:"
            " DeploymentSpec has no such field; did you mean replicas?"
        ),
    ]


class Driver(Model, open_ended=True):
    name: str = ""


def test_open_ended_models_accept_unknown_fields_in_strict_mode(scheme):
    @scheme.register
    class Machine(Model):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["Machine"] = constant("Machine")
        driver: Driver = auto(Driver)

    text = "apiVersion: example.com/v1\nkind: Machine\ndriver:\n  name: s3\n  region: eu\n"
    (obj,) = scheme.load(text, strict=True)
    assert scheme.dump(obj) == text
    assert problems(scheme, text.replace("s3", "3"), strict=True) == [
        (
            "the text, document 1, line 4: Machine: driver.name: "
            "expected `str`, got `int`; write it in quotes"
        )
    ]
    assert problems(scheme, f"{text}more: 1\n", strict=True) == [
        "the text, document 1, line 6: Machine: more: Machine has no such field"
    ]


def test_missing_fields_are_zero_unless_reading_is_strict(scheme):
    text = "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template: {}\n  selector: null\n"
    (obj,) = scheme.load(text)
    assert obj.spec.selector.match_labels == {}
    assert problems(
        scheme, "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {}}", strict=True
    ) == ["the text, document 1, line 3: Deployment: spec.selector: the required field is missing"]


def test_strict_reading_misses_nothing_in_what_is_partial(scheme):
    class JobRun(Model, partial=("pod_template",)):
        api_version: Literal["example.com/v1"] = constant("example.com/v1", name="apiVersion")
        kind: Literal["JobRun"] = constant("JobRun")
        pod_template: PodTemplateSpec | None = None
        other: PodTemplateSpec | None = None

    scheme.register(JobRun)
    text = "apiVersion: example.com/v1\nkind: JobRun\npodTemplate:\n  spec:\n    hostname: a\n"
    (obj,) = scheme.load(text, strict=True)
    assert obj.pod_template.spec.containers == []
    assert scheme.dump(obj) == text
    assert problems(scheme, text.replace("hostname: a", "hostnam: a"), strict=True) == [
        (
            "the text, document 1, line 5: JobRun: podTemplate.spec.hostnam: "
            "PodSpec has no such field; did you mean hostname?"
        )
    ]
    assert problems(scheme, text.replace("podTemplate", "other"), strict=True) == [
        (
            "the text, document 1, line 4: JobRun: other.spec.containers:"
            " the required field is missing"
        )
    ]


def test_kinds_nobody_knows_can_be_kept(scheme):
    text = """\
kind: Thing
spec:
  z: null
  a: [yes, 1.0]
apiVersion: nonesuch.io/v1
metadata:
  namespace: there
  name: it
"""
    thing, pod = scheme.load(f"{text}---\napiVersion: v1\nkind: Pod\n", unknown="keep")
    assert isinstance(thing, Unstructured)
    assert type(pod) is Pod
    assert (thing.api_version, thing.kind) == ("nonesuch.io/v1", "Thing")
    assert (thing.namespace, thing.name) == ("there", "it")
    assert thing["spec"] == {"z": None, "a": [True, 1]}
    assert scheme.load(scheme.dump(thing), unknown="keep") == [thing]
    assert Unstructured(kind="A", apiVersion="b", metadata=3).name == ""
    assert problems(scheme, text) == [
        "the text, document 1, line 1: the kind nonesuch.io/v1/Thing is not registered"
    ]


# ---- writing ----------------------------------------------------------------------------------


def test_objects_are_written_as_people_write_them(scheme):
    pod = Pod(
        metadata=ObjectMeta(name="web", labels={"b": "1.0", "a": "yes"}, resource_version="7"),
        spec=scheme.load("{apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: i}]}}")[
            0
        ].spec,
    )
    config = ConfigMap(
        data={"text": "a\n  b\n", "long": "word " * 30 + "end", "when": "2001-01-01"}
    )
    assert scheme.dump([pod, config]) == (
        """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  resourceVersion: "7"
  labels:
    a: "yes"
    b: "1.0"
spec:
  containers:
  - name: c
    image: i
---
apiVersion: v1
kind: ConfigMap
data:
  long: """
        + "word " * 30
        + """end
  text: |
    a
      b
  when: "2001-01-01"
"""
    )


def test_equal_objects_are_written_equally(scheme):
    one = ConfigMap(data={"a": "1", "b": "2"}, metadata=ObjectMeta(labels={"x": "", "y": ""}))
    other = ConfigMap(data={"b": "2", "a": "1"}, metadata=ObjectMeta(labels={"y": "", "x": ""}))
    assert one == other
    assert scheme.dump(one) == scheme.dump(other)
    assert scheme.dump_json(one) == scheme.dump_json(other)


def test_secrets_are_written_as_they_are(scheme):
    assert "password: aHVudGVyMg==" in scheme.dump(Secret(data={"password": b"hunter2"}))


def test_server_fields_can_be_left_out(scheme):
    text = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  uid: u
  resourceVersion: "3"
  generation: 2
  creationTimestamp: "2020-01-01T00:00:00Z"
  labels:
    a: b
  managedFields:
  - manager: kubectl
    fieldsV1:
      f:spec: {}
spec:
  nodeName: a
  containers:
  - name: c
status:
  phase: Running
"""
    (pod,) = scheme.load(text)
    assert scheme.load(scheme.dump(pod)) == [pod]
    assert list(msgspec.yaml.decode(scheme.dump(pod)))[-1] == "status"
    bare = scheme.dump(pod, server_fields=False)
    assert msgspec.yaml.decode(bare) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c"}], "nodeName": "a"},
    }
    assert "uid" not in scheme.dump_json([pod], server_fields=False)
    assert pod.metadata.uid == "u"


def test_several_objects_are_a_list_in_json(scheme):
    pods = [Pod(metadata=ObjectMeta(name=name)) for name in ("a", "b")]
    document = msgspec.json.decode(scheme.dump_json(pods))
    assert (document["apiVersion"], document["kind"], len(document["items"])) == ("v1", "List", 2)
    assert scheme.load(scheme.dump_json(pods)) == pods
    assert scheme.load(scheme.dump(PodList(items=pods))) == pods
    assert scheme.dump_json(pods[0]).startswith('{\n  "apiVersion": "v1",\n  "kind": "Pod"')
    assert scheme.dump([]) == ""
    assert scheme.load("") == []
    assert scheme.load(scheme.dump_json([])) == []


def test_objects_without_a_kind_cannot_be_written(scheme):
    with pytest.raises(
        TypeError, match="PodSpec cannot be written to a manifest: it has no apiVersion"
    ):
        scheme.dump(PodSpec(containers=[]))
    with pytest.raises(TypeError, match="it has no kind"):
        scheme.dump({"apiVersion": "v1"})


def test_kinds_of_several_packages_are_written_together(scheme):
    objects = [Pod(metadata=ObjectMeta(name="web-0")), lookup("web-0"), Backup(days=3)]
    assert scheme.load(scheme.dump(objects)) == objects


def test_to_yaml_writes_models_and_dicts_alike():
    pod = Pod(metadata=ObjectMeta(name="web", uid="1"), spec=PodSpec(containers=[]))
    text = to_yaml(pod, server_fields=False)
    assert text.startswith("apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n")
    assert text == to_yaml(Unstructured(to_dict(pod)), server_fields=False)
    assert to_yaml([pod, pod]).count("---\n") == 1


# ---- what may be hostile ----------------------------------------------------------------------


def test_only_regular_files_are_read(tmp_path: Path):
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(ManifestError, match="neither a regular file nor a folder"):
            list(documents(path))
    (tmp_path / "a.yaml").write_text("a: 1")
    assert [each.value for each in documents(tmp_path)] == [{"a": 1}]


def test_files_have_a_largest_size(tmp_path: Path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(MAX_TEXT_BYTES + 1)  # it is sparse
    with pytest.raises(ManifestError, match=r"the file is larger than 64 MiB; split it"):
        list(documents(path))


def test_many_json_documents_are_read_in_linear_time():
    found = list(documents('{"a": 1}\n' * 50_000))
    assert [each.line for each in found] == list(range(1, 50_001))


def test_a_document_keeps_its_own_text_only():
    found = list(documents("---\n# x\na:\n  b: 1\n" * 1000))
    assert {len(each.text._text) for each in found if each.text} == {len("# x\na:\n  b: 1\n")}
    assert found[-1].line == 999 * 4 + 2
    assert found[-1].at(("a", "b")) == f"the text, document 1000, line {999 * 4 + 4}"


def test_the_items_of_a_list_share_its_lines():
    text = "a: 1\n---\nkind: List\nitems:\n" + "- a: 1\n" * 400
    items = list(split_lists(list(documents(text))[1]))
    assert [each.where for each in items[:2]] == [
        "the text, document 2, line 5, items[0]",
        "the text, document 2, line 6, items[1]",
    ]
    assert len({id(each.text.root) for each in items if each.text}) == 1
