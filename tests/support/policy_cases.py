"""The cases of admission policies. `policy_cases_more` has those that were written later."""

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


def config(name: str = "c", namespace: str = SHOP, **rest: Any) -> Object:
    return obj("ConfigMap", name, namespace, **rest)


def pod(name: str = "p", namespace: str = SHOP, **rest: Any) -> Object:
    return obj("Pod", name, namespace, **{"spec": POD_SPEC, **rest})


def deployment(name: str = "d", replicas: int = 1, **rest: Any) -> Object:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": POD_SPEC}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return obj("Deployment", name, spec=spec, **rest)


def widget(name: str = "w", namespace: str = SHOP, **spec: Any) -> Object:
    return obj("Widget", name, namespace, spec=spec)


C = config(data={"a": "1"})
EVERYTHING = rule("configmaps", operations="CREATE UPDATE DELETE")
DEPLOYMENTS = rule("deployments", group="apps")
WIDGETS = rule("widgets", group="example.com")

VALIDATING = [
    Case(
        "deny",
        [vap("size", "size(object.data) < 2")],
        [create(C), create(config("d", data={"a": "1", "b": "2"})), create(config("e"))],
    ),
    Case(
        "messages",
        [
            vap(
                "told",
                {"expression": "!has(object.data.a)", "message": "  no a, please  "},
                {
                    "expression": "!has(object.data.b)",
                    "message": "b",
                    "messageExpression": "'b is ' + object.data.b",
                },
                {
                    "expression": "!has(object.data.c)",
                    "message": "c",
                    "messageExpression": "string(object.data.nope)",
                },
                {"expression": "!has(object.data.d)", "messageExpression": "'two\\nlines'"},
                {"expression": "!has(object.data.e)", "messageExpression": "'   '"},
                {"expression": "!has(object.data.f) ", "messageExpression": "' x ' + string(1)"},
            )
        ],
        [create(config(key, data={key: key.upper()})) for key in "abcdefg"],
    ),
    Case(
        "reasons",
        [
            vap(
                "reasoned",
                *(
                    {"expression": f"!has(object.data.{key})", "reason": reason}
                    for key, reason in zip(
                        "abc", ("Forbidden", "RequestEntityTooLarge", "Invalid"), strict=True
                    )
                ),
            )
        ],
        [create(config(data={key: ""})) for key in "abc"],
    ),
    Case(
        "actions",
        [vap("warned", "object.data.a == '2'", "object.data.a != '1'"), vap("watched", "false")],
        [create(C), create(config("d", data={"a": "2"})), create(config("d"))],
        bindings=[
            bind(vap("warned"), actions="Warn Audit"),
            bind(vap("watched"), actions="Audit"),
        ],
    ),
    Case(
        "two bindings",
        [vap("p", "object.data.a == '2'")],
        [create(C), create(config("d", LAB, data={"a": "1"}))],
        bindings=[
            bind(
                vap("p"),
                "deny-shop",
                matchResources={"namespaceSelector": {"matchLabels": {"env": "prod"}}},
            ),
            bind(
                vap("p"),
                "warn-lab",
                "Warn",
                matchResources={
                    "namespaceSelector": {
                        "matchExpressions": [
                            {"key": "env", "operator": "NotIn", "values": ["prod"]}
                        ]
                    }
                },
            ),
        ],
    ),
    Case(
        "no binding",
        [vap("p", "false")],
        [create(C)],
        bindings=[bind(vap("other"))],
    ),
    Case(
        "failures",
        [
            vap("fails", "object.data.nope == '1'"),
            vap("ignores", "object.nope.x == 1", failurePolicy="Ignore"),
        ],
        [create(C), create(config("d")), create(config("e", data={"nope": "1"}))],
    ),
    Case(
        "ignored failures",
        [vap("ignores", "object.nope.x == 1", "!has(object.data.b)", failurePolicy="Ignore")],
        [create(C), create(config("d", data={"b": ""}))],
    ),
    Case(
        "operations",
        [
            vap(
                "op",
                "request.operation in ['CREATE', 'UPDATE'] || oldObject.data.keep != 'yes'",
                on=[EVERYTHING],
            )
        ],
        [
            create(config(data={"keep": "yes"})),
            delete(config()),
            patch(config(), {"data": {"keep": "no"}}),
            delete(config()).dry(),
            delete(config()),
            delete(config()),
        ],
    ),
    Case(
        "old object",
        [vap("old", "oldObject == null || object.data.a == oldObject.data.a")],
        [
            create(C),
            patch(C, {"data": {"b": "2"}}),
            patch(C, {"data": {"a": "2"}}),
            update(config(data={"a": "3"})),
            apply(config(data={"a": "4"})),
            get(C),
        ],
    ),
    Case(
        "variables",
        [
            vap(
                "vars",
                {
                    "expression": "variables.many <= 2",
                    "messageExpression": "'too many: ' + string(variables.many)",
                },
                "variables.risky == '1' || variables.many == 0",
                "variables.first.startsWith('a')",
                variables=[
                    {"name": "data", "expression": "object.?data.orValue({})"},
                    {"name": "many", "expression": "size(variables.data)"},
                    {"name": "risky", "expression": "object.data.a"},
                    {
                        "name": "first",
                        "expression": "variables.data.map(k, k)[0]",
                    },
                    {"name": "unused", "expression": "object.nope.nope"},
                ],
            )
        ],
        [
            create(config("a", data={"a": "1"})),
            create(config("b", data={"b": "1"})),
            create(config("c", data={"a": "1", "b": "2", "c": "3"})),
            create(config("d")),
        ],
    ),
    Case(
        "variables fail",
        [
            vap(
                "vars",
                "variables.second == 1",
                variables=[
                    {"name": "first", "expression": "object.data.nope"},
                    {"name": "second", "expression": "int(variables.first)"},
                ],
            )
        ],
        [
            create(C),
            create(config("d", data={"nope": "x"})),
            create(config("e", data={"nope": "1"})),
        ],
    ),
    Case(
        "variables of other types",
        [
            vap(
                "vars",
                "variables.when < timestamp('2020-01-01T00:00:00Z') || variables.maybe.hasValue()",
                "variables.span >= duration('1s')",
                variables=[
                    {"name": "when", "expression": "timestamp(object.data.when)"},
                    {"name": "maybe", "expression": "object.?data.?a"},
                    {"name": "span", "expression": "duration(object.data.span)"},
                ],
            )
        ],
        [
            create(config("a", data={"when": "2019-05-01T00:00:00Z", "span": "1m"})),
            create(config("b", data={"when": "2021-05-01T00:00:00Z", "span": "1m"})),
            create(config("c", data={"when": "2021-05-01T00:00:00Z", "span": "1m", "a": ""})),
            create(config("d", data={"when": "soon", "span": "1m"})),
            create(config("e", data={"when": "2019-05-01T00:00:00Z", "span": "1ms"})),
        ],
    ),
    Case(
        "conditions",
        [
            vap(
                "when",
                "false",
                matchConditions=[
                    {"name": "named", "expression": "object.metadata.name.startsWith('x')"},
                    {"name": "data", "expression": "object.data.on == 'yes'"},
                ],
            )
        ],
        [
            create(C),
            create(config("x", data={"on": "yes"})),
            create(config("x", data={"on": "no"})),
            create(config("x")),
            create(config("y")),
        ],
    ),
    Case(
        "conditions ignored",
        [
            vap(
                "when",
                "false",
                matchConditions=[
                    {"name": "one", "expression": "object.data.on == 'yes'"},
                    {"name": "two", "expression": "object.data.off == 'yes'"},
                ],
                failurePolicy="Ignore",
            ),
            vap(
                "whenever",
                "false",
                matchConditions=[
                    {
                        "name": "one",
                        "expression": "object.metadata.name != 'b' || object.data.on == 'yes'",
                    },
                    {
                        "name": "two",
                        "expression": "object.metadata.name != 'b' || object.data.off == 'yes'",
                    },
                    {"name": "three", "expression": "object.metadata.name == 'b'"},
                ],
            ),
        ],
        [create(config("a")), create(config("b"))],
    ),
    Case(
        "conditions see",
        [
            vap(
                "sees",
                "false",
                matchConditions=[
                    {"name": "namespace", "expression": "namespaceObject == null"},
                    {"name": "request", "expression": "request.namespace == 'shop'"},
                    {
                        "name": "who",
                        "expression": "authorizer.requestResource.check('create').allowed()",
                    },
                ],
            )
        ],
        [create(C), create(config("d", LAB))],
    ),
    Case(
        "request",
        [
            vap(
                "req",
                *(
                    {"expression": f"object.data.q != '{at}'", "messageExpression": text}
                    for at, text in enumerate(
                        [
                            "request.name + '/' + request.namespace + '/' + request.operation",
                            "request.kind.kind + request.kind.version + request.kind.group",
                            "request.resource.resource + request.resource.version",
                            "string(request.dryRun)",
                            "request.userInfo.username + string(size(request.userInfo.groups))",
                            "string(request.options.kind + request.options.apiVersion)",
                            "string(request.?options.?fieldManager.orValue('none'))",
                            "string(has(request.subResource)) + string(has(request.requestSubResource))",
                            "request.requestKind.kind + request.requestResource.resource",
                            "string(has(request.userInfo.extra)) + string(has(request.userInfo.uid))",
                            "namespaceObject.metadata.name + namespaceObject.metadata.labels.env",
                            "namespaceObject.status.phase + namespaceObject.spec.finalizers[0]",
                            "string(oldObject == null) + string(has(object.metadata.uid))",
                        ]
                    )
                ),
            )
        ],
        [
            *(create(config(data={"q": str(at)})).by("jane", "devs") for at in (4, 9)),
            *(create(config(data={"q": str(at)})) for at in range(13) if at not in {4, 9}),
            create(config(data={"q": "3"})).dry(),
            apply(config(data={"q": "6"})),
            apply(config(data={"q": "5"})),
        ],
        objects=[
            obj(
                "ClusterRoleBinding",
                "jane-all",
                roleRef={
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "cluster-admin",
                },
                subjects=[
                    {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"}
                ],
            ),
        ],
    ),
    Case(
        "generated names",
        [
            vap(
                "named",
                {
                    "expression": "has(request.name)",
                    "messageExpression": "string(has(object.metadata.name)) + object.metadata.generateName",
                },
            )
        ],
        [
            create(config("", m_generateName="gen-")),
            create(config("", m_generateName="gen-")).dry(),
        ],
    ),
    Case(
        "object selector",
        [
            vap(
                "p",
                "false",
                on={
                    "resourceRules": [EVERYTHING],
                    "objectSelector": {"matchLabels": {"strict": "yes"}},
                },
            )
        ],
        [
            create(C),
            create(config("d", m_labels={"strict": "yes"})),
            patch(C, {"metadata": {"labels": {"strict": "yes"}}}),
            patch(config("e"), {"metadata": {"labels": {"strict": None}}}),
            delete(config("e")),
        ],
        objects=[config("e", m_labels={"strict": "yes"})],
    ),
    Case(
        "excluded",
        [
            vap(
                "p",
                "false",
                on={
                    "resourceRules": [rule("*")],
                    "excludeResourceRules": [
                        rule("secrets"),
                        rule("configmaps", resourceNames=["free"]),
                    ],
                },
            )
        ],
        [
            create(C),
            create(config("free")),
            create(obj("Secret", "s")),
            create(obj("ServiceAccount", "a")),
        ],
    ),
    Case(
        "names and scopes",
        [
            vap("named", "false", on=[rule("configmaps", resourceNames=["b", "c"])]),
            vap("cluster", "false", on=[rule("*", group="*", version="*", scope="Cluster")]),
            vap("namespaced", "false", on=[rule("secrets", "namespaces", scope="Namespaced")]),
        ],
        [
            create(config("a")),
            create(config("b")),
            create(obj("Secret", "s")),
            create(obj("Namespace", "n")).dry(),
            create(obj("PriorityClass", "pc", value=1)),
        ],
    ),
    Case(
        "namespaces",
        [
            vap(
                "p",
                {
                    "expression": "has(object.metadata.labels) && 'team' in object.metadata.labels",
                    "messageExpression": "request.namespace + string(namespaceObject == null)",
                },
                on={
                    "resourceRules": [rule("namespaces")],
                    "namespaceSelector": {
                        "matchExpressions": [{"key": "free", "operator": "DoesNotExist"}]
                    },
                },
            )
        ],
        [
            create(obj("Namespace", "n")).dry(),
            create(obj("Namespace", "n", m_labels={"team": "x"})).dry(),
            create(obj("Namespace", "n", m_labels={"free": "x"})).dry(),
            patch(obj("Namespace", LAB), {"metadata": {"annotations": {"x": "y"}}}),
            patch(obj("Namespace", SHOP), {"metadata": {"annotations": {"x": "y"}}}).dry(),
        ],
    ),
    Case(
        "namespace selector and cluster scope",
        [
            vap(
                "p",
                {"expression": "false", "messageExpression": "string(namespaceObject == null)"},
                on={
                    "resourceRules": [
                        rule("priorityclasses", group="scheduling.k8s.io"),
                        rule("configmaps"),
                    ],
                    "namespaceSelector": {"matchLabels": {"env": "nowhere"}},
                },
            )
        ],
        [create(C), create(obj("PriorityClass", "pc", value=1))],
    ),
    Case(
        "subresources",
        [
            vap("scale", "object.spec.replicas < 5", on=[rule("deployments/scale", group="apps")]),
            vap(
                "status",
                {
                    "expression": "false",
                    "messageExpression": "request.subResource + request.kind.kind",
                },
                on=[rule("*/status", group="*", version="*")],
            ),
        ],
        [
            create(deployment("d", 9)),
            patch(deployment(), {"spec": {"replicas": 9}}, "scale"),
            patch(deployment(), {"spec": {"replicas": 3}}, "scale"),
            patch(deployment(), {"status": {"replicas": 1}}, "status"),
            patch(config(), {"data": {"a": "b"}}),
            patch(widget(), {"status": {"ready": True}}, "status"),
            patch(widget(), {"spec": {"size": 2}}, "scale"),
        ],
        objects=[config(), widget()],
    ),
    Case(
        "widget scale",
        [
            vap(
                "scale",
                {
                    "expression": "object.spec.replicas < 5 && oldObject.spec.replicas > 0",
                    "messageExpression": "request.kind.kind + request.kind.group + "
                    "request.resource.resource + object.kind",
                },
                on=[rule("widgets/scale", group="example.com")],
            )
        ],
        [
            patch(widget(), {"spec": {"replicas": 7}}, "scale"),
            patch(widget(), {"spec": {"replicas": 4}}, "scale"),
            get(widget()),
        ],
        objects=[widget(size=2)],
    ),
    Case(
        "everything",
        [
            vap(
                "all",
                {
                    "expression": "false",
                    "messageExpression": "request.resource.resource + '/' + request.?subResource.orValue('') + ' ' + "
                    "request.operation",
                },
                on=[rule("*/*", group="*", version="*", operations="*")],
                matchConditions=[
                    {
                        "name": "us",
                        "expression": "!request.userInfo.username.startsWith("
                        "'system:') && (!has(request.namespace) || request.namespace in "
                        "['shop', 'lab']) && request.resource.group != 'rbac.authorization.k8s.io'",
                    }
                ],
            )
        ],
        [
            create(C),
            delete(config("kept")),
            Request("DELETE", f"/api/v1/namespaces/{SHOP}/configmaps?labelSelector=kept%3Dyes"),
            patch(pod(), {"metadata": {"labels": {"a": "b"}}}),
            Request(
                "POST",
                f"/api/v1/namespaces/{SHOP}/pods/p/eviction",
                {
                    "apiVersion": "policy/v1",
                    "kind": "Eviction",
                    "metadata": {"name": "p", "namespace": SHOP},
                },
            ),
            Request(
                "POST",
                f"/api/v1/namespaces/{SHOP}/pods/p/binding",
                {
                    "apiVersion": "v1",
                    "kind": "Binding",
                    "metadata": {"name": "p", "namespace": SHOP},
                    "target": {"kind": "Node", "name": "n"},
                },
            ),
            Request(
                "POST",
                f"/api/v1/namespaces/{SHOP}/serviceaccounts/sa/token",
                {
                    "apiVersion": "authentication.k8s.io/v1",
                    "kind": "TokenRequest",
                    "spec": {"audiences": []},
                },
            ),
            Request(
                "POST",
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                {
                    "apiVersion": "authorization.k8s.io/v1",
                    "kind": "SelfSubjectAccessReview",
                    "spec": {"nonResourceAttributes": {"path": "/x", "verb": "get"}},
                },
            ),
            Request("GET", f"/api/v1/namespaces/{SHOP}/pods/p/exec?command=ls&stdout=true"),
            create(obj("PriorityClass", "pc", value=1)),
            create(vap("another", "true")).dry(),
            create(widget("v")),
            get(config("kept")),
        ],
        objects=[config("kept", m_labels={"kept": "yes"}), pod(), obj("ServiceAccount", "sa")],
    ),
    Case(
        "connect",
        [
            vap(
                "exec",
                {
                    "expression": "object.command[0] != 'rm'",
                    "messageExpression": "request.kind.kind + string(oldObject == null) + request.operation + "
                    "string(request.options == null) + request.resource.resource + "
                    "request.subResource + string(has(object.stdout))",
                },
                on=[rule("pods/exec", operations="CONNECT")],
            )
        ],
        [
            Request(
                "GET", f"/api/v1/namespaces/{SHOP}/pods/p/exec?command=rm&command=-rf&stdout=true"
            )
        ],
        objects=[pod()],
    ),
    Case(
        "exempt",
        [
            vap(
                "all",
                "false",
                on=[rule("*", group="admissionregistration.k8s.io", version="*", operations="*")],
            )
        ],
        [
            create(vap("another", "true")).dry(),
            create(bind(vap("another"))).dry(),
            create(map_("m", "Object{}")).dry(),
        ],
    ),
    Case(
        "typed objects",
        [
            vap(
                "p",
                *(
                    {"expression": f"object.metadata.name != 'd{at}'", "messageExpression": text}
                    for at, text in enumerate(
                        [
                            "string(has(object.status))",
                            "string(has(object.spec.template.metadata.creationTimestamp))",
                            "string(has(object.metadata.creationTimestamp))",
                            "string(has(object.spec.template.spec.containers[0].resources))",
                            "string(has(object.metadata.managedFields)) + string(has(object.metadata.generation))",
                            "string(object.kind) + object.apiVersion",
                            "object.spec.strategy.type + string(object.spec.progressDeadlineSeconds)",
                            "string(type(object.spec.replicas) == int)",
                            "string(object.spec.strategy.rollingUpdate.maxSurge == '25%')",
                            "string(object.spec.template.spec.containers.all(c, !has(c.securityContext)))",
                        ]
                    )
                ),
                on=[DEPLOYMENTS],
            )
        ],
        [create(deployment(f"d{at}")) for at in range(10)],
    ),
    Case(
        "custom resources",
        [
            vap(
                "w",
                {
                    "expression": "object.spec.size <= 10",
                    "messageExpression": "'size ' + string(object.spec.size)",
                },
                {
                    "expression": "!has(object.spec.parts) || object.spec.parts.all(p, p.count > 0)",
                    "message": "counts",
                },
                {
                    "expression": "oldObject == null || object.spec.size >= oldObject.spec.size",
                    "message": "may not shrink",
                },
                {"expression": "!has(object.spec.port) || object.spec.port == 80"},
                {"expression": "!has(object.spec.weight) || object.spec.weight < 2.5"},
                {
                    "expression": "!has(object.spec.when) || timestamp(object.spec.when) > "
                    "timestamp('2020-01-01T00:00:00Z')"
                },
                {"expression": "!has(object.spec.free) || object.spec.free.x == 1"},
                on=[WIDGETS],
            )
        ],
        [
            create(widget("a", size=11)),
            create(widget("b", parts=[{"name": "x", "count": 0}])),
            create(widget("b", parts=[{"name": "x"}])),
            create(widget("c", port="80")),
            create(widget("c", port=80, weight=2)),
            create(widget("d", weight=2.5)),
            create(widget("d", weight=3)),
            create(widget("e", when="2019-01-01T00:00:00Z")),
            create(widget("f", free={"x": 2})),
            create(widget("f", free={"y": 2})),
            create(widget("f", free={"x": 1})),
            create(widget("g", size=5)),
            patch(widget("g"), {"spec": {"size": 3}}),
            patch(widget("g"), {"spec": {"size": 6}}),
        ],
    ),
    Case(
        "versions",
        [
            vap(
                "v2",
                {
                    "expression": "object.spec.size < 3",
                    "messageExpression": "object.apiVersion + ' ' + request.kind.version + request.requestKind.version"
                    " + request.resource.version + request.requestResource.version",
                },
                on=[rule("widgets", group="example.com", version="v2")],
            ),
            vap(
                "exact",
                "false",
                on={
                    "matchPolicy": "Exact",
                    "resourceRules": [rule("widgets", group="example.com", version="v2")],
                    "objectSelector": {"matchLabels": {"exact": "yes"}},
                },
            ),
        ],
        [
            create(widget(size=3)),
            create(widget(size=2)),
            create(obj("Widget", "x", spec={}, m_labels={"exact": "yes"})),
            Request(
                "POST",
                f"/apis/example.com/v2/namespaces/{SHOP}/widgets",
                {
                    **obj("Widget", "y", spec={}, m_labels={"exact": "yes"}),
                    "apiVersion": "example.com/v2",
                },
            ),
            Request(
                "POST",
                f"/apis/example.com/v2/namespaces/{SHOP}/widgets",
                {**widget("z", size=4), "apiVersion": "example.com/v2"},
            ),
        ],
    ),
    Case(
        "versions of built-in kinds",
        [
            vap(
                "hpa",
                {
                    "expression": "object.spec.maxReplicas < 5",
                    "messageExpression": "object.apiVersion + string(has(object.spec.metrics)) + "
                    "string(has(object.spec.targetCPUUtilizationPercentage))",
                },
                on=[rule("horizontalpodautoscalers", group="autoscaling", version="v1")],
            )
        ],
        [
            create(
                obj(
                    "HorizontalPodAutoscaler",
                    "h",
                    spec={
                        "maxReplicas": most,
                        "scaleTargetRef": {
                            "apiVersion": "apps/v1",
                            "kind": "Deployment",
                            "name": "d",
                        },
                    },
                )
            )
            for most in (3, 9)
        ],
    ),
    Case(
        "authorizer",
        [
            vap(
                "authz",
                {
                    "expression": "authorizer.group('').resource('secrets').namespace('shop')"
                    ".check('get').allowed()",
                    "message": "secrets",
                },
                {
                    "expression": "!authorizer.group('').resource('secrets').namespace('lab')"
                    ".check('get').allowed()",
                    "message": "lab",
                },
                {
                    "expression": "authorizer.path('/healthz').check('get').allowed()",
                    "message": "path",
                },
                {
                    "expression": "authorizer.requestResource.check('create').allowed()",
                    "message": "request",
                },
                {
                    "expression": "!authorizer.serviceAccount('shop', 'robot').group('')"
                    ".resource('configmaps').namespace('shop').check('create').allowed()",
                    "message": "robot",
                },
                {
                    "expression": "authorizer.group('').resource('secrets').namespace('shop')"
                    ".name('x').subresource('y').check('get').reason() == ''",
                    "message": "reason",
                },
                {
                    "expression": "!authorizer.group('').resource('secrets').check('get').errored() && "
                    "authorizer.group('').resource('secrets').check('get').error() == ''",
                    "message": "errors",
                },
            )
        ],
        [
            create(C),
            create(C).by("joe"),
            create(C).by("ann"),
            create(config("r")).by("system:serviceaccount:shop:robot"),
        ],
        objects=[
            obj(
                "Role",
                "writer",
                rules=[{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}],
            ),
            obj(
                "Role",
                "reader",
                rules=[{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}],
            ),
            obj(
                "RoleBinding",
                "writers",
                roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "writer"},
                subjects=[
                    {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "joe"},
                    {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"},
                    {"kind": "ServiceAccount", "name": "robot", "namespace": SHOP},
                ],
            ),
            obj(
                "RoleBinding",
                "readers",
                roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
                subjects=[{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}],
            ),
        ],
    ),
    Case(
        "authorizer's mistakes",
        [
            vap(
                "authz",
                {
                    "expression": "authorizer.group('').resource(object.data.r).check('get')"
                    ".allowed()"
                },
                {"expression": "authorizer.path(object.data.p).check('get').allowed()"},
                {
                    "expression": "authorizer.serviceAccount(object.data.n, object.data.s).path('/x')"
                    ".check('get').allowed()"
                },
            )
        ],
        [
            create(config(data=data))
            for data in (
                {"r": " ", "p": "x", "n": "a", "s": "b"},
                {"r": "pods", "p": "", "n": "a", "s": "b"},
                {"r": "pods", "p": "x", "n": "a.b", "s": "b"},
                {"r": "pods", "p": "x", "n": "a", "s": "B"},
                {"r": "pods", "p": "x", "n": "a", "s": "b"},
            )
        ],
    ),
    Case(
        "audit annotations",
        [
            vap(
                "noted",
                auditAnnotations=[
                    {"key": "a", "valueExpression": "'data: ' + object.data.a"},
                    {"key": "b", "valueExpression": "object.data.a == '1' ? '' : 'x'"},
                ],
            )
        ],
        [create(C), create(config("d", data={"a": "2"})), create(config("e"))],
        bindings=[bind(vap("noted"), actions="Audit")],
    ),
    Case(
        "audit annotations that fail",
        [
            vap(
                "noted",
                "true",
                auditAnnotations=[{"key": "a", "valueExpression": "string(object.data.a)"}],
                failurePolicy="Ignore",
            )
        ],
        [create(C), create(config("e"))],
    ),
]


def policed(name: str, *validations: Any, kind: str = "ConfigMap", **spec: Any) -> Object:
    version = {"Limit": "example.com/v1"}.get(kind, "v1")
    return vap(name, *validations, paramKind={"apiVersion": version, "kind": kind}, **spec)


PARAM = policed(
    "par",
    {
        "expression": "!(object.data.a in params.data)",
        "messageExpression": "params.metadata.name + ' forbids ' + object.data.a + params.kind + "
        "params.apiVersion",
    },
    on=[rule("configmaps", resourceNames=["c", "d"])],
)


PARAMS = [
    Case(
        "params by name",
        [PARAM],
        [
            create(C),
            create(config("c", data={"a": "2"})),
            create(config("d", LAB, data={"a": "1"})),
            create(config("d", LAB, data={"a": "9"})),
        ],
        bindings=[
            bind(
                PARAM,
                paramRef={"name": "limits", "namespace": SHOP, "parameterNotFoundAction": "Deny"},
            )
        ],
        objects=[config("limits", data={"1": ""})],
    ),
    Case(
        "params of the namespace",
        [PARAM],
        [
            create(C),
            create(config("c", LAB, data={"a": "1"})),
            create(config("d", LAB, data={"a": "2"})),
            create(config("d", "default", data={"a": "2"})),
        ],
        bindings=[bind(PARAM, paramRef={"name": "limits", "parameterNotFoundAction": "Deny"})],
        objects=[config("limits", data={"1": ""}), config("limits", LAB, data={"2": ""})],
    ),
    Case(
        "params may be missing",
        [PARAM],
        [create(C), create(config("c", LAB, data={"a": "1"}))],
        bindings=[bind(PARAM, paramRef={"name": "limits", "parameterNotFoundAction": "Allow"})],
        objects=[config("limits", data={"1": ""})],
    ),
    Case(
        "params by selector",
        [PARAM],
        [
            create(C),
            create(config(data={"a": "2"})),
            create(config(data={"a": "3"})),
            create(config(data={"a": "4"})),
            create(config("c", LAB, data={"a": "1"})),
        ],
        bindings=[
            bind(
                PARAM,
                paramRef={
                    "selector": {"matchLabels": {"limits": "yes"}},
                    "parameterNotFoundAction": "Deny",
                },
            )
        ],
        objects=[
            config("one", data={"1": ""}, m_labels={"limits": "yes"}),
            config("two", data={"2": ""}, m_labels={"limits": "yes"}),
            config("three", data={"3": ""}, m_labels={"limits": "no"}),
        ],
    ),
    Case(
        "all params",
        [policed("par", "params.data.x == '1'", on=[rule("secrets")])],
        [create(obj("Secret", "s"))],
        bindings=[
            bind(
                PARAM,
                paramRef={"selector": {}, "namespace": LAB, "parameterNotFoundAction": "Deny"},
            )
        ],
        objects=[config("one", LAB, data={"x": "1"})],
    ),
    Case(
        "no paramRef",
        [
            policed(
                "par",
                {"expression": "params != null", "message": "no params"},
                on=[rule("secrets")],
            ),
            policed("read", "params.data.x == '1'", on=[rule("services")]),
        ],
        [create(obj("Secret", "s")), create(obj("Service", "s", spec={"ports": [{"port": 1}]}))],
    ),
    Case(
        "params of a custom kind",
        [
            policed(
                "lim",
                {
                    "expression": "object.spec.size <= params.most",
                    "messageExpression": "'at most ' + string(params.most)",
                },
                kind="Limit",
                on=[WIDGETS],
            )
        ],
        [create(widget("a", size=3)), create(widget("b", size=4))],
        bindings=[bind(vap("lim"), paramRef={"name": "l", "parameterNotFoundAction": "Deny"})],
    ),
    Case(
        "cluster-scoped params",
        [
            policed(
                "lim",
                {
                    "expression": "object.spec.size <= params.spec.most",
                    "messageExpression": "'at most ' + string(params.spec.most)",
                },
                kind="Limit",
                on=[WIDGETS],
            )
        ],
        [create(widget("a", size=3)), create(widget("b", size=4))],
        bindings=[bind(vap("lim"), paramRef={"name": "l", "parameterNotFoundAction": "Deny"})],
        objects=[obj("Limit", "l", spec={"most": 3})],
    ),
    Case(
        "namespaces for cluster-scoped params",
        [policed("lim", "true", kind="Limit", on=[WIDGETS])],
        [create(widget("a", size=3))],
        bindings=[
            bind(
                vap("lim"),
                paramRef={"name": "l", "namespace": SHOP, "parameterNotFoundAction": "Deny"},
            )
        ],
        objects=[obj("Limit", "l", spec={"most": 3})],
    ),
    Case(
        "namespaced params for cluster-scoped objects",
        [
            policed(
                "par",
                "true",
                on=[rule("priorityclasses", group="scheduling.k8s.io"), rule("namespaces")],
            )
        ],
        [create(obj("PriorityClass", "pc", value=1)), create(obj("Namespace", "n")).dry()],
        bindings=[bind(vap("par"), paramRef={"name": "l", "parameterNotFoundAction": "Allow"})],
    ),
    Case(
        "unknown kind of params",
        [
            vap(
                "par",
                "true",
                paramKind={"apiVersion": "nowhere.io/v1", "kind": "Nothing"},
                on=[rule("secrets")],
            ),
            vap(
                "par2",
                "true",
                paramKind={"apiVersion": "v1", "kind": "Nothing"},
                on=[rule("services")],
            ),
            vap(
                "par3",
                "true",
                paramKind={"apiVersion": "nowhere.io/v1", "kind": "Nothing"},
                on=[rule("serviceaccounts")],
                failurePolicy="Ignore",
            ),
        ],
        [
            create(obj("Secret", "s")),
            create(obj("Service", "s", spec={"ports": [{"port": 1}]})),
            create(obj("ServiceAccount", "s")),
            create(C),
        ],
    ),
    Case(
        "params ignored by failure policy",
        [policed("par", "params.data.nope == ''", failurePolicy="Ignore", on=[rule("secrets")])],
        [create(obj("Secret", "s"))],
        bindings=[
            bind(
                vap("par"),
                paramRef={"name": "nope", "namespace": SHOP, "parameterNotFoundAction": "Deny"},
            )
        ],
    ),
    Case(
        "params in conditions and variables",
        [
            policed(
                "par",
                {
                    "expression": "variables.most > size(object.data)",
                    "messageExpression": "'most: ' + string(variables.most)",
                },
                variables=[{"name": "most", "expression": "int(params.data.most)"}],
                matchConditions=[{"name": "on", "expression": "params.data.on == 'yes'"}],
                on=[rule("configmaps", resourceNames=["c"])],
            )
        ],
        [
            create(C),
            create(config(data={"a": "1", "b": "2"})),
            create(config("c", LAB, data={"a": "1", "b": "2"})),
        ],
        bindings=[
            bind(vap("par"), paramRef={"name": "settings", "parameterNotFoundAction": "Deny"})
        ],
        objects=[
            config("settings", data={"most": "2", "on": "yes"}),
            config("settings", LAB, data={"most": "1", "on": "no"}),
        ],
    ),
]

MUTATING = [
    Case(
        "labels",
        [map_("add", "Object{metadata: Object.metadata{labels: {'added': 'yes'}}}")],
        [
            create(C),
            create(config("d", m_labels={"a": "b"})),
            create(config("e", m_labels={"added": "no"})),
            patch(C, {"data": {"b": "c"}}),
            delete(C),
        ],
    ),
    Case(
        "json patch",
        [
            map_(
                "add",
                """[
            JSONPatch{op: 'test', path: '/metadata/name', value: 'c'},
            JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}},
            JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a.b/c'), value: '1'}
        ]""",
            )
        ],
        [create(C), create(config("d"))],
    ),
    Case(
        "json patches that fail",
        [
            map_(
                "add",
                "[JSONPatch{op: object.data.op, path: object.data.path, value: 'x', "
                "from: object.data.?from.orValue('')}]",
            )
        ],
        [
            create(config(data={"op": op, "path": path, **more}))
            for op, path, more in (
                ("add", "/metadata/labels/x", {}),
                ("remove", "/metadata/labels", {}),
                ("remove", "/data/nope", {}),
                ("remove", "/nope/nope", {}),
                ("replace", "/metadata/labels/x", {}),
                ("replace", "/data/op", {}),
                ("move", "/data/z", {"from": "/data/nope"}),
                ("move", "/data/z", {"from": "/data/op"}),
                ("copy", "/data/z", {"from": "/nope/x"}),
                ("copy", "/data/z", {"from": "/data/op"}),
                ("test", "/data/op", {}),
                ("test", "/nope/op/x", {}),
                ("jump", "/data/op", {}),
                ("add", "/data", {}),
                ("add", "/metadata/finalizers/7", {}),
                ("add", "/spec", {}),
                ("add", "nope", {}),
            )
        ],
    ),
    Case(
        "objects in json patches",
        [
            map_(
                "env",
                """[JSONPatch{
            op: 'add', path: '/spec/template/spec/containers/0/env',
            value: [{'name': 'A', 'value': 'b'}]}, JSONPatch{
            op: 'replace', path: '/spec/template/spec/containers/0/resources',
            value: Object.spec.template.spec.containers.resources{requests: {'cpu': '1m'}}}]""",
                on=[DEPLOYMENTS],
            )
        ],
        [create(deployment())],
    ),
    Case(
        "replicas",
        [
            map_(
                "scale",
                "Object{spec: Object.spec{replicas: object.spec.replicas + variables.more}}",
                on=[DEPLOYMENTS],
                variables=[{"name": "more", "expression": "2"}],
            )
        ],
        [create(deployment()), patch(deployment(), {"spec": {"replicas": 5}})],
    ),
    Case(
        "containers",
        [
            map_(
                "sidecar",
                """Object{spec: Object.spec{
            initContainers: [Object.spec.initContainers{name: 'mesh', image: 'mesh:1',
                restartPolicy: 'Always'}],
            containers: [Object.spec.containers{name: 'main', imagePullPolicy: 'Never',
                env: [Object.spec.containers.env{name: 'A', value: '1'}]},
                Object.spec.containers{name: 'extra', image: 'x:' + '1'}]}}""",
                on=[rule("pods")],
                matchConditions=[
                    {
                        "name": "none",
                        "expression": "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'mesh')",
                    }
                ],
            )
        ],
        [
            create(pod()),
            create(
                pod(
                    "q",
                    spec={
                        "containers": [
                            {"name": "other", "image": "o:1"},
                            {
                                "name": "main",
                                "image": "nginx:1",
                                "env": [{"name": "A", "value": "0"}],
                            },
                        ]
                    },
                )
            ),
            patch(pod(), {"metadata": {"labels": {"x": "y"}}}),
        ],
    ),
    Case(
        "mistakes in configurations",
        [
            map_(f"m{at}", text, on=[{**each, "resourceNames": [f"d{at}"]}])
            for at, (text, each) in enumerate(
                [
                    ("Object{spec: Object.spec{wrong: 1}}", DEPLOYMENTS),
                    ("Object{spec: Object.wrong{replicas: 1}}", DEPLOYMENTS),
                    ("Object{spec: Object.spec{replicas: '3'}}", DEPLOYMENTS),
                    (
                        "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}",
                        DEPLOYMENTS,
                    ),
                    ("Object{spec: Object.spec{replicas: object.spec.nope}}", DEPLOYMENTS),
                    (
                        "Object{spec: Object.spec{template: Object.spec.template{spec: "
                        "Object.spec.template.spec{containers: [Object.spec.template.spec.containers{"
                        "image: 'x'}]}}}}",
                        DEPLOYMENTS,
                    ),
                    (
                        "Object{spec: Object.spec{template: Object.spec.template{spec: "
                        "Object.spec.template.spec{containers: [Object.spec.template.spec.containers{"
                        "name: 'main', command: ['x']}]}}}}",
                        DEPLOYMENTS,
                    ),
                    ("Object{}", DEPLOYMENTS),
                    ("Object{metadata: Object.metadata{finalizers: ['a/b']}}", DEPLOYMENTS),
                    (
                        "object.spec.replicas == 1 ? Object{} : Object{spec: Object.spec{paused: true}}",
                        DEPLOYMENTS,
                    ),
                ]
            )
        ],
        [*(create(deployment(f"d{at}")) for at in range(10)), create(deployment("d9", 2))],
    ),
    Case(
        "widgets",
        [
            map_(
                "w",
                """Object{spec: Object.spec{
                color: 'red', ?size: object.spec.size == 1 ? optional.of(7) : optional.none(),
                tags: ['t'], parts: [Object.spec.parts{name: 'x', count: 3}],
                free: Object.spec.free{y: 'z'}}}""",
                on=[WIDGETS],
            )
        ],
        [
            create(widget("a")),
            create(
                widget(
                    "b",
                    size=2,
                    tags=["s", "t"],
                    parts=[{"name": "w", "count": 1}, {"name": "x", "count": 1}],
                    free={"x": 1},
                    color="blue",
                )
            ),
        ],
    ),
    Case(
        "widgets' mistakes",
        [
            map_(
                "w1",
                "Object{spec: Object.spec{notes: ['n']}}",
                on=[{**WIDGETS, "resourceNames": ["a"]}],
            ),
            map_(
                "w2",
                "Object{spec: Object.spec{nope: 'n'}}",
                on=[{**WIDGETS, "resourceNames": ["b"]}],
            ),
            map_(
                "w3",
                "Object{spec: Object.spec{size: 'n'}}",
                on=[{**WIDGETS, "resourceNames": ["c"]}],
            ),
            map_(
                "w4",
                "[JSONPatch{op: 'add', path: '/spec/nope', value: 1}]",
                on=[{**WIDGETS, "resourceNames": ["d"]}],
            ),
            map_(
                "w5",
                "[JSONPatch{op: 'add', path: '/spec/size', value: 'x'}]",
                on=[{**WIDGETS, "resourceNames": ["e"]}],
            ),
        ],
        [create(widget(name)) for name in "abcde"],
    ),
    Case(
        "failure policies",
        [
            map_(
                "ignored",
                "Object{metadata: Object.metadata{labels: {'a': object.data.nope}}}",
                failurePolicy="Ignore",
            ),
            map_("works", "Object{metadata: Object.metadata{labels: {'b': 'x'}}}"),
        ],
        [create(C)],
    ),
    Case(
        "several errors",
        [
            map_(
                "one",
                "Object{metadata: Object.metadata{labels: {'a': object.data.nope}}}",
                "Object{metadata: Object.metadata{labels: {'a': object.data.nope2}}}",
            ),
            map_("two", "Object{data: {'a': object.data.x.y.z}}"),
        ],
        [create(config("d", data={"x": "1"}))],
        bindings=[bind(map_("one", "Object{}"))],
    ),
    Case(
        "order and reinvocation",
        [
            map_(
                "a-first",
                "Object{metadata: Object.metadata{labels: {'seen': "
                "string(size(object.?metadata.?labels.orValue({})))}}}",
                reinvocationPolicy="IfNeeded",
            )
        ],
        [create(C), create(config("d", m_labels={"x": "y"}))],
    ),
    Case(
        "conditions that fail",
        [
            map_(
                "p",
                "Object{}",
                matchConditions=[{"name": "x", "expression": "object.data.on == 'x'"}],
            ),
            map_(
                "q",
                "Object{metadata: Object.metadata{labels: {'q': 'q'}}}",
                failurePolicy="Ignore",
                matchConditions=[{"name": "x", "expression": "object.data.on == 'x'"}],
            ),
        ],
        [
            create(config()),
            create(config("d", data={"on": "x"})),
            create(config("e", data={"on": "y"})),
        ],
    ),
    Case(
        "mutating params",
        [
            map_(
                "par",
                "Object{metadata: Object.metadata{labels: {params.data.key: 'set'}}}",
                paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
                on=[rule("configmaps", resourceNames=["c"])],
            )
        ],
        [create(C), create(config("c", LAB)), create(config("c", "default"))],
        bindings=[
            bind(
                map_("par", "Object{}"),
                paramRef={"name": "settings", "parameterNotFoundAction": "Deny"},
            )
        ],
        objects=[
            config("settings", data={"key": "k1"}),
            config("settings", LAB, data={"key": "k2"}),
        ],
    ),
    Case(
        "unknown mutating params",
        [map_("par", "Object{}", paramKind={"apiVersion": "no.io/v1", "kind": "No"})],
        [create(C)],
    ),
    Case(
        "mutated, then validated",
        [
            map_("m", "Object{data: {'a': 'mutated'}}"),
            vap(
                "v",
                {
                    "expression": "object.data.a != 'mutated'",
                    "messageExpression": "string(object.data.a)",
                },
            ),
        ],
        [create(C)],
    ),
    Case(
        "mutated into something invalid",
        [
            map_("m", "Object{spec: Object.spec{replicas: -1}}", on=[DEPLOYMENTS]),
            map_(
                "n",
                "[JSONPatch{op: 'replace', path: '/metadata/name', value: 'other'}]",
                on=[rule("configmaps", resourceNames=["c"])],
            ),
            map_(
                "o",
                "[JSONPatch{op: 'replace', path: '/data/a', value: 3}]",
                on=[rule("configmaps", resourceNames=["o"])],
            ),
        ],
        [create(deployment()), create(C), create(config("o", data={"a": "1"}))],
    ),
    Case(
        "mutated status and scale",
        [
            map_(
                "s",
                "Object{status: Object.status{replicas: 5}}",
                on=[rule("deployments/status", group="apps")],
            ),
            map_(
                "t",
                "Object{spec: Object.spec{replicas: 4}}",
                on=[rule("deployments/scale", group="apps")],
            ),
        ],
        [
            patch(deployment(), {"status": {"replicas": 1}}, "status"),
            patch(deployment(), {"spec": {"replicas": 2}}, "scale"),
            get(deployment()),
        ],
        objects=[deployment()],
    ),
    Case(
        "mutated versions",
        [
            map_(
                "v",
                "Object{spec: Object.spec{color: object.apiVersion}}",
                on=[rule("widgets", group="example.com", version="v2")],
            )
        ],
        [create(widget("a"))],
    ),
]


def _written(value: Object) -> Request:
    return create(value).dry()


WRITES = [
    Case(
        "expressions that are refused",
        [],
        [
            _written(vap("p", text))
            for text in (
                "object.data.b.foo()",
                "object.data.b + 1 == 'x'",
                "object",
                "object.data.b",
                "request.uid == ''",
                "request.foo == 1",
                "namespaceObject.metadata.foo == 1",
                "request.dryRun == 'x'",
                "variables.x == 1",
                "object.data.b.split('x') == 'x'",
                "params.x == 1",
                "isIP(3)",
                "math.greatest(1,2) == 3",
                "quantity('1Gi').add('x') == 1",
                "object.x +",
                "authorizer.foo('x') == 1",
                "authorizer.group(1).resource('x').check('y').allowed()",
                "authorizer.group('').resource('x').check('y')",
                "'x'",
                "1 == 1.0",
                "jsonpatch.escapeKey('x') == ''",
                "Object{} == Object{}",
                "has(request.name) && request.userInfo.groups[0] == 1",
            )
        ],
        bindings=[],
    ),
    Case(
        "other expressions that are refused",
        [],
        [
            _written(
                vap(
                    "p",
                    "true",
                    matchConditions=[{"name": "x", "expression": "variables.x"}],
                    variables=[{"name": "x", "expression": "true"}],
                )
            ),
            _written(vap("p", "variables.x", variables=[{"name": "x", "expression": "1"}])),
            _written(vap("p", "variables.x", variables=[{"name": "x", "expression": "true"}])),
            _written(vap("p", "variables.y", variables=[{"name": "x", "expression": "true"}])),
            _written(
                vap("p", "variables.x == 'a'", variables=[{"name": "x", "expression": "object.x"}])
            ),
            _written(
                vap(
                    "p",
                    "variables.b == 'a'",
                    variables=[
                        {"name": "b", "expression": "variables.a"},
                        {"name": "a", "expression": "'x'"},
                    ],
                )
            ),
            _written(vap("p", {"expression": "true", "messageExpression": "1"})),
            _written(vap("p", {"expression": "true", "messageExpression": "object.x"})),
            _written(
                vap(
                    "p",
                    {
                        "expression": "true",
                        "messageExpression": "authorizer.path('x').check('y').reason()",
                    },
                )
            ),
            _written(vap("p", auditAnnotations=[{"key": "k", "valueExpression": "1"}])),
            _written(vap("p", auditAnnotations=[{"key": "k", "valueExpression": "object.x"}])),
            _written(map_("m", "object")),
            _written(map_("m", "{'a': 'b'}")),
            _written(map_("m", "Object.spec{}")),
            _written(map_("m", "[1]")),
            _written(map_("m", "[Object{}]")),
            _written(map_("m", "[JSONPatch{op: 'x'}, JSONPatch{path: 'y'}]")),
            _written(map_("m", "Object{spec: object.spec.nope()}")),
            _written(
                map_(
                    "m",
                    "Object{metadata: Object.metadata{labels: variables.l}}",
                    variables=[{"name": "l", "expression": "{'a': 'b'}"}],
                )
            ),
        ],
        bindings=[],
    ),
]

TOPICS = {
    "validating": VALIDATING,
    "params": PARAMS,
    "mutating": MUTATING,
    "writes": WRITES,
}
