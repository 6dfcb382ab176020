"""Kustomizations, and what each of them makes of its objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Overlay = tuple[dict[str, str], str, dict[str, Any]]
"""Files by path; the kind and name of an object; and fields of it, by path."""

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata: {colour: blue, size: '9'}\n"
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 1
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
      - name: web
        image: nginx:1.25
        env: [{name: MODE, value: test}]
        envFrom: [{configMapRef: {name: NAME-settings}}]
"""
PICK = "source: {kind: ConfigMap, name: NAME, fieldPath: data.size}"

# Each NAME becomes the name of the overlay.
_OVERLAYS: dict[str, Overlay] = {
    "resources": (
        {"kustomization.yaml": "resources: [map.yaml, web.yaml]", "map.yaml": MAP, "web.yaml": WEB},
        "ConfigMap/NAME",
        {"data.size": "9"},
    ),
    "yml": (
        {"kustomization.yml": "resources: [map.yaml]\nnamespace: there", "map.yaml": MAP},
        "ConfigMap/NAME",
        {"metadata.namespace": "there"},
    ),
    "no-suffix": (
        {"Kustomization": "resources: [map.json]", "map.json": '{"apiVersion": "v1", "kind": "Co'
         'nfigMap", "metadata": {"name": "NAME"}, "data": {"a": "1"}}'},
        "ConfigMap/NAME",
        {"data.a": "1"},
    ),
    "prefix": (
        {"kustomization.yaml": "namePrefix: pre-\nnameSuffix: -post\nresources: [map.yaml]",
         "map.yaml": MAP},
        "ConfigMap/pre-NAME-post",
        {"data.size": "9"},
    ),
    "labels": (
        {"kustomization.yaml": "labels: [{pairs: {team: shop}, includeSelectors: true}]\n"
         "resources: [web.yaml]", "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.selector.matchLabels.team": "shop"},
    ),
    "old-labels": (
        {"kustomization.yaml": "commonLabels: {team: shop}\ncommonAnnotations: "
         "{docs: 'https://example.com'}\nresources: [web.yaml]", "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.template.metadata.labels.team": "shop",
         "metadata.annotations.docs": "https://example.com"},
    ),
    "images": (
        {"kustomization.yaml": "images: [{name: nginx, newName: ghcr.io/shop/nginx, newTag: '2'}]\n"
         "resources: [web.yaml]", "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.image": "ghcr.io/shop/nginx:2"},
    ),
    "digest": (
        {"kustomization.yaml": f"images: [{{name: nginx, digest: sha256:{'0' * 64}}}]\n"
         "resources: [web.yaml]", "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.image": f"nginx@sha256:{'0' * 64}"},
    ),
    "replicas": (
        {"kustomization.yaml": "replicas: [{name: NAME, count: 5}]\nresources: [web.yaml]",
         "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.replicas": 5},
    ),
    "strategic": (
        {"kustomization.yaml": "resources: [web.yaml]\npatches: [{path: patch.yaml}]",
         "web.yaml": WEB, "patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: "
         "{name: NAME}\nspec: {template: {spec: {containers: [{name: web, env: "
         "[{name: MORE, value: '1'}]}]}}}"},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.env.0.name": "MORE",
         "spec.template.spec.containers.0.env.1.name": "MODE"},
    ),
    "strategic-delete": (
        {"kustomization.yaml": "resources: [web.yaml]\npatchesStrategicMerge:\n- |-\n"
         "  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: NAME}\n  spec: {template: "
         "{spec: {containers: [{name: web, env: [{name: MODE, $patch: delete}]}]}}}",
         "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.name": "web",
         "spec.template.spec.containers.0.env": []},
    ),
    "json-patch": (
        {"kustomization.yaml": "resources: [map.yaml, web.yaml]\npatches:\n- target: {kind: "
         "ConfigMap, labelSelector: ''}\n  patch: |-\n    - {op: replace, path: /data/size, value: "
         "'10'}\n    - {op: add, path: /data/docs, value: 'https://example.com'}",
         "map.yaml": MAP, "web.yaml": WEB},
        "ConfigMap/NAME",
        {"data.size": "10", "data.docs": "https://example.com"},
    ),
    "json-patch-file": (
        {"kustomization.yaml": "resources: [web.yaml]\npatchesJson6902:\n- path: patch.json\n"
         "  target: {group: apps, version: v1, kind: Deployment, name: NAME}", "web.yaml": WEB,
         "patch.json": '[{"op": "remove", "path": "/spec/template/spec/containers/0/env"}]'},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.image": "nginx:1.25"},
    ),
    "generator": (
        {"kustomization.yaml": "configMapGenerator:\n- {name: NAME-settings, literals: [url=https:"
         "//example.com], files: [a.txt, b=a.txt], envs: [x.env]}\nresources: [web.yaml]",
         "a.txt": "one\ntwo\n", "x.env": "# a comment\nX=1\n", "web.yaml": WEB},
        "ConfigMap/NAME-settings-HASH",
        {"data.X": "1", "data.b": "one\ntwo\n", "data.url": "https://example.com"},
    ),
    "secret": (
        {"kustomization.yaml": "secretGenerator: [{name: NAME, literals: [p=secret], type: Opaque}]"
         "\ngeneratorOptions: {disableNameSuffixHash: true, labels: {made: here}}"},
        "Secret/NAME",
        {"data.p": "c2VjcmV0", "metadata.labels.made": "here"},
    ),
    "replacements": (
        {"kustomization.yaml": f"resources: [map.yaml, web.yaml]\nreplacements:\n- {PICK}\n"
         "  targets: [{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers"
         ".[name=web].env.[name=MODE].value']}]", "map.yaml": MAP, "web.yaml": WEB},
        "Deployment/NAME",
        {"spec.template.spec.containers.0.env.0.value": "9"},
    ),
    "replacements-file": (
        {"kustomization.yaml": "resources: [map.yaml]\nreplacements: [{path: r.yaml}]",
         "r.yaml": f"{PICK}\ntargets: [{{select: {{kind: ConfigMap}}, fieldPaths: [data.colour]}}]",
         "map.yaml": MAP},
        "ConfigMap/NAME",
        {"data.colour": "9"},
    ),
    "base": (
        {"base/kustomization.yaml": "resources: [map.yaml]\nnamePrefix: a-", "base/map.yaml": MAP,
         "kustomization.yaml": "resources: [base]\nnamespace: over\nnamePrefix: b-"},
        "ConfigMap/b-a-NAME",
        {"metadata.namespace": "over"},
    ),
    "outer-base": (
        {"base/kustomization.yaml": "resources: [map.yaml]", "base/map.yaml": MAP,
         "overlays/kustomization.yaml": "bases: [../base]\nnameSuffix: -x",
         "kustomization.yaml": "resources: [overlays]"},
        "ConfigMap/NAME-x",
        {"data.size": "9"},
    ),
    "component": (
        {"kustomization.yaml": "resources: [map.yaml]\ncomponents: [more]", "map.yaml": MAP,
         "more/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component"
         "\npatches: [{target: {kind: ConfigMap}, patch: '- {op: add, path: /data/more, value: A}'"
         "}]\nconfigMapGenerator: [{name: NAME, behavior: merge, literals: [merged=yes]}]"},
        "ConfigMap/NAME",
        {"data.more": "A", "data.merged": "yes"},
    ),
    "transformer": (
        {"kustomization.yaml": "resources: [map.yaml]\ntransformers: [t.yaml]", "map.yaml": MAP,
         "t.yaml": "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: t}\n"
         "annotations: {docs: 'https://example.com'}\nfieldSpecs: [{path: metadata/annotations, "
         "create: true}]"},
        "ConfigMap/NAME",
        {"metadata.annotations.docs": "https://example.com"},
    ),
    "inline-generator": (
        {"kustomization.yaml": "generators:\n- |-\n  apiVersion: builtin\n  kind: "
         "ConfigMapGenerator\n  metadata: {name: NAME}\n  literals: [a=1]"},
        "ConfigMap/NAME-HASH",
        {"data.a": "1"},
    ),
    "vars": (
        {"kustomization.yaml": "resources: [map.yaml, web.yaml]\nvars: [{name: SIZE, objref: {kind:"
         " ConfigMap, name: NAME, apiVersion: v1}, fieldref: {fieldpath: data.size}}]\n"
         "namePrefix: p-", "map.yaml": MAP, "web.yaml": WEB.replace("value: test", "value: $(SIZE)")
         },
        "Deployment/p-NAME",
        {"spec.template.spec.containers.0.env.0.value": "9"},
    ),
    "list": (
        {"kustomization.yaml": "resources: [list.yaml]\nsortOptions: {order: legacy}",
         "list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, "
         "metadata: {name: NAME}}\n- {apiVersion: v1, kind: Namespace, metadata: {name: NAME}}"},
        "Namespace/NAME",
        {"apiVersion": "v1"},
    ),
    "custom": (
        {"kustomization.yaml": "resources: [tab.yaml]\ncrds: [schema.json]", "schema.json": "{}",
         "tab.yaml": "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: NAME}\n"
         "spec: {image: web, replicas: 010, note: \"a\\tb\"}"},
        "CronTab/NAME",
        {"spec.replicas": 8, "spec.note": "a\tb"},
    ),
}  # fmt: skip


def _named(name: str, overlay: Overlay) -> Overlay:
    files, key, fields = overlay
    named = {path: text.replace("NAME", name) for path, text in files.items()}
    return named, key.replace("NAME", name), fields


OVERLAYS = {name: _named(name, overlay) for name, overlay in _OVERLAYS.items()}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder. Returns the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder
