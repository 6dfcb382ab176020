"""The markers of kubebuilder: what can be said of types and fields, and how it is spelt."""
