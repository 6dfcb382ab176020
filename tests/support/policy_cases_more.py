"""Cases of admission policies that were written after the policies were implemented."""

from __future__ import annotations

from typing import Any

from .policies import (
    LAB,
    SHOP,
    Case,
    Object,
    Request,
    apply,
    bind,
    create,
    delete,
    get,
    map_,
    obj,
    patch,
    rule,
    update,
    vap,
)

POD_SPEC: Object = {"containers": [{"name": "main", "image": "nginx:1"}]}
WIDGETS = rule("widgets", group="example.com")
DEPLOYMENTS = rule("deployments", group="apps")


def config(name: str = "c", namespace: str = SHOP, **rest: Any) -> Object:
    return obj("ConfigMap", name, namespace, **rest)


def widget(name: str = "w", **spec: Any) -> Object:
    return obj("Widget", name, spec=spec)


def deployment(name: str = "d", **spec: Any) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": POD_SPEC}
    return obj(
        "Deployment", name, spec={"selector": {"matchLabels": labels}, "template": template, **spec}
    )


DATA = {"text": "Hello, World", "number": "42", "list": "a,b,c", "empty": "", "ip": "10.0.0.1"}

EXPRESSIONS = [
    "object.data.text.contains('World') && object.data.text.size() == 11",
    "object.data.list.split(',').size() == 4",
    "object.data.list.split(',').exists(x, x == 'd')",
    "object.data.list.split(',').all(x, x in ['a', 'b'])",
    "int(object.data.number) > 42",
    "object.data.text.lowerAscii().matches('^hello.*x$')",
    "object.data.nothing == 'x'",
    "object.data.text > 5",
    "object.data['missing key'] == 'x'",
    "object.data.list.split(',')[3] == 'd'",
    "ip(object.data.ip).isLoopback()",
    "ip(object.data.text).isLoopback()",
    "cidr('10.0.0.0/24').containsIP(object.data.empty)",
    "quantity('1Gi').isLessThan(quantity('500Mi'))",
    "quantity(object.data.text).isInteger()",
    "url('https://example.com:80/x').getHost() == 'example.com'",
    "url(object.data.text).getHost() == 'example.com'",
    "semver('1.2.3').isLessThan(semver('1.2.2'))",
    "semver(object.data.empty).major() == 1",
    "object.data.map(k, k).size() == 4",
    "object.data.filter(k, k.startsWith('n')).size() == 0",
    "object.metadata.labels.size() == 0",
    "has(object.metadata.labels)",
    "object.metadata.annotations['a/b'] == 'c'",
    "size(object.metadata.finalizers) > 0",
    "object.metadata.ownerReferences.all(o, o.controller)",
    "duration(object.data.number) > duration('1s')",
    "timestamp('2020-01-01T00:00:00Z') + duration('24h') < timestamp('2020-01-02T00:00:00Z')",
    "object.data.text.replace('Hello', 'Bye') == 'Hello, World'",
    "object.data.text.substring(20) == ''",
    "object.data.text.indexOf('o', 50) == 1",
    "'%s has %d'.format([object.data.text, object.data.number]) == ''",
    "'%d'.format([3]) == '4'",
    "bool(object.data.number)",
    "double(object.data.number) < 1.0",
    "uint(object.data.number) == 1u",
    "string(object.data) == ''",
    "type(object.data.text) == int",
    "object.data.text.foo.bar == 1",
    "object.immutable == true",
    "object == oldObject",
    "object.kind == 'Secret' ? true : object.nope == 1",
    "!(object.data.text)",
    "object.data.text || false",
    "[1, 2, 3].sum() == 5",
    "lists.range(3).map(i, i * 2) == [0, 2]",
    "sets.contains(['a'], object.data.list.split(','))",
    "['b', 'a'].isSorted()",
    "object.data.exists_one(k, object.data[k] == '42' || object.data[k] == '')",
    "object.data.transformList(k, v, v.size()).max() < 5",
    "format.dns1123Label().validate(object.data.text).hasValue() == false",
    "object.?metadata.?labels.?x.orValue('none') == 'some'",
    "optional.of(object.data.number).value() == '43'",
    "object.data[?'nope'].value() == 'x'",
    "object.data.nope[0] == 'x'",
    "object.data.text[0] == 'H'",
    "-int(object.data.number) > 0",
    "int(object.data.number) % 0 == 1",
    "int(object.data.number) / 0 == 1",
    "0.1 + 0.2 == 0.3",
    "b'abc' == b'abd'",
    "object.data.number.matches('[0-9]{3}')",
    "string(int(object.data.number)) == '43'",
    "cidr(object.data.ip).prefixLength() == 8",
    "object.metadata.name.matches(object.data.text + '(')",
    "request.operation == 'DELETE' || request.userInfo.groups.exists(g, g == 'nobody')",
    "authorizer.group('apps').resource('deployments').namespace(object.metadata.namespace).check('fly').reason() == 'x'",
    "namespaceObject.metadata.labels.team == 'b'",
    "namespaceObject.metadata.labels.nope == 'b'",
    "namespaceObject.metadata.annotations.size() == 7",
]
"""Each of them fails, or has no value, for the ConfigMap below."""

