"""What the texts in specs/descriptions say in fixed words is what the in-memory server does.

The tests try each fact on valid objects, with one field changed. The facts that they cannot try
stand below, with the reason. A new fact is tried, or it is added there.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support import judging
from support.facts import Fact, facts
from support.judging import HELD, Verdict

pytestmark = pytest.mark.slow

NOT_TRIED = {
    "only the status that a kubelet writes has it": [
        "core.v1.ImageVolumeStatus.imageRef: At most 256 characters.",
    ],
    "other fields have to change, too": [
        "apiextensions.v1.CustomResourceDefinitionNames.plural: At most 63 characters.",
        "apiextensions.v1.JSONSchemaProps.x-kubernetes-list-map-keys: Only with `x-kubernetes-list-type` `map`.",  # noqa: E501
        "rbac.v1.PolicyRule.apiGroups: Not with `nonResourceURLs`.",
        "rbac.v1.PolicyRule.resourceNames: Not with `nonResourceURLs`.",
        "resource.v1.CapacityRequestPolicy.validValues: At most 10 items.",
        "resource.v1.DeviceAllocationConfiguration.requests: At most 32 items.",
        "resource.v1beta1.DeviceRequest.adminAccess: Not with `firstAvailable`.",
        "resource.v1beta1.DeviceRequest.allocationMode: Not with `firstAvailable`.",
        "resource.v1beta1.DeviceRequest.capacity: Not with `firstAvailable`.",
        "resource.v1beta1.DeviceRequest.count: Not with `firstAvailable`.",
        "resource.v1beta1.DeviceRequest.selectors: Not with `firstAvailable`.",
        "resource.v1beta1.DeviceRequest.tolerations: Not with `firstAvailable`.",
    ],
    "it is in the body of a request to a subresource, or of a delete": [
        "authentication.v1.TokenRequestSpec.expirationSeconds: Range: 600 to 4294967296.",
        "autoscaling.v1.ScaleSpec.replicas: At least 0.",
        "core.v1.EphemeralContainer.name: At most 63 characters.",
        "meta.v1.DeleteOptions.orphanDependents: Not with `propagationPolicy`.",
        "meta.v1.DeleteOptions.propagationPolicy: Not with `orphanDependents`.",
    ],
    "the server sets it": [
        "certificates.v1.CertificateSigningRequestSpec.extra: Immutable.",
        "certificates.v1.CertificateSigningRequestSpec.groups: Immutable.",
        "certificates.v1.CertificateSigningRequestSpec.uid: Immutable.",
        "meta.v1.ObjectMeta.namespace: Immutable.",
    ],
    "the feature gate is off by default, and the server drops the field": [
        "coordination.v1.LeaseSpec.preferredHolder: Only with `strategy`.",
        "core.v1.ClusterTrustBundleProjection.labelSelector: Only with `signerName`.",
        "core.v1.ClusterTrustBundleProjection.name: Not with `signerName` or `labelSelector`.",
        "core.v1.ClusterTrustBundleProjection.signerName: Not with `name`.",
        "core.v1.PodCertificateProjection.maxExpirationSeconds: Range: 3600 to 7862400.",
        "core.v1.PodSpec.schedulingGroup: Immutable.",
    ],
    "the in-memory server has cluster IPs of one family": [
        "core.v1.ServiceSpec.clusterIPs: At most 2 items.",
        "core.v1.ServiceSpec.ipFamilies: At most 2 items.",
    ],
}
# Sentences that begin like a fact in fixed words, but say more than such words can.
IN_OTHER_WORDS = [
    "admissionregistration.v1.ValidatingAdmissionPolicySpec.auditAnnotations",
    "admissionregistration.v1.ValidatingAdmissionPolicySpec.validations",
    "autoscaling.v2.HorizontalPodAutoscalerSpec.minReplicas",
    "batch.v1.JobSpec.completions",
    "batch.v1.JobSpec.maxFailedIndexes",
    "batch.v1.JobSpec.parallelism",
    "batch.v1.JobSpec.template",
    "batch.v1.SuccessPolicyRule.succeededCount",
    "core.v1.ConfigMap.immutable",
    "core.v1.EphemeralContainer.terminationMessagePath",
    "core.v1.ResourceRequirements.requests",
    "core.v1.ScopedResourceSelectorRequirement.values",
    "core.v1.ScopedResourceSelectorRequirement.values",
    "core.v1.Secret.data",
    "core.v1.ServiceSpec.externalTrafficPolicy",
    "core.v1.ServiceSpec.healthCheckNodePort",
    "core.v1.ServiceSpec.ports",
    "core.v1.SleepAction.seconds",
    "flowcontrol.v1.PolicyRulesWithSubjects.nonResourceRules",
    "flowcontrol.v1.PolicyRulesWithSubjects.resourceRules",
    "networking.v1.ServiceCIDRSpec.cidrs",
    "resource.v1.Device.attributes",
    "resource.v1.Device.capacity",
    "resource.v1.DeviceCapacity.requestPolicy",
    "resource.v1.ResourceSliceSpec.devices",
    "resource.v1beta1.BasicDevice.attributes",
    "resource.v1beta1.BasicDevice.capacity",
    "scheduling.v1.PriorityClass.globalDefault",
    "scheduling.v1.PriorityClass.value",
    "storage.v1.VolumeAttachmentStatus.attachmentMetadata",
    "apiextensions.v1.CustomResourceDefinitionNames.kind",
    "apiextensions.v1.CustomResourceDefinitionSpec.scope",
    "meta.v1.ObjectMeta.annotations",
    "meta.v1.ObjectMeta.ownerReferences",
    "meta.v1.OwnerReference.controller",
]


def held(name: str, judge: Callable[[Fact], Verdict]) -> set[str]:
    """Hold all facts of a sort to the server; return those that could not be tried."""
    verdicts = {str(fact): judge(fact) for fact in facts() if getattr(fact, name)}
    assert {fact: said for fact, said in verdicts.items() if said.startswith("wrong")} == {}
    missing = {fact: said for fact, said in verdicts.items() if said != HELD}
    unexplained = {fact: said for fact, said in missing.items() if fact not in not_tried()}
    assert unexplained == {}
    return set(missing)


def not_tried() -> set[str]:
    return {fact for listed in NOT_TRIED.values() for fact in listed}


def test_facts_hold() -> None:
    missing = held("bounds", judging.bounds)
    missing |= held("is_immutable", judging.immutable)
    missing |= held("needed", judging.needed)
    missing |= held("excluded", judging.excluded)
    assert missing == not_tried(), "what is tried now is no longer listed"


def test_each_sentence_of_fixed_words_is_understood() -> None:
    others = [fact for fact in facts() if not fact.is_fixed]
    assert [fact.place for fact in others] == IN_OTHER_WORDS


@pytest.mark.parametrize(
    ("field", "sentence", "judge"),
    [
        ("io.k8s.api.core.v1.ServicePort.port", "Range: 2 to 65535.", judging.bounds),
        ("io.k8s.api.core.v1.ServicePort.port", "At most 65536.", judging.bounds),
        ("io.k8s.api.core.v1.PodDNSConfig.nameservers", "At most 2 items.", judging.bounds),
        ("io.k8s.api.core.v1.Container.name", "At most 64 characters.", judging.bounds),
        ("io.k8s.api.apps.v1.DeploymentSpec.replicas", "Immutable.", judging.immutable),
        ("io.k8s.api.core.v1.Container.tty", "Only with `stdin`.", judging.needed),
        ("io.k8s.api.core.v1.Container.tty", "Not with `stdin`.", judging.excluded),
        (
            "io.k8s.api.core.v1.ServiceSpec.externalName",
            "Only with `type` `ExternalName`.",
            judging.needed,
        ),
        ("io.k8s.api.core.v1.Toleration.effect", "Not with `operator` `Exists`.", judging.excluded),
    ],
)
def test_wrong_facts_are_found(field: str, sentence: str, judge: Callable[[Fact], Verdict]) -> None:
    definition, _, name = field.rpartition(".")
    assert judge(Fact(definition, name, sentence)) != HELD
