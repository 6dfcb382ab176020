"""The markers of kubebuilder."""
