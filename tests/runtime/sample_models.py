"""Models by hand, in the forms the generator writes: small, but with every kind of field."""

from __future__ import annotations

from clientgen.runtime._models.meta_v1 import Condition, LabelSelector, ModelList, ObjectMeta
from clientgen.runtime._models.model import (
    NO_RAW,
    IntOrString,
    Literal,
    MicroTime,
    Model,
    Raw,
    Time,
    auto,
    constant,
    field,
)
from clientgen.runtime._models.quantity import Quantity


class ContainerPort(Model):
    container_port: int
    host_ip: str | None = field(default=None, name="hostIP")
    host_port: int | None = None
    name: str | None = None
    protocol: Literal["SCTP", "TCP", "UDP"] | str | None = None


class EnvVar(Model):
    name: str
    value: str | None = None


class HTTPGetAction(Model):
    path: str | None = None
    port: IntOrString
    scheme: Literal["HTTP", "HTTPS"] | str | None = None


class Probe(Model):
    failure_threshold: int | None = None
    http_get: HTTPGetAction | None = None
    initial_delay_seconds: int | None = None
    period_seconds: int | None = None
    success_threshold: int | None = None
    timeout_seconds: int | None = None


class ResourceRequirements(Model):
    limits: dict[str, Quantity] = field(default_factory=dict)
    requests: dict[str, Quantity] = field(default_factory=dict)


class Capabilities(Model):
    add: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)


class SecurityContext(Model):
    allow_privilege_escalation: bool | None = None
    capabilities: Capabilities | None = None
    read_only_root_filesystem: bool | None = None
    run_as_user: int | None = None


class VolumeMount(Model):
    mount_path: str
    name: str
    read_only: bool | None = None
    sub_path: str | None = None


class Container(Model):
    args: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    env: list[EnvVar] = field(default_factory=list)
    image: str | None = None
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | str | None = None
    liveness_probe: Probe | None = None
    name: str
    ports: list[ContainerPort] = field(default_factory=list)
    readiness_probe: Probe | None = None
    resources: ResourceRequirements | None = None
    security_context: SecurityContext | None = None
    termination_message_path: str | None = None
    termination_message_policy: str | None = None
    volume_mounts: list[VolumeMount] = field(default_factory=list)


class EmptyDirVolumeSource(Model):
    medium: str | None = None
    size_limit: Quantity | None = None


class KeyToPath(Model):
    key: str
    path: str
    mode: int | None = None


class ConfigMapVolumeSource(Model):
    default_mode: int | None = None
    items: list[KeyToPath] = field(default_factory=list)
    name: str | None = None
    optional: bool | None = None


class PersistentVolumeClaimSpec(Model):
    access_modes: list[str] = field(default_factory=list)
    resources: ResourceRequirements | None = None
    storage_class_name: str | None = None


class PersistentVolumeClaimTemplate(Model):
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PersistentVolumeClaimSpec


class EphemeralVolumeSource(Model):
    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class Volume(Model):
    config_map: ConfigMapVolumeSource | None = None
    empty_dir: EmptyDirVolumeSource | None = None
    ephemeral: EphemeralVolumeSource | None = None
    name: str


class Toleration(Model):
    effect: Literal["NoExecute", "NoSchedule", "PreferNoSchedule"] | str | None = None
    key: str | None = None
    operator: Literal["Equal", "Exists"] | str | None = None
    toleration_seconds: int | None = None


class PodSecurityContext(Model):
    fs_group: int | None = None
    run_as_non_root: bool | None = None


class PodSpec(Model):
    containers: list[Container]
    dns_policy: Literal["ClusterFirst", "Default", "None"] | str | None = None
    enable_service_links: bool | None = None
    host_network: bool | None = None
    init_containers: list[Container] = field(default_factory=list)
    node_name: str | None = None
    node_selector: dict[str, str] = field(default_factory=dict)
    overhead: dict[str, Quantity] = field(default_factory=dict)
    preemption_policy: str | None = None
    priority: int | None = None
    restart_policy: Literal["Always", "Never", "OnFailure"] | str | None = None
    scheduler_name: str | None = None
    security_context: PodSecurityContext | None = None
    service_account: str | None = None
    service_account_name: str | None = None
    termination_grace_period_seconds: int | None = None
    tolerations: list[Toleration] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)


