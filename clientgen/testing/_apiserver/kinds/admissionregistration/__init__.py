"""The group admissionregistration.k8s.io."""

from __future__ import annotations

from .mutating_admission_policy import MutatingAdmissionPolicyStrategy
from .mutating_admission_policy_binding import MutatingAdmissionPolicyBindingStrategy
from .mutating_webhook_configuration import MutatingWebhookConfigurationStrategy
from .validating_admission_policy import ValidatingAdmissionPolicyStrategy
from .validating_admission_policy_binding import ValidatingAdmissionPolicyBindingStrategy
from .validating_webhook_configuration import ValidatingWebhookConfigurationStrategy

__all__ = ["STRATEGIES"]

STRATEGIES = {
    "MutatingAdmissionPolicy": MutatingAdmissionPolicyStrategy,
    "MutatingAdmissionPolicyBinding": MutatingAdmissionPolicyBindingStrategy,
    "MutatingWebhookConfiguration": MutatingWebhookConfigurationStrategy,
    "ValidatingAdmissionPolicy": ValidatingAdmissionPolicyStrategy,
    "ValidatingAdmissionPolicyBinding": ValidatingAdmissionPolicyBindingStrategy,
    "ValidatingWebhookConfiguration": ValidatingWebhookConfigurationStrategy,
}