_SIZE = 4


def _expressions() -> list[Case]:
    cases: list[Case] = []
    for start in range(0, len(EXPRESSIONS), _SIZE):
        chosen = EXPRESSIONS[start : start + _SIZE]
        policies = [
            vap(
                f"e{at}",
                text,
                matchConditions=[{"name": "q", "expression": f"object.metadata.name == 'x{at}'"}],
            )
            for at, text in enumerate(chosen)
        ]
        requests = [create(config(f"x{at}", data=DATA)) for at in range(len(chosen))]
        cases.append(Case(f"expressions {start}", policies, requests))
    return cases


SEVERAL = [
    Case(
        "warnings and refusals",
        [
            vap(
                "mixed",
                {"expression": "!has(object.data.a)", "message": "no a"},
                {"expression": "!has(object.data.b)", "message": "no b", "reason": "Forbidden"},
            ),
            vap("zlast", {"expression": "!has(object.data.z)", "message": "no z"}),
        ],
        [
            create(config("one", data={"a": "1"})),
            create(config("two", data={"b": "1"})),
            create(config("three", data={"a": "1", "b": "1"})),
            create(config("four", data={"z": "1"})),
            create(config("five", data={"z": "1"})).dry(),
            create(config("six")),
        ],
        bindings=[
            bind(vap("mixed"), "mixed-warn", "Warn"),
            bind(vap("mixed"), "mixed-audit", "Audit"),
            bind(vap("zlast"), "zlast-deny", "Deny Audit"),
        ],
    ),
    Case(
        "excluded by the binding",
        [vap("p", "false", on=[rule("configmaps", "secrets")])],
        [
            create(config()),
            create(obj("Secret", "s")),
            create(config("c", LAB)),
            create(config("l", m_labels={"skip": "no"})),
        ],
        bindings=[
            bind(
                vap("p"),
                matchResources={
                    "resourceRules": [rule("configmaps")],
                    "excludeResourceRules": [rule("configmaps", resourceNames=["c"])],
                    "objectSelector": {
                        "matchExpressions": [{"key": "skip", "operator": "In", "values": ["no"]}]
                    },
                },
            )
        ],
    ),
    Case(
        "updates of subresources only",
        [
            vap(
                "status",
                {
                    "expression": "object.status.ready == oldObject.?status.?ready.orValue(false)",
                    "messageExpression": "request.subResource + ' ' + string(has(oldObject.status))",
                },
                on=[rule("widgets/status", group="example.com", operations="UPDATE")],
            )
        ],
        [
            patch(widget(), {"status": {"ready": True}}, "status"),
            patch(widget(), {"status": {"ready": False}}, "status"),
            patch(widget(), {"spec": {"size": 4}}),
            update({**widget(size=2), "status": {"ready": True}}, "status"),
        ],
        objects=[widget()],
    ),
    Case(
        "deletes of many",
        [
            vap(
                "kept",
                {
                    "expression": "oldObject.data.keep != 'yes'",
                    "messageExpression": "oldObject.metadata.name"
                    " + string(object == null) + request.?name.orValue('-')",
                },
                on=[rule("configmaps", operations="DELETE")],
            )
        ],
        [
            Request("DELETE", f"/api/v1/namespaces/{SHOP}/configmaps?labelSelector=g%3Done"),
            delete(config("k")),
            get(config("k")),
            delete(config("g")),
        ],
        objects=[
            config("k", m_labels={"g": "one"}, data={"keep": "yes"}),
            config("g", m_labels={"g": "two"}, data={"keep": "no"}),
        ],
    ),
    Case(
        "patches",
        [
            vap(
                "no-new-keys",
                {
                    "expression": "object.data.all(k, k in oldObject.data)",
                    "messageExpression": "'new: ' + object.data.filter(k, !(k in oldObject.data)).map(k, k)[0]",
                },
                on=[rule("configmaps", operations="UPDATE")],
            )
        ],
        [
            patch(config("u"), {"data": {"b": "1"}}),
            patch(config("u"), [{"op": "add", "path": "/data/z", "value": "1"}], kind="json"),
            patch(config("u"), {"data": {"a": "2"}}, kind="strategic"),
            apply(config("u", data={"q": "1"})),
            patch(config("u"), {"data": {"a": None}}),
        ],
        objects=[config("u", data={"a": "1"})],
    ),
    Case(
        "user and groups",
        [
            vap(
                "who",
                {
                    "expression": "'system:serviceaccounts:shop' in request.userInfo.groups",
                    "messageExpression": "request.userInfo.username + ': ' + request.userInfo.groups.join(' ')",
                },
                matchConditions=[
                    {
                        "name": "not-admin",
                        "expression": "!('system:masters' in request.userInfo.groups)",
                    }
                ],
            )
        ],
        [
            create(config("a")),
            create(config("b")).by("mary", "testers"),
            create(config("b")).by("system:serviceaccount:shop:robot"),
            create(config("d")).by("system:serviceaccount:lab:robot"),
        ],
        objects=[
            obj(
                "ClusterRoleBinding",
                "all-writers",
                roleRef={
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                subjects=[
                    {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "mary"},
                    {"kind": "ServiceAccount", "name": "robot", "namespace": SHOP},
                    {"kind": "ServiceAccount", "name": "robot", "namespace": LAB},
                ],
            )
        ],
    ),
    Case(
        "mutations build on each other",
        [
            map_(
                "a",
                "Object{metadata: Object.metadata{annotations: {'first': 'a'}}}",
                "Object{metadata: Object.metadata{annotations: {'second': object.metadata.annotations.first + 'b'}}}",
                "[JSONPatch{op: 'copy', from: '/metadata/annotations/second', path: '/metadata/annotations/third'}]",
            )
        ],
        [create(config("m")), apply(config("n", data={"x": "y"})), get(config("n"))],
    ),
    Case(
        "mutations of lists",
        [
            map_(
                "lists",
                """Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
                    tolerations: [Object.spec.template.spec.tolerations{key: 'k', operator: 'Exists'}]}}}}""",
                on=[{**DEPLOYMENTS, "resourceNames": ["t"]}],
            ),
            map_(
                "ports",
                """Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{
                    containers: [Object.spec.template.spec.containers{name: 'main', ports: [
                        Object.spec.template.spec.containers.ports{containerPort: 80, name: 'http'}]}]}}}}""",
                on=[{**DEPLOYMENTS, "resourceNames": ["p"]}],
            ),
            map_(
                "volumes",
                """[JSONPatch{op: 'add', path: '/spec/template/spec/volumes', value: [{'name': 'v'}]},
                    JSONPatch{op: 'add', path: '/spec/template/spec/volumes/0', value: {'configMap': {'name': 'c'}}}]""",
                on=[{**DEPLOYMENTS, "resourceNames": ["v"]}],
            ),
            map_(
                "selector",
                "[JSONPatch{op: 'replace', path: '/spec/selector/matchLabels/app', value: 'other'}]",
                on=[{**DEPLOYMENTS, "resourceNames": ["s"]}],
            ),
        ],
        [create(deployment(name)) for name in "tpvs"],
    ),
    Case(
        "mutations by condition",
        [
            map_(
                "c",
                "has(object.spec.color) ? Object{spec: Object.spec{weight: 1.5}} : Object{spec: Object.spec{color: variables.color}}",
                on=[WIDGETS],
                variables=[
                    {
                        "name": "color",
                        "expression": "object.metadata.name == 'x' ? 'blue' : 'green'",
                    }
                ],
                matchConditions=[{"name": "small", "expression": "object.spec.size < 5"}],
            )
        ],
        [
            create(widget("x")),
            create(widget("y", color="red")),
            create(widget("z", size=9)),
            patch(widget("x"), {"spec": {"size": 2}}),
            patch(widget("x"), {"spec": {"size": 3}}, "scale"),
        ],
    ),
    Case(
        "mutations with optional members",
        [
            map_(
                "o",
                "Object{metadata: Object.metadata{?labels: object.?data.?a.hasValue() ? optional.of({'a': object.data.a}) : optional.none()}}",
            )
        ],
        [create(config("a", data={"a": "1"})), create(config("b"))],
    ),
    Case(
        "mutations that are undone",
        [
            map_(
                "undo",
                "[JSONPatch{op: 'remove', path: '/data/secret'}]",
                "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'add', path: '/data/b', value: '2'}]",
            )
        ],
        [
            create(config("a", data={"a": "1", "secret": "x"})),
            create(config("b", data={"a": "2", "secret": "x"})),
            create(config("d", data={"secret": "x"})),
        ],
    ),
    Case(
        "more mistakes",
        [
            map_(f"m{at}", text, on=[rule("configmaps", resourceNames=[f"x{at}"])])
            for at, text in enumerate(
                [
                    "Object{data: {'a': 1}}",
                    "Object{nope: 1}",
                    "Object{metadata: Object.metadata{nope: 1}}",
                    "Object{metadata: Object.metadata{labels: {'a': object.data.nope}}}",
                    "[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]",
                    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 1}}]",
                    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'bad key': ''}}]",
                    "Object{metadata: Object.metadata{name: 'other'}}",
                    "[JSONPatch{op: 'remove', path: '/metadata'}]",
                    "Object{immutable: true}",
                ]
            )
        ],
        [create(config(f"x{at}")) for at in range(10)],
    ),
    Case(
        "pods",
        [
            vap(
                "images",
                {
                    "expression": "object.spec.containers.all(c, c.image.startsWith('registry.local/'))",
                    "messageExpression": "'bad images: ' + object.spec.containers.map(c, c.image).join(', ')",
                },
                {
                    "expression": "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits))",
                    "message": "limits",
                },
                on=[rule("pods")],
            ),
            vap(
                "cpu",
                {
                    "expression": "object.spec.containers.all(c, !has(c.resources.requests) || quantity(c.resources.requests.cpu).isLessThan(quantity('2')))",
                    "message": "too much",
                    "reason": "RequestEntityTooLarge",
                },
                on=[rule("pods")],
            ),
        ],
        [
            create(obj("Pod", "a", spec=POD_SPEC)),
            create(
                obj(
                    "Pod",
                    "b",
                    spec={
                        "containers": [
                            {
                                "name": "x",
                                "image": "registry.local/x",
                                "resources": {"limits": {"cpu": "1"}},
                            },
                            {"name": "y", "image": "other/y"},
                        ]
                    },
                )
            ),
            create(
                obj(
                    "Pod",
                    "d",
                    spec={
                        "containers": [
                            {
                                "name": "x",
                                "image": "registry.local/x",
                                "resources": {"limits": {"memory": "1Gi"}},
                            }
                        ]
                    },
                )
            ),
            create(
                obj(
                    "Pod",
                    "e",
                    spec={
                        "containers": [
                            {
                                "name": "x",
                                "image": "registry.local/x",
                                "resources": {"limits": {"cpu": "3"}, "requests": {"cpu": "2500m"}},
                            }
                        ]
                    },
                )
            ),
        ],
    ),
]

