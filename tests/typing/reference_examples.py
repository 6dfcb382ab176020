# ruff: noqa: I001
# fmt: off
"""Examples of `clientgen docs`; `pytest tests/reference --update-golden` writes them."""

from kubeapi import AsyncClientset, Clientset

def nodes_list(k: Clientset) -> None:
    for node in k.core_v1.nodes().list():
        print(node.metadata.name)

async def async_nodes_list(k: AsyncClientset) -> None:
    for node in await k.core_v1.nodes().list():
        print(node.metadata.name)

def nodes_each(k: Clientset) -> None:
    for node in k.core_v1.nodes().each():
        print(node.metadata.name)

async def async_nodes_each(k: AsyncClientset) -> None:
    async for node in k.core_v1.nodes().each():
        print(node.metadata.name)

def nodes_watch(k: Clientset) -> None:
    for event in k.core_v1.nodes().watch():
        print(event.type, event.object.metadata.name)

async def async_nodes_watch(k: AsyncClientset) -> None:
    async for event in k.core_v1.nodes().watch():
        print(event.type, event.object.metadata.name)

def nodes_get(k: Clientset) -> None:
    node = k.core_v1.nodes().get("example")
    print(node.metadata.name)

async def async_nodes_get(k: AsyncClientset) -> None:
    node = await k.core_v1.nodes().get("example")
    print(node.metadata.name)

