"""What there should be for a WebApp, and what its status says: no request, no waiting."""

from __future__ import annotations

from kubeapi.apps.v1 import Deployment, DeploymentSpec
from kubeapi.core.v1 import (
    Container,
    ContainerPort,
    PodSpec,
    PodTemplateSpec,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubeapi.meta.v1 import LabelSelector, ObjectMeta

from clientgen.runtime.conditions import ready
from clientgen.runtime.controllers import set_condition, set_owner
from clientgen.runtime.models import deep_copy

from .v1 import WebApp

NAME = "webapps"
"""Of the controller, of its lease, and of who owns what it applies."""
LABEL = "web.example.com/app"


def metadata_for(app: WebApp) -> ObjectMeta:
    """The name and the labels of what belongs to a WebApp."""
    me = app.metadata
    return ObjectMeta(name=me.name, namespace=me.namespace, labels={LABEL: me.name})


def deployment_for(app: WebApp) -> Deployment:
    """The Deployment that runs a WebApp."""
    container = Container(
        name="web",
        image=app.spec.image,
        env=app.spec.env,
        ports=[ContainerPort(container_port=app.spec.port, name="http")],
    )
    labels = {LABEL: app.metadata.name}
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels=labels), spec=PodSpec(containers=[container])
    )
    spec = DeploymentSpec(
        replicas=app.spec.replicas,
        selector=LabelSelector(match_labels=labels),
        template=template,
    )
    deployment = Deployment(metadata=metadata_for(app), spec=spec)
    set_owner(deployment, app)
    return deployment


def service_for(app: WebApp) -> Service:
    """The Service in front of it."""
    port = ServicePort(name="http", port=80, target_port="http")
    spec = ServiceSpec(selector={LABEL: app.metadata.name}, ports=[port])
    service = Service(metadata=metadata_for(app), spec=spec)
    set_owner(service, app)
    return service


def rival(app: WebApp, *objects: Deployment | Service | None) -> str:
    """Name an object that has the WebApp's name, but is not its own; empty if there is none."""
    for obj in objects:
        if obj is None:
            continue
        if app.metadata.uid not in [each.uid for each in obj.metadata.owner_references]:
            return f"the {obj.kind} {obj.metadata.name!r} belongs to somebody else"
    return ""


def with_problem(app: WebApp, problem: str) -> WebApp:
    """The WebApp with a status that says why there is nothing."""
    changed = deep_copy(app)
    changed.status.observed_generation = app.metadata.generation or 0
    set_condition(changed, "Ready", False, reason="NameTaken", message=problem)
    set_condition(changed, "Progressing", False, reason="NameTaken", message=problem)
    return changed


def with_status(app: WebApp, deployment: Deployment) -> WebApp:
    """The WebApp with a status that says how far its Deployment is."""
    changed = deep_copy(app)
    changed.status.observed_generation = app.metadata.generation or 0
    changed.status.ready_replicas = deployment.status.ready_replicas or 0
    verdict = ready.check(deployment)
    reason = "RolledOut" if verdict.met else "RolloutFailed" if verdict.failed else "RollingOut"
    set_condition(changed, "Ready", verdict.met, reason=reason, message=verdict.why)
    under_way = not verdict.met and not verdict.failed
    set_condition(changed, "Progressing", under_way, reason=reason, message=verdict.why)
    return changed