MIXED = [
    Case(
        "literals of several types",
        [],
        [
            create(vap("p", text)).dry()
            for text in (
                "[object.data.b, 1] == [1]",
                "object.data == {'b': 1, 'c': 'x'}",
                "{'a': 1, 2: 3} == {}",
                "[1, 2.0, 'x'].size() == 3",
                "[[1], ['a']] == []",
                "[1, 2].exists(x, [x, 'a'] == [])",
                "[?optional.of(1), 2] == [1]",
                "[?optional.of('a'), 2] == [1]",
                "'%s %d'.format(['a', 1]) == ''",
                "{'a': {'b': 1}, 'c': {'d': 'x'}} == {}",
                "{'a': null, 'b': 1} == {}",
                "[dyn(1), dyn('a')].size() == 2",
                "['x', string(1)].size() == 2 && [object.a, object.b].size() == 3",
            )
        ]
        + [
            create(map_("m", text)).dry()
            for text in (
                "Object{spec: Object.spec{a: 1, b: 'x'}, metadata: Object.metadata{}}",
                "Object{spec: Object.spec{list: [Object.spec.list{a: 1}, Object.spec.list{b: 'x'}]}}",
                "Object{spec: Object.spec{list: [Object.spec.list{a: 1}, Object.spec.other{b: 'x'}]}}",
                "[JSONPatch{op: 'add', path: '/x', value: {'a': 1, 'b': 'x'}}]",
                "[JSONPatch{op: 'add', path: '/x', value: {'a': dyn(1), 'b': dyn('x')}}]",
                "Object{metadata: Object.metadata{labels: {'a': 'b', 'c': 1}}}",
            )
        ],
        bindings=[],
    )
]
RESERVED = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
]