def nodes_create(k: Clientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = k.core_v1.nodes().create(node)
    print(node.metadata.name)

async def async_nodes_create(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = await k.core_v1.nodes().create(node)
    print(node.metadata.name)

def nodes_update(k: Clientset) -> None:
    node = k.core_v1.nodes().get("example")
    node.metadata.labels["team"] = "web"
    node = k.core_v1.nodes().update(node)
    print(node.metadata.name)

async def async_nodes_update(k: AsyncClientset) -> None:
    node = await k.core_v1.nodes().get("example")
    node.metadata.labels["team"] = "web"
    node = await k.core_v1.nodes().update(node)
    print(node.metadata.name)

def nodes_patch(k: Clientset) -> None:
    node = k.core_v1.nodes().patch("example", {"metadata": {"labels": {"team": "web"}}})
    print(node.metadata.name)

async def async_nodes_patch(k: AsyncClientset) -> None:
    nodes = k.core_v1.nodes()
    node = await nodes.patch("example", {"metadata": {"labels": {"team": "web"}}})
    print(node.metadata.name)

def nodes_edit(k: Clientset) -> None:
    from kubeapi.core.v1 import Node


    def add_label(node: Node) -> None:
        node.metadata.labels["team"] = "web"


    node = k.core_v1.nodes().edit("example", add_label)
    print(node.metadata.name)

async def async_nodes_edit(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Node


    def add_label(node: Node) -> None:
        node.metadata.labels["team"] = "web"


    node = await k.core_v1.nodes().edit("example", add_label)
    print(node.metadata.name)

def nodes_apply(k: Clientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = k.core_v1.nodes().apply(node)
    print(node.metadata.name)

async def async_nodes_apply(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = await k.core_v1.nodes().apply(node)
    print(node.metadata.name)

def nodes_delete(k: Clientset) -> None:
    k.core_v1.nodes().delete("example")

async def async_nodes_delete(k: AsyncClientset) -> None:
    await k.core_v1.nodes().delete("example")

def nodes_delete_collection(k: Clientset) -> None:
    k.core_v1.nodes().delete_collection()

async def async_nodes_delete_collection(k: AsyncClientset) -> None:
    await k.core_v1.nodes().delete_collection()

def nodes_update_status(k: Clientset) -> None:
    node = k.core_v1.nodes().get("example")
    node.metadata.labels["team"] = "web"
    node = k.core_v1.nodes().update_status(node)
    print(node.metadata.name)

async def async_nodes_update_status(k: AsyncClientset) -> None:
    node = await k.core_v1.nodes().get("example")
    node.metadata.labels["team"] = "web"
    node = await k.core_v1.nodes().update_status(node)
    print(node.metadata.name)

def nodes_apply_status(k: Clientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = k.core_v1.nodes().apply_status(node)
    print(node.metadata.name)

async def async_nodes_apply_status(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Node
    from kubeapi.meta.v1 import ObjectMeta
    node = Node(metadata=ObjectMeta(name="example"))
    node = await k.core_v1.nodes().apply_status(node)
    print(node.metadata.name)

def nodes_status(k: Clientset) -> None:
    status = k.core_v1.nodes().status("example").get()
    print(status)

async def async_nodes_status(k: AsyncClientset) -> None:
    status = await k.core_v1.nodes().status("example").get()
    print(status)

def nodes_proxy(k: Clientset) -> None:
    response = k.core_v1.nodes().proxy("example").get("/")
    print(response.status)

async def async_nodes_proxy(k: AsyncClientset) -> None:
    response = await k.core_v1.nodes().proxy("example").get("/")
    print(response.status)

def nodes_view(k: Clientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.core.v1 import Node


    class NodeName(View[Node]):
        """The metadata only."""


    view = k.core_v1.nodes().view(NodeName)
    for node in view.list():
        print(node.metadata.name)

async def async_nodes_view(k: AsyncClientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.core.v1 import Node


    class NodeName(View[Node]):
        """The metadata only."""


    view = k.core_v1.nodes().view(NodeName)
    for node in await view.list():
        print(node.metadata.name)

def nodes_wait(k: Clientset) -> None:
    from clientgen.runtime.conditions import deleted
    k.core_v1.nodes().wait("example", until=deleted, timeout=60)

async def async_nodes_wait(k: AsyncClientset) -> None:
    from clientgen.runtime.conditions import deleted
    await k.core_v1.nodes().wait("example", until=deleted, timeout=60)

def nodes_caches(k: Clientset) -> None:
    with k.informers() as factory:
        lister = factory.core_v1.nodes().lister
        factory.start()
        factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)

async def async_nodes_caches(k: AsyncClientset) -> None:
    async with k.informers() as factory:
        lister = factory.core_v1.nodes().lister
        factory.start()
        await factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)

def pods_list(k: Clientset) -> None:
    for pod in k.core_v1.pods("default").list():
        print(pod.metadata.name)

async def async_pods_list(k: AsyncClientset) -> None:
    for pod in await k.core_v1.pods("default").list():
        print(pod.metadata.name)

def pods_each(k: Clientset) -> None:
    for pod in k.core_v1.pods("default").each():
        print(pod.metadata.name)

async def async_pods_each(k: AsyncClientset) -> None:
    async for pod in k.core_v1.pods("default").each():
        print(pod.metadata.name)

def pods_watch(k: Clientset) -> None:
    for event in k.core_v1.pods("default").watch():
        print(event.type, event.object.metadata.name)

async def async_pods_watch(k: AsyncClientset) -> None:
    async for event in k.core_v1.pods("default").watch():
        print(event.type, event.object.metadata.name)

def pods_tail(k: Clientset) -> None:
    with k.core_v1.pods("default").tail(label_selector="app=web") as lines:
        for line in lines:
            print(line)

async def async_pods_tail(k: AsyncClientset) -> None:
    async with k.core_v1.pods("default").tail(label_selector="app=web") as lines:
        async for line in lines:
            print(line)

def pods_get(k: Clientset) -> None:
    pod = k.core_v1.pods("default").get("example")
    print(pod.metadata.name)

async def async_pods_get(k: AsyncClientset) -> None:
    pod = await k.core_v1.pods("default").get("example")
    print(pod.metadata.name)

def pods_create(k: Clientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = k.core_v1.pods("default").create(pod)
    print(pod.metadata.name)

async def async_pods_create(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = await k.core_v1.pods("default").create(pod)
    print(pod.metadata.name)

def pods_update(k: Clientset) -> None:
    pod = k.core_v1.pods("default").get("example")
    pod.metadata.labels["team"] = "web"
    pod = k.core_v1.pods("default").update(pod)
    print(pod.metadata.name)

async def async_pods_update(k: AsyncClientset) -> None:
    pod = await k.core_v1.pods("default").get("example")
    pod.metadata.labels["team"] = "web"
    pod = await k.core_v1.pods("default").update(pod)
    print(pod.metadata.name)

def pods_patch(k: Clientset) -> None:
    pod = k.core_v1.pods("default").patch(
        "example",
        {"metadata": {"labels": {"team": "web"}}},
    )
    print(pod.metadata.name)

async def async_pods_patch(k: AsyncClientset) -> None:
    pod = await k.core_v1.pods("default").patch(
        "example",
        {"metadata": {"labels": {"team": "web"}}},
    )
    print(pod.metadata.name)

def pods_edit(k: Clientset) -> None:
    from kubeapi.core.v1 import Pod


    def add_label(pod: Pod) -> None:
        pod.metadata.labels["team"] = "web"


    pod = k.core_v1.pods("default").edit("example", add_label)
    print(pod.metadata.name)

async def async_pods_edit(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Pod


    def add_label(pod: Pod) -> None:
        pod.metadata.labels["team"] = "web"


    pod = await k.core_v1.pods("default").edit("example", add_label)
    print(pod.metadata.name)

def pods_apply(k: Clientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = k.core_v1.pods("default").apply(pod)
    print(pod.metadata.name)

async def async_pods_apply(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = await k.core_v1.pods("default").apply(pod)
    print(pod.metadata.name)

def pods_delete(k: Clientset) -> None:
    k.core_v1.pods("default").delete("example")

async def async_pods_delete(k: AsyncClientset) -> None:
    await k.core_v1.pods("default").delete("example")

def pods_delete_collection(k: Clientset) -> None:
    k.core_v1.pods("default").delete_collection()

async def async_pods_delete_collection(k: AsyncClientset) -> None:
    await k.core_v1.pods("default").delete_collection()

def pods_update_status(k: Clientset) -> None:
    pod = k.core_v1.pods("default").get("example")
    pod.metadata.labels["team"] = "web"
    pod = k.core_v1.pods("default").update_status(pod)
    print(pod.metadata.name)

async def async_pods_update_status(k: AsyncClientset) -> None:
    pod = await k.core_v1.pods("default").get("example")
    pod.metadata.labels["team"] = "web"
    pod = await k.core_v1.pods("default").update_status(pod)
    print(pod.metadata.name)

def pods_apply_status(k: Clientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = k.core_v1.pods("default").apply_status(pod)
    print(pod.metadata.name)

async def async_pods_apply_status(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Container, Pod, PodSpec
    from kubeapi.meta.v1 import ObjectMeta
    pod = Pod(
        metadata=ObjectMeta(name="example"),
        spec=PodSpec(containers=[Container(name="web", image="nginx")]),
    )
    pod = await k.core_v1.pods("default").apply_status(pod)
    print(pod.metadata.name)

def pods_ephemeral_containers(k: Clientset) -> None:
    pods = k.core_v1.pods("default")
    ephemeral_containers = pods.ephemeral_containers("example").get()
    print(ephemeral_containers)

async def async_pods_ephemeral_containers(k: AsyncClientset) -> None:
    pods = k.core_v1.pods("default")
    ephemeral_containers = await pods.ephemeral_containers("example").get()
    print(ephemeral_containers)

def pods_resize(k: Clientset) -> None:
    resize = k.core_v1.pods("default").resize("example").get()
    print(resize)

async def async_pods_resize(k: AsyncClientset) -> None:
    resize = await k.core_v1.pods("default").resize("example").get()
    print(resize)

def pods_status(k: Clientset) -> None:
    status = k.core_v1.pods("default").status("example").get()
    print(status)

async def async_pods_status(k: AsyncClientset) -> None:
    status = await k.core_v1.pods("default").status("example").get()
    print(status)

def pods_logs(k: Clientset) -> None:
    text = k.core_v1.pods("default").logs("example")
    print(text)

async def async_pods_logs(k: AsyncClientset) -> None:
    text = await k.core_v1.pods("default").logs("example")
    print(text)

def pods_follow_logs(k: Clientset) -> None:
    with k.core_v1.pods("default").follow_logs("example") as lines:
        for line in lines:
            print(line)

async def async_pods_follow_logs(k: AsyncClientset) -> None:
    async with k.core_v1.pods("default").follow_logs("example") as lines:
        async for line in lines:
            print(line)

def pods_exec(k: Clientset) -> None:
    done = k.core_v1.pods("default").exec("example", ["ls", "/"])
    print(done.text)

async def async_pods_exec(k: AsyncClientset) -> None:
    done = await k.core_v1.pods("default").exec("example", ["ls", "/"])
    print(done.text)

def pods_exec_stream(k: Clientset) -> None:
    with k.core_v1.pods("default").exec_stream("example", ["ls", "/"]) as process:
        for stream, data in process:
            print(stream, data)

async def async_pods_exec_stream(k: AsyncClientset) -> None:
    async with k.core_v1.pods("default").exec_stream("example", ["ls", "/"]) as process:
        async for stream, data in process:
            print(stream, data)

def pods_copy_to(k: Clientset) -> None:
    pods = k.core_v1.pods("default")
    copied = pods.copy_to("example", "report.txt", "/tmp/report.txt")
    print(copied)

async def async_pods_copy_to(k: AsyncClientset) -> None:
    pods = k.core_v1.pods("default")
    copied = await pods.copy_to("example", "report.txt", "/tmp/report.txt")
    print(copied)

def pods_copy_from(k: Clientset) -> None:
    pods = k.core_v1.pods("default")
    copied = pods.copy_from("example", "/tmp/report.txt", "report.txt")
    print(copied)

async def async_pods_copy_from(k: AsyncClientset) -> None:
    pods = k.core_v1.pods("default")
    copied = await pods.copy_from("example", "/tmp/report.txt", "report.txt")
    print(copied)

def pods_attach(k: Clientset) -> None:
    with k.core_v1.pods("default").attach("example") as process:
        for stream, data in process:
            print(stream, data)

async def async_pods_attach(k: AsyncClientset) -> None:
    async with k.core_v1.pods("default").attach("example") as process:
        async for stream, data in process:
            print(stream, data)

def pods_port_forward(k: Clientset) -> None:
    with k.core_v1.pods("default").port_forward("example", 8080) as port:
        print(f"http://127.0.0.1:{port}/")

async def async_pods_port_forward(k: AsyncClientset) -> None:
    async with k.core_v1.pods("default").port_forward("example", 8080) as port:
        print(f"http://127.0.0.1:{port}/")

def pods_proxy(k: Clientset) -> None:
    response = k.core_v1.pods("default").proxy("example", 8080).get("/")
    print(response.status)

async def async_pods_proxy(k: AsyncClientset) -> None:
    response = await k.core_v1.pods("default").proxy("example", 8080).get("/")
    print(response.status)

def pods_bind(k: Clientset) -> None:
    from kubeapi.core.v1 import Binding, ObjectReference
    from kubeapi.meta.v1 import ObjectMeta
    binding = Binding(metadata=ObjectMeta(name="example"), target=ObjectReference())
    k.core_v1.pods("default").bind("example", binding)

async def async_pods_bind(k: AsyncClientset) -> None:
    from kubeapi.core.v1 import Binding, ObjectReference
    from kubeapi.meta.v1 import ObjectMeta
    binding = Binding(metadata=ObjectMeta(name="example"), target=ObjectReference())
    await k.core_v1.pods("default").bind("example", binding)

def pods_evict(k: Clientset) -> None:
    k.core_v1.pods("default").evict("example")

async def async_pods_evict(k: AsyncClientset) -> None:
    await k.core_v1.pods("default").evict("example")

def pods_view(k: Clientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.core.v1 import Pod


    class PodName(View[Pod]):
        """The metadata only."""


    view = k.core_v1.pods("default").view(PodName)
    for pod in view.list():
        print(pod.metadata.name)

async def async_pods_view(k: AsyncClientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.core.v1 import Pod


    class PodName(View[Pod]):
        """The metadata only."""


    view = k.core_v1.pods("default").view(PodName)
    for pod in await view.list():
        print(pod.metadata.name)

def pods_wait(k: Clientset) -> None:
    from clientgen.runtime.conditions import deleted
    k.core_v1.pods("default").wait("example", until=deleted, timeout=60)

async def async_pods_wait(k: AsyncClientset) -> None:
    from clientgen.runtime.conditions import deleted
    await k.core_v1.pods("default").wait("example", until=deleted, timeout=60)

def pods_caches(k: Clientset) -> None:
    with k.informers() as factory:
        lister = factory.core_v1.pods().lister
        factory.start()
        factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)

async def async_pods_caches(k: AsyncClientset) -> None:
    async with k.informers() as factory:
        lister = factory.core_v1.pods().lister
        factory.start()
        await factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)

def deployments_list(k: Clientset) -> None:
    for deployment in k.apps_v1.deployments("default").list():
        print(deployment.metadata.name)

async def async_deployments_list(k: AsyncClientset) -> None:
    for deployment in await k.apps_v1.deployments("default").list():
        print(deployment.metadata.name)

def deployments_each(k: Clientset) -> None:
    for deployment in k.apps_v1.deployments("default").each():
        print(deployment.metadata.name)

async def async_deployments_each(k: AsyncClientset) -> None:
    async for deployment in k.apps_v1.deployments("default").each():
        print(deployment.metadata.name)

def deployments_watch(k: Clientset) -> None:
    for event in k.apps_v1.deployments("default").watch():
        print(event.type, event.object.metadata.name)

async def async_deployments_watch(k: AsyncClientset) -> None:
    async for event in k.apps_v1.deployments("default").watch():
        print(event.type, event.object.metadata.name)

def deployments_get(k: Clientset) -> None:
    deployment = k.apps_v1.deployments("default").get("example")
    print(deployment.metadata.name)

async def async_deployments_get(k: AsyncClientset) -> None:
    deployment = await k.apps_v1.deployments("default").get("example")
    print(deployment.metadata.name)

def deployments_create(k: Clientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = k.apps_v1.deployments("default").create(deployment)
    print(deployment.metadata.name)

async def async_deployments_create(k: AsyncClientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = await k.apps_v1.deployments("default").create(deployment)
    print(deployment.metadata.name)

def deployments_update(k: Clientset) -> None:
    deployment = k.apps_v1.deployments("default").get("example")
    deployment.metadata.labels["team"] = "web"
    deployment = k.apps_v1.deployments("default").update(deployment)
    print(deployment.metadata.name)

async def async_deployments_update(k: AsyncClientset) -> None:
    deployment = await k.apps_v1.deployments("default").get("example")
    deployment.metadata.labels["team"] = "web"
    deployment = await k.apps_v1.deployments("default").update(deployment)
    print(deployment.metadata.name)

def deployments_patch(k: Clientset) -> None:
    deployment = k.apps_v1.deployments("default").patch(
        "example",
        {"metadata": {"labels": {"team": "web"}}},
    )
    print(deployment.metadata.name)

async def async_deployments_patch(k: AsyncClientset) -> None:
    deployment = await k.apps_v1.deployments("default").patch(
        "example",
        {"metadata": {"labels": {"team": "web"}}},
    )
    print(deployment.metadata.name)

def deployments_edit(k: Clientset) -> None:
    from kubeapi.apps.v1 import Deployment


    def add_label(deployment: Deployment) -> None:
        deployment.metadata.labels["team"] = "web"


    deployment = k.apps_v1.deployments("default").edit("example", add_label)
    print(deployment.metadata.name)

async def async_deployments_edit(k: AsyncClientset) -> None:
    from kubeapi.apps.v1 import Deployment


    def add_label(deployment: Deployment) -> None:
        deployment.metadata.labels["team"] = "web"


    deployment = await k.apps_v1.deployments("default").edit("example", add_label)
    print(deployment.metadata.name)

def deployments_apply(k: Clientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = k.apps_v1.deployments("default").apply(deployment)
    print(deployment.metadata.name)

async def async_deployments_apply(k: AsyncClientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = await k.apps_v1.deployments("default").apply(deployment)
    print(deployment.metadata.name)

def deployments_delete(k: Clientset) -> None:
    k.apps_v1.deployments("default").delete("example")

async def async_deployments_delete(k: AsyncClientset) -> None:
    await k.apps_v1.deployments("default").delete("example")

def deployments_delete_collection(k: Clientset) -> None:
    k.apps_v1.deployments("default").delete_collection()

async def async_deployments_delete_collection(k: AsyncClientset) -> None:
    await k.apps_v1.deployments("default").delete_collection()

def deployments_update_status(k: Clientset) -> None:
    deployment = k.apps_v1.deployments("default").get("example")
    deployment.metadata.labels["team"] = "web"
    deployment = k.apps_v1.deployments("default").update_status(deployment)
    print(deployment.metadata.name)

async def async_deployments_update_status(k: AsyncClientset) -> None:
    deployment = await k.apps_v1.deployments("default").get("example")
    deployment.metadata.labels["team"] = "web"
    deployment = await k.apps_v1.deployments("default").update_status(deployment)
    print(deployment.metadata.name)

def deployments_apply_status(k: Clientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = k.apps_v1.deployments("default").apply_status(deployment)
    print(deployment.metadata.name)

async def async_deployments_apply_status(k: AsyncClientset) -> None:
    from kubeapi.apps.v1 import Deployment, DeploymentSpec
    from kubeapi.core.v1 import Container, PodSpec, PodTemplateSpec
    from kubeapi.meta.v1 import LabelSelector, ObjectMeta
    deployment = Deployment(
        metadata=ObjectMeta(name="example"),
        spec=DeploymentSpec(
            selector=LabelSelector(match_labels={"app": "example"}),
            template=PodTemplateSpec(
                metadata=ObjectMeta(labels={"app": "example"}),
                spec=PodSpec(containers=[Container(name="web", image="nginx")]),
            ),
        ),
    )
    deployment = await k.apps_v1.deployments("default").apply_status(deployment)
    print(deployment.metadata.name)

def deployments_scale(k: Clientset) -> None:
    scale = k.apps_v1.deployments("default").scale("example").get()
    print(scale)

async def async_deployments_scale(k: AsyncClientset) -> None:
    scale = await k.apps_v1.deployments("default").scale("example").get()
    print(scale)

def deployments_status(k: Clientset) -> None:
    status = k.apps_v1.deployments("default").status("example").get()
    print(status)

async def async_deployments_status(k: AsyncClientset) -> None:
    status = await k.apps_v1.deployments("default").status("example").get()
    print(status)

def deployments_view(k: Clientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.apps.v1 import Deployment


    class DeploymentName(View[Deployment]):
        """The metadata only."""


    view = k.apps_v1.deployments("default").view(DeploymentName)
    for deployment in view.list():
        print(deployment.metadata.name)

async def async_deployments_view(k: AsyncClientset) -> None:
    from clientgen.runtime.views import View
    from kubeapi.apps.v1 import Deployment


    class DeploymentName(View[Deployment]):
        """The metadata only."""


    view = k.apps_v1.deployments("default").view(DeploymentName)
    for deployment in await view.list():
        print(deployment.metadata.name)

def deployments_wait(k: Clientset) -> None:
    from clientgen.runtime.conditions import deleted
    k.apps_v1.deployments("default").wait(
        "example",
        until=deleted,
        timeout=60,
    )

async def async_deployments_wait(k: AsyncClientset) -> None:
    from clientgen.runtime.conditions import deleted
    await k.apps_v1.deployments("default").wait(
        "example",
        until=deleted,
        timeout=60,
    )

def deployments_caches(k: Clientset) -> None:
    with k.informers() as factory:
        lister = factory.apps_v1.deployments().lister
        factory.start()
        factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)

async def async_deployments_caches(k: AsyncClientset) -> None:
    async with k.informers() as factory:
        lister = factory.apps_v1.deployments().lister
        factory.start()
        await factory.wait_for_sync(timeout=60)
        for each in lister.list():
            print(each.metadata.name)