class PodCondition(Model):
    last_probe_time: Time | None = None
    last_transition_time: Time | None = None
    message: str | None = None
    observed_generation: int | None = None
    reason: str | None = None
    status: str
    type: str


class ContainerStateRunning(Model):
    started_at: Time | None = None


class ContainerStateTerminated(Model):
    exit_code: int
    finished_at: Time | None = None
    reason: str | None = None
    started_at: Time | None = None


class ContainerState(Model):
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Model):
    container_id: str | None = field(default=None, name="containerID")
    image: str
    image_id: str = field(name="imageID")
    last_state: ContainerState | None = None
    name: str
    ready: bool
    restart_count: int
    started: bool | None = None
    state: ContainerState | None = None


class HostIP(Model):
    ip: str


class PodStatus(Model):
    conditions: list[PodCondition] = field(default_factory=list)
    container_statuses: list[ContainerStatus] = field(default_factory=list)
    host_ip: str | None = field(default=None, name="hostIP")
    host_ips: list[HostIP] = field(default_factory=list, name="hostIPs")
    observed_generation: int | None = None
    phase: Literal["Failed", "Pending", "Running", "Succeeded", "Unknown"] | str | None = None
    pod_ip: str | None = field(default=None, name="podIP")
    pod_ips: list[HostIP] = field(default_factory=list, name="podIPs")
    qos_class: str | None = None
    start_time: Time | None = None


class Pod(Model):
    """A group of containers on one node."""

    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["Pod"] = constant("Pod")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PodSpec = auto(PodSpec)
    status: PodStatus = auto(PodStatus)


class PodList(ModelList[Pod]):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["PodList"] = constant("PodList")


class PodTemplateSpec(Model):
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PodSpec = auto(PodSpec)


class RollingUpdateDeployment(Model):
    max_surge: IntOrString | None = None
    max_unavailable: IntOrString | None = None


class DeploymentStrategy(Model):
    rolling_update: RollingUpdateDeployment | None = None
    type: Literal["Recreate", "RollingUpdate"] | str | None = None


class DeploymentSpec(Model):
    replicas: int | None = None
    selector: LabelSelector
    strategy: DeploymentStrategy | None = None
    template: PodTemplateSpec


class DeploymentStatus(Model):
    replicas: int | None = None


class Deployment(Model):
    api_version: Literal["apps/v1"] = constant("apps/v1", name="apiVersion")
    kind: Literal["Deployment"] = constant("Deployment")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: DeploymentSpec = auto(DeploymentSpec)
    status: DeploymentStatus = auto(DeploymentStatus)


class PersistentVolumeClaimStatus(Model):
    capacity: dict[str, Quantity] = field(default_factory=dict)
    phase: str | None = None


class PersistentVolumeClaim(Model):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["PersistentVolumeClaim"] = constant("PersistentVolumeClaim")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: PersistentVolumeClaimSpec = auto(PersistentVolumeClaimSpec)
    status: PersistentVolumeClaimStatus = auto(PersistentVolumeClaimStatus)


class StatefulSetSpec(Model):
    selector: LabelSelector
    template: PodTemplateSpec
    volume_claim_templates: list[PersistentVolumeClaim] = field(default_factory=list)


class StatefulSet(Model):
    api_version: Literal["apps/v1"] = constant("apps/v1", name="apiVersion")
    kind: Literal["StatefulSet"] = constant("StatefulSet")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: StatefulSetSpec = auto(StatefulSetSpec)


class Secret(Model, sensitive=("data", "string_data")):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    data: dict[str, bytes] = field(default_factory=dict)
    immutable: bool | None = None
    kind: Literal["Secret"] = constant("Secret")
    metadata: ObjectMeta = auto(ObjectMeta)
    string_data: dict[str, str] = field(default_factory=dict)
    type: str | None = None