def _of_rules(word: str) -> Object:
    """A definition whose rules name a member, an entry of a map and a variable like a word."""
    text = {"type": "string"}
    schema: Object = {
        "type": "object",
        "properties": {
            word: text,
            "a-b": text,
            "map": {"type": "object", "additionalProperties": text},
            "items": {"type": "array", "items": text},
            "inner": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"metadata": {"type": "object", "properties": {"name": text}}},
            },
        },
    }
    schema["x-kubernetes-validations"] = [
        {"rule": rule.replace("WORD", word)}
        for rule in (
            "self.WORD == 'a'",
            "has(self.WORD)",
            "has(self.__WORD__) && self.__WORD__ == 'a'",
            "self.?WORD.hasValue()",
            "self.WORD.size() == 1",
            "self.`WORD` == 'a'",
            "self.map.WORD == 'a' && self.map['WORD'] == 'a' && 'WORD' in self.map",
            "self.map.__WORD__ == 'a'",
            "WORD == 'a'",
            "self.items.all(WORD, WORD == 'a')",
            "self.inner.metadata.WORD == 'a'",
            "self.a__dash__b == '`' && self.`a-b` == 'a'",
        )
    ]
    definition: Object = {"name": "v1", "served": True, "storage": True}
    definition["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}}
    names = {"plural": "words", "singular": "word", "kind": "Word", "listKind": "WordList"}
    return obj(
        "CustomResourceDefinition",
        "words.example.com",
        spec={"group": "example.com", "scope": "Cluster", "names": names, "versions": [definition]},
    )


_OF_POLICIES = (
    "object.WORD == 'a'",
    "object.__WORD__ == 'a'",
    "has(object.spec.WORD) && object.data['WORD'] == 'a'",
    "request.WORD == 'a'",
    "request.__WORD__ == 'a'",
    "namespaceObject.metadata.WORD == 'a'",
    "object.`WORD` == 'a'",
    "WORD == 'a'",
    "variables.WORD == 'a'",
    "variables.__WORD__ == 'a'",
)
_OF_CONSTRUCTORS = (
    "Object{WORD: 'a'}",
    "Object{spec: Object.spec{WORD: Object.spec.WORD{x: 1}}}",
    "Object{__WORD__: 'a'}",
    "Object{`WORD`: 'a'}",
)


def _variable(name: str) -> Object:
    return {"name": name, "expression": "'a'"}


WORDS = [
    Case("rules of definitions", [], [create(_of_rules(word)).dry() for word in RESERVED], []),
    Case(
        "expressions",
        [],
        [
            create(
                vap(
                    "p",
                    *(text.replace("WORD", word) for text in _OF_POLICIES),
                    variables=[_variable(f"__{word}__")],
                )
            ).dry()
            for word in ("true", "namespace", "while")
        ]
        + [create(vap("p", "true", variables=[_variable(word)])).dry() for word in RESERVED]
        + [
            create(map_("m", text.replace("WORD", word))).dry()
            for word in ("null", "namespace", "while")
            for text in _OF_CONSTRUCTORS
        ],
        [],
    ),
    Case(
        "values",
        [
            vap(
                "p",
                "object.data.while == 'a' && object.metadata.namespace == request.namespace",
                "!has(object.data.__while__)",
                "variables.a__b == 'a'",
                "object.data.__while__ == 'a'",
                variables=[_variable("a__b")],
            ),
        ],
        [create(config(data={"while": "a"})).dry()],
    ),
    *(
        Case(
            f"variables: {text}",
            [vap("p", text, variables=[_variable("__while__"), _variable("__dot__")])],
            [create(config(data={"while": "a"})).dry()],
        )
        for text in (
            "variables.__while__ == 'a'",
            "variables.while == 'a'",
            "variables.__dot__ == 'a'",
        )
    ),
    Case(
        "constructors",
        [map_("m", "Object{data: Object.data{while: 'b', __while__: 'c', a__dot__b: 'd'}}")],
        [create(config(data={"while": "a"})).dry()],
    ),
]
TOPICS = {
    "literals": MIXED,
    "more-expressions": _expressions(),
    "more": SEVERAL,
    "words": WORDS,
}
