"""ValidatingAdmissionPolicy and MutatingAdmissionPolicy, as steps of admission.

`hooks` keeps the stored policies with their bindings, `policy_matching` says which requests they
are about, `parameters` finds what `paramRef` names, `policy_values` are the variables of
expressions.

Facts: docs/internals/kubernetes-semantics.md, 1.13.
"""

from .mutating import MutatingPolicies
from .validating import ValidatingPolicies

__all__ = ["MutatingPolicies", "ValidatingPolicies"]