class SecretList(ModelList[Secret]):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    kind: Literal["SecretList"] = constant("SecretList")


class ConfigMap(Model):
    api_version: Literal["v1"] = constant("v1", name="apiVersion")
    binary_data: dict[str, bytes] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    kind: Literal["ConfigMap"] = constant("ConfigMap")
    metadata: ObjectMeta = auto(ObjectMeta)


class LeaseSpec(Model):
    acquire_time: MicroTime | None = None
    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    lease_transitions: int | None = None
    renew_time: MicroTime | None = None


class Lease(Model):
    api_version: Literal["coordination.k8s.io/v1"] = constant(
        "coordination.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["Lease"] = constant("Lease")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: LeaseSpec = auto(LeaseSpec)


class EventSeries(Model):
    count: int
    last_observed_time: MicroTime


class Event(Model):
    api_version: Literal["events.k8s.io/v1"] = constant("events.k8s.io/v1", name="apiVersion")
    event_time: MicroTime
    kind: Literal["Event"] = constant("Event")
    metadata: ObjectMeta = auto(ObjectMeta)
    note: str | None = None
    series: EventSeries | None = None


class IPBlock(Model):
    cidr: str
    except_: list[str] = field(default_factory=list, name="except")


class NetworkPolicyPeer(Model):
    ip_block: IPBlock | None = None
    pod_selector: LabelSelector | None = None


class NetworkPolicyPort(Model):
    port: IntOrString | None = None
    protocol: str | None = None


class NetworkPolicyIngressRule(Model):
    from_: list[NetworkPolicyPeer] = field(default_factory=list, name="from")
    ports: list[NetworkPolicyPort] = field(default_factory=list)


class NetworkPolicySpec(Model):
    ingress: list[NetworkPolicyIngressRule] = field(default_factory=list)
    pod_selector: LabelSelector
    policy_types: list[str] = field(default_factory=list)


class NetworkPolicy(Model):
    api_version: Literal["networking.k8s.io/v1"] = constant(
        "networking.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["NetworkPolicy"] = constant("NetworkPolicy")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: NetworkPolicySpec = auto(NetworkPolicySpec)


class JSONSchemaProps(Model):
    ref: str | None = field(default=None, name="$ref")
    all_of: list[JSONSchemaProps] = field(default_factory=list)
    default: Raw = NO_RAW
    enum: list[Raw] = field(default_factory=list)
    items: Raw = NO_RAW
    maximum: float | None = None
    not_: JSONSchemaProps | None = field(default=None, name="not")
    properties: dict[str, JSONSchemaProps] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    type: str | None = None
    kubernetes_int_or_string: bool | None = field(default=None, name="x-kubernetes-int-or-string")
    kubernetes_list_map_keys: list[str] = field(
        default_factory=list, name="x-kubernetes-list-map-keys"
    )


class CustomResourceValidation(Model):
    open_api_v3_schema: JSONSchemaProps | None = field(default=None, name="openAPIV3Schema")


class CustomResourceDefinitionVersion(Model):
    name: str
    schema: CustomResourceValidation | None = None
    served: bool
    storage: bool


class CustomResourceDefinitionSpec(Model):
    group: str
    versions: list[CustomResourceDefinitionVersion]


class CustomResourceDefinitionStatus(Model):
    conditions: list[Condition] = field(default_factory=list)


class CustomResourceDefinition(Model):
    api_version: Literal["apiextensions.k8s.io/v1"] = constant(
        "apiextensions.k8s.io/v1", name="apiVersion"
    )
    kind: Literal["CustomResourceDefinition"] = constant("CustomResourceDefinition")
    metadata: ObjectMeta = auto(ObjectMeta)
    spec: CustomResourceDefinitionSpec
    status: CustomResourceDefinitionStatus = auto(CustomResourceDefinitionStatus)


class ControllerRevision(Model):
    api_version: Literal["apps/v1"] = constant("apps/v1", name="apiVersion")
    data: Raw = NO_RAW
    kind: Literal["ControllerRevision"] = constant("ControllerRevision")
    metadata: ObjectMeta = auto(ObjectMeta)
    revision: int
